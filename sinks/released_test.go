package sinks_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/sinks"
)

// released is a folder with a file that an earlier version wrote, under a name that fits it.
func released(t *testing.T, set sinks.Set, file string) fstest.MapFS {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	name := string(set) + "/date=2026-10-05/20261005T091530.000000Z-" + hex.EncodeToString(sum[:]) + ".parquet"
	return fstest.MapFS{name: {Data: data}}
}

// Files of every released schema can be read for ever; what a later one brought is null.
func TestReleasedFiles(t *testing.T) {
	gs := many(7)
	t.Run("rows.1", func(t *testing.T) {
		want := before3(rowsOf(gs))
		for i := range want {
			r := &want[i]
			r.Tags, r.TokensCached, r.Cost, r.Conforms = nil, nil, nil, nil
			r.JudgeTokensIn, r.JudgeTokensOut, r.JudgeCost = nil, nil, nil
		}
		if diff := cmp.Diff(want, collect(t, sinks.Scan(released(t, sinks.SetRows, "rows.1.parquet")))); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("rows.2", func(t *testing.T) {
		if diff := cmp.Diff(before3(rowsOf(gs)), collect(t, sinks.Scan(released(t, sinks.SetRows, "rows.2.parquet")))); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("texts.1", func(t *testing.T) {
		want := textsOf(gs)
		for i := range want {
			want[i].JudgeReplies = ""
		}
		if diff := cmp.Diff(want, collect(t, sinks.ScanTexts(released(t, sinks.SetTexts, "texts.1.parquet")))); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("books.1", func(t *testing.T) {
		files := collect(t, sinks.ScanFiles(released(t, sinks.SetBooks, "books.1.parquet")))
		if len(files) != 1 || files[0].Rows != 28 {
			t.Errorf("files %+v, want one of 28 rows", files)
		}
	})
}

// before3 are rows as a file of an earlier schema than rows.3 gives them back.
func before3(rows []sinks.Row) []sinks.Row {
	for i := range rows {
		r := &rows[i]
		r.Purpose, r.Plant, r.Series, r.JudgeForm = "", "", "", ""
		r.Regraded, r.Suspect, r.NotCarried = nil, nil, nil
	}
	return rows
}
