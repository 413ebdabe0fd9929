package stats

import (
	"fmt"
	"math"
)

// Powered is a mean of labels that was sharpened by predictions. The embedded
// Estimate is the result: N counts the labels, DF is N − 1. Lambda, 0..1, is how
// much the predictions were trusted. Labels is the estimate from the labels
// alone, Bias the mean of prediction − label with its standard error.
type Powered struct {
	Estimate
	Lambda       float64
	Labels, Bias Estimate
}

// FewLabels is the number of labels below which a mean sharpened by predictions is
// not shown: the simulated coverage is known from 20 on (94 % there).
const FewLabels = 20

// Best is the estimate to show: the sharpened one, or Labels alone if there are
// fewer than FewLabels labels or PPI gave no other.
func (p Powered) Best() Estimate {
	if p.N < FewLabels {
		return p.Labels
	}
	return p.Estimate
}

// PPI estimates the mean label of a population from a few labelled items and
// many that only have a prediction, such as a judge's grade beside a human one
// (PPI++). Whatever is wrong with the predictions, the result aims at the labels.
//
//	Y labels, F predictions of the same n items; U predictions of N other items
//	lambda = clip(cov(Y, F) / ((1 + n/N) · var(F and U pooled)), 0, 1)
//	Value  = lambda · mean(U) + mean(Y − lambda F)
//	SE²    = lambda² · var(U)/N + var(Y − lambda F)/n
//
// cov divides by n, the pooled variance by n+N−1 (the reference's choice); the
// variances in SE divide by their count − 1. The labelled items must be a random
// sample of the same population as the others, and items independent. Best
// is what to show when labels are few. For a difference pass differences, or use
// PPIDelta. No slice is changed.
//
// Errors: ErrMismatch, ErrNotFinite; ErrTooFew below two labels or two further
// predictions (Labels and Bias are filled as far as they exist, N is 0).
//
// Source: Angelopoulos, Duchi & Zrnic, arXiv 2311.01453; checked against ppi_py,
// testdata/ppi_mean.json.
func PPI(label, predicted, unlabelled []float64) (Powered, error) {
	bias, noise, err := differences(label, predicted)
	if err != nil {
		return Powered{}, err
	}
	if err := checkFinite("unlabelled", unlabelled); err != nil {
		return Powered{}, err
	}
	var p Powered
	var errLabels error
	p.Labels, errLabels = plainMean(label, rounding(label))
	p.Bias, _ = plainMean(bias, noise)
	if errLabels != nil {
		return p, fmt.Errorf("labels: %w", errLabels)
	}
	u, err := plainMean(unlabelled, rounding(unlabelled))
	if err != nil {
		return p, fmt.Errorf("predictions without label: %w", err)
	}
	lambda := trust(label, predicted, unlabelled)
	if !isFinite(lambda) {
		return p, fmt.Errorf("covariance of labels and predictions: %w", ErrNotFinite)
	}
	p.Lambda = lambda
	rest := make([]float64, len(label))
	for i := range rest {
		rest[i] = label[i] - p.Lambda*predicted[i]
	}
	r, err := plainMean(rest, noise)
	if err != nil {
		return p, err
	}
	p.Estimate = Estimate{
		N:     len(label),
		Value: p.Lambda*u.Value + r.Value,
		SE:    math.Hypot(p.Lambda*u.SE, r.SE),
		DF:    r.DF,
	}
	if !isFinite(p.Value) || !isFinite(p.SE) {
		p.Estimate, p.Lambda = Estimate{}, 0
		return p, fmt.Errorf("mean: %w", ErrNotFinite)
	}
	return p, nil
}

// trust is lambda; 0 if the predictions do not vary, NaN if squares overflow.
func trust(label, predicted, unlabelled []float64) float64 {
	pooled := append(append(make([]float64, 0, len(predicted)+len(unlabelled)), predicted...), unlabelled...)
	_, e := centre(pooled)
	if still(pooled, e) {
		return 0
	}
	var variance, cov float64
	for _, v := range e {
		variance += v * v / float64(len(pooled)-1)
	}
	_, y := centre(label)
	_, f := centre(predicted)
	for i := range y {
		cov += y[i] * f[i] / float64(len(y))
	}
	lambda := cov / ((1 + float64(len(label))/float64(len(unlabelled))) * variance)
	return max(0, min(1, lambda))
}

// Pairs holds values of the same items under two arms; index i is the same item.
type Pairs struct{ Live, Candidate []float64 }

// PPIDelta is PPI of the paired differences candidate − live: a bias of the
// predictions that both arms share cancels by itself, PPI removes the rest.
// Errors: as PPI. Source: testdata/ppi_paired_delta.json.
func PPIDelta(label, predicted, unlabelled Pairs) (Powered, error) {
	y, _, err := differences(label.Live, label.Candidate)
	if err != nil {
		return Powered{}, fmt.Errorf("labels: %w", err)
	}
	f, _, err := differences(predicted.Live, predicted.Candidate)
	if err != nil {
		return Powered{}, fmt.Errorf("predictions: %w", err)
	}
	u, _, err := differences(unlabelled.Live, unlabelled.Candidate)
	if err != nil {
		return Powered{}, fmt.Errorf("predictions without label: %w", err)
	}
	return PPI(y, f, u)
}

// PPIStratum is one stratum of StratifiedPPI: its share of the population and
// the data of PPI.
type PPIStratum struct {
	Weight                       float64
	Label, Predicted, Unlabelled []float64
}

// StratifiedPPI runs PPI in every stratum, such as a route, with a lambda of its
// own, and joins them with fixed weights.
//
//	Value = Σ W_h Value_h; SE² = Σ W_h² SE_h²; DF by Satterthwaite
//
// Only the ratios of the weights matter. The strata are returned in order. N
// counts all labels. Errors: ErrRange unless every weight is positive; ErrTooFew
// without strata; and what PPI says of a stratum.
//
// Source: Fisch et al., arXiv 2406.04291; testdata/ppi_stratified.json.
func StratifiedPPI(strata []PPIStratum) (Estimate, []Powered, error) {
	weight := make([]float64, len(strata))
	for h, s := range strata {
		weight[h] = s.Weight
	}
	w, err := relative(weight)
	if err != nil {
		return Estimate{}, nil, err
	}
	total := 0.0
	for _, v := range w {
		total += v
	}
	parts, terms := make([]Powered, len(strata)), make([]Estimate, len(strata))
	for h, s := range strata {
		if parts[h], err = PPI(s.Label, s.Predicted, s.Unlabelled); err != nil {
			return Estimate{}, nil, fmt.Errorf("stratum %d: %w", h, err)
		}
		terms[h] = parts[h].Estimate
		terms[h].Value *= w[h] / total
		terms[h].SE *= w[h] / total
	}
	e, err := Sum(terms...)
	return e, parts, err
}
