package reports_test

import (
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// trendPlots are the plots of weeks of a page: grades and p95, or nothing.
func trendPlots(t *testing.T, rows []sinks.Row, w reports.Window) (grades, tail string) {
	t.Helper()
	e := experiment()
	e.Start, e.Stop = e.Start.AddDate(-1, 0, 0), e.Stop.AddDate(1, 0, 0)
	r, err := reports.Build(seq(rows), seq(booksOf(rows)), e, w)
	if err != nil {
		t.Fatal(err)
	}
	for figure := range strings.SplitSeq(htmlOf(t, r), "<figure>") {
		figure, _, _ = strings.Cut(figure, "</figure>")
		switch {
		case strings.Contains(figure, `id="trend-grades-title"`):
			grades = figure
		case strings.Contains(figure, `id="trend-p95-title"`):
			tail = figure
		}
	}
	return grades, tail
}

// TestTrendPlots: a line per arm over the weeks of a report, ± its standard error, with
// gaps where a week has no figure.
func TestTrendPlots(t *testing.T) {
	grades, tail := trendPlots(t, hourly(t), week(t, "2026-W44"))
	says(t, grades, []string{">W41<", ">W44<", "live, mean grade: 2026-W41: ", " ± 0.", "<span>cand-a</span>", "an open circle is a week that is not complete"}, []string{"a gap", "style=", "undefined"})
	says(t, tail, []string{">W41<", ">W44<", "cand-a, p95 in seconds: 2026-W41: "}, []string{"±", "a gap", "undefined"})
	const steps, errors = 2 * 3, 2 * 4                                                         // two arms over four weeks
	if got, want := strings.Count(grades, `stroke-width="1.6"`), steps+errors+2; got != want { // and two open circles
		t.Errorf("%d strokes, want %d", got, want)
	}
	if got, want := strings.Count(tail, `stroke-width="1.6"`), steps+2; got != want {
		t.Errorf("%d strokes, want %d", got, want)
	}
}

// TestTrendPlotsGaps: unknown weeks are neither 0 nor bridged.
func TestTrendPlotsGaps(t *testing.T) {
	rows := on("2026-12-21", "2026-12-22", "2027-01-04", "2027-01-05") // nothing in week 53
	for i := range rows {
		if rows[i].Arm == shadow.Live && i >= 4 {
			rows[i] = failed(i/2, shadow.Live, llm.Connect, 0)
			rows[i].Seen = rows[i+1].Seen
		}
	}
	grades, tail := trendPlots(t, rows, reports.Window{})
	says(t, grades, []string{">W52<", ">W53<", ">W01<", "2026-W53: undefined ± undefined", "a gap is a week without the figure"}, []string{"NaN"})
	says(t, tail, []string{"live, p95 in seconds: 2026-W52: 1.00, 2026-W53: undefined, 2027-W01: undefined."}, []string{"NaN"})
	if plot, _, _ := strings.Cut(tail, "</svg>"); strings.Contains(plot, `stroke-dasharray="7,3"`) {
		t.Error("a line goes over the week without a figure")
	}
	if grades, tail := trendPlots(t, on("2026-12-21", "2026-12-22"), reports.Window{}); grades+tail != "" {
		t.Error("one week is no trend")
	}
}
