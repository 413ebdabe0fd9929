package reports

import (
	"github.com/understudy-eval/understudy/stats"
)

// Quality compares grades over the samples that both arms were asked and whose
// answers went to the judge. Negative favours the candidate, but for Net.
type Quality struct {
	// Asked counts these pairs; Delta.N those of which one judge graded both answers.
	Asked int `json:"asked"`
	// MeanLive, MeanCandidate and Delta are over the graded pairs. Weighted: the
	// pairs had unequal chances to be sampled, so they are weighted by 1/chance.
	MeanLive      Estimate `json:"mean_live"`
	MeanCandidate Estimate `json:"mean_candidate"`
	Delta         Estimate `json:"delta"`
	Weighted      bool     `json:"weighted,omitempty"`
	// KishPairs is how many pairs of equal weight would tell as much, (Σ w)² / Σ w²; nil
	// unless Weighted.
	KishPairs *float64 `json:"kish_pairs,omitempty"`
	// FewSessions: under 6, the standard error is hardly known.
	FewSessions bool `json:"few_sessions,omitempty"`
	// Fixed is Delta's interval as if this were the only look. Anytime holds however
	// often one looks; it decides. It is nil before the burn-in.
	Fixed   *Interval `json:"interval_if_only_look"`
	Anytime *Interval `json:"interval_anytime"`
	Burn    Burn      `json:"burn_in"`
	// Wins are pairs in which the candidate's grade is better. Net is
	// (Wins − Losses) / pairs: positive favours the candidate.
	Wins   int      `json:"wins"`
	Ties   int      `json:"ties"`
	Losses int      `json:"losses"`
	Net    Estimate `json:"net_win_rate"`
	// Better is (1 + Net)/2, over pairs. BetterUnpaired is Brunner-Munzel's, over all
	// graded answers of both arms, as if they were independent.
	Better         Chance `json:"probability_better"`
	BetterUnpaired Chance `json:"probability_better_unpaired"`
	// Disagree: the mean and the net win rate favour different arms; neither is 0.
	Disagree bool `json:"mean_and_wins_disagree,omitempty"`
	// Tests go with Anytime, and adjust for several candidates.
	Tests AnytimeTests `json:"anytime_p"`
	// Poor is the difference of the shares of grades 5 and 6.
	Poor ShareDelta `json:"poor"`
	// Bounds are the worst cases for pairs without both grades.
	Bounds Bounds `json:"bounds"`
	// Problems are the differences of the main problem's shares, in the order of the
	// closed list.
	Problems []ProblemDelta `json:"problems"`
}

// Burn says how far the burn-in is; the anytime interval starts with Reached.
type Burn struct {
	Reached  bool `json:"reached"`
	Pairs    int  `json:"pairs"`
	Sessions int  `json:"sessions"`
	// NeedPairs and NeedSessions are what the gate asks for.
	NeedPairs    int `json:"need_pairs"`
	NeedSessions int `json:"need_sessions"`
	// Planned is the number of sessions where the interval is tightest: planned
	// pairs divided by the pairs per session when the burn-in ended.
	Planned *float64 `json:"planned_sessions"`
}

// DefaultBurnIn is used for what a gate leaves at 0. The burn-in is not optional:
// without it the first equal grades make the interval a point, and half of all
// runs end in a false alarm.
func DefaultBurnIn() BurnIn { return BurnIn{Pairs: 50, Sessions: 30} }

// orDefault fills what is left at 0.
func (b BurnIn) orDefault() BurnIn {
	if b.Pairs <= 0 {
		b.Pairs = DefaultBurnIn().Pairs
	}
	if b.Sessions <= 0 {
		b.Sessions = DefaultBurnIn().Sessions
	}
	return b
}

// fewSessions is the number of clusters below which a report says so.
const fewSessions = 6

// qualityOf estimates from the pairs that went to the judge, and those of them that are
// graded.
func qualityOf(asked, graded pairs, e Experiment) Quality {
	g := graded.grades()
	q := Quality{
		Asked: asked.len(), Burn: burnIn(graded, e.Gate), Weighted: g.weighted, KishPairs: g.kish,
		MeanLive: g.base.report(), MeanCandidate: g.cand.report(), Delta: g.delta.report(),
		Wins: g.wins, Ties: g.ties, Losses: g.losses, Net: g.net.report(),
		Better: pairedChance(g.net.n, g.net.est, g.net.err, e.Level),
	}
	q.FewSessions = graded.len() > 0 && q.Burn.Sessions < fewSessions
	if est := g.delta.est; g.delta.err == nil {
		q.Fixed = intervalOf(est.CI(e.Level))
		q.Anytime, q.Tests = anytime(est, q.Burn, e.Gate), anytimeTests(est, q.Burn, e.Gate)
	}
	q.Disagree = disagree(q.Net, q.Delta)
	q.Bounds, q.Problems = bounds(asked), problemDeltas(graded, e)
	return q
}

// disagree: a positive net win rate favours the candidate, a positive delta live. A
// weighted mean of 0 may be off by its rounding, which favours nobody.
func disagree(net, delta Estimate) bool {
	const rounding = 1e-12
	return net.Value != nil && delta.Value != nil && *net.Value**delta.Value > rounding
}

// burnIn looks for the pair, in order of time, with which the burn-in ends, and
// fixes the planned number of sessions there.
func burnIn(graded pairs, g Gate) Burn {
	need := g.BurnIn.orDefault()
	b := Burn{NeedPairs: need.Pairs, NeedSessions: need.Sessions, Pairs: graded.len(), Sessions: graded.distinctSessions()}
	if b.Pairs < need.Pairs || b.Sessions < need.Sessions {
		return b
	}
	// Mostly the burn-in ends soon; only then need not all pairs be put in order.
	index := graded.list()
	for n := 2 * max(need.Pairs, need.Sessions); !b.Reached; n *= 4 {
		seen := map[uint32]bool{}
		for i, s := range graded.first(index, n) {
			seen[graded.samples.at(int(s)).session] = true
			if i+1 >= need.Pairs && len(seen) >= need.Sessions {
				b.Reached = true
				b.Planned = new(float64(g.PlannedPairs) * float64(len(seen)) / float64(i+1))
				break
			}
		}
	}
	return b
}

func anytime(est stats.Estimate, b Burn, g Gate) *Interval {
	if !b.Reached {
		return nil
	}
	seq, err := stats.NewSequence(g.Alpha, *b.Planned)
	if err != nil {
		return nil
	}
	return intervalOf(seq.CI(est, float64(est.Clusters)))
}
