package config_test

import (
	"strings"
	"testing"
)

const fixed = `
experiment: {name: e, start: 2026-10-05}
models:
  luna: {provider: openai, model: gpt-5.6-luna, key: env:A}
  judge: {provider: openai, model: gpt-5.6-terra-2026-08-20, key: env:A}
  spare: {provider: ollama, model: x}
tap: {upstream: https://api.openai.com, rate: 1%}
candidates:
  a: {model: luna, share: 50%, timeout: 60s}
  b: {model: luna, control: true}
judge: {primary: judge, concurrency: 4}
gate: {margin: 0.10, alpha: 5%, latency: {over: {3s: 5%, 10s: 1%}}}
report: {limits: [3s, 6s, 10s]}
`

// TestDigestSame: other spellings, and what may change while an experiment runs.
func TestDigestSame(t *testing.T) {
	want := parse(t, fixed).Digest("r")
	other := `# a comment
report: {limits: [10000ms, 3s, 6s], level: 0.95}
gate:
  latency: {over: {10s: 0.01, 3s: 0.05}, p95_increase: 0.5s, first_token: {over: {1s: 0.1}}}
  alpha: 0.05
  failures: {increase: 1e-2}
judge: {concurrency: 9, primary: judge, share: 30%, breaker: {cool: 300s}, rubric: standard}
candidates:
  b: {control: true, model: luna, share: 0.2}
  a: {model: luna, timeout: 1m}
tap: {upstream: http://127.0.0.1:1, rate: 0.5, salt: other}
models:
  judge: {provider: openai, model: gpt-5.6-terra-2026-08-20, key: env:B, base_url: https://api.openai.com/v1/}
  luna: {provider: openai, model: gpt-5.6-luna, key: file:/k, concurrency: 3, price: {in: 1, out: 2}}
sinks: {dir: elsewhere}
experiment: {start: "2026-10-05", name: e}
`
	if got := parse(t, other).Digest("r"); got != want {
		t.Errorf("another digest for the same experiment: %s, %s", got, want)
	}
}

// TestDigestDiffers: each of these is another experiment.
func TestDigestDiffers(t *testing.T) {
	seen := map[string]string{parse(t, fixed).Digest("r"): "the experiment itself", parse(t, fixed).Digest("r2"): "another rubric"}
	if len(seen) != 2 {
		t.Error("the rubric does not count")
	}
	for _, change := range [][2]string{
		{"name: e", "name: f"},
		{"2026-10-05}", "2026-10-06}"},
		{"gpt-5.6-luna, key", "gpt-5.6-sol, key"},
		{"model: gpt-5.6-luna,", "model: gpt-5.6-luna, extra: {top_p: 1},"},
		{"model: gpt-5.6-luna,", "model: gpt-5.6-luna, reasoning: low,"},
		{"timeout: 60s", "timeout: 61s"},
		{", control: true", ""},
		{"  a: {model", "  c: {model"},
		{"primary: judge,", "primary: judge, budget: 21s,"},
		{"primary: judge,", "primary: judge, breaker: {failures: 4},"},
		{"primary: judge,", "primary: judge, max_prompt: 50000,"},
		{"model: gpt-5.6-luna,", "model: gpt-5.6-luna, images: true,"},
		{"primary: judge,", "primary: judge, reply: tool,"},
		{"primary: judge,", "primary: judge, reply: {primary: tool},"},
		{"model: gpt-5.6-luna,", "model: gpt-5.6-luna, api: responses,"},
		{"margin: 0.10", "margin: 0.11"},
		{"10s: 1%", "10s: 1.1%"},
		{"alpha: 5%,", "alpha: 5%, failures: none,"},
		{"alpha: 5%,", "alpha: 5%, problems: {unsafe: {increase: 1%}},"},
		{"alpha: 5%,", "alpha: 5%, cost_increase: 50%,"}, // the default is left out where costs are unknown
		{"alpha: 5%,", "alpha: 5%, cost_increase: 51%,"},
		{"[3s, 6s, 10s]", "[3s, 6s]"},
		{"[3s, 6s, 10s]", "[3s, 6s, 10s], level: 90%"},
	} {
		text := strings.Replace(fixed, change[0], change[1], 1)
		got := parse(t, text).Digest("r")
		if before, ok := seen[got]; ok {
			t.Errorf("%q → %q has the digest of %s", change[0], change[1], before)
		}
		seen[got] = change[1]
	}
}
