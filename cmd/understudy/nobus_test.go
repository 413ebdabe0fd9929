package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/bus/embedded"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// A tap that begins while the bus is down serves its users, and samples once the bus is
// there; every request until then is counted.
func TestTapBeginsWithoutTheBus(t *testing.T) {
	t.Parallel()
	reserved, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := embedded.Options{Dir: t.TempDir(), Listen: reserved.Addr().String(), Sync: 10 * time.Second}
	if err := reserved.Close(); err != nil {
		t.Fatal(err)
	}
	live, _ := fake(t, liveScript)
	cand, _ := fake(t, candScript)
	judges, _ := fake(t, judgeScript)
	s := start(t, t.TempDir(), fmt.Sprintf(pipelineConfiguration, live, cand, judges, "url: nats://"+o.Listen))
	base, sent := s.tapURL(), 0
	ask := func() {
		t.Helper()
		for range 10 {
			sent++
			if status, body := post(t, base, fmt.Sprint("hello ", sent)); status != http.StatusOK || !strings.Contains(body, fmt.Sprint("live: hello ", sent)) {
				t.Errorf("%d: the user got status %d, %.80s", sent, status, body)
			}
		}
	}
	ask()
	s.eventually("samples are lost", func() bool { return strings.Contains(s.log.String(), "samples are lost") })
	server, err := embedded.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Shutdown() })
	s.eventually("the bus is there", func() bool { return strings.Contains(s.log.String(), "waiting on the bus") })
	ask()
	b := s.awaitBooks(sent).Report.Books
	if lost := b.Dropped.of("bus_down"); lost == 0 || b.Dropped.sum() != lost || b.Published < 10 || b.Published+lost != sent || !b.Balanced {
		t.Errorf("books %+v: want what came before the bus dropped as bus_down, and all else published", b)
	}
	s.stop()
}

// A tap that ends without ever having seen its bus says what it could not book.
func TestTapWithoutTheBusEnds(t *testing.T) {
	t.Parallel()
	live, _ := fake(t, liveScript)
	s := start(t, t.TempDir(), fmt.Sprintf(pipelineConfiguration, live, live, live, "url: nats://127.0.0.1:9"), "--roles", "tap")
	if status, _ := post(t, s.tapURL(), "hello"); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	s.end()
	if status, want := <-s.done, "the bus is not there yet"; status != exitError || !strings.Contains(s.log.String(), want) {
		t.Errorf("status %d, want the log to say %q:\n%s", status, want, s.log)
	}
}

// A disk that is full when the process begins keeps nobody from the live service, and
// when there is room nothing is missing.
func TestSinksBeginOnAFullDisk(t *testing.T) {
	answer := `{"model":"live-2026-01-01", "choices":[{"index":0,"message":{"content":"yes"},"finish_reason":"stop"}]}`
	live, _ := fake(t, func(llmfake.Call) llmfake.Answer { return llmfake.Answer{Raw: []byte(answer)} })
	cand, _ := fake(t, candScript)
	judges, _ := fake(t, judgeScript)
	dir := t.TempDir()
	fill, free, says := smallDisk(t, filepath.Join(dir, "rows"))
	if says != syscall.ENOSPC.Error() {
		t.Skip("no small disk can be mounted here, and a file in a folder's place is no full disk")
	}
	fill()
	s := start(t, dir, fmt.Sprintf(pipelineConfiguration, live, cand, judges, "dir: bus, sync: 10s"))
	base := s.tapURL()
	for i := range 5 {
		if status, got := post(t, base, fmt.Sprint("hello ", i)); status != http.StatusOK || got != answer {
			t.Errorf("status %d, %q", status, got)
		}
	}
	s.eventually("the alarm", func() bool { return strings.Contains(s.log.String(), "alarm: role failed") })
	free()
	s.awaitRows(4 * 5)
	s.stop()
}

// Behind live traffic a role that fails is begun again, each time later; without it all end.
func TestRolesAreBegunAgain(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name  string
		front string
		want  []time.Duration // when the role is opened
		err   error
	}{
		{"behind the tap", roleTap, []time.Duration{0, 1 * time.Second, 3 * time.Second, 7 * time.Second}, nil},
		{"by itself", "candidates", []time.Duration{0}, broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := bareProcess(&setup{}, slog.New(slog.DiscardHandler))
				close(p.there)
				began := time.Now()
				var opened []time.Duration
				lasts := func(*process, context.Context) (func(context.Context) error, error) {
					return func(ctx context.Context) error { <-ctx.Done(); return nil }, nil
				}
				fails := func(p *process, ctx context.Context) (func(context.Context) error, error) {
					opened = append(opened, time.Since(began))
					switch len(opened) {
					case 2:
						return nil, broken
					case 4:
						return lasts(p, ctx)
					}
					return func(context.Context) error { return broken }, nil
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if err := p.play(ctx, []role{{c.front, lasts}, {"sinks", fails}}); !errors.Is(err, c.err) {
					t.Errorf("error %v, want %v", err, c.err)
				}
				if diff := cmp.Diff(c.want, opened); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}
