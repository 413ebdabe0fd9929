package stats

import (
	"fmt"
	"math"
)

// Share is a share of rows that come in clusters. The embedded Estimate has the
// CR1 standard error with DF = clusters − 1. DesignEffect is the factor by which
// the clusters inflate the variance against independent rows, EffectiveN the
// number of independent rows that tell as much (at most N). CI is Wilson's
// interval with EffectiveN. Plain means that the clusters could not be used and
// CI is Wilson's with N: say so; DesignEffect, EffectiveN are 0 then.
type Share struct {
	Estimate
	DesignEffect, EffectiveN float64
	CI                       Interval
	Plain                    bool
}

// ClusteredShare estimates a share over rows that come in clusters, with an
// interval that stays inside 0..1 and is never a point.
//
//	SE² = Σ S_g² / n² · G/(G−1)                                     (CR1)
//	DesignEffect = SE² / (p (1−p) / (n−1)); EffectiveN = n / max(1, DesignEffect)
//	CI: Wilson with x = p · EffectiveN of EffectiveN
//
// If the share is 0 or 1, or there is one cluster only, the clusters say nothing
// and CI is plain Wilson (Plain). SE and DF are not defined then (DF 0); LogitCI
// is the other usual interval. Errors: ErrMismatch; ErrNoCluster; ErrTooFew
// without rows; ErrRange for the level.
//
// Source: Kish (1965), Korn & Graubard (1998); checked against R survey,
// testdata/share_clustered.json.
func ClusteredShare(x []bool, cluster []string, level float64) (Share, error) {
	if err := checkLen("cluster", len(cluster), len(x)); err != nil {
		return Share{}, err
	}
	if err := checkOpenUnit("level", level); err != nil {
		return Share{}, err
	}
	if err := checkKeys(cluster); err != nil {
		return Share{}, err
	}
	if len(x) == 0 {
		return Share{}, fmt.Errorf("share of no rows: %w", ErrTooFew)
	}
	index, size := groups(cluster)
	hits, n := make([]float64, len(size)), float64(len(x))
	total := 0.0
	for i, v := range x {
		if v {
			hits[index[i]]++
			total++
		}
	}
	p, sum := total/n, 0.0
	for i, h := range hits {
		r := h - p*size[i]
		sum += r * r
	}
	return clusteredShare(Estimate{N: len(x), Clusters: len(size), Value: p}, total, sum, level), nil
}

// clusteredShare completes a share of total hits from Σ S_g², the squares of its
// clusters' residuals.
func clusteredShare(est Estimate, total, squares, level float64) Share {
	s := Share{Estimate: est}
	n, g, p := float64(est.N), float64(est.Clusters), est.Value
	if total == 0 || total == n || est.Clusters < 2 {
		s.Plain, s.CI = true, wilson(total, n, level)
		return s
	}
	s.SE, s.DF = math.Sqrt(squares*g/(g-1))/n, g-1
	s.DesignEffect = s.SE * s.SE / (p * (1 - p) / (n - 1))
	s.EffectiveN = n / max(1, s.DesignEffect)
	s.CI = wilson(p*s.EffectiveN, s.EffectiveN, level)
	return s
}

// WithDesignEffect gives a share the interval of a design effect that is known from
// elsewhere: Wilson's with EffectiveN = N / max(1, effect). It is for a share of 0 or 1,
// whose own rows do not tell how alike those of a cluster are: the effect of another
// column over the same clusters will do, or that of [ClusterSizes.Alike], which is the
// worst. Plain is false then. Errors: ErrTooFew for the zero Share, ErrRange for the
// level or an effect that is no positive number.
func (s Share) WithDesignEffect(effect, level float64) (Share, error) {
	if err := checkOpenUnit("level", level); err != nil {
		return Share{}, err
	}
	switch {
	case s.N == 0:
		return Share{}, fmt.Errorf("share of no rows: %w", ErrTooFew)
	case !(effect > 0) || math.IsInf(effect, 1):
		return Share{}, fmt.Errorf("design effect %v: %w", effect, ErrRange)
	}
	s.Plain, s.DesignEffect, s.EffectiveN = false, effect, float64(s.N)/max(1, effect)
	s.CI = wilson(s.Value*s.EffectiveN, s.EffectiveN, level)
	return s, nil
}

// LogitCI is an interval for a share or a probability that stays inside 0..1:
//
//	logistic(logit(Value) ∓ t(DF) · SE / (Value (1 − Value)))
//
// Errors: as CI, and ErrUndefined unless 0 < Value < 1. Source: the logit interval
// of R survey's svyciprop, testdata/share_clustered.json.
func (e Estimate) LogitCI(level float64) (Interval, error) {
	if err := checkOpenUnit("level", level); err != nil {
		return Interval{}, err
	}
	if err := e.check(); err != nil {
		return Interval{}, err
	}
	if !(e.Value > 0 && e.Value < 1) {
		return Interval{}, fmt.Errorf("logit of %v: %w", e.Value, ErrUndefined)
	}
	centre := math.Log(e.Value) - math.Log1p(-e.Value)
	half := e.half(level) / (e.Value * (1 - e.Value))
	logistic := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	return Interval{Lower: logistic(centre - half), Upper: logistic(centre + half), Level: level}, nil
}
