package reports_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

func ExampleBuild() {
	rows := []sinks.Row{
		graded(0, shadow.Live, 3, 900*time.Millisecond), graded(0, "cand-a", 2, 1200*time.Millisecond),
		graded(1, shadow.Live, 2, 800*time.Millisecond), graded(1, "cand-a", 2, 4*time.Second),
	}
	r, err := reports.Build(seq(rows), seq(booksFor(2)), experiment(), reports.Window{})
	if err != nil {
		fmt.Println(err)
		return
	}
	delta := r.Comparisons[0].Quality.Delta
	fmt.Println(*delta.Value, "grades over", delta.N, "pairs; books balance:", r.Books.Balanced)
	// Output: -0.5 grades over 2 pairs; books balance: true
}

func ExampleGate_Decide() {
	e := experiment()
	rows := []sinks.Row{graded(0, shadow.Live, 3, 900*time.Millisecond), graded(0, "cand-a", 2, 1200*time.Millisecond)}
	r, err := reports.Build(seq(rows), seq(booksFor(1)), e, reports.Window{})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := e.Gate.Decide(r, "cand-a", time.Time{})
	fmt.Println(d.Outcome, d.Reasons[0], d.ExitCode(), err)
	// Output: keep running burn_in 4 <nil>
}

func ExampleReport_HTML() {
	r, err := reports.Build(seq([]sinks.Row{graded(0, shadow.Live, 3, time.Second)}), nil, experiment(), reports.Window{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var page strings.Builder
	err = r.HTML(&page, nil)
	fmt.Println(strings.Count(page.String(), `role="img"`), "plots,", strings.Count(page.String(), "<script"), "scripts,", err)
	// Output: 3 plots, 0 scripts, <nil>
}

func ExampleReport_PNG() {
	r, err := reports.Build(nil, nil, experiment(), reports.Window{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var image bytes.Buffer
	err = r.PNG(&image, nil)
	fmt.Printf("%q %v\n", image.Bytes()[1:4], err)
	// Output: "PNG" <nil>
}

func ExampleSchema() {
	var schema struct {
		Title    string
		Required []string
	}
	err := json.Unmarshal(reports.Schema(), &schema)
	fmt.Println(schema.Title, schema.Required, err)
	// Output: understudy report [report decisions] <nil>
}
