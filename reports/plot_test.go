package reports_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// TestHTMLManyArms: live and 25 candidates are drawn in ways that differ in colour or
// dash.
func TestHTMLManyArms(t *testing.T) {
	e, rows := experiment(), plain(2, 0)[:1]
	e.Candidates = nil
	for i := range 25 {
		arm := reports.Arm{Name: shadow.Arm("arm-" + string(rune('a'+i))), Timeout: time.Minute}
		e.Candidates = append(e.Candidates, arm)
		row := answered(0, arm.Name, time.Second)
		rows = append(rows, row)
	}
	drawn := map[string]bool{}
	for _, swatch := range regexp.MustCompile(`(?s)<svg class="swatch".*?</svg>`).FindAllString(htmlOf(t, build(t, e, rows, nil)), -1) {
		drawn[swatch] = true
	}
	if want := 26 + 2 + 2; len(drawn) < want { // curves, two intervals, margin and gate
		t.Errorf("%d kinds of marks, want %d", len(drawn), want)
	}
}

// TestInksCanBeRead: every colour stands out from the paper by 4.5:1, in light and
// dark (WCAG 2.2, 1.4.3); lines of the grid are decoration.
func TestInksCanBeRead(t *testing.T) {
	page := htmlOf(t, build(t, experiment(), nil, nil))
	sheets := regexp.MustCompile(`:root\s*\{([^}]*)\}`).FindAllStringSubmatch(page, -1)
	if len(sheets) != 4 {
		t.Fatalf("%d lists of colours, want inks and others, each in light and dark", len(sheets))
	}
	for i, scheme := range []string{"light", "dark"} {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z0-9]+):\s*(#[0-9a-f]{6})`).FindAllStringSubmatch(sheets[i][1]+sheets[i+2][1], -1) {
			colours[m[1]] = m[2]
		}
		for name, colour := range colours {
			switch name {
			case "paper", "raised", "line", "grid":
				continue
			}
			for _, ground := range []string{"paper", "raised"} {
				if got := contrast(t, colour, colours[ground]); got < 4.5 {
					t.Errorf("%s: %s on %s has a contrast of %.2f", scheme, name, ground, got)
				}
			}
		}
		if len(colours) < 12 {
			t.Errorf("%s: only %d colours: %v", scheme, len(colours), colours)
		}
	}
}

// contrast is WCAG's ratio of two colours #rrggbb, 1 to 21.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(colour string) float64 {
		var c [3]int
		if _, err := fmt.Sscanf(colour, "#%02x%02x%02x", &c[0], &c[1], &c[2]); err != nil {
			t.Fatalf("colour %q: %v", colour, err)
		}
		var sum float64
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			v := float64(c[i]) / 255
			if v <= 0.04045 {
				v /= 12.92
			} else {
				v = math.Pow((v+0.055)/1.055, 2.4)
			}
			sum += weight * v
		}
		return sum
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestHTMLAxes: an axis has some round numbers on it, not too many, whatever the range.
func TestHTMLAxes(t *testing.T) {
	bare := liveOnly()
	bare.Limits = nil
	times := func(took ...time.Duration) (rows []sinks.Row) {
		for i, d := range took {
			rows = append(rows, answered(i, shadow.Live, d))
		}
		return rows
	}
	number := regexp.MustCompile(`class="f-muted"[^>]*>([-+]?[0-9.]+)</text>`)
	for _, c := range []struct {
		name, why string
		e         reports.Experiment
		rows      []sinks.Row
	}{
		{"one time", "no range at all", bare, times(3 * time.Second)},
		{"a narrow range", "between two powers of ten", bare, times(1600*time.Millisecond, 1700*time.Millisecond)},
		{"a wide range", "five powers of ten", bare, times(2*time.Millisecond, 500*time.Second)},
		{"usual", "two powers of ten", liveOnly(), times(300*time.Millisecond, 20*time.Second)},
		{"no difference yet", "the margin alone gives a range", experiment(), nil},
		{"grades", "a range of more than a grade", experiment(), plain(20, -1)},
	} {
		page := htmlOf(t, build(t, c.e, c.rows, nil))
		first, _, _ := strings.Cut(page[strings.Index(page, "<svg class=\"plot\""):], "</svg>")
		if n := len(number.FindAllString(first, -1)); n < 2 || n > 12 {
			t.Errorf("%s: %d numbers on the axis: %s", c.name, n, c.why)
		}
	}
}
