package standard

import (
	"embed"

	"github.com/understudy-eval/understudy/rubric"
)

// FS has the two files of the standard rubric at its root, rubric.yaml and
// prompt.tmpl, so that they can be written out and edited.
//
//go:embed rubric.yaml prompt.tmpl
var FS embed.FS

// Rubric is the standard rubric. It is parsed anew on each call; keep it.
func Rubric() *rubric.Rubric {
	r, err := rubric.Load(FS)
	if err != nil {
		panic("standard rubric: " + err.Error()) // embedded, and loaded by a test
	}
	return r
}
