package reports

import "github.com/understudy-eval/understudy/stats"

// pairGrades is what the grades of graded pairs say.
type pairGrades struct {
	base, cand, delta  estimated
	net                estimated // of +1 for a win, −1 for a loss
	weighted           bool
	kish               *float64 // effective number of pairs, if weighted
	wins, ties, losses int
}

// estimated is an estimate over n pairs, or why there is none.
type estimated struct {
	n   int
	est stats.Estimate
	err error
}

func (e estimated) report() Estimate { return estimateOf(e.n, e.est, e.err) }

// grades estimates from graded pairs: plain when every pair had the same chance, else
// weighted by 1/chance. The net win rate is never weighted.
func (p pairs) grades() pairGrades {
	const base, cand, delta, net = 0, 1, 2, 3
	var g pairGrades
	sums := p.sums(4, func(x pair, n int, to []int64) {
		d := x.difference()
		to[base], to[cand], to[delta] = int64(x.base.grade), int64(x.cand.grade), d
		to[net] = g.count(d, n)
	})
	of := func(column int) estimated {
		est, err := sums.mean(column)
		return estimated{p.len(), est, err}
	}
	g.base, g.cand, g.delta, g.net = of(base), of(cand), of(delta), of(net)
	if g.weighted = !p.equalChances(); g.weighted {
		c := columnsOf(p)
		if n, err := stats.KishN(c.weight); err == nil {
			g.kish = &n
		}
		g.base.est, g.base.err = c.mean(c.base)
		g.cand.est, g.cand.err = c.mean(c.cand)
		g.delta.est, g.delta.err = c.delta()
	}
	return g
}

// count counts n wins, ties or losses and gives each as +1, 0, −1.
func (g *pairGrades) count(difference int64, n int) int64 {
	switch {
	case difference < 0:
		g.wins += n
		return 1
	case difference > 0:
		g.losses += n
		return -1
	}
	g.ties += n
	return 0
}
