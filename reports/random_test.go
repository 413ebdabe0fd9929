package reports_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// randomRow is a row with anything that may vary; few samples, so that most of what a
// report tells lies at an edge.
func randomRow(rng *rand.Rand, i int, arm shadow.Arm) sinks.Row {
	r := graded(i, arm, 1+rng.IntN(6), time.Duration(rng.IntN(4000))*time.Millisecond)
	switch rng.IntN(6) {
	case 0:
		r = failed(i, arm, []llm.Reason{llm.Timeout, llm.ClientAbort, llm.Connect}[rng.IntN(3)], time.Duration(rng.IntN(20))*time.Second)
	case 1:
		r = notGraded(i, arm, judge.NoMalformed)
	}
	if r.Stream = rng.IntN(2) == 0; r.Stream && rng.IntN(3) > 0 {
		r.FirstToken = new(*r.Took / time.Duration(1+rng.IntN(3)))
	}
	r.TokensOut, r.TokensReasoning = new(int64(rng.IntN(3)*50)), new(int64(rng.IntN(2)*20))
	if rng.IntN(4) == 0 {
		r.TokensOut = nil
	}
	return r
}

func randomRows(rng *rand.Rand, e reports.Experiment) []sinks.Row {
	var rows []sinks.Row
	n, arms := rng.IntN(12), []shadow.Arm{shadow.Live}
	for _, a := range e.Candidates {
		arms = append(arms, a.Name)
	}
	for i := range n {
		route, session, week := fmt.Sprint("/", rng.IntN(2)), fmt.Sprint("s-", rng.IntN(1+n/2)), rng.IntN(2)
		for _, arm := range arms {
			if rng.IntN(8) == 0 {
				continue
			}
			r := randomRow(rng, i, arm)
			r.Route, r.Session, r.Seen = route, session, monday.AddDate(0, 0, 7*week)
			r.Model = llm.Snapshot([]string{"a", "b", ""}[rng.IntN(3)])
			if week == 1 {
				r.Tags = []string{"app=" + session}
			}
			if rng.IntN(2) == 0 {
				r.Rate, r.JudgeRate = 0.5, 0.5
			}
			rows = append(rows, r)
		}
	}
	return rows
}

var noNumber = regexp.MustCompile(`\b(NaN|Inf)\b|%!`)

// TestRandomReports: whatever the rows, no form shows what is no number, the JSON keeps
// to the schema, and the order of rows does not change a byte.
func TestRandomReports(t *testing.T) {
	e := experiment()
	e.Candidates = append(e.Candidates, reports.Arm{Name: "cand-b"}, reports.Arm{Name: "again", Control: true})
	e.Gate.BurnIn = reports.BurnIn{Pairs: 3, Sessions: 2}
	e.Gate.P95Increase = new(time.Second)
	e.Gate.FirstTokenOver = []reports.ShareLimit{{Limit: time.Second, Share: 0.1}}
	schema := compiled(t)
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rows := randomRows(rng, e)
		r := build(t, e, rows, booksFor(12))
		text := everyForm(t, r)
		if bad := noNumber.FindString(text); bad != "" {
			t.Errorf("seed %d: %q in the report", seed, bad)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(jsonOf(t, r)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		if diff := cmp.Diff(text, everyForm(t, build(t, e, rows, booksFor(12)))); diff != "" {
			t.Fatalf("seed %d: the order of rows shows: %s", seed, diff)
		}
	}
}
