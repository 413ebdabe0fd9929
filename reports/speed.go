package reports

import (
	"math"

	"github.com/understudy-eval/understudy/stats"
)

// Speed is how fast an arm's answers were written, in output tokens per second of
// single answers; more is faster. Streamed and whole answers are not comparable.
type Speed struct {
	// Streamed is (tokens − reasoning tokens) / (time of the call − time to the first
	// token): reasoning comes before the first token.
	Streamed Rate `json:"streamed"`
	// Whole is tokens / time of the call, for answers that came in one piece.
	Whole Rate `json:"whole"`
}

// Rate is over N answers that tell their tokens and took some time; its quantiles
// (type 7) are nil without any. P5 is the slow end.
type Rate struct {
	N      int      `json:"n"`
	Median *float64 `json:"median"`
	P5     *float64 `json:"p5"`
}

// Reasoning is what went into thinking before the answer, part of the output tokens.
type Reasoning struct {
	// Any is the share of answers with reasoning tokens, of those that tell.
	Any Share `json:"any"`
	// Median is over the answers that have any; nil without.
	Median *float64 `json:"median"`
}

func speedOf(v view, arm int) Speed {
	var streamed, whole speeds
	for a := range v.answers(arm) {
		tokens, known := a.number(tokensOut)
		if !known || !a.answered() || a.latency().kind != exact {
			continue
		}
		if first := a.first(); first.kind == exact {
			thinking, _ := a.number(tokensReasoning)
			streamed.add(tokens-thinking, a.latency().us-first.us)
		} else {
			whole.add(tokens, a.latency().us)
		}
	}
	return Speed{Streamed: streamed.report(), Whole: whole.report()}
}

// speeds are tokens per second, by the bits of numbers from 0 on: these have the order
// of the numbers.
type speeds []uint64

// add leaves out what has no time, or fewer tokens than went into thinking.
func (s *speeds) add(tokens, us int64) {
	if us > 0 && tokens >= 0 {
		*s = append(*s, math.Float64bits(float64(tokens)/float64(us)*1e6))
	}
}

func (s speeds) report() Rate {
	s = sorted(s)
	return Rate{N: len(s), Median: quantileIn(s, 0.5), P5: quantileIn(s, 0.05)}
}

// Len, Finite and At implement stats.Ascending.
func (s speeds) Len() int         { return len(s) }
func (s speeds) Finite() int      { return len(s) }
func (s speeds) At(i int) float64 { return math.Float64frombits(s[i]) }

// quantileIn is a quantile of sorted values, nil without any.
func quantileIn(sorted stats.Ascending, p float64) *float64 {
	q, err := stats.QuantileOf(sorted, p)
	if err != nil {
		return nil
	}
	return &q
}

func reasoningOf(v view, arm int, level float64) Reasoning {
	var some whole
	any := v.share(arm, func(a answer) (bool, bool) {
		tokens, known := a.number(tokensReasoning)
		if known = known && a.answered(); known && tokens > 0 {
			some.add(tokens)
		}
		return tokens > 0, known
	})
	some.sort()
	return Reasoning{Any: any.report(level), Median: quantileIn(some.all(), 0.5)}
}
