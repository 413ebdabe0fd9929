package reports

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svg draws a figure as an SVG element for a page: it is as wide as its box, named
// and described for screen readers, and its colours are classes (f-NAME fills,
// s-NAME strokes), so that a style sheet without inline styles can change them.
func svg(f figure) (template.HTML, error) {
	canvas := vgsvg.New(f.width, f.height)
	f.paint(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", fmt.Errorf("plot %s: %w", f.id, err)
	}
	_, body, found := strings.Cut(b.String(), "<g transform")
	if !found {
		return "", fmt.Errorf("plot %s: not the SVG that was expected", f.id)
	}
	body = styleAttribute.ReplaceAllStringFunc("<g transform"+body, func(s string) string {
		return presentation(styleAttribute.FindStringSubmatch(s)[1])
	})
	head := fmt.Sprintf(`<svg class="plot" role="img" aria-labelledby="%[1]s-title %[1]s-desc" viewBox="0 0 %s %s" xmlns="http://www.w3.org/2000/svg">`+
		"\n<title id=\"%[1]s-title\">%[4]s</title>\n<desc id=\"%[1]s-desc\">%[5]s</desc>\n",
		f.id, number5(f.width), number5(f.height), template.HTMLEscapeString(clean(f.title)), template.HTMLEscapeString(clean(f.desc)))
	return template.HTML(head + body), nil
}

// number5 prints a length as the drawing does.
func number5(l vg.Length) string { return strconv.FormatFloat(l.Points(), 'g', 5, 64) }

// styleAttribute finds inline styles. Text cannot hold one: its quotes are escaped.
var styleAttribute = regexp.MustCompile(`\s*style="([^"]*)"`)

// presentation turns an inline style into attributes. The family of letters is left
// to the page.
func presentation(style string) string {
	var classes, attributes []string
	for declaration := range strings.SplitSeq(style, ";") {
		name, value, _ := strings.Cut(declaration, ":")
		colour, known := inkOf(value)
		switch {
		case name == "font-family" || name == "font-variant" || value == "normal":
		case known && name == "fill":
			classes = append(classes, "f-"+colour.name)
		case known && name == "stroke":
			classes = append(classes, "s-"+colour.name)
		default:
			attributes = append(attributes, fmt.Sprintf(` %s="%s"`, name, value))
		}
	}
	if len(classes) > 0 {
		attributes = append([]string{fmt.Sprintf(` class="%s"`, strings.Join(classes, " "))}, attributes...)
	}
	return strings.Join(attributes, "")
}

// inkOf finds the ink of a colour as it was drawn: its parts may be one off, for
// they are computed in floating point.
func inkOf(hex string) (ink, bool) {
	var r, g, b int
	if n, err := fmt.Sscanf(hex, "#%02X%02X%02X", &r, &g, &b); err != nil || n != 3 {
		return ink{}, false
	}
	near := func(a, b int) bool { return a-b <= 1 && b-a <= 1 }
	for _, i := range inks() {
		var ir, ig, ib int
		if _, err := fmt.Sscanf(i.light, "#%02x%02x%02x", &ir, &ig, &ib); err == nil && near(r, ir) && near(g, ig) && near(b, ib) {
			return i, true
		}
	}
	return ink{}, false
}

// swatch draws a key as a small SVG element. It is decoration: its name stands
// beside it.
func (k key) swatch() template.HTML {
	stroke := func(x1, y1, x2, y2 int, width float64, dash []vg.Length) string {
		var dashes string
		for i, d := range dash {
			dashes += strings.Repeat(",", min(i, 1)) + number5(d)
		}
		if dashes != "" {
			dashes = fmt.Sprintf(` stroke-dasharray="%s"`, dashes)
		}
		return fmt.Sprintf(`<path class="s-%s" fill="none" stroke-width="%g" d="M%d,%dL%d,%d"%s/>`, k.mark.ink.name, width, x1, y1, x2, y2, dashes)
	}
	var body string
	switch k.mark.shape {
	case shapeLine:
		body = stroke(0, 6, 32, 6, 2, dashes()[k.mark.dash])
	case shapeBar:
		body = stroke(2, 6, 30, 6, 6, nil)
	case shapeCapped:
		body = stroke(2, 6, 30, 6, 1.6, nil) + stroke(2, 1, 2, 11, 1.6, nil) + stroke(30, 1, 30, 11, 1.6, nil)
	case shapeTick:
		body = stroke(4, 6, 28, 6, 2, nil)
	case shapeDiamond:
		body = fmt.Sprintf(`<path class="f-%s" d="M11,6L16,1L21,6L16,11Z"/>`, k.mark.ink.name)
	}
	return template.HTML(`<svg class="swatch" aria-hidden="true" viewBox="0 0 32 12" xmlns="http://www.w3.org/2000/svg">` + body + `</svg>`)
}
