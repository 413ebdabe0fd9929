package reports

import (
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

// plotWidth is drawn at its own size on a wide page, and shrinks on a phone.
const plotWidth = 460

// textSize is that of all text in plots, so that it can still be read on a phone.
const textSize = 12.5

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

// nameAndFigures writes a name on the left and figures on the right, each a text of
// its own, so that a name written from right to left does not turn the figures. The
// name is cut where there is no room for it.
func nameAndFigures(c draw.Canvas, top vg.Length, name, figures string) {
	style := lettering(inkText, draw.XRight, draw.YTop)
	c.FillText(style, vg.Point{X: c.Max.X, Y: top}, figures)
	room := int(float64(c.Size().X-style.Width(figures))/(0.62*textSize)) - 2
	style.XAlign = draw.XLeft
	c.FillText(style, vg.Point{X: c.Min.X, Y: top}, shorten(name, max(room, 6)))
}

// shorten cuts a name to a number of columns.
func shorten(name string, columns int) string {
	return strings.TrimSpace(narrow().Truncate(clean(name), columns, "…"))
}

// figures are the plots of a report in their order; what has nothing to show is
// left out.
func figures(r Report) []figure {
	var out []figure
	for _, f := range []figure{forest(r), survivalCurves(r), gradeBars(r), gradeTrend(r.Trend), tailTrend(r.Trend)} {
		if f.plot != nil {
			out = append(out, f)
		}
	}
	return out
}
