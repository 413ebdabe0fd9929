package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// printEvery is how often what is passed on without being tapped is looked at.
const printEvery = time.Second

func newTap() *cobra.Command {
	var f tapFlags
	cmd := &cobra.Command{
		Use:   "tap",
		Short: "Play the tap alone; --print shows what it samples",
		Long: `tap passes live requests on, and takes its samples from them, until it is
interrupted: it is "run --roles tap", for which bus.url names a NATS server.

With --print it needs no bus and keeps nothing: each sampled request is shown on
standard output as it is decoded, with its dialect, endpoint, session, tokens in
and out, time to the first token, whole time, and what became of it; never what
was said. At the end come the counts per endpoint. With --upstream it needs no
configuration file either, and samples everything unless --rate says otherwise:
the quickest way to see that the tap understands your traffic.`,
		Example: `  understudy tap --print --upstream https://api.openai.com
  understudy tap --print --upstream http://127.0.0.1:11434 --listen 127.0.0.1:8081 --rate 10%
  understudy tap`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runTap(cmd, f) },
	}
	cmd.Flags().BoolVar(&f.print, "print", false, "show sampled requests instead of publishing them")
	cmd.Flags().StringVar(&f.upstream, "upstream", "", "with --print: the live service's `URL`, without /v1 (default: tap.upstream)")
	cmd.Flags().StringVar(&f.listen, "listen", "", "with --print: listen on `HOST:PORT` (default: tap.listen, "+config.DefaultListen+" without a file)")
	cmd.Flags().StringVar(&f.rate, "rate", "", "with --print: `SHARE` to sample (default: tap.rate, 100% without a file)")
	return cmd
}

type tapFlags struct {
	print                  bool
	upstream, listen, rate string
}

func runTap(cmd *cobra.Command, f tapFlags) error {
	if f.print {
		c, err := f.section(cmd)
		if err != nil {
			return err
		}
		return printTap(cmd.Context(), c, newPrinter(cmd.OutOrStdout(), isTerminal(cmd.OutOrStdout())), newLog(cmd.ErrOrStderr()))
	}
	if f.upstream != "" || f.listen != "" || f.rate != "" {
		return usageError{errors.New("--upstream, --listen and --rate belong to --print; without it the configuration says them")}
	}
	roles, err := pickRoles([]string{"tap"})
	if err != nil {
		return err
	}
	s, err := loadSetup(cmd)
	if err != nil {
		return err
	}
	return runRoles(cmd.Context(), s, roles, newLog(cmd.ErrOrStderr()))
}

// section is what to tap: the file's section with the flags over it. With an upstream
// and no file named there is no file.
func (f tapFlags) section(cmd *cobra.Command) (*config.Config, error) {
	cfg := &config.Config{Experiment: config.Experiment{Name: "print"}, Tap: config.DefaultTap()}
	cfg.Tap.Rate = 1
	if f.upstream == "" || cmd.Flags().Changed("config") {
		var err error
		if cfg, err = loadConfig(cmd); err != nil {
			return nil, fmt.Errorf("%w; or name the live service: --upstream URL", err)
		}
	}
	if f.upstream != "" {
		u, err := url.Parse(f.upstream)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, usageError{errors.New("--upstream: no address; want one such as https://api.openai.com")}
		}
		if strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/v1") {
			return nil, usageError{errors.New("--upstream: give the address without /v1: the tap passes paths on whole")}
		}
		cfg.Tap.Upstream = f.upstream
	}
	if f.listen != "" {
		cfg.Tap.Listen = f.listen
	}
	if f.rate != "" {
		rate, err := config.ParseShare(f.rate)
		if err != nil {
			return nil, usageError{fmt.Errorf("--rate: %w", err)}
		}
		cfg.Tap.Rate = rate
	}
	return cfg, nil
}

// printTap taps and prints until ctx ends.
func printTap(ctx context.Context, cfg *config.Config, p *printer, log *slog.Logger) error {
	o, err := tapOptions(cfg)
	if err != nil {
		return err
	}
	o.Publishers, o.BooksEvery, o.Log = 1, printEvery, log
	t, err := tap.New(o, p)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", cfg.Tap.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", cfg.Tap.Listen, err)
	}
	upstream, err := upstreamOf(cfg)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	log.InfoContext(ctx, "tap listens", "address", listener.Addr().String(), "upstream", upstream.Host)
	if err := serveTap(ctx, t, upstream, listener, func(context.Context) {}, log); err != nil {
		return err
	}
	return p.totals()
}

// serveTap serves the live traffic, and further ways in beside it, until ctx ends, then
// lets the requests under way finish and publishes what is queued.
func serveTap(ctx context.Context, t *tap.Tap, upstream *url.URL, listener net.Listener, further func(context.Context), log *slog.Logger) error {
	server := &http.Server{
		Handler:           t.Middleware(tap.ReverseProxy(upstream, tap.ProxyOptions{Log: log})),
		ReadHeaderTimeout: time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	publishing, endPublishing := context.WithCancel(context.WithoutCancel(ctx))
	defer endPublishing()
	var all errgroup.Group
	all.Go(func() error { return t.Run(publishing) })
	taken := make(chan struct{})
	all.Go(func() error {
		defer close(taken)
		further(ctx)
		return nil
	})
	all.Go(func() error {
		<-ctx.Done()
		defer endPublishing()
		defer func() { <-taken }()
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
		defer cancel()
		if err := server.Shutdown(limit); err != nil {
			return server.Close() // answers that go on for longer are cut
		}
		return nil
	})
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return all.Wait()
}
