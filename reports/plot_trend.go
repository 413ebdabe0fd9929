package reports

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/understudy-eval/understudy/shadow"
)

// trendLine is an arm over weeks. All lines of a plot have the same weeks in the
// same order.
type trendLine struct {
	arm    shadow.Arm
	points []trendPoint
}

// trendPoint is a figure of one week, with its standard error where it has one. A
// nil value is unknown: there the line has a gap.
type trendPoint struct {
	week       string // e.g. 2026-W41
	value, se  *float64
	incomplete bool
}

// gradeTrend shows the mean grade of each arm over weeks, ± its standard error.
func gradeTrend(weeks []TrendWeek) figure {
	lines := trendLines(weeks, func(a WeekArm) (value, se *float64) { return a.Mean.Value, a.Mean.SE })
	return trendPlot(figure{
		id: "trend-grades", title: "Mean grade per week ± its standard error; lower is better",
		desc: trendDesc(lines, "mean grade", func(p trendPoint) string {
			return or(p.value, unsigned(decimals(p.se))) + " ± " + or(p.se, unsigned(decimals(p.se)))
		}),
	}, lines, false)
}

// tailTrend shows p95 of the time to the whole answer of each arm over weeks.
func tailTrend(weeks []TrendWeek) figure {
	lines := trendLines(weeks, func(a WeekArm) (value, se *float64) {
		for _, q := range a.Latency.Quantiles {
			if q.P == 0.95 && q.Value != nil {
				return new(q.Value.Seconds()), nil
			}
		}
		return nil, nil
	})
	return trendPlot(figure{
		id: "trend-p95", title: "p95 of the time to the whole answer per week, in seconds; lower is better",
		desc: trendDesc(lines, "p95 in seconds", func(p trendPoint) string {
			return or(p.value, func(v float64) string { return fixed(v, 2) })
		}),
	}, lines, true)
}

// trendLines are a figure of each arm, week by week. One week alone is no trend.
func trendLines(weeks []TrendWeek, figure func(WeekArm) (value, se *float64)) []trendLine {
	var out []trendLine
	if len(weeks) < 2 {
		return nil
	}
	for i, a := range weeks[0].Arms {
		line := trendLine{arm: a.Name}
		for _, w := range weeks {
			value, se := figure(w.Arms[i])
			line.points = append(line.points, trendPoint{week: w.Week, value: value, se: se, incomplete: w.Incomplete != ""})
		}
		out = append(out, line)
	}
	return out
}

// trendPlot draws the lines side by side within each week. fromZero has the axis
// start at 0. Without a known value there is no plot.
func trendPlot(f figure, lines []trendLine, fromZero bool) figure {
	low, high, any := trendRange(lines)
	if !any {
		return figure{}
	}
	room := 0.1 * max(high-low, 0.1)
	if low -= room; fromZero {
		low = 0
	}
	p := newPlot()
	p.X.Min, p.X.Max, p.X.Tick.Marker = -0.5, float64(len(lines[0].points))-0.5, weekTicks(lines[0].points)
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = low, high+room, roundTicks{fixed}
	p.Add(gridLines(p.Y.Tick.Marker))
	gap, hollow := false, false
	for i, line := range lines {
		m := armMark(i, shapeLine)
		aside := 0.5 * (float64(i) - float64(len(lines)-1)/2) / float64(len(lines))
		p.Add(trendCurve(line.points, m, aside))
		f.keys = append(f.keys, key{m, string(line.arm)})
		for _, point := range line.points {
			gap, hollow = gap || point.value == nil, hollow || point.incomplete
		}
	}
	if gap {
		f.notes = append(f.notes, "a gap is a week without the figure")
	}
	if hollow {
		f.notes = append(f.notes, "an open circle is a week that is not complete")
	}
	f.plot, f.axis, f.width, f.height = p, "ISO week, UTC", plotWidth, 260
	return f
}

// trendRange holds all values with their standard errors.
func trendRange(lines []trendLine) (low, high float64, any bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, line := range lines {
		for _, p := range line.points {
			if p.value == nil {
				continue
			}
			se := 0.0
			if p.se != nil {
				se = *p.se
			}
			low, high, any = min(low, *p.value-se), max(high, *p.value+se), true
		}
	}
	return low, high, any
}

// trendCurve draws a line through known neighbours and a circle for each week, so far
// aside that arms do not cover each other.
func trendCurve(points []trendPoint, m mark, aside float64) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		for i, point := range points {
			if point.value == nil {
				continue
			}
			at := vg.Point{X: x(float64(i) + aside), Y: y(*point.value)}
			if i > 0 && points[i-1].value != nil {
				c.StrokeLine2(m.line(1.6), x(float64(i-1)+aside), y(*points[i-1].value), at.X, at.Y)
			}
			if point.se != nil {
				c.StrokeLine2(draw.LineStyle{Color: m.ink.rgb(), Width: 1.6}, at.X, y(*point.value-*point.se), at.X, y(*point.value+*point.se))
			}
			weekCircle(c, m.ink, at, point.incomplete)
		}
	}
}

// weekCircle is open for a week that is not complete.
func weekCircle(c draw.Canvas, i ink, at vg.Point, open bool) {
	const radius = 4
	if !open {
		c.DrawGlyph(draw.GlyphStyle{Color: i.rgb(), Radius: radius, Shape: draw.CircleGlyph{}}, at)
		return
	}
	var path vg.Path
	path.Move(vg.Point{X: at.X + radius, Y: at.Y})
	path.Arc(at, radius, 0, 2*math.Pi)
	path.Close()
	c.SetLineStyle(draw.LineStyle{Color: i.rgb(), Width: 1.6})
	c.Stroke(path)
}

// trendDesc says a plot in words.
func trendDesc(lines []trendLine, what string, figure func(trendPoint) string) string {
	var parts []string
	for _, line := range lines {
		words := make([]string, len(line.points))
		for i, p := range line.points {
			words[i] = p.week + ": " + figure(p)
		}
		parts = append(parts, fmt.Sprintf("%s, %s: %s.", line.arm, what, strings.Join(words, ", ")))
	}
	return strings.Join(parts, " ")
}

// weekTicks name the weeks below the axis, without their year.
type weekTicks []trendPoint

// Ticks implements [plot.Ticker].
func (w weekTicks) Ticks(_, _ float64) []plot.Tick {
	var out []plot.Tick
	for i, p := range w {
		_, name, _ := strings.Cut(p.week, "-")
		out = append(out, plot.Tick{Value: float64(i), Label: name})
	}
	return out
}
