package reports

import (
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// PNG writes the frontier of a sweep as an image, 1120 pixels wide, on white: the mean
// grade of what goes out over p95, and the cost over p95 where it is known. Each policy
// is a point, in their order on a line; arms by themselves stand beside it.
func (s Simulation) PNG(w io.Writer) error {
	drawn := []figure{
		s.frontier("Mean grade of what goes out over p95; lower and further left is better", func(p PolicyPlay) *float64 { return p.Grade.Value }),
		s.frontier("USD per 1,000 requests over p95; lower and further left is better", func(p PolicyPlay) *float64 { return p.Cost.Value }),
	}
	return writePNG(w, nil, slices.DeleteFunc(drawn, func(f figure) bool { return f.plot == nil }))
}

// frontierPoint is a policy in the plane of tail and something else.
type frontierPoint struct {
	name string
	x, y float64
	arm  bool
}

func (s Simulation) frontier(title string, of func(PolicyPlay) *float64) figure {
	var points []frontierPoint
	for _, p := range s.Plays {
		if y := of(p); y != nil && p.P95.Value != nil {
			points = append(points, frontierPoint{p.title(), *p.P95.Value, *y, p.Arm})
		}
	}
	if len(points) == 0 {
		return figure{}
	}
	p := newPlot()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, at := range points {
		p.X.Min, p.X.Max = min(p.X.Min, at.x), max(p.X.Max, at.x)
		p.Y.Min, p.Y.Max = min(p.Y.Min, at.y), max(p.Y.Max, at.y)
	}
	spread := func(axis *plot.Axis, least float64) {
		room := max(0.12*(axis.Max-axis.Min), least)
		axis.Min, axis.Max = axis.Min-room, axis.Max+room
	}
	spread(&p.X, 0.05)
	spread(&p.Y, 0.01)
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.DefaultTicks{}, plot.DefaultTicks{}
	p.Add(gridLines(p.Y.Tick.Marker), frontierLine(points))
	return figure{
		title: title, plot: p, axis: "p95 until the answer is whole, in seconds", width: pngWidth - 2*pngMargin, height: 300,
		keys: []key{{armMark(1, shapeLine), "policies, first and last named"}, {mark{shape: shapeDiamond, ink: inkText}, "an arm by itself"}},
	}
}

// frontierLine draws the policies' line with a dot for each, and the arms as diamonds.
func frontierLine(points []frontierPoint) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		m := armMark(1, shapeLine)
		var before *vg.Point
		for i, point := range points {
			at := vg.Point{X: x(point.x), Y: y(point.y)}
			label := point.arm || before == nil || i == len(points)-1
			if point.arm {
				c.FillPolygon(inkText.rgb(), diamond(at))
			} else {
				if before != nil {
					c.StrokeLine2(m.line(1.6), before.X, before.Y, at.X, at.Y)
				}
				before = &at
				c.DrawGlyph(draw.GlyphStyle{Color: m.ink.rgb(), Radius: 4, Shape: draw.CircleGlyph{}}, at)
			}
			if label {
				style, up := lettering(inkText, draw.XLeft, draw.YBottom), vg.Length(6)
				if at.X > c.Center().X {
					style.XAlign = draw.XRight
				}
				if point.arm { // below, where it does not meet a policy's
					style.YAlign, up = draw.YTop, -6
				}
				c.FillText(style, vg.Point{X: at.X, Y: at.Y + up}, shorten(point.name, 40))
			}
		}
	}
}
