package reports_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// TestPlanGolden holds a plan that ends too early in every form.
func TestPlanGolden(t *testing.T) {
	e := toPlan()
	e.Start, e.Stop = monday, monday.AddDate(0, 0, 28)
	p := plan(t, e, perDay(30))
	for name, form := range map[string]func(io.Writer) error{
		"plan.txt.golden":  func(w io.Writer) error { return p.Text(w, 120) },
		"plan.md.golden":   p.Markdown,
		"plan.json.golden": p.JSON,
	} {
		var b bytes.Buffer
		if err := form(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}

// TestPlanNarrow: no line is wider than the terminal, and no figure is lost.
func TestPlanNarrow(t *testing.T) {
	p := plan(t, toPlan(), perDay(30))
	for _, width := range []int{40, 80} {
		var b bytes.Buffer
		if err := p.Text(&b, width); err != nil {
			t.Fatal(err)
		}
		for _, line := range lines(&b) {
			if len([]rune(line)) > width {
				t.Errorf("width %d: %q", width, line)
			}
		}
		for _, s := range []string{"2,165", "0.23", "0.32", "368", "1,600"} {
			if !strings.Contains(b.String(), s) {
				t.Errorf("width %d: no %s", width, s)
			}
		}
	}
}
