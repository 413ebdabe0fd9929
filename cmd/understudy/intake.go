package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/understudy-eval/understudy/shadow/tap"
)

const (
	// intakePath is where documents are posted to.
	intakePath = "/samples"
	// intakeLimit bounds the time of one call, however slow its sender is.
	intakeLimit = time.Minute
)

// openIntake opens the further ways in that are configured: documents over HTTP on a
// listener of its own, and over NATS. The function that it returns serves them until ctx
// ends; the live service goes on without them where one fails.
func (p *process) openIntake(t *tap.Tap) (serve func(context.Context), err error) {
	var ways []func(context.Context) error
	if address := p.cfg.Tap.Ingest.Listen; address != "" {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return nil, fmt.Errorf("%s: tap.ingest.listen: %w", p.cfg.At("tap.ingest.listen"), err)
		}
		p.log.Info("intake listens", "address", listener.Addr().String(), "path", intakePath)
		ways = append(ways, func(ctx context.Context) error { return p.serveIntake(ctx, listener, t.Intake()) })
	}
	if p.cfg.Tap.Ingest.NATS {
		ways = append(ways, func(ctx context.Context) error {
			if p.await(ctx) != nil {
				return nil
			}
			return p.bus.Intake(ctx, func(data []byte) []byte { return receipt(t.Receive(data)) }, t.Lost)
		})
	}
	return func(ctx context.Context) {
		var all sync.WaitGroup
		for _, way := range ways {
			all.Go(func() {
				if err := way(ctx); err != nil {
					p.log.ErrorContext(ctx, "intake ended", "error", err)
				}
			})
		}
		all.Wait()
	}, nil
}

func (p *process) serveIntake(ctx context.Context, listener net.Listener, h http.Handler) error {
	mux := http.NewServeMux()
	mux.Handle(intakePath, h)
	server := &http.Server{
		Handler: mux, ReadTimeout: intakeLimit, WriteTimeout: intakeLimit,
		ErrorLog: slog.NewLogLogger(p.log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
		defer cancel()
		if server.Shutdown(limit) == nil {
			ended <- nil
			return
		}
		ended <- server.Close() // calls that go on for longer are cut, what they sent is counted
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		<-ctx.Done()
		<-ended
		return err
	}
	return <-ended
}

// receipt is the reply to a message.
func receipt(r tap.Receipt) []byte {
	data, err := json.Marshal(r)
	if err != nil {
		return nil // numbers and texts: there is no such error
	}
	return data
}
