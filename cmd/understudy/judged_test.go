package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric/standard"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
	"github.com/understudy-eval/understudy/shadow/bus/embedded"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/sinks"
	"github.com/understudy-eval/understudy/stats"
)

const judgedConfiguration = `
experiment: {name: %[1]s}
models:
  a: {provider: openai, base_url: %[2]s/v1, model: judge-a-2026-03-01, digest: "sha256:0123456789abcdef"}
  b: {provider: openai, base_url: %[2]s/v1, model: judge-b-2026-03-01, digest: "sha256:fedcba9876543210"}
  m: {provider: openai, base_url: %[2]s/v1, model: m}
tap: {upstream: "http://127.0.0.1:9", rate: 100%%}
bus: {url: %[3]s}
candidates: {%[4]s}
judge: {primary: a, reserve: b, repeat: 100%%, agreement: 100%%, injection: none, hedge_after: 100s, budget: 110s, concurrency: 8}
sinks: {dir: rows, flush: {every: 200ms}}
`

// The recorded verdicts of a real judge go through the judge's worker: a fake returns the
// first score as the verdict that counts, the second as its repeat, and the third as the
// other judge's. What rows and report say is what R says of the scores.
func TestRecordedVerdicts(t *testing.T) {
	t.Parallel()
	answers := judgedAnswers(t)
	equal := 0
	for _, a := range answers {
		equal += int(one(a.Scores[0] == a.Scores[1] && a.Scores[1] == a.Scores[2]))
	}
	if equal != 340 {
		t.Errorf("all three tries are equal for %d answers, the README says 340", equal)
	}
	for bench, live := range map[string]string{"mt_bench": "chatgpt", "vicuna": "chat_gpt"} {
		t.Run(bench, func(t *testing.T) {
			want, scores := readRetest(t, bench)
			play := recordedJudge{scores: map[string][]float64{}}
			trials := play.trials(t, bench, live, answers, scores)
			s := judgeAll(t, bench, &play, trials)
			rows := furtherRows(t, s)
			checkRecordedRows(t, rows, want)
			checkRecordedReport(t, s, want)
		})
	}
}

// recordedJudge answers as a judge whose verdicts are known.
type recordedJudge struct {
	scores map[string][]float64 // by the answer's text
	mu     sync.Mutex
	asked  map[string]int // calls of the first judge
}

// trials puts a bench into samples, with one model for the live one.
func (r *recordedJudge) trials(t *testing.T, bench, live string, answers []judged, scores map[string][]float64) []shadow.Trial {
	byPrompt := map[string]*shadow.Trial{}
	var order []string
	for _, a := range answers {
		if a.Bench != bench {
			continue
		}
		if !slices.Equal(a.Scores, scores[a.Idx+" "+a.Model]) {
			t.Fatalf("prompt %s, %s: scores %v here and %v there", a.Idx, a.Model, a.Scores, scores[a.Idx+" "+a.Model])
		}
		tr := byPrompt[a.Idx]
		if tr == nil {
			tr = &shadow.Trial{Sample: shadow.Sample{
				ID: shadow.SampleID{byte(len(order) + 1)}, Experiment: bench, Tap: "t", Seq: uint64(len(order) + 1), Seen: time.Date(2026, 10, 5, 8, len(order)%60, 0, 0, time.UTC),
				Session: "s" + a.Idx, Route: "/v1/chat/completions", Rate: 1, Dialect: llm.OpenAIChat,
			}}
			byPrompt[a.Idx] = tr
			order = append(order, a.Idx)
		}
		for r.scores[a.Answer] != nil {
			a.Answer += " " // two models said the same
		}
		r.scores[a.Answer] = a.Scores
		answer := shadow.Answer{Arm: shadow.Arm(a.Model), Share: 1, Text: a.Answer, Finish: llm.FinishStop, Started: tr.Sample.Seen, Took: time.Second, Attempts: 1, Status: 200}
		if a.Model != live {
			tr.Candidates = append(tr.Candidates, answer)
			continue
		}
		answer.Arm = shadow.Live
		tr.Sample.Live = answer
		var err error
		if tr.Sample.Request, err = json.Marshal(map[string]any{"messages": []map[string]string{{"role": "user", "content": a.Instruction}}}); err != nil {
			t.Fatal(err)
		}
	}
	var all []shadow.Trial
	for _, idx := range order {
		all = append(all, *byPrompt[idx])
	}
	return all
}

// script gives the next recorded verdict on the answer of a prompt: grade 1 is score 5.
func (r *recordedJudge) script(c llmfake.Call) llmfake.Answer {
	_, rest, _ := strings.Cut(c.LastUser(), "BEGIN ANSWER ")
	code, rest, _ := strings.Cut(rest, "\n")
	answer, _, _ := strings.Cut(rest, "\nEND ANSWER "+code)
	scores := r.scores[answer]
	if scores == nil {
		return llmfake.Text("I do not know this answer.")
	}
	run := 2
	if strings.HasPrefix(c.Model, "judge-a") {
		r.mu.Lock()
		if r.asked == nil {
			r.asked = map[string]int{}
		}
		run = min(r.asked[answer], 1)
		r.asked[answer]++
		r.mu.Unlock()
	}
	grade := 6 - int(scores[run])
	problem := "none"
	if grade > 2 {
		problem = string(standard.Rubric().Problems()[1])
	}
	return llmfake.Verdict(grade, problem, "as recorded")
}

// judgeAll has a worker judge trials and write the rows.
func judgeAll(t *testing.T, bench string, play *recordedJudge, trials []shadow.Trial) *stage {
	server, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Sync: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Shutdown() })
	url, _ := fake(t, play.script)
	var arms []string
	for _, a := range trials[0].Candidates {
		arms = append(arms, string(a.Arm)+": {model: m}")
	}
	s := start(t, t.TempDir(), fmt.Sprintf(judgedConfiguration, bench, url, server.URL(), strings.Join(arms, ", ")), "--roles", "judge,sinks")
	b, err := bus.Connect(t.Context(), bus.Options{URL: server.URL(), Experiment: bench})
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range trials {
		if err := b.PublishTrial(t.Context(), tr); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	s.awaitRows(4 * len(trials))
	s.stop()
	return s
}

// furtherRows are all rows, those of further verdicts too.
func furtherRows(t *testing.T, s *stage) []sinks.Row {
	var all []sinks.Row
	for row, err := range sinks.Scan(os.DirFS(filepath.Join(s.dir, "rows"))) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	if len(all) != 3*320 {
		t.Fatalf("%d rows, want three verdicts on 320 answers", len(all))
	}
	return all
}

// checkRecordedRows compares the models by the mean of the three verdicts.
func checkRecordedRows(t *testing.T, rows []sinks.Row, want published) {
	sum := map[string]map[string]float64{} // by arm and session
	series := map[string]bool{}
	for _, r := range rows {
		if r.Grade == nil {
			t.Fatalf("%s %s, repeat %d: %s %s", r.Session, r.Arm, r.Repeat, r.JudgeState, r.JudgeReason)
		}
		arm := string(r.Arm)
		if sum[arm] == nil {
			sum[arm] = map[string]float64{}
		}
		sum[arm][r.Session] += float64(*r.Grade) / 3
		series[r.Series] = true
	}
	if len(series) != 1 || series[""] {
		t.Errorf("series %v, want one with a name", series)
	}
	for _, p := range want.Paired {
		var live, cand []float64
		var session []string
		for s, grade := range sum["live"] {
			live, cand, session = append(live, grade), append(cand, sum[p.To][s]), append(session, s)
		}
		d, err := stats.ClusteredDelta(live, cand, session)
		if err != nil || len(live) != p.N || math.Abs(d.Value+p.DeltaThree) > 1e-9 || math.Abs(d.SE-p.SEThreeRuns) > 1e-9 {
			t.Errorf("%s - %s over three verdicts: %+v, %v, want %v ± %v (in scores, 5 best)", p.To, p.From, d, err, p.DeltaThree, p.SEThreeRuns)
		}
	}
}

// checkRecordedReport compares agreement, kappa and the deltas of the first verdicts.
func checkRecordedReport(t *testing.T, s *stage, want published) {
	var r struct {
		Report struct {
			Judge       reports.JudgeHealth
			Comparisons []reports.Comparison
		}
	}
	s.report(&r)
	again, other := r.Report.Judge.Repeats, r.Report.Judge.Agreement
	if again == nil || other == nil || again.Answers != 320 || other.Answers != 320 {
		t.Fatalf("repeats %+v, agreement %+v", again, other)
	}
	near := func(what string, got *float64, want float64) {
		t.Helper()
		if got == nil {
			t.Errorf("%s: undefined, want %v", what, want)
		} else if math.Abs(*got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", what, *got, want)
		}
	}
	near("same judge again, exact", again.Exact.Share, want.Pairs[0].Agreement)
	near("same judge again, kappa", again.Kappa, want.Pairs[0].QWK)
	near("other judge, exact", other.Exact.Share, want.Pairs[1].Agreement)
	near("other judge, kappa", other.Kappa, want.Pairs[1].QWK)
	for _, p := range want.Paired {
		i := slices.IndexFunc(r.Report.Comparisons, func(c reports.Comparison) bool { return string(c.Arm) == p.To })
		if i < 0 {
			t.Errorf("no comparison of %s", p.To)
			continue
		}
		d := r.Report.Comparisons[i].Quality.Delta
		delta := -p.DeltaRun1 // grades have 1 for the best
		near(p.To+", delta", d.Value, delta)
		near(p.To+", SE", d.SE, p.SERun1)
	}
}
