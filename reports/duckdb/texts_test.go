package duckdb_test

import (
	"bytes"
	"database/sql"
	"math/rand/v2"
	"os"
	"regexp"
	"testing"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/sinks"
)

// TestTextsQuery: the query that a report names finds the texts of a call that it
// lists, one row an arm, as it stands there.
func TestTextsQuery(t *testing.T) {
	dir := t.TempDir()
	w, err := sinks.Open(dir, sinks.Options{KeepText: true})
	if err != nil {
		t.Fatal(err)
	}
	deal := table{Rand: rand.New(rand.NewPCG(1, 1)), dataset: dataset{seed: 1, pairs: 70}, experiment: experiment(), midnight: monday}
	gs := deal.day(0)
	for i := range gs {
		gs[i].Trial.Sample.Request = []byte(`{"messages":[]}`)
		gs[i].Trial.Sample.Live.Text, gs[i].Trial.Candidates[0].Text = "live's", "the candidate's"
	}
	if err := w.Write(t.Context(), gs); err != nil {
		t.Fatal(err)
	}
	r, err := reports.Read(os.DirFS(dir), experiment(), reports.Window{})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.Text(&text, 0, nil); err != nil {
		t.Fatal(err)
	}
	query := regexp.MustCompile(`(?m)^their texts, .* in the folder sinks\.dir: (SELECT .* )'…'$`).FindSubmatch(text.Bytes())
	call := regexp.MustCompile(`(?m)^slowest, live +([0-9a-f]{32}) `).FindSubmatch(text.Bytes())
	if query == nil || call == nil {
		t.Fatalf("no query or no call in\n%s", &text)
	}
	t.Chdir(dir)
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), "SELECT arm, answer FROM ("+string(query[1])+"'"+string(call[1])+"') ORDER BY arm")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for rows.Next() {
		var arm, answer string
		if err := rows.Scan(&arm, &answer); err != nil {
			t.Fatal(err)
		}
		got = append(got, arm+" "+answer)
	}
	if err := rows.Err(); err != nil || len(got) != 2 || got[0] != string(candidate)+" the candidate's" || got[1] != "live live's" {
		t.Errorf("%q, %v", got, err)
	}
}
