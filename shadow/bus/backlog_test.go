package bus_test

import (
	"context"
	"testing"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
	"github.com/understudy-eval/understudy/shadow/bus/embedded"
)

// A stage that is just starting must not look as if its work were done: the server
// says that nothing waits for a consumer until it has counted.
func TestBacklogWhileStageStarts(t *testing.T) {
	server := startServer(t, embedded.Options{})
	for n := range 25 {
		b := connect(t, bus.Options{InProcess: server, Experiment: string(rune('a' + n))})
		s := sample(n)
		s.Experiment = ""
		if err := b.PublishSample(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		taken := make(chan struct{})
		stop := consume(t, func(ctx context.Context) error {
			return b.EachSample(ctx, func(ctx context.Context, _ shadow.Sample) error {
				close(taken)
				<-ctx.Done() // never done, so it stays in the backlog
				return ctx.Err()
			})
		})
		for there := true; there; {
			select {
			case <-taken:
				there = false
			default:
			}
			backlog, err := b.Backlog(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if backlog.Samples.Left() == 0 {
				t.Fatalf("experiment %d: nothing left, though its sample was never worked off", n)
			}
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	}
}
