package reports

import (
	"bytes"
	"errors"
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
	body, err := svgBody(f.width, f.height, f.paint)
	if err != nil {
		return "", fmt.Errorf("plot %s: %w", f.id, err)
	}
	head := fmt.Sprintf(`<svg class="plot" role="img" aria-labelledby="%[1]s-title %[1]s-desc" viewBox="0 0 %s %s" xmlns="http://www.w3.org/2000/svg">`+
		"\n<title id=\"%[1]s-title\">%[4]s</title>\n<desc id=\"%[1]s-desc\">%[5]s</desc>\n",
		f.id, number5(f.width), number5(f.height), template.HTMLEscapeString(clean(f.title)), template.HTMLEscapeString(clean(f.desc)))
	return template.HTML(head + body), nil
}

// svgBody is what an SVG element holds, and its end.
func svgBody(width, height vg.Length, paint func(draw.Canvas)) (string, error) {
	canvas := vgsvg.New(width, height)
	paint(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", err
	}
	_, body, found := strings.Cut(b.String(), "<g transform")
	if !found {
		return "", errors.New("not the SVG that was expected")
	}
	return styleAttribute.ReplaceAllStringFunc("<g transform"+body, func(s string) string {
		return presentation(styleAttribute.FindStringSubmatch(s)[1])
	}), nil
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

// swatch draws a mark as a small SVG element. It is decoration: its name stands
// beside it.
func swatch(m mark) (template.HTML, error) {
	body, err := svgBody(swatchWidth, swatchHeight, m.paint)
	if err != nil {
		return "", fmt.Errorf("mark of a plot: %w", err)
	}
	return template.HTML(fmt.Sprintf(`<svg class="swatch" aria-hidden="true" viewBox="0 0 %d %d" xmlns="http://www.w3.org/2000/svg">`,
		swatchWidth, swatchHeight) + body), nil
}
