package duckdb_test

import (
	"time"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
)

// further are the figures that the whole queries have beyond the listed ones, of those
// that a report shows.
type further struct {
	// Estimates has mean_live, mean_candidate and net over graded pairs, and the mean of
	// all grades of an arm.
	Estimates map[string]estimate
	// Shares has poor, over3, over6, over10, failed and outside.
	Shares   map[string]shareDelta
	Problems map[string]problemDelta
	Times    map[shadow.Arm]times
	Slices   map[string]slice // by route and by week
	Repeats  int
}

func newFurther() *further {
	return &further{
		Estimates: map[string]estimate{}, Shares: map[string]shareDelta{}, Problems: map[string]problemDelta{},
		Times: map[shadow.Arm]times{}, Slices: map[string]slice{},
	}
}

type estimate struct {
	N, Sessions   int
	Value, SE, DF float64
}

type shareDelta struct {
	Pairs int
	Delta float64
}

// problemDelta has P, which stands on the standard error.
type problemDelta struct {
	Share                     shareDelta
	Both, OtherOnly, CandOnly int
	P                         *float64
}

// times are p50, p95 and p99 in whole microseconds, as in [arm], of answered calls and
// of the first token of Streamed calls; the median of output tokens; and the p5 and the
// median of tokens per second, of streamed and of whole answers.
type times struct {
	Answers, First    [3]*int64
	Streamed          int
	TokensOut         float64
	Speed, SpeedWhole [2]float64
}

// slice has times of live and of the candidate: p95 in whole microseconds, and how many
// of the Known calls took over 3 s.
type slice struct {
	Pairs, Sessions                              int
	MeanLive, SELive, MeanCandidate, SECandidate float64
	Delta, SE, DF                                float64
	Wins, Ties, Losses                           int
	P95                                          [2]*int64
	Over, Known                                  [2]int
}

// furtherOf takes the further figures out of a report.
func furtherOf(r reports.Report) *further {
	c, f := r.Comparisons[0], newFurther()
	f.Repeats = r.Rows.Duplicates
	f.Estimates["mean_live"], f.Estimates["mean_candidate"] = estimateOf(c.Quality.MeanLive), estimateOf(c.Quality.MeanCandidate)
	f.Estimates["net"] = estimateOf(c.Quality.Net)
	f.share("poor", c.Quality.Poor)
	f.share("failed", c.Failures)
	f.share("outside", c.Discipline)
	for i, name := range []string{"over3", "over6", "over10"} {
		f.share(name, c.Over[i].Delta)
	}
	for _, p := range c.Problems {
		d := p.Delta
		f.Problems[string(p.Problem)] = problemDelta{shareDelta{d.Pairs, *d.Delta}, d.Both, d.OtherOnly, d.CandOnly, d.P}
	}
	for _, a := range r.Arms {
		f.Estimates["all of "+string(a.Name)] = estimateOf(a.Mean)
		f.Times[a.Name] = timesOf(a)
	}
	for _, s := range r.Slices {
		f.Slices[s.Value] = sliceOf(s.Candidates[0])
	}
	return f
}

// share keeps a difference if there were pairs.
func (f *further) share(name string, d reports.ShareDelta) {
	if d.Pairs > 0 {
		f.Shares[name] = shareDelta{d.Pairs, *d.Delta}
	}
}

func estimateOf(e reports.Estimate) estimate {
	return estimate{e.N, e.Sessions, *e.Value, *e.SE, *e.DF}
}

func timesOf(a reports.ArmReport) times {
	t := times{Streamed: a.FirstToken.Calls, TokensOut: *a.TokensOut.Median}
	for i, q := range a.Latency.Quantiles {
		t.Answers[i] = microseconds(q.Answers)
		t.First[i] = microseconds(a.FirstToken.Quantiles[i].Value)
	}
	t.Speed = [2]float64{*a.Speed.Streamed.P5, *a.Speed.Streamed.Median}
	t.SpeedWhole = [2]float64{*a.Speed.Whole.P5, *a.Speed.Whole.Median}
	return t
}

// microseconds is nil for a time that is none.
func microseconds(d *time.Duration) *int64 {
	if d == nil {
		return nil
	}
	return new(d.Microseconds())
}

func sliceOf(d reports.SliceDelta) slice {
	return slice{
		Pairs: d.Delta.N, Sessions: d.Delta.Sessions,
		MeanLive: *d.MeanLive.Value, SELive: *d.MeanLive.SE, MeanCandidate: *d.MeanCandidate.Value, SECandidate: *d.MeanCandidate.SE,
		Delta: *d.Delta.Value, SE: *d.Delta.SE, DF: *d.Delta.DF, Wins: d.Wins, Ties: d.Ties, Losses: d.Losses,
		P95:  [2]*int64{microseconds(d.P95Live.Value), microseconds(d.P95Candidate.Value)},
		Over: [2]int{d.OverLive.X, d.OverCandidate.X}, Known: [2]int{d.OverLive.N, d.OverCandidate.N},
	}
}
