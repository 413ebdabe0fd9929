package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
	"github.com/understudy-eval/understudy/shadow/bus/embedded"
	"github.com/understudy-eval/understudy/shadow/candidate"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/provider"
	"github.com/understudy-eval/understudy/shadow/tap"
	"github.com/understudy-eval/understudy/sinks"
)

// This file is the only place that picks implementations: it turns sections of
// the configuration into the parts that play the roles.

// openModel is the endpoint of a configured model.
func openModel(m config.Model) (*provider.Client, error) { return openWithin(m, nil) }

// openWithin opens a model whose replies tell what is left of its account's limits.
func openWithin(m config.Model, quota *provider.Quota) (*provider.Client, error) {
	e := provider.Endpoint{
		Name: m.Name, Provider: m.Provider, BaseURL: m.BaseURL, Model: m.Model, Digest: m.Digest,
		Extra: m.Extra, Headers: m.Headers, Reasoning: m.Reasoning, Responses: m.Responses, Concurrency: m.Concurrency, Quota: quota,
	}
	if !m.Key.IsZero() {
		e.Key = m.Key.Value
	}
	client, err := provider.Open(e)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", m.Name, err)
	}
	return client, nil
}

// openCandidates is what asks every candidate.
func openCandidates(cfg *config.Config, spend *purses, log *slog.Logger) (*candidate.Asker, error) {
	var arms []candidate.Arm
	policies, prices := newTroupe(cfg, log), openPrices(cfg)
	for _, c := range cfg.Candidates {
		arm := candidate.Arm{
			Name: shadow.Arm(c.Name), Share: c.Share, Timeout: c.Timeout, Control: c.Control,
			Purse: spend.of(cfg.Spend.Of(c.Name)), MostCalls: mostCalls(cfg, c.Model), Price: prices.priceOf(c.Model),
			Wait: policies.wait(c.Model),
		}
		if p, ok := cfg.Policy(c.Model); ok {
			m, err := policies.policy(p)
			if err != nil {
				return nil, err
			}
			arm.Model = m
			arms = append(arms, arm)
			continue
		}
		m, _ := cfg.Model(c.Model)
		arm.Concurrency, m.Concurrency = m.Concurrency, 0 // the arm waits for its place before its clock starts
		client, err := openWithin(m, policies.quotaOf(m))
		if err != nil {
			return nil, err
		}
		arm.Model = client.Model()
		arms = append(arms, arm)
	}
	return candidate.New(arms, candidate.Options{Log: log})
}

// openJudge is the bench of pinned judges.
func openJudge(s *setup, spend *purses, onPause func(judge.Pause), log *slog.Logger) (*judge.Judge, error) {
	j, prices := s.cfg.Judge, openPrices(s.cfg)
	o := judge.Options{
		Rubric: s.rubric, Digest: s.experiment.Digest, HedgeAfter: j.HedgeAfter, Budget: j.Budget,
		Breaker: judge.Breaker{Failures: j.Failures, Cool: j.Cool}, Share: j.Share,
		Further: judge.Further{Repeat: j.Repeat, Agreement: j.Agreement, Injection: j.Injection}, OnPause: onPause, Log: log,
		Purse: spend.of("judge", s.cfg.Spend.Judge), MaxPromptChars: j.MaxPrompt,
	}
	for _, seat := range []struct {
		name  string
		seat  *judge.Seat
		reply llm.ReplyForm
	}{{j.Primary, &o.Primary, j.PrimaryReply}, {j.Reserve, &o.Reserve, j.ReserveReply}} {
		m, ok := s.cfg.Model(seat.name)
		if !ok {
			continue // no reserve
		}
		client, err := openModel(m)
		if err != nil {
			return nil, err
		}
		*seat.seat = judge.Seat{Model: client.Model(), Pinned: pinned(m), Reply: seat.reply, Price: prices.model(m.Name).cost, Images: prices.sees(m)}
		for _, echo := range j.AcceptEcho {
			seat.seat.Echo = append(seat.seat.Echo, llm.Snapshot(echo))
		}
		if m.Provider == llm.ProviderOllama {
			seat.seat.Verify = func(ctx context.Context) error { return proveDigest(ctx, client, m) }
		}
	}
	return judge.New(o)
}

// proveDigest compares the weights behind an Ollama tag with the configured digest.
// Other self-hosted servers show none: there the digest is the user's own word.
func proveDigest(ctx context.Context, client *provider.Client, m config.Model) error {
	if m.Provider != llm.ProviderOllama || m.Digest == "" {
		return nil
	}
	found, err := client.Digest(ctx)
	if err != nil {
		return fmt.Errorf("model %s: the digest of %s cannot be compared: %w", m.Name, m.Model, err)
	}
	if !strings.HasPrefix(found, m.Digest) {
		return fmt.Errorf("model %s: the server has %s with digest %s, configured is %s: %w", m.Name, m.Model, found, m.Digest, judge.ErrSnapshot)
	}
	return nil
}

// openTap is the tap.
func openTap(s *setup, source string, b tap.Publisher, log *slog.Logger) (*tap.Tap, error) {
	o, err := tapOptions(s.cfg)
	if err != nil {
		return nil, err
	}
	o.Source, o.BooksEvery, o.Log = source, min(tap.DefaultBooksEvery, s.cfg.Sinks.FlushEvery), log
	return tap.New(o, b)
}

// tapOptions are what a configuration says of sampling.
func tapOptions(cfg *config.Config) (tap.Options, error) {
	c := cfg.Tap
	o := tap.Options{
		Experiment: cfg.Experiment.Name, Rate: c.Rate, Salt: c.Salt, SampleBy: tap.ByRequest,
		Session: []tap.Key{}, MaxBody: c.MaxBody, Queue: tap.Queue{Items: c.QueueItems, Bytes: c.QueueBytes},
	}
	if c.BySession {
		o.SampleBy = tap.BySession
	}
	for _, source := range c.Session {
		key, err := tap.ParseKey(source.String())
		if err != nil {
			return o, fmt.Errorf("%s: tap.session: %w", cfg.At("tap.session"), err)
		}
		o.Session = append(o.Session, key)
	}
	route, err := tap.ParseKey(c.Route.String())
	if err != nil {
		return o, fmt.Errorf("%s: tap.route: %w", cfg.At("tap.route"), err)
	}
	o.Route = route
	for name, source := range c.Tags {
		key, err := tap.ParseKey(source.String())
		if err != nil {
			return o, fmt.Errorf("%s: tap.tags.%s: %w", cfg.At("tap.tags."+name), name, err)
		}
		if o.Tags == nil {
			o.Tags = map[string]tap.Key{}
		}
		o.Tags[name] = key
	}
	return o, nil
}

func upstreamOf(cfg *config.Config) (*url.URL, error) {
	u, err := url.Parse(cfg.Tap.Upstream)
	if err != nil {
		return nil, fmt.Errorf("%s: tap.upstream: no address", cfg.At("tap.upstream"))
	}
	return u, nil
}

// openBus connects to the bus, and starts it first where it is embedded. The
// function that it returns ends both.
func openBus(ctx context.Context, cfg *config.Config, onDead func(stage, reason string), log *slog.Logger) (*bus.Bus, func() error, error) {
	o := bus.Options{
		URL: cfg.Bus.URL, Experiment: cfg.Experiment.Name, KeepTrials: cfg.Bus.KeepTrials, Log: log, OnDead: onDead,
	}
	stop := func() error { return nil }
	if cfg.Bus.Embedded() {
		server, err := embedded.Start(embedded.Options{
			Dir: cfg.Bus.Dir, Sync: cfg.Bus.SyncEvery, MaxPayload: int32(cfg.Bus.MaxPayload), Log: log,
		})
		if err != nil {
			return nil, nil, fmt.Errorf("embedded bus in %s: %w", cfg.Bus.Dir, err)
		}
		o.InProcess, stop = server, server.Shutdown
	}
	var err error
	if o.Creds, o.TLS, err = credentials(cfg.Bus); err == nil {
		var b *bus.Bus
		if b, err = bus.Connect(ctx, o); err == nil {
			return b, func() error { return errors.Join(b.Close(), stop()) }, nil
		}
	}
	return nil, nil, errors.Join(fmt.Errorf("bus: %w", err), stop())
}

// credentials are the files with which an external bus is reached.
func credentials(b config.Bus) (creds string, _ *tls.Config, _ error) {
	creds, _ = b.Creds.File()
	if b.TLS.IsZero() {
		return creds, nil, nil
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12}
	if b.TLS.CA != "" {
		pem, err := os.ReadFile(b.TLS.CA)
		if err != nil {
			return "", nil, fmt.Errorf("bus.tls.ca: %w", err)
		}
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(pem) {
			return "", nil, fmt.Errorf("bus.tls.ca: %s holds no certificate in PEM form", b.TLS.CA)
		}
	}
	if b.TLS.Cert != "" {
		key, _ := b.TLS.Key.File()
		pair, err := tls.LoadX509KeyPair(b.TLS.Cert, key)
		if err != nil {
			return "", nil, fmt.Errorf("bus.tls.cert: %w", err)
		}
		t.Certificates = []tls.Certificate{pair}
	}
	return creds, t, nil
}

// openSinks is the writer of rows and books.
func openSinks(cfg *config.Config, log *slog.Logger) (*sinks.Writer, error) {
	return sinks.Open(cfg.Sinks.Dir, sinks.Options{KeepText: cfg.Sinks.KeepText > 0, Costs: openPrices(cfg).costs(), Log: log})
}
