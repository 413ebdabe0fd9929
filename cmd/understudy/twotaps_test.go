package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus/embedded"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// Two taps with different rates feed one experiment: each sample carries the rate under
// which it was drawn, and the mean weights it by what it stands for. Answers through the
// one are good, through the other bad, so that a plain mean is another figure.
func TestTwoTapsOfDifferentRates(t *testing.T) {
	server, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Sync: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Shutdown() })
	live, _ := fake(t, func(c llmfake.Call) llmfake.Answer { return llmfake.Text("live: " + c.LastUser()) })
	judges, _ := fake(t, func(c llmfake.Call) llmfake.Answer {
		if strings.Contains(c.LastUser(), "few are sampled") {
			return llmfake.Verdict(5, "incomplete", "bad")
		}
		return llmfake.Verdict(2, "none", "good")
	})
	configuration := func(rate string) string {
		return `
experiment: {name: taps}
models:
  judge: {provider: openai, base_url: ` + judges + `/v1, model: judge-mini-2026-03-01, digest: "sha256:0123456789abcdef"}
tap: {listen: 127.0.0.1:0, upstream: ` + live + `, rate: ` + rate + `}
bus: {url: ` + server.URL() + `}
judge: {repeat: none, agreement: none, injection: none, primary: judge}
sinks: {dir: rows, flush: {every: 200ms}}
`
	}
	work := start(t, t.TempDir(), configuration("100%"), "--roles", "candidates,judge,sinks")
	all := start(t, t.TempDir(), configuration("100%"), "--roles", "tap")
	few := start(t, t.TempDir(), configuration("25%"), "--roles", "tap")
	const perTap = 40
	kept := 0
	for i := range perTap {
		session := fmt.Sprint("s-", i)
		if shadow.Keep(session, "taps", 0.25) {
			kept++
		}
		const ask = `{"model":"m","messages":[{"role":"user","content":"%s are sampled"}]}`
		send(t, all.tapURL()+"/chat/completions", session, fmt.Sprintf(ask, "all"))
		send(t, few.tapURL()+"/chat/completions", session, fmt.Sprintf(ask, "few"))
	}
	all.stop()
	few.stop()
	rows := work.awaitRows(perTap + kept)
	work.eventually("the books of both", func() bool { return work.books().Seen == 2*perTap })
	work.stop()

	var sum, weight, plain float64
	rates := map[float64]int{}
	for _, r := range rows {
		if r.Arm != shadow.Live || r.Grade == nil {
			t.Fatalf("row %+v", r)
		}
		rates[r.Rate]++
		sum, weight, plain = sum+float64(*r.Grade)/r.Rate, weight+1/r.Rate, plain+float64(*r.Grade)
	}
	if rates[1] != perTap || rates[0.25] != kept || kept == 0 || len(rates) != 2 {
		t.Fatalf("rates of the rows: %v", rates)
	}
	var out struct{ Report reports.Report }
	work.report(&out)
	a := out.Report.Arms[0]
	if a.Mean.Value == nil || !a.Weighted || math.Abs(*a.Mean.Value-sum/weight) > 1e-9 || math.Abs(sum/weight-plain/float64(len(rows))) < 0.1 {
		t.Errorf("mean %+v, weighted %v; want %v, and not the plain %v", a.Mean, a.Weighted, sum/weight, plain/float64(len(rows)))
	}
	if !out.Report.Books.Balanced {
		t.Errorf("books %+v", out.Report.Books)
	}
}
