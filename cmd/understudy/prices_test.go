package main

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

const pricedModels = `
models:
  luna: {provider: openai, model: gpt-5.6-luna, key: env:K}
  tuned: {provider: openai, model: gpt-5-mini, key: env:K, price: {in: 3, out: 4, cached_in: 1}}
  own: {provider: openai, model: gpt-5, base_url: "http://127.0.0.1:9/v1"}
  one: {provider: openai, model: gpt-4o, key: env:K, price: {in: 1, out: 1}}
  two: {provider: openai, model: gpt-4o, key: env:K, price: {in: 2, out: 2}}
  judge: {provider: openai, model: gpt-5.6-terra-2026-08-20, key: env:K}
tap: {upstream: "https://api.openai.com"}
candidates:
  luna: {model: luna}
  own: {model: own}
judge: {repeat: none, agreement: none, injection: none, primary: judge}
`

func TestPrices(t *testing.T) {
	cfg, err := config.Parse("x.yaml", []byte(pricedModels))
	if err != nil {
		t.Fatal(err)
	}
	in, cached, out := int64(1000), int64(500), int64(100)
	usage := llm.Usage{In: &in, Cached: &cached, Out: &out}
	costs := openPrices(cfg).costs()
	arm := func(arm shadow.Arm, named llm.Snapshot) func() (int64, bool) {
		return func() (int64, bool) { return costs.Answer(shadow.Answer{Arm: arm, Snapshot: named, Usage: usage}) }
	}
	joined := func(uses ...shadow.Use) func() (int64, bool) {
		return func() (int64, bool) { return costs.Answer(shadow.Answer{Arm: "luna", Usage: usage, Uses: uses}) }
	}
	verdict := func(by string) func() (int64, bool) {
		return func() (int64, bool) { return costs.Ruling(judge.Ruling{Judge: by, Usage: usage}) }
	}
	tests := []struct {
		name, why string
		cost      func() (int64, bool)
		want      int64
		known     bool
	}{
		{"live", "the catalogue's price of the model that the answer names", arm(shadow.Live, "gpt-5-2026-08-07"), 500*1250 + 500*125 + 100*10_000, true},
		{"live, given", "the file's price of that model at that address goes first", arm(shadow.Live, "gpt-5-mini-2026-08-07"), 500*3000 + 500*1000 + 100*4000, true},
		{"live, two prices", "nobody picks one", arm(shadow.Live, "gpt-4o-2026-01-01"), 0, false},
		{"live, nameless", "no model, no price", arm(shadow.Live, ""), 0, false},
		{"candidate", "by the model that is configured, whatever the answer names", arm("luna", "somebody"), 500*1000 + 500*100 + 100*6000, true},
		{"own server", "a vendor's name on a server of one's own says nothing", arm("own", "gpt-5"), 0, false},
		{"gone", "a trial of an arm that is no longer configured", arm("gone", "gpt-5"), 0, false},
		{"policy", "all its calls, each at its model's price", joined(shadow.Use{Model: "one", Fate: llm.Failed}, shadow.Use{Model: "two", Fate: llm.Spare, Usage: usage}, shadow.Use{Model: "one", Fate: llm.Served, Usage: usage}),
			1000*2000 + 100*2000 + 1000*1000 + 100*1000, true},
		{"policy, given up", "a call that was given up says nothing of its usage", joined(shadow.Use{Model: "two", Fate: llm.GivenUp}, shadow.Use{Model: "one", Fate: llm.Served, Usage: usage}), 1000*1000 + 100*1000, true},
		{"policy, unknown", "an answer that was paid for has an unknown price", joined(shadow.Use{Model: "own", Fate: llm.Spare, Usage: usage}, shadow.Use{Model: "one", Fate: llm.Served, Usage: usage}), 0, false},
		{"policy, last resort", "a fixed text costs nothing", joined(shadow.Use{Model: "one", Fate: llm.Failed}, shadow.Use{Model: "last_resort", Fate: llm.Served}), 0, true},
		{"judge", "a dated id is priced as its name", verdict("judge"), 500*2500 + 500*250 + 100*15_000, true},
		{"no judge", "a ruling for which nobody was asked", verdict(""), 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, known := tt.cost(); got != tt.want || known != tt.known {
				t.Errorf("%s: %d, known %v; want %d, known %v", tt.why, got, known, tt.want, tt.known)
			}
		})
	}
}

// Costs reach the files: the live service's by the model that it names, an explicit 0
// as 0, and what nobody knows as nothing.
func TestCostsReachTheRows(t *testing.T) {
	script := func(model string) llmfake.Script {
		return func(llmfake.Call) llmfake.Answer {
			return llmfake.Answer{Model: model, Text: "Paris.", In: 1000, Out: 10}
		}
	}
	live, _ := fake(t, script("live-2026-01-01"))
	cand, _ := fake(t, script("cand"))
	verdicts, _ := fake(t, func(llmfake.Call) llmfake.Answer {
		a := llmfake.Verdict(2, "none", "fine")
		a.Model, a.In, a.Out = "judge", 2000, 20
		return a
	})
	s := start(t, t.TempDir(), fmt.Sprintf(`
models:
  live: {provider: openai, base_url: %[1]s/v1, model: live, price: {in: 1, out: 10}}
  free: {provider: openai, base_url: %[2]s/v1, model: cand, price: {in: 0, out: 0}}
  unknown: {provider: openai, base_url: %[2]s/v1, model: cand}
  judge: {provider: openai, base_url: %[3]s/v1, model: judge, digest: "sha256:0123456789abcdef", price: {in: 2, out: 5}}
tap: {listen: 127.0.0.1:0, upstream: %[1]s, rate: 100%%, sample_by: request}
candidates:
  free: {model: free}
  unknown: {model: unknown}
judge: {repeat: none, agreement: none, injection: none, primary: judge}
bus: {dir: bus}
sinks: {dir: rows, flush: {every: 200ms}}
`, live, cand, verdicts))
	post(t, s.tapURL(), "What is the capital of France?")
	got := map[shadow.Arm][2]*int64{}
	for _, row := range s.awaitRows(3) {
		got[row.Arm] = [2]*int64{row.Cost, row.JudgeCost}
	}
	s.stop()
	nano := func(n int64) *int64 { return &n }
	judging := nano(2000*2000 + 20*5000)
	want := map[shadow.Arm][2]*int64{
		shadow.Live: {nano(1000*1000 + 10*10_000), judging}, "free": {nano(0), judging}, "unknown": {nil, judging},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cost of the answer, of judging (-want +got):\n%s", diff)
	}
	var shown struct{ Report reports.Report }
	s.report(&shown)
	totals := map[shadow.Arm][2]*int64{}
	for _, a := range shown.Report.Arms {
		totals[a.Name] = [2]*int64{a.Cost.TotalNUSD, a.Cost.Judging.TotalNUSD}
	}
	if diff := cmp.Diff(want, totals); diff != "" {
		t.Errorf("as the report has them (-want +got):\n%s", diff)
	}
}
