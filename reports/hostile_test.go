package reports_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/understudy-eval/understudy/reports"
)

func (h hostile) report(more ...reports.Option) (reports.Report, error) {
	books := booksOf(h.rows)
	for i := range books {
		books[i].Experiment = h.e.Name
	}
	return reports.Build(seq(h.rows), seq(books), h.e, h.w, slices.Concat(h.options, more)...)
}

func (h hostile) build(t *testing.T) reports.Report {
	t.Helper()
	r, err := h.report()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// forms are a report in the forms that are text, by name: text40 is 40 columns wide.
func (h hostile) forms(t *testing.T, r reports.Report, names ...string) map[string]string {
	t.Helper()
	decisions, err := r.Experiment.Gate.DecideAll(r, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range names {
		var b bytes.Buffer
		switch name {
		case "markdown":
			err = r.Markdown(&b, decisions)
		case "html":
			err = r.HTML(&b, decisions)
		case "json":
			err = r.JSON(&b, decisions)
		default:
			var width int
			if _, err := fmt.Sscanf(name, "text%d", &width); err != nil {
				t.Fatal(err)
			}
			err = r.Text(&b, width, decisions)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = b.String()
	}
	return out
}

// TestHostile: whatever the rows are, every form is written, says what it must, is the
// same whatever the order of rows, keeps to the schema, and holds nothing that was never
// computed or that would act on a terminal or a page.
func TestHostile(t *testing.T) {
	schema := compiled(t)
	for _, h := range hostiles() {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			forms := h.forms(t, h.build(t), "text40", "text120", "markdown", "html", "json")
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(forms["json"]))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(doc); err != nil {
				t.Error(err)
			}
			for name, form := range forms {
				for _, bad := range []string{"NaN", "+Inf", "-Inf", "%!", "<nil>", "\x1b", "\u202e"} {
					if name != "json" && strings.Contains(form, bad) {
						t.Errorf("%s: %q in %s", h.why, bad, name)
					}
				}
			}
			for _, bad := range []string{"<script", "<a ", "<img"} {
				if strings.Contains(forms["html"], bad) || strings.Contains(forms["markdown"], bad) {
					t.Errorf("%s: %q in a page", h.why, bad)
				}
			}
			text := strings.Join(strings.Fields(forms["text120"]), " ")
			for _, want := range h.says {
				if !strings.Contains(text, want) {
					t.Errorf("%s: no %q in\n%s", h.why, want, forms["text120"])
				}
			}
			if diff := cmp.Diff(decisions(t, h.e, func() (reports.Report, error) { return h.report() }), decisions(t, h.e, func() (reports.Report, error) {
				return h.report(reports.ForDecision())
			})); diff != "" {
				t.Errorf("the gate says something else: %s", diff)
			}
			again := h
			again.rows = slices.Clone(h.rows)
			rand.New(rand.NewPCG(1, 2)).Shuffle(len(again.rows), func(i, j int) { again.rows[i], again.rows[j] = again.rows[j], again.rows[i] })
			if diff := cmp.Diff(forms["json"], again.forms(t, again.build(t), "json")["json"]); diff != "" {
				t.Errorf("another order of rows: %s", diff)
			}
		})
	}
}

// TestHostilePlots: no curve starts outside its axis, and weighted means are not read as
// those of the bars.
func TestHostilePlots(t *testing.T) {
	for _, h := range hostiles() {
		r := h.build(t)
		low, high, any := reports.SurvivalRange(r)
		for _, a := range r.Arms {
			for _, q := range a.Latency.Quantiles {
				if any && q.Longest != nil && max(*q.Longest, time.Millisecond).Seconds() < low {
					t.Errorf("%s: %s was left after %v, the axis has %.3g to %.3g s", h.name, a.Name, *q.Longest, low, high)
				}
			}
		}
		const note = "means are weighted by 1/chance of being sampled; shares are not"
		if got := strings.Contains(h.forms(t, r, "html")["html"], note); got != (h.name == "unequal chances") {
			t.Errorf("%s: says that means are weighted: %v", h.name, got)
		}
	}
}

// TestListMarkers: a name that Markdown would take for the start of a list is shown as
// it is.
func TestListMarkers(t *testing.T) {
	for name, want := range map[string]string{
		"1. x": `1\. x`, "12) x": `12\) x`, "- x": `\- x`, "+ x": `\+ x`, "  - x": `  \- x`,
		"1.5 s": "1.5 s", "-1 x": "-1 x", "x - y": "x - y", "-": "-",
	} {
		var b bytes.Buffer
		if err := reports.MarkdownTable(&b, []string{"name"}, [][]string{{name}}); err != nil || !strings.Contains(b.String(), "| "+want+" ") {
			t.Errorf("%q is not %q in\n%s%v", name, want, &b, err)
		}
	}
}

// TestHostilePlan: names are data in a plan and in a decision alone, too.
func TestHostilePlan(t *testing.T) {
	h := names("nasty names", nasty)
	p := plan(t, h.e, perDay(30))
	d, err := h.e.Gate.Decide(h.build(t), h.e.Candidates[0].Name, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for name, form := range map[string]func(*bytes.Buffer) error{
		"plan":     func(b *bytes.Buffer) error { return p.Text(b, 40) },
		"markdown": func(b *bytes.Buffer) error { return p.Markdown(b) },
		"decision": func(b *bytes.Buffer) error { return d.Text(b, 40) },
	} {
		var b bytes.Buffer
		if err := form(&b); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"\x1b", "\u202e", "%!", "NaN"} {
			if strings.Contains(b.String(), bad) {
				t.Errorf("%s: %q in\n%s", name, bad, &b)
			}
		}
		if name == "markdown" && strings.Contains(b.String(), "<script") {
			t.Errorf("%s: markup in\n%s", name, &b)
		}
	}
}
