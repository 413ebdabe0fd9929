package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// ClusteredMean estimates a mean when observations come in clusters that are
// independent of each other but whose members are not: the answers of one
// session, the sessions of one user.
//
//	e_i = x_i − Value; S_g = Σ e_i in cluster g; n_g rows in g; p_g = n_g/n
//	SE² = Σ S_g² / (1 − p_g) / n²                                   (CR2)
//	a_g = p_g² / (1 − p_g)
//	DF  = 1 / (Σ p_g² + (Σ a_g)² − Σ a_g²)                 (Satterthwaite)
//
// cluster holds one non-empty key for each x_i; equal keys are one cluster, in
// any order. With one row a cluster this is Mean. DF depends on the cluster sizes
// only and is small when one cluster dominates. Neither slice is changed.
//
// Errors: ErrMismatch, ErrNotFinite, ErrNoCluster, ErrTooFew (no rows: nothing is
// defined; one cluster: N, Clusters and Value are). With fewer than 6 clusters
// the interval holds its level but is wide: say "few clusters" beside it.
//
// Source: Bell & McCaffrey (2002), Pustejovsky & Tipton (2018), in closed form
// for a mean; checked against R clubSandwich, testdata/cluster_mean.json.
func ClusteredMean(x []float64, cluster []string) (Estimate, error) {
	if err := checkLen("cluster", len(cluster), len(x)); err != nil {
		return Estimate{}, err
	}
	if err := checkFinite("x", x); err != nil {
		return Estimate{}, err
	}
	return clusteredMean(x, rounding(x), cluster)
}

// ClusteredDelta estimates the mean difference candidate − live over pairs that
// come in clusters: ClusteredMean of d_i = candidate_i − live_i.
//
// Index i is the same observation in all three slices; none is changed. With
// every cluster sum of the residuals 0 (all d_i equal, for one) SE is 0 and InSE
// undefined. Errors: ErrMismatch, ErrNotFinite, ErrNoCluster, ErrTooFew (no
// pairs: nothing is defined; one cluster: N, Clusters and Value are). Source: as
// ClusteredMean.
func ClusteredDelta(live, candidate []float64, cluster []string) (Estimate, error) {
	if err := checkLen("cluster", len(cluster), len(live)); err != nil {
		return Estimate{}, err
	}
	d, noise, err := differences(live, candidate)
	if err != nil {
		return Estimate{}, err
	}
	return clusteredMean(d, noise, cluster)
}

// ClusteredShareDelta estimates the difference of two shares, candidate − live,
// over pairs that come in clusters: ClusteredDelta of the two columns as 0 and 1.
// Value is in shares (0.02 is two percentage points). Use NewcombePaired when
// the pairs are independent: it is better near 0 and 1. Errors and source as
// ClusteredDelta.
func ClusteredShareDelta(live, candidate []bool, cluster []string) (Estimate, error) {
	return ClusteredDelta(indicator(live), indicator(candidate), cluster)
}

// WinTieLoss counts the pairs in which the candidate's number is smaller than
// the live one (a win: smaller is better here), equal, or larger, and estimates
// the net win rate, (wins − losses) / n, from −1 to 1. It is the mean of +1, 0,
// −1 with the standard error of ClusteredMean, or of Mean when cluster is nil.
//
// A positive net win rate favours the candidate, while a negative delta does.
// Errors: as ClusteredDelta; the counts are right even with ErrTooFew.
//
// Checked in testdata/paired_ordinal.json.
func WinTieLoss(live, candidate []float64, cluster []string) (wins, ties, losses int, net Estimate, err error) {
	if cluster != nil {
		if err := checkLen("cluster", len(cluster), len(live)); err != nil {
			return 0, 0, 0, Estimate{}, err
		}
	}
	if _, _, err := differences(live, candidate); err != nil {
		return 0, 0, 0, Estimate{}, err
	}
	sign := make([]float64, len(live))
	for i := range live {
		switch {
		case candidate[i] < live[i]:
			wins, sign[i] = wins+1, 1
		case candidate[i] > live[i]:
			losses, sign[i] = losses+1, -1
		default:
			ties++
		}
	}
	if cluster == nil {
		net, err = plainMean(sign, rounding(sign))
	} else {
		net, err = clusteredMean(sign, rounding(sign), cluster)
	}
	return wins, ties, losses, net, err
}

func indicator(b []bool) []float64 {
	x := make([]float64, len(b))
	for i, v := range b {
		if v {
			x[i] = 1
		}
	}
	return x
}

// groups numbers the keys by first appearance and counts their rows.
func groups(key []string) (index []int, size []float64) {
	index = make([]int, len(key))
	seen := make(map[string]int, len(key))
	for i, k := range key {
		g, ok := seen[k]
		if !ok {
			g = len(size)
			seen[k] = g
			size = append(size, 0)
		}
		index[i] = g
		size[g]++
	}
	return index, size
}

func checkKeys(cluster []string) error {
	for i, k := range cluster {
		if k == "" {
			return fmt.Errorf("cluster[%d]: %w", i, ErrNoCluster)
		}
	}
	return nil
}

// clusteredMean is ClusteredMean of checked values; noise as in plainMean.
func clusteredMean(x, noise []float64, cluster []string) (Estimate, error) {
	if err := checkKeys(cluster); err != nil {
		return Estimate{}, err
	}
	if len(x) == 0 {
		return Estimate{}, fmt.Errorf("mean of no values: %w", ErrTooFew)
	}
	mean, e := centre(x)
	if !isFinite(mean) {
		return Estimate{}, fmt.Errorf("mean: %w", ErrNotFinite)
	}
	index, size := groups(cluster)
	est := Estimate{N: len(x), Clusters: len(size), Value: mean}
	if len(size) < 2 {
		return est, fmt.Errorf("standard error from one cluster: %w", ErrTooFew)
	}
	sums, sumNoise := make([]float64, len(size)), make([]float64, len(size))
	ofMean := average(noise)
	for i, g := range index {
		sums[g] += e[i]
		sumNoise[g] += noise[i] + ofMean + 4*eps*math.Abs(e[i])
	}
	n := float64(len(x))
	est.DF = clusterDF(size, n)
	if quiet(sums, sumNoise, 0) {
		return est, nil
	}
	for g := range sums {
		sums[g] /= math.Sqrt((n - size[g]) / n)
	}
	est.SE = floats.Norm(sums, 2) / n
	if !isFinite(est.SE) {
		return Estimate{}, fmt.Errorf("standard error: %w", ErrNotFinite)
	}
	return est, nil
}

// clusterDF is Satterthwaite's DF for CR2 in one pass over the cluster sizes.
// (Σ a_g)² − Σ a_g² is summed as products of pairs: the difference would lose
// all digits when one cluster holds nearly all rows.
func clusterDF(size []float64, n float64) float64 {
	var squares, pairs, sum float64
	for _, k := range size {
		p := k / n
		a := p * k / (n - k)
		squares += p * p
		pairs += a * sum
		sum += a
	}
	return 1 / (squares + 2*pairs)
}
