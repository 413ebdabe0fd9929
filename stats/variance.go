package stats

import (
	"fmt"
	"math"
)

// VarianceShares splits the variance of repeated ratings into that of the items
// and that of rating the same item again (one-way random effects).
//
// Between and Within are the mean squares. Item = (Between − Within)/Runs is the
// variance of the items; it is negative when repeats differ more than items do:
// show 0 and say so. Repeat = Within is the variance of a repeat. Mean is the mean
// over all ratings, its SE that of item means. EqualPairs is the share of pairs of
// runs that gave an item the same rating.
type VarianceShares struct {
	Items, Runs     int
	Between, Within float64
	Item, Repeat    float64
	Mean            Estimate
	EqualPairs      float64
}

// RepeatVariance computes VarianceShares. ratings[i] holds the ratings of item i,
// one a run, as many for every item.
//
//	Between = k · variance of the item means; Within = mean variance inside items
//
// Errors: ErrTooFew below two items or two runs; ErrMismatch for rows of
// different length; ErrNotFinite. Source: Shrout & Fleiss (1979); checked against
// R psych, testdata/judge_variance.json.
func RepeatVariance(ratings [][]float64) (VarianceShares, error) {
	if len(ratings) < 2 {
		return VarianceShares{}, fmt.Errorf("variance of %d items: %w", len(ratings), ErrTooFew)
	}
	runs := len(ratings[0])
	v := VarianceShares{Items: len(ratings), Runs: runs}
	means := make([]float64, len(ratings))
	n := float64(len(ratings))
	for i, row := range ratings {
		if err := checkLen(fmt.Sprintf("item %d", i), len(row), runs); err != nil {
			return VarianceShares{}, err
		}
		e, err := Mean(row)
		if err != nil {
			return VarianceShares{}, fmt.Errorf("item %d: %w", i, err)
		}
		means[i] = e.Value
		v.Within += e.SE * e.SE * float64(runs) / n
		pairs := float64(runs) * float64(runs-1) / 2
		v.EqualPairs += (1 - unequal(row)/pairs) / n
	}
	var err error
	if v.Mean, err = Mean(means); err != nil {
		return VarianceShares{}, err
	}
	v.Between = float64(runs) * n * v.Mean.SE * v.Mean.SE
	v.Item, v.Repeat = (v.Between-v.Within)/float64(runs), v.Within
	if !isFinite(v.Between) || !isFinite(v.Within) {
		return VarianceShares{}, fmt.Errorf("variance of ratings: %w", ErrNotFinite)
	}
	return v, nil
}

// ICC is the intraclass correlation of a single rating, ICC(1,1):
// (Between − Within) / (Between + (Runs−1) Within). Errors: ErrUndefined if the
// ratings do not vary at all, ErrNotFinite on overflow. Source: Shrout & Fleiss (1979).
func (v VarianceShares) ICC() (float64, error) {
	below := v.Between + float64(v.Runs-1)*v.Within
	if !(below > 0) {
		return 0, fmt.Errorf("intraclass correlation without variance: %w", ErrUndefined)
	}
	return finite("intraclass correlation", (v.Between-v.Within)/below)
}

// RepeatShare is the part of a single rating's variance that comes from rating
// again, 0..1; a negative item variance counts as 0. Errors: as ICC.
func (v VarianceShares) RepeatShare() (float64, error) {
	all := max(0, v.Item) + v.Repeat
	if !(all > 0) {
		return 0, fmt.Errorf("share of no variance: %w", ErrUndefined)
	}
	return finite("share of the repeats", v.Repeat/all)
}

// MeanSE is what the standard error of the mean over the same items would be with
// another number of runs: sqrt((Item + Repeat/runs) / Items), a negative item
// variance as 0. runs may be +Inf. Errors: ErrRange unless runs ≥ 1, ErrTooFew
// for the zero VarianceShares, ErrNotFinite on overflow.
func (v VarianceShares) MeanSE(runs float64) (float64, error) {
	if !(runs >= 1) {
		return 0, fmt.Errorf("%v runs: %w", runs, ErrRange)
	}
	if v.Items <= 0 {
		return 0, fmt.Errorf("standard error without items: %w", ErrTooFew)
	}
	return finite("standard error", math.Sqrt((max(0, v.Item)+v.Repeat/runs)/float64(v.Items)))
}
