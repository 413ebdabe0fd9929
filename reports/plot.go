package reports

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// figure is a plot ready to be drawn, with what is said beside it. Its words are
// raw text; rendering makes them safe.
type figure struct {
	id    string // unique on a page, e.g. forest
	title string // what is shown, its unit and direction
	desc  string // the same figures in words, for those who do not see the plot
	keys  []key
	notes []string
	// plot is drawn width × height points large, with the name of its x axis below.
	plot          *plot.Plot
	axis          string
	width, height vg.Length
}

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

// plotWidth is drawn at its own size on a wide page, and shrinks on a phone.
const plotWidth = 460

// textSize is that of all text in plots, so that it can still be read on a phone.
const textSize = 12.5

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
func inks() []ink { return append([]ink{inkText, inkMuted, inkGrid, inkBad}, armInks()...) }

// dashes are the strokes of lines; together with the colours they tell thirty arms
// apart.
func dashes() [][]vg.Length {
	return [][]vg.Length{nil, {7, 3}, {2, 2.5}, {9, 3, 2, 3}, {14, 4}}
}

// armMark is how the arm at an index of a report's arms is drawn.
func armMark(i int, s shape) mark {
	colours := armInks()
	return mark{shape: s, ink: colours[i%len(colours)], dash: i % len(dashes())}
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

// lettering is the style of text in plots.
func lettering(i ink, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{
		Color: i.rgb(), XAlign: x, YAlign: y, Handler: plot.DefaultTextHandler,
		Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, textSize),
	}
}

// newPlot is an empty plot without paper, whose axes are in the colours of a page.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.LineStyle = draw.LineStyle{Color: inkMuted.rgb(), Width: 1}
		axis.Tick.LineStyle = draw.LineStyle{Color: inkMuted.rgb(), Width: 1}
		axis.Tick.Length = 4
		axis.Padding = 0
	}
	p.X.Tick.Label = lettering(inkMuted, draw.XCenter, draw.YTop)
	p.Y.Tick.Label = lettering(inkMuted, draw.XRight, draw.YCenter)
	return p
}

// drawing is a plotter that is one function.
type drawing func(c draw.Canvas, p *plot.Plot)

func (f drawing) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }

// paint draws a figure. The axis is named here and not by the plot, which on a log
// scale would leave room for the name where it does not stand.
func (f figure) paint(c draw.Canvas) {
	c = draw.Crop(c, 2, -10, 2, -4)
	inner := draw.Crop(c, 0, 0, 1.5*textSize, 0)
	f.plot.Draw(inner)
	data := f.plot.DataCanvas(inner)
	c.FillText(lettering(inkMuted, draw.XCenter, draw.YBottom), vg.Point{X: data.Center().X, Y: c.Min.Y + 2}, f.axis)
}

// shorten cuts a name to a number of columns.
func shorten(name string, columns int) string {
	return strings.TrimSpace(narrow().Truncate(clean(name), columns, "…"))
}

// figures are the plots of a report in their order; what has nothing to show is
// left out.
func figures(r Report) []figure {
	var out []figure
	for _, f := range []figure{forest(r), survivalCurves(r), gradeBars(r)} {
		if f.plot != nil {
			out = append(out, f)
		}
	}
	return out
}
