package reports

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// forestRow is the height of a candidate in the forest plot: a line of text with
// the intervals below it.
const forestRow = 54

// forest shows the grade difference of each candidate with both its intervals, over
// what decisions rest on.
func forest(r Report) figure {
	var notes []string
	if w := r.Whole; w != nil {
		r, notes = *w, []string{"all that was seen so far, " + Window{}.days(w.First, w.Last) + ": what the decision rests on"}
	}
	rows := r.Comparisons
	if len(rows) == 0 {
		return figure{}
	}
	p := newPlot()
	p.HideY()
	p.X.Min, p.X.Max = forestRange(rows, r.Experiment.Gate.Margin)
	p.X.Tick.Marker = roundTicks{signed}
	p.Y.Min, p.Y.Max = 0, float64(len(rows))
	for i, c := range rows {
		y := float64(len(rows) - 1 - i)
		p.Add(marginAndZero(r.Experiment.Gate.Margin, y), forestLine(c, armMark(i+1, shapeBar), y))
	}
	return figure{
		id: "forest", title: "Grade difference to live, in grades; candidate - live, negative is better",
		axis: "candidate - live, in grades; negative is better", desc: forestDesc(r),
		keys: []key{
			{mark{shape: shapeCapped, ink: inkText}, "anytime interval, which decides" + levelOf(rows, anytimeOf)},
			{mark{shape: shapeBar, ink: inkText}, "interval as if this were the only look" + levelOf(rows, fixedOf)},
			{mark{shape: shapeLine, ink: inkBad, dash: 1}, "margin " + limitNumber(r.Experiment.Gate.Margin) + ": worse to the right of it"},
		},
		notes: notes, plot: p, width: plotWidth, height: vg.Length(len(rows))*forestRow + 48,
	}
}

func anytimeOf(q Quality) *Interval { return q.Anytime }
func fixedOf(q Quality) *Interval   { return q.Fixed }

// levelOf names the level of the first interval that exists.
func levelOf(rows []Comparison, of func(Quality) *Interval) string {
	for _, c := range rows {
		if iv := of(c.Quality); iv != nil {
			return ", " + limitText(iv.Level) + " %"
		}
	}
	return ", none yet"
}

// forestRange holds 0, the margin and all that is drawn, with some room.
func forestRange(rows []Comparison, margin float64) (low, high float64) {
	low, high = min(0, margin), max(0, margin)
	for _, c := range rows {
		q := c.Quality
		if q.Delta.Value != nil {
			low, high = min(low, *q.Delta.Value), max(high, *q.Delta.Value)
		}
		for _, iv := range []*Interval{q.Fixed, q.Anytime} {
			if iv == nil {
				continue
			}
			if iv.Lower != nil {
				low = min(low, *iv.Lower)
			}
			if iv.Upper != nil {
				high = max(high, *iv.Upper)
			}
		}
	}
	room := 0.08 * max(high-low, 0.1)
	return low - room, high + room
}

// marginAndZero draws the two lines that an interval is held to, below the words of
// the candidate at height y.
func marginAndZero(margin, y float64) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		x, trY := p.Transforms(&c)
		from, to := trY(y), trY(y)+0.58*forestRow
		c.StrokeLine2(draw.LineStyle{Color: inkMuted.rgb(), Width: 1}, x(0), from, x(0), to)
		c.StrokeLine2(mark{ink: inkBad, dash: 1}.line(1.2), x(margin), from, x(margin), to)
	}
}

// forestLine draws a candidate at height y: its name and figures above, the wide
// interval thin and capped, the narrow one as a bar, the estimate as a point.
func forestLine(cand Comparison, m mark, y float64) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		trX, trY := p.Transforms(&c)
		line := trY(y) + 0.28*forestRow
		nameAndFigures(c, trY(y)+0.92*forestRow, forestName(cand), forestFigures(cand.Quality))
		side := func(v *float64, open vg.Length) vg.Length {
			if v == nil {
				return open
			}
			return trX(*v)
		}
		m.dash = 0
		if iv := cand.Quality.Anytime; iv != nil {
			capped(c, m.line(cappedWidth), side(iv.Lower, c.Min.X), side(iv.Upper, c.Max.X), line)
		}
		if iv := cand.Quality.Fixed; iv != nil {
			c.StrokeLine2(m.line(barWidth), side(iv.Lower, c.Min.X), line, side(iv.Upper, c.Max.X), line)
		}
		if v := cand.Quality.Delta.Value; v != nil {
			c.DrawGlyph(draw.GlyphStyle{Color: m.ink.rgb(), Radius: 6.5, Shape: draw.CircleGlyph{}}, vg.Point{X: trX(*v), Y: line})
		}
	}
}

// forestName marks a control arm as the tables do.
func forestName(c Comparison) string {
	name := string(c.Arm)
	if c.Control && c.Arm != "control" {
		name += " (control)"
	}
	return name
}

// forestFigures are a candidate's estimate and the interval that decides.
func forestFigures(q Quality) string {
	if q.Delta.Value == nil {
		return undefined + why(q.Delta)
	}
	d := decimals(q.Delta.SE)
	f := func(v float64) string { return signed(v, d) }
	if q.Anytime == nil {
		return f(*q.Delta.Value) + ", no anytime interval yet"
	}
	return f(*q.Delta.Value) + " (" + q.Anytime.text(f) + ")"
}

// forestDesc says the plot in words.
func forestDesc(r Report) string {
	parts := []string{fmt.Sprintf("Margin %s.", limitNumber(r.Experiment.Gate.Margin))}
	for _, c := range r.Comparisons {
		parts = append(parts, fmt.Sprintf("%s: %s.", forestName(c), howSure(r, c.Quality)))
	}
	return strings.Join(parts, " ")
}
