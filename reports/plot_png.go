package reports

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/understudy-eval/understudy/shadow"
)

const (
	// pngScale is how many pixels a point gets: two, for the screens of phones.
	pngScale  = 2
	pngWidth  = 560
	pngMargin = 20
)

// PNG writes the decisions and the forest plot of grade deltas as an image for a
// chat message, below it for a no-go by latency the curves of Survival: 1120 pixels
// wide, on white. A candidate whose name the image's font
// cannot show (it has Latin, Greek and Cyrillic) is called "candidate" with its
// number. Same report and decisions, same bytes on one kind of machine.
func (r Report) PNG(w io.Writer, decisions []Decision) error {
	if err := r.printable(); err != nil {
		return err
	}
	r, decisions = drawable(r, decisions)
	return writePNG(w, pngWords(r, decisions), pngFigures(r, decisions))
}

// writePNG writes words, and figures below them.
func writePNG(w io.Writer, words letters, drawn []figure) error {
	height := words.height() + 2*pngMargin
	for _, f := range drawn {
		height += f.pngHeight()
	}
	canvas := vgimg.NewWith(vgimg.UseWH(pngWidth, height), vgimg.UseDPI(72*pngScale), vgimg.UseBackgroundColor(color.White))
	c := draw.Crop(draw.New(canvas), pngMargin, -pngMargin, pngMargin, -pngMargin)
	c = words.paint(c)
	for _, f := range drawn {
		part := c
		part.Min.Y = c.Max.Y - f.pngHeight()
		f.paintPNG(part)
		c.Max.Y = part.Min.Y
	}
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(w); err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	return nil
}

// pngFigures are the forest plot, and for a no-go by latency the curves that show it.
func pngFigures(r Report, decisions []Decision) []figure {
	all := []figure{forest(r)}
	if slices.ContainsFunc(decisions, Decision.tooSlow) {
		all = append(all, survivalCurves(r))
	}
	all = slices.DeleteFunc(all, func(f figure) bool { return f.plot == nil })
	for i := range all {
		all[i].width = pngWidth - 2*pngMargin
	}
	return all
}

// tooSlow says that the time of whole answers is a reason of a no-go.
func (d Decision) tooSlow() bool {
	return d.Outcome == NoGo && slices.ContainsFunc(d.Guards, func(c Check) bool {
		return c.State == Fail && (c.Code == CodeP95Increase || strings.HasPrefix(string(c.Code), codeTailOver))
	})
}

// pngHeight is that of a figure in an image, with its title, legend and the gap above.
func (f figure) pngHeight() vg.Length {
	return f.height + vg.Length(len(f.keys))*keyHeight + 0.75*pngMargin + 1.3*textSize
}

// paintPNG draws a figure below its title and above its legend.
func (f figure) paintPNG(c draw.Canvas) {
	c.Max.Y -= pngMargin / 2
	c.FillText(lettering(inkText, draw.XLeft, draw.YTop), vg.Point{X: c.Min.X, Y: c.Max.Y}, f.title)
	c.Max.Y -= 1.3 * textSize
	for i, k := range f.keys {
		k.paint(c, vg.Length(len(f.keys)-1-i)*keyHeight)
	}
	f.paint(draw.Crop(c, 0, 0, vg.Length(len(f.keys))*keyHeight+pngMargin/4, 0))
}

// keyHeight is that of a line of the legend.
const keyHeight = 18

func (k key) paint(c draw.Canvas, up vg.Length) {
	at := vg.Point{X: c.Min.X, Y: c.Min.Y + up}
	k.mark.paint(draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: at, Max: at.Add(vg.Point{X: swatchWidth, Y: swatchHeight})}})
	c.FillText(lettering(inkMuted, draw.XLeft, draw.YCenter), vg.Point{X: at.X + swatchWidth + 8, Y: at.Y + swatchHeight/2 + 1.5}, clean(k.name))
}

// lettered is a text of an image, broken into lines.
type lettered struct {
	style text.Style
	lines []string
}

type letters []lettered

// pngWords are the head of the report as far as a message needs it: what it is
// about, and each decision, large, with its sentence.
func pngWords(r Report, decisions []Decision) letters {
	var out letters
	add := func(i ink, size vg.Length, bold bool, s string) {
		style := lettering(i, draw.XLeft, draw.YTop)
		style.Font.Size = size
		if bold {
			style.Font.Weight = boldWeight
		}
		out = append(out, lettered{style, fitted(style, s, pngWidth-2*pngMargin)})
	}
	for _, b := range blocks(head(r, decisions)) {
		if b.Outcome == "" {
			add(inkMuted, textSize, false, b.Text)
			continue
		}
		add(outcomeInk(Outcome(b.Outcome)), 19, true, b.Arm+": "+strings.ToUpper(b.Outcome))
		add(inkText, 14.5, false, b.Text)
	}
	return out
}

// boldWeight is bold in package golang.org/x/image/font.
const boldWeight = 3

func (l letters) height() vg.Length {
	var sum vg.Length
	for _, x := range l {
		sum += x.height()
	}
	return sum
}

// height is that of the lines and the gap after them.
func (l lettered) height() vg.Length { return (vg.Length(len(l.lines))*1.3 + 0.4) * l.style.Font.Size }

// paint writes the texts from the top and returns what is left below.
func (l letters) paint(c draw.Canvas) draw.Canvas {
	for _, x := range l {
		for i, line := range x.lines {
			c.FillText(x.style, vg.Point{X: c.Min.X, Y: c.Max.Y - vg.Length(i)*1.3*x.style.Font.Size}, line)
		}
		c.Max.Y -= x.height()
	}
	return c
}

// fitted breaks a text at blanks, so that each line is at most width wide; a word
// that is wider is broken anywhere.
func fitted(style text.Style, s string, width vg.Length) []string {
	columns := len(s)
	for columns > 1 && slices.ContainsFunc(wrap(s, columns), func(line string) bool { return style.Width(line) > width }) {
		columns--
	}
	return wrap(s, columns)
}

// outcomeInk is the colour of an outcome, on a page and in an image.
func outcomeInk(o Outcome) ink {
	switch o {
	case Go:
		return inkGood
	case NoGo:
		return inkBad
	case KeepRunning:
		return inkOpen
	}
	return inkMuted
}

// drawable renames the candidates whose names the font of images cannot show.
func drawable(r Report, decisions []Decision) (Report, []Decision) {
	names := map[shadow.Arm]shadow.Arm{}
	for i, c := range r.Comparisons {
		if !canDraw(string(c.Arm)) {
			names[c.Arm] = shadow.Arm(fmt.Sprintf("candidate %d", i+1))
		}
	}
	if r.Whole != nil {
		r.Whole = new(r.Whole.renamed(names))
	}
	decisions = slices.Clone(decisions)
	for i := range decisions {
		decisions[i].Arm = cmp.Or(names[decisions[i].Arm], decisions[i].Arm)
	}
	return r.renamed(names), decisions
}

// renamed gives arms other names; r keeps its own.
func (r Report) renamed(names map[shadow.Arm]shadow.Arm) Report {
	r.Comparisons, r.Arms = slices.Clone(r.Comparisons), slices.Clone(r.Arms)
	for i := range r.Comparisons {
		r.Comparisons[i].Arm = cmp.Or(names[r.Comparisons[i].Arm], r.Comparisons[i].Arm)
	}
	for i := range r.Arms {
		r.Arms[i].Name = cmp.Or(names[r.Arms[i].Name], r.Arms[i].Name)
	}
	return r
}

// canDraw reports whether the font of images has every character of a name, in the
// order in which they are written.
func canDraw(name string) bool {
	style := lettering(inkText, draw.XLeft, draw.YTop)
	face := font.DefaultCache.Lookup(style.Font, style.Font.Size).Face
	for _, c := range clean(name) {
		if glyph, err := face.GlyphIndex(nil, c); err != nil || glyph == 0 {
			return false
		}
	}
	return !rightToLeft.MatchString(name)
}
