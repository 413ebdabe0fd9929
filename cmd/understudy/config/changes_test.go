package config_test

import (
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
)

func TestWhatMayChangeWhileItRuns(t *testing.T) {
	const before = `models:
  c: {provider: openai, base_url: "http://127.0.0.1:9/v1", model: c}
  d: {provider: openai, base_url: "http://127.0.0.1:9/v1", model: d}
  j: {provider: openai, base_url: "http://127.0.0.1:9/v1", model: j-2026-01-02, digest: "sha256:0123456789abcdef"}
tap: {upstream: "http://127.0.0.1:9", rate: 1%}
candidates: {a: {model: c, share: 100%}}
judge: {primary: j}
`
	first, err := config.Parse("a.yaml", []byte(before))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new, says string }{
		{"nothing", "", "", ""},
		{"rate", "rate: 1%", "rate: 5%", ""},
		{"salt", "rate: 1%", "rate: 1%, salt: other", ""},
		{"share", "share: 100%", "share: 0.5", ""},
		{"spelling", "rate: 1%", "rate: 0.01", ""},
		{"a default written out", "rate: 1%", "rate: 1%, max_body: 1MiB", ""},
		{"order", "{upstream: \"http://127.0.0.1:9\", rate: 1%}", "{rate: 1%, upstream: \"http://127.0.0.1:9\"}", ""},
		{"listen", "rate: 1%", "rate: 2%, listen: \"127.0.0.1:0\"", "a.yaml:5:57: tap.listen: changed while the process runs; it needs a restart"},
		{"a candidate's model", "model: c, share", "model: d, share", "a.yaml:6:25: candidates.a.model: changed"},
		{"another candidate", "share: 100%}", "share: 100%}, b: {model: c}", "candidates.b.model: changed"},
		{"a candidate less", "candidates: {a: {model: c, share: 100%}}\n", "", "candidates.a.model: changed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			next, err := config.Parse("a.yaml", []byte(strings.Replace(before, c.old, c.new, 1)))
			if err != nil {
				t.Fatal(err)
			}
			switch err := first.Fixed(next); {
			case c.says == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
}
