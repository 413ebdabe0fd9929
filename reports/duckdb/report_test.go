package duckdb_test

import (
	"context"
	"os"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/sinks"
)

// byReport takes the figures out of the whole report over the files below dir.
func byReport(_ context.Context, dir string) (figures, error) {
	fsys := os.DirFS(dir)
	r, err := reports.Build(sinks.Scan(fsys), sinks.ScanBooks(fsys), experiment(), reports.Window{})
	if err != nil {
		return figures{}, err
	}
	return figuresOf(r), nil
}
