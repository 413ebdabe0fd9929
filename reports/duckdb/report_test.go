package duckdb_test

import (
	"context"
	"os"

	"github.com/understudy-eval/understudy/reports"
)

// byReport takes the figures out of the whole report over the files below dir.
func byReport(_ context.Context, dir string) (figures, error) {
	r, err := reports.Read(os.DirFS(dir), experiment(), reports.Window{})
	if err != nil {
		return figures{}, err
	}
	f := figuresOf(r)
	f.Further = furtherOf(r)
	return f, nil
}

// byDecision takes the listed figures out of the report that the gate decides on.
func byDecision(_ context.Context, dir string) (figures, error) {
	r, err := reports.Read(os.DirFS(dir), experiment(), reports.Window{}, reports.ForDecision())
	if err != nil {
		return figures{}, err
	}
	return figuresOf(r), nil
}
