package reports

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/understudy-eval/understudy/rubric"
)

// gridLines draws a line across at each tick of the vertical axis.
func gridLines(ticks plot.Ticker) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		_, y := p.Transforms(&c)
		for _, t := range ticks.Ticks(p.Y.Min, p.Y.Max) {
			c.StrokeLine2(draw.LineStyle{Color: inkGrid.rgb(), Width: 1}, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}

// roundTicks are round numbers, four to ten of them, with as many decimals as their
// step needs.
type roundTicks struct {
	print func(v float64, decimals int) string
}

// Ticks implements [plot.Ticker].
func (r roundTicks) Ticks(low, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	for _, by := range []float64{5, 2} {
		if (high-low)/(by*step) >= 4 {
			step *= by
			break
		}
	}
	d := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var out []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*step; k++ {
		out = append(out, plot.Tick{Value: k * step, Label: r.print(k*step, d)})
	}
	return out
}

// percentTicks are shares, every 25 %.
type percentTicks struct{}

// Ticks implements [plot.Ticker].
func (percentTicks) Ticks(low, high float64) []plot.Tick {
	var out []plot.Tick
	for _, share := range []float64{0, 0.25, 0.5, 0.75, 1} {
		if share >= low && share <= high {
			out = append(out, plot.Tick{Value: share, Label: limitText(share) + " %"})
		}
	}
	return out
}

// secondTicks are round times: ever more of each power of ten, the narrower the axis.
type secondTicks struct{}

// Ticks implements [plot.Ticker].
func (secondTicks) Ticks(low, high float64) []plot.Tick {
	round := []string{"1"}
	switch {
	case high/low <= 4: // such that two lie within any factor of 1.5
		round = []string{"1", "1.2", "1.5", "1.8", "2", "2.5", "3", "3.5", "4", "5", "6", "7", "8", "9"}
	case high/low <= 300:
		round = []string{"1", "2", "5"}
	}
	var out []plot.Tick
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		for _, m := range round {
			if v := parse(fmt.Sprintf("%se%d", m, e)); low <= v && v <= high {
				out = append(out, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', -1, 64)})
			}
		}
	}
	return out
}

// wholeTicks are the grades.
type wholeTicks struct{}

// Ticks implements [plot.Ticker].
func (wholeTicks) Ticks(_, _ float64) []plot.Tick {
	var out []plot.Tick
	for g := rubric.Best; g <= rubric.Worst; g++ {
		out = append(out, plot.Tick{Value: float64(g), Label: fmt.Sprint(g)})
	}
	return out
}
