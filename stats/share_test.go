package stats_test

import (
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

func TestWilsonGolden(t *testing.T) {
	const other = skipped("one interval per share: Wilson")
	golden(t, "proportion", func(t *testing.T, in input) fields {
		x, n := in.count("x"), in.count("n")
		iv, err := stats.Wilson(x, n, in.num("conf"))
		lower, upper := bounds(t, iv, err)
		return fields{
			"p": float64(x) / float64(n), "wilson_lower": lower, "wilson_upper": upper,
			"clopper_pearson_lower": other, "clopper_pearson_upper": other,
			"agresti_coull_lower": other, "agresti_coull_upper": other,
			"jeffreys_lower": other, "jeffreys_upper": other,
		}
	})
}

// The file's difference is first − second; ours is candidate − live, so the first
// share is the candidate's.
func TestNewcombePairedGolden(t *testing.T) {
	golden(t, "newcombe_paired", func(t *testing.T, in input) fields {
		a, b, c, d := in.count("both"), in.count("only_first"), in.count("only_second"), in.count("neither")
		delta, iv, err := stats.NewcombePaired(a, c, b, d, in.num("conf"))
		lower, upper := bounds(t, iv, err)
		n := float64(a + b + c + d)
		return fields{
			"p_first": float64(a+b) / n, "p_second": float64(a+c) / n,
			"diff": val(t, delta, err), "lower": lower, "upper": upper,
			"phi":     skipped("an inner value; it shows in the bounds"),
			"wald_se": skipped("ClusteredShareDelta gives the standard error"),
		}
	})
}

func TestNewcombeIndependentGolden(t *testing.T) {
	golden(t, "newcombe_independent", func(t *testing.T, in input) fields {
		delta, iv, err := stats.NewcombeIndependent(in.count("x2"), in.count("n2"), in.count("x1"), in.count("n1"), in.num("conf"))
		lower, upper := bounds(t, iv, err)
		return fields{
			"diff": val(t, delta, err), "lower": lower, "upper": upper,
			"fisher_p_two_sided": skipped("the interval is shipped, not Fisher's test"),
		}
	})
}
