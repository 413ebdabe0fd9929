package reports

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/policy"
	"github.com/understudy-eval/understudy/stats"
)

// played is what a design does with one sample.
type played struct {
	took    time.Duration
	served  int // index of the arm; -1 if none
	grade   rubric.Grade
	problem rubric.Problem
	usd     float64
	calls   int
	missed  bool // the first model would still have answered
}

// play plays a design on every sample.
func (m *measured) play(d policy.Design, e Experiment, o SimulateOptions, draws *draws) PolicyPlay {
	player := policy.NewPlayer(d)
	budget := cmp.Or(d.Budget, policy.DefaultBudget)
	all := make([]played, len(m.samples))
	for i := range m.samples {
		s := &m.samples[i]
		c := player.Play(s.stream, func(arm string) policy.Outcome { return m.outcome(s, arm).outcome })
		one := played{took: c.Took, served: -1, calls: len(c.Calls)}
		for _, call := range c.Calls {
			one.usd += m.outcome(s, call.Model).usd()
		}
		if c.Served != "" {
			from := m.outcome(s, c.Served)
			one.served = slices.Index(m.arms, shadow.Arm(c.Served))
			one.grade, one.problem = from.grade, from.problem
			one.usd += o.ThenUSD
		}
		first := m.outcome(s, c.Calls[0].Model).outcome
		one.missed = c.Served != c.Calls[0].Model && first.Failure == nil && first.Took <= budget
		all[i] = one
	}
	return m.figures(d, e, all, draws)
}

// usd is what a call cost. A failed one whose cost is unknown counts as free.
func (c *measuredCall) usd() float64 {
	if c.cost == nil {
		return 0
	}
	return float64(*c.cost) * usdPerNano
}

// priced says that the cost of every answer is known.
func (s *measuredSample) priced() bool {
	return !slices.ContainsFunc(s.calls, func(c measuredCall) bool { return c.cost == nil && c.outcome.Failure == nil })
}

// figures sums up what a design did.
func (m *measured) figures(d policy.Design, e Experiment, all []played, draws *draws) PolicyPlay {
	one := func(yes bool) float64 {
		if yes {
			return 1
		}
		return 0
	}
	every := func(value func(i int) float64) Figure { return draws.mean(m.byRequest, value, e.Level) }
	graded := func(of func(p played) bool, value func(i int) float64) Figure {
		return draws.mean(m.byGrade, func(i int) float64 {
			if all[i].grade == 0 || !of(all[i]) {
				return math.NaN()
			}
			return value(i)
		}, e.Level)
	}
	part := func(of func(p played) bool) Figure {
		return draws.share(m.byRequest, func(i int) float64 { return one(of(all[i])) }, e.Level)
	}
	gradedPart := func(of func(p played) bool) Figure {
		return draws.share(m.byGrade, func(i int) float64 {
			if all[i].grade == 0 {
				return math.NaN()
			}
			return one(of(all[i]))
		}, e.Level)
	}
	any := func(played) bool { return true }
	grade := func(i int) float64 { return float64(all[i].grade) }
	p := PolicyPlay{Name: d.Name, Arm: d.Kind == policy.KindModel, Problems: map[rubric.Problem]Figure{}}
	for _, name := range d.Models() {
		arm := slices.Index(m.arms, shadow.Arm(name))
		by := func(p played) bool { return p.served == arm }
		p.Served = append(p.Served, ServedShare{
			Arm: m.arms[arm], Share: part(by), Grade: graded(by, grade),
		})
	}
	p.Failed = part(func(p played) bool { return p.served < 0 })
	q := draws.quantiles(m, all, []float64{0.5, 0.95, 0.99}, e.Level)
	p.P50, p.P95, p.P99 = q[0], q[1], q[2]
	for _, limit := range e.Limits {
		p.Over = append(p.Over, part(func(p played) bool { return p.took > limit }))
	}
	p.Grade = graded(any, grade)
	p.Delta = graded(any, func(i int) float64 {
		live := m.samples[i].calls[0].grade
		if live == 0 {
			return math.NaN()
		}
		return float64(all[i].grade) - float64(live)
	})
	p.Poor = gradedPart(func(p played) bool { return p.grade >= 5 })
	for _, problem := range e.Problems {
		p.Problems[problem] = gradedPart(func(p played) bool { return p.problem == problem })
	}
	p.Calls = every(func(i int) float64 { return float64(all[i].calls) })
	p.False = part(func(p played) bool { return p.missed })
	p.Cost = every(func(i int) float64 {
		if !m.costs || !m.samples[i].priced() {
			return math.NaN()
		}
		return 1000 * all[i].usd
	})
	return p
}

func (m *measured) byRequest(i int) float64 { return m.samples[i].weight }
func (m *measured) byGrade(i int) float64   { return m.samples[i].judgeWeight }

// draws are samples of the sessions, in groups, with replacement: how often each is in
// each of them.
// They are the same for all designs, and whenever the same sessions are drawn.
type draws struct {
	m      *measured
	counts [][]uint16
}

func newDraws(m *measured, n int) *draws {
	d := &draws{m: m}
	if m.groups < 2 {
		return d
	}
	r := rand.New(rand.NewPCG(1, uint64(m.groups)))
	for range n {
		counts := make([]uint16, m.groups)
		for range counts {
			counts[r.IntN(m.groups)]++
		}
		d.counts = append(d.counts, counts)
	}
	return d
}

// mean is the weighted mean of what is a number, with the interval of the draws.
func (d *draws) mean(weight func(i int) float64, value func(i int) float64, level float64) Figure {
	type part struct{ weighted, weight float64 }
	groups := make([]part, d.m.groups)
	var whole part
	f := Figure{}
	for i, s := range d.m.samples {
		v, w := value(i), weight(i)
		if math.IsNaN(v) || math.IsInf(w, 0) {
			continue
		}
		f.N++
		whole.weighted, whole.weight = whole.weighted+w*v, whole.weight+w
		at := &groups[s.group]
		at.weighted, at.weight = at.weighted+w*v, at.weight+w
	}
	if f.N == 0 {
		return f
	}
	f.Value = new(whole.weighted / whole.weight)
	var drawn []float64
	for _, counts := range d.counts {
		var sum part
		for s, n := range counts {
			sum.weighted, sum.weight = sum.weighted+float64(n)*groups[s].weighted, sum.weight+float64(n)*groups[s].weight
		}
		if sum.weight > 0 {
			drawn = append(drawn, sum.weighted/sum.weight)
		}
	}
	f.Interval = middle(drawn, level)
	return f
}

// share is the mean of what is 0 or 1. Of a share of 0 or 1 itself every draw is alike,
// which tells nothing: its interval is Wilson's with the sessions as its n.
func (d *draws) share(weight func(i int) float64, value func(i int) float64, level float64) Figure {
	f := d.mean(weight, value, level)
	if f.Value == nil || f.Interval == nil || *f.Value != 0 && *f.Value != 1 {
		return f
	}
	seen := make([]bool, d.m.groups)
	n := 0
	for i, s := range d.m.samples {
		if !math.IsNaN(value(i)) && !seen[s.group] {
			seen[s.group] = true
			n++
		}
	}
	iv, err := stats.Wilson(n*int(*f.Value), n, level)
	if f.Interval = nil; err == nil {
		f.Interval = &Interval{Lower: &iv.Lower, Upper: &iv.Upper, Level: level}
	}
	return f
}

// quantiles of the times.
func (d *draws) quantiles(m *measured, all []played, ps []float64, level float64) []Figure {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(all[a].took, all[b].took) })
	find := func(times func(group int) float64) []float64 {
		var sum float64
		for _, i := range order {
			sum += m.samples[i].weight * times(m.samples[i].group)
		}
		found, so := make([]float64, 0, len(ps)), 0.0
		for _, i := range order {
			so += m.samples[i].weight * times(m.samples[i].group)
			for len(found) < len(ps) && so >= ps[len(found)]*sum*(1-1e-12) {
				found = append(found, all[i].took.Seconds())
			}
		}
		return found
	}
	drawn := make([][]float64, len(ps))
	for _, counts := range d.counts {
		for k, v := range find(func(group int) float64 { return float64(counts[group]) }) {
			drawn[k] = append(drawn[k], v)
		}
	}
	out := make([]Figure, len(ps))
	for k, v := range find(func(int) float64 { return 1 }) {
		out[k] = Figure{Value: new(v), N: len(all), Interval: middle(drawn[k], level)}
	}
	return out
}

// middle holds level of what was drawn; nil where nothing was.
func middle(drawn []float64, level float64) *Interval {
	slices.Sort(drawn)
	low, err := stats.Quantile(drawn, (1-level)/2)
	high, errHigh := stats.Quantile(drawn, (1+level)/2)
	if err != nil || errHigh != nil || len(drawn) < 2 {
		return nil
	}
	return &Interval{Lower: &low, Upper: &high, Level: level}
}
