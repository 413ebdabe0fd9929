package reports

import (
	"fmt"
	"math"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// survivalCurves shows for each arm which share of its calls takes longer than a
// time, on a log axis of seconds.
func survivalCurves(r Report) figure {
	low, high, any := survivalRange(r)
	if !any {
		return figure{}
	}
	p := newPlot()
	p.X.Scale, p.X.Min, p.X.Max, p.X.Tick.Marker = plot.LogScale{}, low, high, secondTicks{}
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = 0, 1, percentTicks{}
	p.Add(gridLines(percentTicks{}), limitLines(r.Experiment.Limits))
	f := figure{
		id: "survival", title: "Calls that take longer than a time, share in %; lower is better",
		axis: "seconds until the whole answer, log axis; further left is faster", desc: survivalDesc(r), plot: p, width: plotWidth, height: 290,
	}
	for i, a := range r.Arms {
		if a.Latency.Calls == 0 {
			continue
		}
		m := armMark(i, shapeLine)
		p.Add(survivalLine(a.Survival, a.knownUntil(), m))
		f.keys = append(f.keys, key{m, string(a.Name)})
	}
	if gate := r.Experiment.Gate.Over; len(gate) > 0 {
		p.Add(gateMarks(gate))
		f.keys = append(f.keys, key{mark{shape: shapeDiamond, ink: inkBad}, "most that the gate allows over its limit"})
	}
	f.notes = survivalNotes(r)
	return f
}

// survivalNotes says why a curve ends above 0, or before the others.
func survivalNotes(r Report) []string {
	var out []string
	for _, a := range r.Arms {
		if a.Latency.Failed > 0 {
			out = append(out, fmt.Sprintf("%s: %s failed (%d of them by time-out) and are slower than any limit, so its curve does not reach 0",
				a.Name, counted(a.Latency.Failed, "call"), a.Latency.TimedOut))
		}
		if until := a.knownUntil(); until > 0 {
			out = append(out, fmt.Sprintf("%s: users left every call, the last one after %s; of longer times nothing is known", a.Name, took(until)))
		}
	}
	return out
}

// survivalRange is in seconds and holds all times and limits.
func survivalRange(r Report) (low, high float64, any bool) {
	low, high = math.Inf(1), 0
	take := func(t time.Duration) {
		low, high = min(low, secondsOf(t)), max(high, secondsOf(t))
	}
	for _, a := range r.Arms {
		any = any || a.Latency.Calls > 0
		if n := len(a.Survival); n > 0 {
			take(a.Survival[0].Time)
			take(a.Survival[n-1].Time)
		}
		if until := a.knownUntil(); until > 0 {
			take(until)
		}
	}
	for _, limit := range append(limitsOf(r.Experiment.Gate.Over), r.Experiment.Limits...) {
		take(limit)
	}
	if any && high == 0 { // all calls failed, and nothing limits them
		low, high = 1, 10
	}
	return low / 1.2, high * 1.3, any
}

// secondsOf is a time that a log axis can show: at least a millisecond.
func secondsOf(t time.Duration) float64 { return max(t, time.Millisecond).Seconds() }

// knownUntil is the end of an arm's curve where users left every call: the last of
// these times; else 0, for no end.
func (a ArmReport) knownUntil() time.Duration {
	if t := a.Latency; t.Left == t.Calls && len(t.Quantiles) > 0 && t.Quantiles[0].Longest != nil {
		return *t.Quantiles[0].Longest
	}
	return 0
}

func survivalLine(curve []SurvivalPoint, until time.Duration, m mark) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		share := 1.0
		line := []vg.Point{{X: c.Min.X, Y: y(share)}}
		for _, point := range curve {
			at := x(secondsOf(point.Time))
			line = append(line, vg.Point{X: at, Y: y(share)}, vg.Point{X: at, Y: y(point.Share)})
			share = point.Share
		}
		end := c.Max.X
		if until > 0 {
			end = min(end, x(secondsOf(until)))
		}
		line = append(line, vg.Point{X: end, Y: y(share)})
		c.StrokeLines(m.line(2), line)
	}
}

// limitLines marks the latency limits, with their names at the top as far as there is room.
func limitLines(limits []time.Duration) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		x, _ := p.Transforms(&c)
		style := lettering(inkMuted, draw.XLeft, draw.YTop)
		free := c.Min.X // where the next name may stand
		for _, limit := range limits {
			at, name := x(secondsOf(limit)), seconds(limit)+" s"
			c.StrokeLine2(mark{ink: inkMuted, dash: 2}.line(1), at, c.Min.Y, at, c.Max.Y)
			if at >= free {
				c.FillText(style, vg.Point{X: at + 3, Y: c.Max.Y}, name)
				free = at + 6 + style.Width(name)
			}
		}
	}
}

// gateMarks puts a diamond at each limit of the gate, at the share that it allows.
func gateMarks(gate []ShareLimit) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		for _, g := range gate {
			c.FillPolygon(inkBad.rgb(), diamond(vg.Point{X: x(secondsOf(g.Limit)), Y: y(g.Share)}))
		}
	}
}

// survivalDesc says the plot in words.
func survivalDesc(r Report) string {
	var parts []string
	for _, a := range r.Arms {
		words := fmt.Sprintf("%s, %s", a.Name, counted(a.Latency.Calls, "call"))
		for _, over := range a.Latency.Over {
			words += fmt.Sprintf(", over %s s: %s", seconds(over.Limit), or(over.Share.Share, percent))
		}
		parts = append(parts, words+".")
	}
	return strings.Join(parts, " ")
}
