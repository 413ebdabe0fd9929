package reports

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// key is a line of a legend: how something is drawn, and what it is.
type key struct {
	mark mark
	name string
}

// mark is how something is drawn.
type mark struct {
	shape shape
	ink   ink
	dash  int // index of dashes
}

type shape uint8

const (
	shapeLine shape = iota
	shapeBar
	shapeCapped
	shapeDiamond
	shapeTick
)

// The size of a mark in a legend.
const (
	swatchWidth  = 32
	swatchHeight = 12
)

// paint draws the mark in a box of swatchWidth × swatchHeight, as a legend shows it.
func (m mark) paint(c draw.Canvas) {
	left, right, middle := c.Min.X+2, c.Min.X+swatchWidth-2, c.Min.Y+swatchHeight/2
	switch m.shape {
	case shapeLine:
		c.StrokeLine2(m.line(2), c.Min.X, middle, c.Min.X+swatchWidth, middle)
	case shapeTick:
		c.StrokeLine2(m.line(2), left+2, middle, right-2, middle)
	case shapeBar:
		c.StrokeLine2(m.line(barWidth), left, middle, right, middle)
	case shapeCapped:
		capped(c, m.line(cappedWidth), left, right, middle)
	case shapeDiamond:
		c.FillPolygon(m.ink.rgb(), diamond(vg.Point{X: c.Min.X + swatchWidth/2, Y: middle}))
	}
}

// The strokes of intervals.
const (
	barWidth    = 6
	cappedWidth = 1.6
)

// capped is a line with an end on both sides.
func capped(c draw.Canvas, style draw.LineStyle, from, to, y vg.Length) {
	c.StrokeLine2(style, from, y, to, y)
	for _, end := range []vg.Length{from, to} {
		c.StrokeLine2(style, end, y-5, end, y+5)
	}
}

func diamond(at vg.Point) []vg.Point {
	const r = 5
	return []vg.Point{{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r}}
}

// ink is a colour by what it is for: its name is a variable of the style sheet, so
// that a page can be light or dark. Each has a contrast of 4.5 to the paper.
type ink struct {
	name        string
	light, dark string // #rrggbb
}

var (
	inkText  = ink{"ink", "#1b1f24", "#e8eaed"}
	inkMuted = ink{"muted", "#5b636d", "#a3abb5"}
	inkGrid  = ink{"grid", "#d9dde2", "#343a42"}
	inkGood  = ink{"good", "#0a6b3c", "#4fd08a"}
	inkOpen  = ink{"open", "#7a5c00", "#e3c04b"}
	inkBad   = ink{"bad", "#b3261e", "#ff8f85"}
)

// armInks are told apart with every kind of colour vision: Okabe and Ito's colours
// (2008), darkened or lightened to stand out from the paper. The first is live's.
func armInks() []ink {
	return []ink{
		{"arm0", "#444c56", "#c4cad1"}, {"arm1", "#0060a8", "#62b3f5"}, {"arm2", "#b84700", "#ff9a57"},
		{"arm3", "#00735c", "#3ccfa8"}, {"arm4", "#a03070", "#f297c8"}, {"arm5", "#7a5c00", "#e3c04b"},
	}
}

// inks are all colours of a plot.
func inks() []ink {
	return append([]ink{inkText, inkMuted, inkGrid, inkGood, inkOpen, inkBad}, armInks()...)
}

// dashes are the strokes of lines.
func dashes() [][]vg.Length {
	return [][]vg.Length{nil, {7, 3}, {2, 2.5}, {9, 3, 2, 3}, {14, 4}}
}

// armMark is how the arm at an index of a report's arms is drawn: live alone in its
// colour and whole, 25 candidates in ways that differ in colour or dash.
func armMark(i int, s shape) mark {
	colours := armInks()
	if i == 0 {
		return mark{shape: s, ink: colours[0]}
	}
	k, n := i-1, len(colours)-1
	return mark{shape: s, ink: colours[1+k%n], dash: (1 + k + k/n) % len(dashes())}
}

// rgb is the colour on white paper.
func (i ink) rgb() color.Color {
	var c color.RGBA
	if _, err := fmt.Sscanf(i.light, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		panic("reports: ink " + i.name + " is no #rrggbb") // a constant of this package
	}
	c.A = 0xff
	return c
}

func (m mark) line(width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: m.ink.rgb(), Width: width, Dashes: dashes()[m.dash]}
}
