package reports_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// htmlOf is the page of a report, decided by its gate.
func htmlOf(t *testing.T, r reports.Report) string {
	t.Helper()
	decisions, err := r.Experiment.Gate.DecideAll(r, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.HTML(&b, decisions); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// element is what a test asks of a page.
type element struct {
	name  string
	attrs map[string]string
	text  string // of itself, without its children's
}

// elements reads a page: every tag must be closed but the void ones.
func elements(t *testing.T, page string) []*element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.AutoClose, d.Entity = xml.HTMLAutoClose, xml.HTMLEntity
	var all, open []*element
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			e := &element{name: x.Name.Local, attrs: map[string]string{}}
			for _, a := range x.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			all, open = append(all, e), append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(x)
			}
		}
	}
}

// TestHTMLIsSafe: no script, nothing inline, nothing from outside, and a policy that
// allows the one style sheet by its hash.
func TestHTMLIsSafe(t *testing.T) {
	page := htmlOf(t, build(t, experiment(), foundingRows(t), booksFor(600)))
	var policy, style string
	ids := map[string]bool{}
	for _, e := range elements(t, page) {
		switch e.name {
		case "script", "iframe", "object", "embed", "img", "form", "base":
			t.Errorf("element %s", e.name)
		case "style":
			style = e.text
		case "meta":
			if e.attrs["http-equiv"] == "Content-Security-Policy" {
				policy = e.attrs["content"]
			}
		}
		for name, value := range e.attrs {
			outside := strings.Contains(value, "//") && name != "xmlns"
			if name == "style" || strings.HasPrefix(name, "on") || outside || (name == "href" && value != "data:,") {
				t.Errorf("%s has %s=%q", e.name, name, value)
			}
		}
		if id := e.attrs["id"]; id != "" {
			if ids[id] {
				t.Errorf("id %s twice", id)
			}
			ids[id] = true
		}
	}
	sum := sha256.Sum256([]byte(style))
	for _, s := range []string{"default-src 'none'", "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"} {
		if !strings.Contains(policy, s) {
			t.Errorf("no %q in the policy %q", s, policy)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(style, "url(") || strings.Contains(style, "@import") {
		t.Error("the policy or the style sheet lets something in")
	}
}

// TestHTMLSpeaks: a page has a language, a title and one main heading; plots are
// named images with a description, cells of a table know their heads.
func TestHTMLSpeaks(t *testing.T) {
	page := htmlOf(t, build(t, experiment(), foundingRows(t), booksFor(600)))
	count := map[string]int{}
	var last *element
	for _, e := range elements(t, page) {
		count[e.name]++
		switch e.name {
		case "html":
			count["lang="+e.attrs["lang"]]++
		case "th":
			if s := e.attrs["scope"]; s != "col" && s != "row" {
				t.Errorf("th without scope: %q", e.text)
			}
		case "svg":
			if e.attrs["aria-hidden"] != "true" && (e.attrs["role"] != "img" || e.attrs["aria-labelledby"] == "") {
				t.Errorf("a plot without role or name: %v", e.attrs)
			}
			if e.attrs["role"] == "img" {
				count["plot"]++
			}
		case "desc":
			if last.name != "title" || last.text == "" || e.text == "" {
				t.Errorf("a plot without words: %q, %q", last.text, e.text)
			}
		}
		last = e
	}
	for name, want := range map[string]int{"lang=en": 1, "h1": 1, "main": 1, "figure": 3, "plot": 3, "desc": 3, "table": 14} {
		if count[name] != want {
			t.Errorf("%d %s, want %d", count[name], name, want)
		}
	}
	says(t, page, []string{"<h2>cand-a <strong>no-go</strong></h2>", "<title>support-2026-10: understudy report</title>", "better by 0.31 grades"}, nil)
}

// TestHTMLHasAll: every line of the text form that is a title, a note or a cell is in
// the page too.
func TestHTMLHasAll(t *testing.T) {
	rows := foundingRows(t)
	rows[1] = failed(0, "cand-a", llm.Timeout, 20*time.Second)
	r := build(t, experiment(), rows, booksFor(600))
	page := words(htmlOf(t, r))
	for line := range strings.Lines(textOf(t, r)) {
		for _, part := range regexp.MustCompile(`\s{2,}|: `).Split(strings.TrimSpace(line), -1) {
			if strings.Trim(part, "-") != "" && !strings.Contains(page, words(part)) {
				t.Errorf("no %q in the page", part)
			}
		}
	}
	says(t, page, []string{"cand-a: 1 call failed (1 of them by time-out) and are slower than any limit, so its curve does not reach 0"}, nil)
}

// words is a page or a text without marks, breaks and kinds of blanks.
func words(s string) string {
	s = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(s, "")
	return strings.Join(strings.Fields(strings.ReplaceAll(html.UnescapeString(s), "\u00a0", " ")), " ")
}

// TestHTMLHostile: names from outside are text, wherever they stand.
func TestHTMLHostile(t *testing.T) {
	for _, c := range []struct {
		name, why string
		arm       string
		has       []string
	}{
		{"script", "markup is text", `<script>alert(1)</script>`, []string{"&lt;script&gt;alert(1)&lt;/script&gt;"}},
		{"attribute", "quotes end no attribute", `a" onload="x' style='`, []string{"onload=&#34;x"}},
		{"close", "a title ends no element", `</title></svg></style><b>`, []string{"&lt;/title&gt;&lt;/svg&gt;&lt;/style&gt;&lt;b&gt;"}},
		{"template", "no template of ours", `{{.Style}}`, []string{"{{.Style}}"}},
		{"right to left", "does not turn the figures beside it", "مرشح ب", []string{"<bdi>مرشح ب</bdi>"}},
		{"CJK", "as it is", "候选模型", []string{"候选模型"}},
		{"control", "terminal sequences, overrides and zeros go", "c\x1b[31m\u202ea\x00nd\xff", []string{"cand\uFFFD"}},
		{"long", "cut in plots only", strings.Repeat("long-name-", 30), []string{strings.Repeat("long-name-", 30), "…"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := experiment()
			e.Candidates[0].Name = shadow.Arm(c.arm)
			e.Candidates[0].Model, e.Live, e.Name = c.arm, c.arm, c.arm
			rows := foundingRows(t)
			for i := range rows {
				if rows[i].Experiment = c.arm; rows[i].Arm != shadow.Live {
					rows[i].Arm = shadow.Arm(c.arm)
				}
			}
			page := htmlOf(t, build(t, e, rows, nil))
			says(t, page, c.has, []string{"<script", "<b>", "\x1b", "\u202e", "\x00"})
			for _, e := range elements(t, page) {
				if _, ok := e.attrs["onload"]; ok || e.attrs["style"] != "" {
					t.Errorf("%s: %s has %v", c.why, e.name, e.attrs)
				}
			}
		})
	}
}

// TestHTMLOfLittle: a page for every amount of data, without plots of nothing.
func TestHTMLOfLittle(t *testing.T) {
	for _, c := range []struct {
		name, why string
		e         reports.Experiment
		rows      []sinks.Row
		plots     int
		has       string
	}{
		{"nothing", "the candidate is there, its difference is undefined", experiment(), nil, 1, "undefined (too few)"},
		{"live alone", "no difference to show", liveOnly(), plain(5, 0)[:1], 2, "no candidates"},
		{"live without rows", "nothing to plot at all", liveOnly(), nil, 0, "no candidates"},
		{"one pair", "no standard error, no interval", experiment(), plain(1, -1), 3, ">0.00, no anytime interval yet"},
		{"all failed", "a flat curve, no grades", liveOnly(), []sinks.Row{failed(0, shadow.Live, llm.Connect, time.Second)}, 1, "1 call failed"},
		{"at once", "a log axis has no 0", liveOnly(), []sinks.Row{answered(0, shadow.Live, 0)}, 1, "1 call"},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := htmlOf(t, build(t, c.e, c.rows, nil))
			if got := strings.Count(page, `role="img"`); got != c.plots {
				t.Errorf("%s: %d plots, want %d", c.why, got, c.plots)
			}
			says(t, page, []string{c.has}, []string{"NaN", "Inf"})
			elements(t, page)
		})
	}
}
