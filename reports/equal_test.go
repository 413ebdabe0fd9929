package reports_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/sinks"
)

// unequal gives a third of the trials another chance, so that means are weighted.
func unequal(gs []judge.Graded) []judge.Graded {
	out := slices.Clone(gs)
	for i := range out {
		if i%3 == 0 {
			out[i].Trial.Sample.Rate, out[i].Trial.Sample.Route = 0.003, "/rare"
		}
	}
	return out
}

// TestBitEqual: the whole report is the same value in any order of rows, in any
// division into files and groups, read by any number of workers.
func TestBitEqual(t *testing.T) {
	for _, c := range []struct {
		name string
		gs   []judge.Graded
	}{{"equal chances", trials(400)}, {"unequal chances", unequal(trials(400))}} {
		t.Run(c.name, func(t *testing.T) {
			var rows []sinks.Row
			for _, g := range c.gs {
				rows = append(rows, sinks.Rows(g)...)
			}
			books := booksFor(len(c.gs))
			want := build(t, fuller(), rows, books)
			if want.Comparisons[0].Quality.Weighted != (c.name == "unequal chances") {
				t.Fatal("the weights are not as planned")
			}
			rng := rand.New(rand.NewPCG(11, 4))
			for range 3 {
				rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
				if diff := cmp.Diff(want, build(t, fuller(), rows, books)); diff != "" {
					t.Fatalf("another order of rows: %s", diff)
				}
			}
			gs := slices.Clone(c.gs)
			for _, flush := range []int{400, 111} {
				rng.Shuffle(len(gs), func(i, j int) { gs[i], gs[j] = gs[j], gs[i] })
				dir := os.DirFS(written(t, gs, flush))
				for _, workers := range []int{1, 2, 3, 7} {
					got, err := reports.ReadBy(workers, dir, fuller(), reports.Window{})
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("flushes of %d, %d workers: %s", flush, workers, diff)
					}
				}
			}
		})
	}
}
