package reports_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/policy"
	"github.com/understudy-eval/understudy/sinks"
)

func withReserve(reserve policy.Design) policy.Design {
	return policy.Design{Name: "with reserve", Kind: policy.KindRace, Stages: []policy.Design{{Name: "live"}, reserve}}
}

func priced(r sinks.Row, nanoUSD int64) sinks.Row {
	r.Cost = &nanoUSD
	return r
}

// handMade are four requests, and two of which too little is known.
func handMade() []sinks.Row {
	const cand = "cand-a"
	ms := time.Millisecond
	live := func(i, grade int, took time.Duration) sinks.Row {
		return priced(graded(i, shadow.Live, grade, took), 1e6)
	}
	other := func(i, grade int, took time.Duration) sinks.Row { return priced(graded(i, cand, grade, took), 5e5) }
	notAsked := answered(5, cand, 0)
	notAsked.State, notAsked.Took = sinks.NotAsked, nil
	return []sinks.Row{
		live(0, 2, 1000*ms), other(0, 1, 500*ms),
		live(1, 3, 4000*ms), other(1, 1, 2000*ms), // the reserve waits for its time
		live(2, 1, 2000*ms), failed(2, cand, llm.Status5xx, 100*ms),
		failed(3, shadow.Live, llm.Status5xx, 1000*ms), other(3, 5, 3200*ms), // asked three times
		failed(4, shadow.Live, llm.ClientAbort, 300*ms), other(4, 1, 100*ms),
		live(5, 1, 100*ms), notAsked,
	}
}

// Each figure of a table that can be worked out by hand.
func TestSimulationByHand(t *testing.T) {
	rows := handMade()
	s, err := reports.Simulate(seq(rows), experiment(), reports.Window{}, []policy.Design{withReserve(policy.Design{Name: "cand-a"})}, reports.SimulateOptions{ThenUSD: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{"the user left": 1, "not every arm was asked": 1}; s.Samples != 4 || s.Sessions != 4 || !cmp.Equal(want, s.LeftOut) {
		t.Errorf("%d samples in %d sessions, left out %v", s.Samples, s.Sessions, s.LeftOut)
	}
	if got := []string{s.Plays[0].Name, s.Plays[1].Name, s.Plays[2].Name}; !slices.Equal(got, []string{"live", "cand-a", "with reserve"}) {
		t.Errorf("plays %v", got)
	}
	p := s.Plays[2]
	got := map[string]float64{
		"p50": *p.P50.Value, "p95": *p.P95.Value, "p99": *p.P99.Value, "over 3s": *p.Over[0].Value, "over 6s": *p.Over[1].Value,
		"failed": *p.Failed.Value, "grade": *p.Grade.Value, "delta": *p.Delta.Value, "poor": *p.Poor.Value, "cost": *p.Cost.Value,
		"calls": *p.Calls.Value, "false": *p.False.Value, "factual errors": *p.Problems["tone"].Value,
		"by live": *p.Served[0].Share.Value, "live's grade": *p.Served[0].Grade.Value, "by cand-a": *p.Served[1].Share.Value, "cand-a's grade": *p.Served[1].Grade.Value,
	}
	want := map[string]float64{
		"p50": 2, "p95": 3.2, "p99": 3.2, "over 3s": 0.25, "over 6s": 0, // 1, 2.5, 2 and 3.2 s
		"failed": 0, "grade": 9.0 / 4, "delta": -2.0 / 3, "poor": 0.25, "cost": 1000 * (0.0015 + 0.0015 + 0.001 + 0.0005 + 4*0.01) / 4,
		"calls": 10.0 / 4, "false": 0.25, "factual errors": 0.25,
		"by live": 0.5, "live's grade": 1.5, "by cand-a": 0.5, "cand-a's grade": 3,
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	if n := []int{p.P50.N, p.Grade.N, p.Delta.N, p.Cost.N}; !slices.Equal(n, []int{4, 4, 3, 4}) {
		t.Errorf("resting on %v", n)
	}
	if iv := p.Over[1].Interval; iv == nil || *iv.Lower != 0 || *iv.Upper < 0.3 {
		t.Errorf("none of 4 was slower than 6 s: interval %+v", iv)
	}
	slices.Reverse(rows)
	again, err := reports.Simulate(seq(rows), experiment(), reports.Window{}, []policy.Design{withReserve(policy.Design{Name: "cand-a"})}, reports.SimulateOptions{ThenUSD: 0.01})
	if diff := cmp.Diff(s, again); err != nil || diff != "" {
		t.Errorf("in another order: %v %s", err, diff)
	}
}

// What cannot be simulated is said.
func TestSimulationOfNothing(t *testing.T) {
	design := []policy.Design{withReserve(policy.Design{Name: "cand-a"})}
	s, err := reports.Simulate(seq(handMade()[8:]), experiment(), reports.Window{}, design, reports.SimulateOptions{})
	if !errors.Is(err, reports.ErrNothingToSimulate) || len(s.LeftOut) != 2 {
		t.Errorf("%v, left out %v", err, s.LeftOut)
	}
	if _, err := reports.Simulate(seq(handMade()), experiment(), reports.Window{}, []policy.Design{{Name: "nobody"}}, reports.SimulateOptions{}); err == nil || !strings.Contains(err.Error(), `"nobody" is no arm`) {
		t.Errorf("%v", err)
	}
	s, err = reports.Simulate(seq(handMade()[:2]), experiment(), reports.Window{}, design, reports.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := s.Plays[2]
	if p.P95.Interval != nil || p.Grade.Interval != nil || p.Failed.Interval != nil || p.Served[1].Grade.Value != nil {
		t.Errorf("one session has no interval, and who served nothing no grade: %+v", p)
	}
	free := []sinks.Row{failed(0, shadow.Live, llm.Status5xx, time.Second), failed(0, "cand-a", llm.Status5xx, time.Second)}
	if s, err := reports.Simulate(seq(free), experiment(), reports.Window{}, design, reports.SimulateOptions{}); err != nil || s.Plays[2].Cost.Value != nil || *s.Plays[2].Failed.Value != 1 {
		t.Errorf("%v; the cost of what nobody told is not 0: %+v", err, s.Plays)
	}
	var text strings.Builder
	if err := s.Text(&text, 100); err != nil || !strings.Contains(text.String(), "undefined") || strings.Contains(text.String(), "NaN") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// A weak third model in a race: after the time limit the fastest wins, and a table of
// what goes out shows it as what it is (11 % of all answers, and the worst of them).
func TestWeakThirdModel(t *testing.T) {
	e := experiment()
	e.Candidates = append(e.Candidates, reports.Arm{Name: "weak", Model: "weak-1"})
	var rows []sinks.Row
	const n = 1000
	for i := range n {
		took, other := time.Second+time.Duration(i)*time.Microsecond, 4*time.Second
		if i%100 < 11 {
			took = 5 * time.Second
		}
		if i%100 == 50 {
			took, other = 5*time.Second, 2*time.Second
		}
		rows = append(rows, graded(i, shadow.Live, 2, took), graded(i, "cand-a", 1, other), graded(i, "weak", 4, 2700*time.Millisecond))
	}
	design := withReserve(policy.Design{Name: "reserves", Kind: policy.KindRace, Stages: []policy.Design{{Name: "cand-a"}, {Name: "weak"}}})
	s, err := reports.Simulate(seq(rows), e, reports.Window{}, []policy.Design{design}, reports.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := s.Plays[len(s.Plays)-1]
	for i, want := range []struct {
		arm          shadow.Arm
		share, grade float64
	}{{"live", 0.88, 2}, {"cand-a", 0.01, 1}, {"weak", 0.11, 4}} {
		got := p.Served[i]
		if got.Arm != want.arm || math.Abs(*got.Share.Value-want.share) > 1e-9 || math.Abs(*got.Grade.Value-want.grade) > 1e-9 {
			t.Errorf("%s: share %v, grade %v, want %+v", got.Arm, *got.Share.Value, *got.Grade.Value, want)
		}
	}
	var text strings.Builder
	if err := s.Text(&text, 120); err != nil || !strings.Contains(text.String(), "weak   11.0 (") {
		t.Errorf("%v\n%s", err, text.String())
	}
}
