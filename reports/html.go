package reports

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

//go:embed html.tmpl
var pageTemplate string

//go:embed html.css
var pageStyle string

// page is what the template is filled with. Its texts are clean but not escaped:
// html/template does that.
type page struct {
	Title  string
	Style  template.CSS
	Hash   string // of Style, base64
	Blocks []block
	Plots  []plotted
	// Sections are those of the other forms, and what the report was made from.
	Sections []grid
}

// block is a paragraph of the head with its sub-lines.
type block struct {
	// Arm and Outcome are set for a decision, and then Text is the sentence alone.
	Arm, Outcome string
	Text         string
	Points       []point
}

// point is a sub-line, cut at its first colon.
type point struct{ Name, Text string }

// plotted is a figure with its SVG.
type plotted struct {
	Lead, Rest string
	SVG        template.HTML
	Keys       []swatched
	Notes      []string
}

type swatched struct {
	Swatch template.HTML
	Name   string
}

// grid is a table with its title; without a head it lists facts, not figures.
type grid struct {
	ID, Lead, Rest string
	Head           []string
	Rows           []row
	Notes          []string
	Sentences      []string
}

type row struct {
	Name  string
	Cells []cell
}

// cell is a figure; Class is set for the state of a check.
type cell struct{ Text, Class string }

// HTML writes the report as one self-contained page: the head, the tables and the
// notes of [Report.Text], and plots. It has no script, loads nothing, and its
// content-security policy allows its one style sheet by hash. It can be read in
// light and dark, on a phone and on paper. Same report and decisions, same bytes.
func (r Report) HTML(w io.Writer, decisions []Decision) error {
	if err := r.printable(); err != nil {
		return err
	}
	style := styleSheet()
	hash := sha256.Sum256([]byte(style))
	p := page{
		Title: clean(naming(r.Experiment.Name)), Style: template.CSS(style), Hash: base64.StdEncoding.EncodeToString(hash[:]),
		Blocks: blocks(head(r, decisions)),
	}
	p.Blocks[0].Text = strings.TrimPrefix(p.Blocks[0].Text, p.Title+": ") // it is the heading
	for _, f := range figures(r) {
		image, err := plottedOf(f)
		if err != nil {
			return err
		}
		p.Plots = append(p.Plots, image)
	}
	for i, s := range sections(r, decisions) {
		p.Sections = append(p.Sections, gridOf(fmt.Sprintf("table-%d", i+1), s))
	}
	made := gridOf("made-from", section{title: "Made from", table: provenance(r)})
	made.Head = nil // the title says it
	p.Sections = append(p.Sections, made)
	t, err := template.New("report").Funcs(template.FuncMap{"text": isolated, "long": unbreakable}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("report as HTML: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return fmt.Errorf("report as HTML: %w", err)
	}
	return write(w, b.Bytes())
}

// longestWord is how many columns a word may have that no table breaks: a route's name,
// but not an endless one.
const longestWord = 24

// unbreakable says that a name has a word that a table must break.
func unbreakable(name string) bool {
	return slices.ContainsFunc(strings.Fields(name), func(word string) bool { return displayWidth(word) > longestWord })
}

// styleSheet has the colours of plots and text as variables, for light and dark.
func styleSheet() string {
	var light, dark, classes strings.Builder
	for _, i := range inks() {
		fmt.Fprintf(&light, "--%s:%s;", i.name, i.light)
		fmt.Fprintf(&dark, "--%s:%s;", i.name, i.dark)
		fmt.Fprintf(&classes, ".f-%[1]s{fill:var(--%[1]s)}.s-%[1]s{stroke:var(--%[1]s)}\n", i.name)
	}
	return fmt.Sprintf(":root{%s}\n@media screen and (prefers-color-scheme:dark){:root{%s}}\n%s%s", &light, &dark, &classes, pageStyle)
}

func blocks(lines []paragraph) []block {
	var out []block
	for _, p := range lines {
		if p.sub && len(out) > 0 {
			last := &out[len(out)-1]
			name, text, _ := strings.Cut(clean(p.text), ": ")
			last.Points = append(last.Points, point{name, text})
			continue
		}
		b := block{Text: clean(p.text)}
		if p.outcome != "" {
			b.Arm, b.Outcome = clean(string(p.arm)), string(p.outcome)
			b.Text = strings.TrimPrefix(b.Text, b.Arm+": "+b.Outcome+": ")
		}
		out = append(out, b)
	}
	return out
}

func plottedOf(f figure) (plotted, error) {
	image, err := svg(f)
	if err != nil {
		return plotted{}, err
	}
	out := plotted{SVG: image}
	out.Lead, out.Rest = titled(f.title)
	for _, k := range f.keys {
		mark, err := swatch(k.mark)
		if err != nil {
			return plotted{}, err
		}
		out.Keys = append(out.Keys, swatched{mark, clean(k.name)})
	}
	for _, n := range f.notes {
		out.Notes = append(out.Notes, clean(n))
	}
	return out, nil
}

// titled cuts a title at its first colon or semicolon: what is shown, and its unit
// and direction.
func titled(title string) (lead, rest string) {
	title = clean(title)
	if at := strings.IndexAny(title, ":;"); at > 0 {
		return title[:at], title[at:]
	}
	return title, ""
}

func gridOf(id string, s section) grid {
	t := s.table.mapped(clean)
	g := grid{ID: id, Head: t.head}
	g.Lead, g.Rest = titled(s.title)
	for _, cells := range t.rows {
		r := row{Name: cells[0]}
		for j, text := range cells[1:] {
			c := cell{Text: text}
			if t.head[j+1] == "state" {
				c.Class = "state-" + text
			}
			r.Cells = append(r.Cells, c)
		}
		g.Rows = append(g.Rows, r)
	}
	for _, sentence := range s.sentences {
		g.Sentences = append(g.Sentences, clean(sentence))
	}
	for _, n := range s.notes {
		g.Notes = append(g.Notes, clean(n))
	}
	return g
}
