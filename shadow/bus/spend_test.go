package bus_test

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
	"github.com/understudy-eval/understudy/shadow/bus/embedded"
)

// What was drawn for a day is drawn for all processes of an experiment and after a
// restart of the server, never beyond the limit, and what is returned can be drawn again.
func TestSpend(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bus")
	server, err := embedded.Start(embedded.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	limit := shadow.Sum{Calls: 101, NanoUSD: 5000}
	var got atomic.Int64
	var drawing sync.WaitGroup
	for range 4 {
		b, err := bus.Connect(t.Context(), bus.Options{InProcess: server, Experiment: "e.1"})
		if err != nil {
			t.Fatal(err)
		}
		drawing.Go(func() {
			for range 15 {
				sum, err := b.Draw(t.Context(), "candidate-gpt-4.1", "2026-10-05", shadow.Sum{Calls: 2}, limit)
				if err != nil {
					t.Error(err)
				}
				got.Add(sum.Calls)
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	drawing.Wait()
	if got.Load() != 101 {
		t.Errorf("drew %d calls of 101", got.Load())
	}
	if err := server.Shutdown(); err != nil {
		t.Fatal(err)
	}
	b := connect(t, bus.Options{InProcess: startServer(t, embedded.Options{Dir: dir}), Experiment: "e.1"})
	draw := func(account, day string, want, expect shadow.Sum) {
		t.Helper()
		if sum, err := b.Draw(t.Context(), account, day, want, limit); err != nil || sum != expect {
			t.Errorf("%s on %s: %+v, %v, want %+v", account, day, sum, err, expect)
		}
	}
	const a = "candidate-gpt-4.1"
	draw(a, "2026-10-05", shadow.Sum{Calls: 1}, shadow.Sum{})
	if err := b.Return(t.Context(), a, "2026-10-05", shadow.Sum{Calls: 3, NanoUSD: -7}); err != nil {
		t.Fatal(err)
	}
	draw(a, "2026-10-05", shadow.Sum{Calls: 5, NanoUSD: 6000}, shadow.Sum{Calls: 3, NanoUSD: 4993})
	draw(a, "2026-10-06", shadow.Sum{Calls: 5}, shadow.Sum{Calls: 5})
	draw("judge", "2026-10-05", shadow.Sum{NanoUSD: 1}, shadow.Sum{NanoUSD: 1})
	other := connect(t, bus.Options{InProcess: startServer(t, embedded.Options{Dir: filepath.Join(t.TempDir(), "x")}), Experiment: "e"})
	if sum, err := other.Draw(t.Context(), "j", "d", shadow.Sum{Calls: 7}, shadow.Sum{NanoUSD: 1}); err != nil || sum.Calls != 7 {
		t.Errorf("without a limit of calls: %+v, %v", sum, err)
	}
}
