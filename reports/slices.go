package reports

import (
	"slices"
	"time"

	"github.com/understudy-eval/understudy/shadow"
)

// Slice is one part of the samples: those with one value of a dimension.
type Slice struct {
	// Dimension is "route", "live snapshot" (the model version that answered live),
	// "week" (ISO, in UTC) or "tag " and its key.
	Dimension string `json:"dimension"`
	// Value is "unknown" where a sample does not tell, and "others" for what is
	// beyond the largest twenty; Others then counts those values.
	Value  string `json:"value"`
	Others int    `json:"others,omitempty"`
	// Samples counts all, also those without a grade.
	Samples int `json:"samples"`
	// Candidates has an entry for every candidate but control arms.
	Candidates []SliceDelta `json:"candidates"`
}

// SliceDelta compares a candidate with live over a slice, as [Quality] and [Tail] do
// over all samples. It decides nothing.
type SliceDelta struct {
	Arm           shadow.Arm `json:"arm"`
	MeanLive      Estimate   `json:"mean_live"`
	MeanCandidate Estimate   `json:"mean_candidate"`
	Delta         Estimate   `json:"delta"`
	Fixed         *Interval  `json:"interval_if_only_look"`
	// Anytime is nil until the slice has a burn-in of its own.
	Anytime *Interval `json:"interval_anytime"`
	Wins    int       `json:"wins"`
	Ties    int       `json:"ties"`
	Losses  int       `json:"losses"`
	// GradesLive and GradesCandidate count the grades 1..6 over the graded pairs. Better,
	// Disagree and Poor are as in Quality.
	GradesLive      [6]int     `json:"grades_live"`
	GradesCandidate [6]int     `json:"grades_candidate"`
	Better          Chance     `json:"probability_better"`
	Disagree        bool       `json:"mean_and_wins_disagree,omitempty"`
	Poor            ShareDelta `json:"poor"`
	// P tests that the grades are equal, as if this were the only look and the only
	// slice. PHolm is adjusted over the slices of the dimension.
	P     *float64 `json:"p_if_only_look"`
	PHolm *float64 `json:"p_holm"`
	// P95Live, P95Candidate and the shares of calls over Limit, the experiment's
	// first, are over the samples that both arms were asked. Limit is nil if the
	// experiment has none.
	P95Live       Quantile       `json:"p95_live"`
	P95Candidate  Quantile       `json:"p95_candidate"`
	Limit         *time.Duration `json:"limit_ns"`
	OverLive      Share          `json:"over_live"`
	OverCandidate Share          `json:"over_candidate"`
}

const (
	// maxSlices is how many values of a dimension are shown by themselves; more are
	// no table that anybody reads.
	maxSlices     = 20
	liveDimension = "live snapshot"
	unknownSlice  = "unknown"
	otherSlices   = "others"
)

// slicesOf splits the samples by every dimension that has several values: routes,
// live snapshots, weeks, then tags by key. Within one, slices with more graded pairs
// come first.
func slicesOf(v view, e Experiment) []Slice {
	out := []Slice{}
	if !slices.ContainsFunc(e.Candidates, func(a Arm) bool { return !a.Control }) {
		return out
	}
	for _, d := range v.dimensions() {
		list := []Slice{}
		for _, p := range v.split(d, e) {
			list = append(list, sliceOf(d.name, p, e))
		}
		adjustSlices(list)
		out = append(out, list...)
	}
	return out
}

func sliceOf(dimension string, p part, e Experiment) Slice {
	s := Slice{Dimension: dimension, Value: p.value, Others: p.others, Samples: len(p.index), Candidates: []SliceDelta{}}
	for i, a := range e.Candidates {
		if !a.Control {
			s.Candidates = append(s.Candidates, sliceDelta(a.Name, p.view.pairs(0, i+1), e))
		}
	}
	return s
}

func sliceDelta(arm shadow.Arm, all pairs, e Experiment) SliceDelta {
	graded := all.filter(pair.comparable)
	g := graded.grades()
	d := SliceDelta{
		Arm: arm, MeanLive: g.base.report(), MeanCandidate: g.cand.report(), Delta: g.delta.report(),
		Wins: g.wins, Ties: g.ties, Losses: g.losses,
		Better: pairedChance(g.net.n, g.net.est, g.net.err, e.Level), Poor: shareDelta(graded, isPoor, e.Level),
	}
	d.Disagree = disagree(g.net.report(), d.Delta)
	for x, n := range graded.perKind() {
		d.GradesLive[x.base.grade-1] += n
		d.GradesCandidate[x.cand.grade-1] += n
	}
	if est := g.delta.est; g.delta.err == nil {
		d.Fixed = intervalOf(est.CI(e.Level))
		d.Anytime = anytime(est, burnIn(graded, e.Gate), e.Gate)
		if p, err := est.PValue(0); err == nil {
			d.P = new(p)
		}
	}
	d.tails(all, e)
	return d
}

// tails compares the times of the pairs that both arms were asked.
func (d *SliceDelta) tails(all pairs, e Experiment) {
	base, cand := all.times(answer.latency)
	var limits []time.Duration
	if len(e.Limits) > 0 {
		d.Limit, limits = new(e.Limits[0]), e.Limits[:1]
	}
	live, candidate := tailOf(base, limits, e.Level), tailOf(cand, limits, e.Level)
	live.cluster(all.callsOf(all.index, all.base, answer.latency), e.Level)
	candidate.cluster(all.callsOf(all.index, all.cand, answer.latency), e.Level)
	d.P95Live, d.P95Candidate = live.quantile(0.95), candidate.quantile(0.95)
	if d.Limit != nil {
		d.OverLive, d.OverCandidate = live.Over[0].Share, candidate.Over[0].Share
	}
}

// quantile finds one of the quantiles of a tail.
func (t Tail) quantile(p float64) Quantile {
	for _, q := range t.Quantiles {
		if q.P == p {
			return q
		}
	}
	return Quantile{P: p}
}

// adjustSlices fills the p-values by Holm within the slices of a dimension.
func adjustSlices(list []Slice) {
	if len(list) == 0 {
		return
	}
	for k := range list[0].Candidates {
		p := make([]*float64, len(list))
		for i := range list {
			p[i] = list[i].Candidates[k].P
		}
		for i, adjusted := range holm(p) {
			list[i].Candidates[k].PHolm = adjusted
		}
	}
}
