package reports_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs, -want +got:\n%s", path, diff)
	}
}

// TestGolden holds the reports of the founding case in every form.
func TestGolden(t *testing.T) {
	r := build(t, experiment(), foundingRows(t), booksFor(600))
	decisions, err := experiment().Gate.DecideAll(r, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	forms := []struct {
		name  string
		write func(io.Writer) error
	}{
		{"founding.txt.golden", func(w io.Writer) error { return r.Text(w, 100, decisions) }},
		{"founding-40.txt.golden", func(w io.Writer) error { return r.Text(w, 40, decisions) }},
		{"founding.md.golden", func(w io.Writer) error { return r.Markdown(w, decisions) }},
		{"founding.html.golden", func(w io.Writer) error { return r.HTML(w, decisions) }},
		{"founding.json.golden", func(w io.Writer) error { return r.JSON(w, decisions) }},
		{"decision.txt.golden", func(w io.Writer) error { return decisions[0].Text(w, 100) }},
		{"decision.json.golden", decisions[0].JSON},
	}
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := form.write(&b); err != nil {
				t.Fatal(err)
			}
			golden(t, form.name, b.Bytes())
		})
	}
}
