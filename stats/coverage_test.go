package stats_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// The short runs are enough to see a wrong formula; -coverage=40 is for changes
// of the estimators themselves.
var coverage = flag.Int("coverage", 1, "multiply the simulated runs of the coverage tests")

// within3 checks a simulated share against the true one: three Monte Carlo
// standard errors, plus slack for what the simulation does not share.
func within3(t *testing.T, what string, hits, runs int, want, slack float64) {
	t.Helper()
	got := float64(hits) / float64(runs)
	se := math.Sqrt(want * (1 - want) / float64(runs))
	t.Logf("%s: %.3f of %d runs, want %.3f ∓ %.3f", what, got, runs, want, 3*se+slack)
	if math.Abs(got-want) > 3*se+slack {
		t.Errorf("%s: %.3f, want %.3f", what, got, want)
	}
}

// Clusters of 1, 2, 3 or 20 rows with intraclass correlation 0.3: the 95 %
// interval of CR2 with Satterthwaite's degrees of freedom holds its level (95.6,
// 94.0, 93.7 % with 6, 10, 30 clusters in a longer simulation of the same), the one
// that ignores clusters covers about 60 %.
func TestCoverageOfClusteredMean(t *testing.T) {
	runs := 2000 * *coverage
	for clusters, want := range map[int]struct{ cr2, naive float64 }{6: {0.956, 0.609}, 10: {0.940, 0.603}, 30: {0.937, 0.601}} {
		t.Run(fmt.Sprint(clusters), func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, uint64(clusters)))
			var covered, naive int
			for range runs {
				x, key := clusteredRows(r, clusters)
				e, err := stats.ClusteredMean(x, key)
				ok(t, e, err)
				iv, err := e.CI(0.95)
				if ok(t, iv, err).Contains(0) {
					covered++
				}
				plain, err := stats.Mean(x)
				ok(t, plain, err)
				if math.Abs(plain.Value) <= 1.96*plain.SE {
					naive++
				}
			}
			within3(t, "CR2", covered, runs, want.cr2, 0.01)
			within3(t, "no clustering", naive, runs, want.naive, 0.03)
		})
	}
}

// clusteredRows has true mean 0.
func clusteredRows(r *rand.Rand, clusters int) (x []float64, key []string) {
	for g := range clusters {
		common := math.Sqrt(0.3) * r.NormFloat64()
		for range []int{1, 2, 3, 20}[r.IntN(4)] {
			x = append(x, common+math.Sqrt(0.7)*r.NormFloat64())
			key = append(key, fmt.Sprint(g))
		}
	}
	return x, key
}

// gradeDifference is candidate − live of two grades 1..6 with the same
// distribution and correlation about ½, so that the true difference is 0.
func gradeDifference(r *rand.Rand) float64 {
	grade := func(v float64) float64 { return math.Round(min(6, max(1, 2.7+1.2*v))) }
	common := r.NormFloat64()
	one := func() float64 { return grade(math.Sqrt(0.5) * (common + r.NormFloat64())) }
	return one() - one()
}

// Thirty daily looks at 30 pairs a day: an interval of 1.96 SE excludes the truth
// at some look in about 28 % of all runs, the sequence in at most 5 %.
func TestCoverageOfDailyLooks(t *testing.T) {
	const days, perDay, burnIn = 30, 30, 50
	runs := 800 * *coverage
	s, err := stats.NewSequence(0.05, days*perDay)
	ok(t, s, err)
	r := rand.New(rand.NewPCG(11, 1))
	var fixed, sequence int
	for range runs {
		var x []float64
		var fixedOut, sequenceOut bool
		for range days {
			for range perDay {
				x = append(x, gradeDifference(r))
			}
			e, err := stats.Mean(x)
			ok(t, e, err)
			iv, err := e.CI(0.95)
			fixedOut = fixedOut || !ok(t, iv, err).Contains(0)
			if len(x) < burnIn {
				continue
			}
			iv, err = s.CI(e, float64(e.N))
			sequenceOut = sequenceOut || !ok(t, iv, err).Contains(0)
		}
		tally(&fixed, fixedOut)
		tally(&sequence, sequenceOut)
	}
	within3(t, "one interval a day", fixed, runs, 0.28, 0.02)
	atMost(t, "sequence", sequence, runs, 0.05)
}

// Looking after every pair: without a burn-in a few equal differences collapse
// the interval to a point, and the false alarms that the sequence bounds by 5 %
// come in a large share of all runs.
func TestCoverageNeedsBurnIn(t *testing.T) {
	const planned, burnIn = 400, 50
	runs := 300 * *coverage
	s, err := stats.NewSequence(0.05, planned)
	ok(t, s, err)
	r := rand.New(rand.NewPCG(13, 1))
	var with, without int
	for range runs {
		var x []float64
		var outAfter, outEver bool
		for range planned {
			x = append(x, gradeDifference(r))
			if len(x) < 2 {
				continue
			}
			e, err := stats.Mean(x)
			ok(t, e, err)
			iv, err := s.CI(e, float64(e.N))
			out := !ok(t, iv, err).Contains(0)
			outEver = outEver || out
			outAfter = outAfter || out && len(x) >= burnIn
		}
		tally(&with, outAfter)
		tally(&without, outEver)
	}
	atMost(t, "burn-in 50", with, runs, 0.05)
	if share := float64(without) / float64(runs); share < 0.10 {
		t.Errorf("without burn-in %.3f: the warning in the documentation would be wrong", share)
	} else {
		t.Logf("without burn-in %.3f", share)
	}
}

// Sessions of 1 to 8 pairs that share a difference: t counts clusters, SE is CR2,
// burn-in 30 clusters. Ignoring the sessions breaks the bound.
func TestCoverageOfClusteredSequence(t *testing.T) {
	const days, perDay, burnIn = 30, 10, 30
	runs := 300 * *coverage
	clusteredSeq, err := stats.NewSequence(0.05, days*perDay)
	ok(t, clusteredSeq, err)
	plainSeq, err := stats.NewSequence(0.05, days*perDay*4.5)
	ok(t, plainSeq, err)
	r := rand.New(rand.NewPCG(17, 1))
	var right, ignoring int
	for range runs {
		var x []float64
		var key []string
		var out, outIgnoring bool
		for day := range days {
			for g := range perDay {
				common := math.Round(r.NormFloat64())
				for range 1 + r.IntN(8) {
					x, key = append(x, common+gradeDifference(r)), append(key, fmt.Sprint(day, "/", g))
				}
			}
			e, err := stats.ClusteredMean(x, key)
			ok(t, e, err)
			if e.Clusters < burnIn {
				continue
			}
			iv, err := clusteredSeq.CI(e, float64(e.Clusters))
			out = out || !ok(t, iv, err).Contains(0)
			plain, err := stats.Mean(x)
			ok(t, plain, err)
			iv, err = plainSeq.CI(plain, float64(plain.N))
			outIgnoring = outIgnoring || !ok(t, iv, err).Contains(0)
		}
		tally(&right, out)
		tally(&ignoring, outIgnoring)
	}
	atMost(t, "clustered sequence", right, runs, 0.05)
	if share := float64(ignoring) / float64(runs); share < 0.10 {
		t.Errorf("ignoring sessions gives %.3f false alarms: the simulation tests nothing", share)
	} else {
		t.Logf("ignoring sessions %.3f", share)
	}
}

func atMost(t *testing.T, what string, hits, runs int, limit float64) {
	t.Helper()
	got, se := float64(hits)/float64(runs), math.Sqrt(limit*(1-limit)/float64(runs))
	t.Logf("%s: %.3f of %d runs, at most %.3f", what, got, runs, limit+3*se)
	if got > limit+3*se {
		t.Errorf("%s: %.3f, at most %.3f", what, got, limit+3*se)
	}
}

func tally(n *int, yes bool) {
	if yes {
		*n++
	}
}
