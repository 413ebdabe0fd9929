package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

const spendConfiguration = `
experiment: {name: spend}
models:
  cand: {provider: openai, base_url: %[2]s/v1, model: cand-2026-02-14}
  judge: {provider: openai, base_url: %[3]s/v1, model: judge-mini-2026-03-01, digest: "sha256:0123456789abcdef"}
tap: {listen: 127.0.0.1:0, upstream: %[1]s, rate: 100%%, sample_by: request}
bus: {dir: bus, sync: 10s}
candidates: {cand: {model: cand}}
judge: {repeat: none, agreement: none, injection: none, primary: judge}
spend: {per_day: {candidates: {cand: 6 calls}, judge: 10 calls}}
sinks: {dir: rows, flush: {every: 200ms}}
`

// A limit for a day holds over a restart, what it keeps from being asked or graded is
// counted as budget, and the books balance.
func TestSpendOverRestart(t *testing.T) {
	day := time.Now().UTC().Format(time.DateOnly)
	live, _ := fake(t, liveScript)
	cand, asked := fake(t, candScript)
	judges, graded := fake(t, judgeScript)
	configuration := fmt.Sprintf(spendConfiguration, live, cand, judges)
	dir := t.TempDir()
	var rows []sinks.Row
	for round := range 2 {
		s := start(t, dir, configuration)
		base := s.tapURL()
		for i := range 4 {
			if status, _ := post(t, base, fmt.Sprintf("hello %d.%d", round, i)); status != http.StatusOK {
				t.Fatalf("status %d", status)
			}
		}
		rows = s.awaitRows(8 * (round + 1))
		s.stop()
		if time.Now().UTC().Format(time.DateOnly) != day {
			t.Skip("the day changed meanwhile, and with it the limit")
		}
		if round == 1 {
			if !strings.Contains(s.log.String(), `msg="day's limit reached, nobody is asked until the next UTC day" account=candidate-cand`) {
				t.Error("the log does not say that the limit is reached")
			}
			status, out, errs := s.command("report")
			if status != exitOK || !strings.Contains(out, "the books balance") || !strings.Contains(out, "budget") {
				t.Errorf("report: status %d, %s\n%s", status, errs, out)
			}
		}
	}
	count := map[string]int{}
	for _, r := range rows {
		count[strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Arm, r.State, r.Reason))]++
		if r.State == sinks.Answered {
			count[strings.TrimSpace(fmt.Sprintf("%s %s", r.JudgeState, r.JudgeReason))]++
		}
	}
	if count["cand answered"] != 6 || count["cand not_asked budget"] != 2 || count["live answered"] != 8 || asked.Calls() != 6 {
		t.Errorf("the candidate was called %d times: %v", asked.Calls(), count)
	}
	if n := count["graded"]; n > 10 || n < 8 || n != graded.Calls() || count["not_graded budget"] != 14-n {
		t.Errorf("the judge was called %d times: %v", graded.Calls(), count)
	}
}

func TestCheckSpend(t *testing.T) {
	parse := func(spend string) *config.Config {
		cfg, err := config.Parse("x.yaml", []byte(`
models:
  known: {provider: openai, model: gpt-4.1-2025-04-14, key: env:K}
  mine: {provider: openai, base_url: "http://127.0.0.1:9/v1", model: mine}
  priced: {provider: openai, base_url: "http://127.0.0.1:9/v1", model: priced, price: {in: 1, out: 2}}
  judge: {provider: anthropic, model: claude-x-5, key: env:K}
policies: {turns: {round_robin: [priced, mine]}, both: {race: {primary: known, reserve: priced}}, chain: {failover: [both, known], check_output: true}}
tap: {upstream: "http://127.0.0.1:7"}
candidates: {a: {model: mine}, b: {model: priced}, c: {model: turns}, d: {model: chain}}
judge: {primary: judge}
spend: {per_day: `+spend+`}
`))
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	for spend, want := range map[string]string{
		`{candidates: 5 USD}`:                   "x.yaml:11:31: spend.per_day.candidates: the price of model mine is unknown, so what is spent on it cannot be limited in USD; models.mine.price, or a number of calls",
		`{candidates: {a: 1 USD}}`:              "spend.per_day.candidates.a: the price of model mine is unknown",
		`{candidates: {c: [1 USD, 1 call]}}`:    "spend.per_day.candidates.c: the price of model mine is unknown",
		`{judge: 1 USD}`:                        "spend.per_day.judge: the price of model judge is unknown",
		`{candidates: 5 calls, judge: 7 calls}`: "",
		`{candidates: {b: 1.5 USD}}`:            "",
	} {
		err := checkSpend(parse(spend))
		if err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spend, err, want)
		}
	}
	cfg := parse(`{candidates: {b: [1.5 USD, 20 calls]}}`)
	if account, l := cfg.Spend.Of("b"); account != "candidate-b" || l != (config.Limit{Calls: 20, NanoUSD: 1_500_000_000}) || l.String() != "1.5 USD or 20 calls" {
		t.Errorf("%s %+v", account, l)
	}
	if got := strings.Join(limits(cfg), "; "); got != "candidate b: 1.5 USD or 20 calls" {
		t.Error(got)
	}
	if account, l := cfg.Spend.Of("a"); account != "candidates" || !l.IsZero() {
		t.Errorf("%s %+v", account, l)
	}
	for name, want := range map[string]int{"mine": 1, "turns": 4, "both": 4, "chain": 15} {
		if n := mostCalls(cfg, name); n != want {
			t.Errorf("%s: %d calls at most, want %d", name, n, want)
		}
	}
	tokens := func(n int64) llm.Usage { return llm.Usage{In: &n, Out: &n} }
	price := openPrices(cfg).priceOf("turns")
	reply := llm.Reply{Usage: tokens(5), Trace: []llm.Attempt{{Model: "priced", Usage: tokens(1000)}, {Model: "mine", Usage: tokens(9)}}}
	if cost, known := price(reply); cost != 3_000_000 || !known {
		t.Errorf("%d, %v", cost, known)
	}
	if _, known := openPrices(cfg).priceOf("mine")(reply); known {
		t.Error("a price that nobody gave is known")
	}
}
