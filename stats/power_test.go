package stats_test

import (
	"math"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

func TestPowerGolden(t *testing.T) {
	const exact = skipped("the exact one needs a noncentral t; the normal formula is shipped")
	golden(t, "power_mde", func(t *testing.T, in input) fields {
		pairs := func(sd, delta, alpha, power float64) float64 {
			n, err := stats.PairsNeeded(sd, delta, alpha, power)
			return ok(t, n, err)
		}
		switch kind := in.text("kind"); kind {
		case "mde_paired":
			d, err := stats.MDE(in.num("sd"), in.num("n"), in.num("alpha"), in.num("power"))
			return fields{"mde_normal": ok(t, d, err), "mde_exact_t": exact}
		case "n_paired":
			sd, delta, alpha := in.num("sd"), in.num("delta"), in.num("alpha")
			return fields{
				"n80_normal": pairs(sd, delta, alpha, 0.8), "n80_exact_t": exact,
				"n90_normal": pairs(sd, -delta, alpha, 0.9), "n90_exact_t": exact,
			}
		case "n_two_sample_per_arm":
			sd := in.num("sd") * math.Sqrt2 // of a difference of two answers
			return fields{"n_normal": pairs(sd, in.num("delta"), in.num("alpha"), in.num("power")), "n_exact_t": exact}
		case "miller_n":
			sd := math.Sqrt(in.num("omega2") + in.num("sigma2_A")/in.num("K_A") + in.num("sigma2_B")/in.num("K_B"))
			return fields{"n": pairs(sd, in.num("delta"), in.num("alpha"), in.num("power"))}
		case "n_paired_noninferiority":
			return fields{"n_normal": pairs(in.num("sd"), in.num("margin")-in.num("true_delta"), 2*in.num("alpha_one_sided"), in.num("power"))}
		case "power_two_sample", "power_paired":
			sd := in.num("sd")
			if kind == "power_two_sample" {
				sd *= math.Sqrt2
			}
			p, err := stats.Power(sd, in.num("n"), in.num("delta"), in.num("alpha"))
			return fields{"power_normal": ok(t, p, err), "power_exact_t": exact}
		case "n_mcnemar":
			n, err := stats.SharePairsNeeded(in.num("discordant"), in.num("diff"), in.num("alpha"), in.num("power"))
			return fields{"n": ok(t, n, err)}
		case "design_effect_of_cluster":
			d, err := stats.DesignEffect(in.num("m"), in.num("icc"))
			return fields{"design_effect": ok(t, d, err)}
		case "n_two_shares_per_arm":
			n, err := stats.ShareTrialsNeeded(in.num("p1"), in.num("p2"), in.num("alpha"), in.num("power"))
			return fields{"n": ok(t, n, err)}
		default:
			t.Fatalf("unknown kind %q", kind)
			return nil
		}
	})
}
