package judge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func caseFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func caseJSON(t testing.TB, name string, into any) {
	t.Helper()
	if err := json.Unmarshal(caseFile(t, name), into); err != nil {
		t.Fatal(err)
	}
}

const pinnedA, pinnedB = "judge-mini-2026-03-01", "judge-other-2026-01-15"

// support is the rubric that the case files are written for.
func support(t testing.TB) *rubric.Rubric {
	t.Helper()
	var c struct{ Problems []string }
	caseJSON(t, "rubric.json", &c)
	var b strings.Builder
	b.WriteString("name: support-answers-v1\ngrades:\n")
	for g := 1; g <= 6; g++ {
		fmt.Fprintf(&b, "  %d: anchor %d\n", g, g)
	}
	b.WriteString("problems:\n")
	for _, id := range c.Problems {
		fmt.Fprintf(&b, "  - {id: %s, use: when %s}\n", id, id)
	}
	prompt := "{{.Code}}{{range .Grades}}\n{{.Grade}} {{.Anchor}}{{end}}{{range .Problems}}\n{{.ID}} {{.Use}}{{end}}\n{{.Conversation}}\n{{.Answer}}\n"
	r, err := rubric.Load(fstest.MapFS{rubric.RulesFile: {Data: []byte(b.String())}, rubric.PromptFile: {Data: []byte(prompt)}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// call is a call that a fake judge got.
type call struct {
	start     time.Time
	prompt    llm.Prompt
	cancelled bool
}

// fake is a judge that plays a script: one entry for each call, the last for ever.
type fake struct {
	name, snapshot string
	script         []play

	mu    sync.Mutex
	calls []call
}

// play is what a fake does with one call.
type play struct {
	after   time.Duration
	reply   llm.Reply
	failure *llm.Failure
	hang    bool
}

func (f *fake) complete(ctx context.Context, req llm.Request) (llm.Reply, error) {
	f.mu.Lock()
	p := f.script[min(len(f.calls), len(f.script)-1)]
	at := len(f.calls)
	f.calls = append(f.calls, call{start: time.Now(), prompt: *req.Prompt})
	f.mu.Unlock()
	wait := time.NewTimer(p.after)
	defer wait.Stop()
	if p.hang {
		wait.Stop()
	}
	select {
	case <-ctx.Done():
		f.mu.Lock()
		f.calls[at].cancelled = true
		f.mu.Unlock()
		return llm.Reply{}, llm.FailureFromError(ctx, ctx.Err())
	case <-wait.C:
	}
	if p.failure != nil {
		return p.reply, p.failure
	}
	if p.reply.Model == "" {
		p.reply.Model = llm.Snapshot(f.snapshot)
	}
	return p.reply, nil
}

func (f *fake) seat() judge.Seat {
	return judge.Seat{Model: llm.Model{Name: f.name, Snapshot: llm.Snapshot(f.snapshot), Complete: f.complete}}
}

func judgeA(script ...play) *fake { return &fake{name: "judge-a", snapshot: pinnedA, script: script} }
func judgeB(script ...play) *fake { return &fake{name: "judge-b", snapshot: pinnedB, script: script} }

func verdict(grade int, problem string) string {
	return fmt.Sprintf(`{"reason": "because", "grade": %d, "problem": %q}`, grade, problem)
}

func says(after time.Duration, text string) play {
	return play{after: after, reply: llm.Reply{Text: text, Finish: llm.FinishStop}}
}

func fails(class llm.Class, reason llm.Reason) play {
	return play{failure: &llm.Failure{Class: class, Reason: reason, Err: errors.New("scripted")}}
}

var (
	hang = play{hang: true}
	down = fails(llm.Unavailable, llm.Status5xx)
)

// replied decodes a whole response body as a provider does.
func replied(t testing.TB, status int, body []byte) play {
	t.Helper()
	if f := llm.FailureFromStatus(llm.OpenAIChat, status, http.Header{}, body, time.Now()); f != nil {
		return play{failure: f}
	}
	reply, err := llm.DecodeReply(llm.OpenAIChat, body)
	var f *llm.Failure
	if err != nil && !errors.As(err, &f) {
		t.Fatal(err)
	}
	return play{reply: reply, failure: f}
}

// trial makes a trial with one user turn; the first text is the live answer.
func trial(id byte, texts ...string) shadow.Trial {
	t := shadow.Trial{Sample: shadow.Sample{
		ID: shadow.SampleID{id, 1}, Experiment: "e", Seen: time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC), Session: "s",
		Rate: 1, Draw: 0.5, Dialect: llm.OpenAIChat,
		Request: []byte(`{"model":"live-1","messages":[{"role":"user","content":"How do I cancel?"}]}`),
		Live:    shadow.Answer{Arm: shadow.Live, Share: 1, Text: texts[0], Snapshot: "live-model-x", Took: 1234567 * time.Microsecond},
	}}
	for i, text := range texts[1:] {
		t.Candidates = append(t.Candidates, shadow.Answer{Arm: shadow.Arm(fmt.Sprintf("cand-%c", 'a'+i)), Share: 1, Text: text, Snapshot: "cand-model-y"})
	}
	return t
}

// bench makes a judge; b may be nil.
func bench(t testing.TB, a, b *fake, change func(*judge.Options)) *judge.Judge {
	t.Helper()
	o := judge.Options{Primary: a.seat(), Rubric: support(t), Digest: "experiment"}
	if b != nil {
		o.Reserve = b.seat()
	}
	if change != nil {
		change(&o)
	}
	j, err := judge.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func grade(t testing.TB, j *judge.Judge, tr shadow.Trial) judge.Graded {
	t.Helper()
	g, err := j.Grade(context.Background(), tr)
	if err != nil {
		t.Fatal(err)
	}
	data, err := judge.EncodeGraded(g)
	if err != nil {
		t.Fatalf("what Grade returned cannot be stored: %v", err)
	}
	if _, err := judge.DecodeGraded(data); err != nil {
		t.Fatalf("what Grade returned cannot be read back: %v", err)
	}
	return g
}

// short writes a ruling for comparison: "live: graded 2 tone by judge-a".
func short(r judge.Ruling) string {
	what := string(r.Reason)
	if r.Verdict != nil {
		what = fmt.Sprintf("%d %s", r.Verdict.Grade, r.Verdict.Problem)
	}
	return strings.TrimSpace(fmt.Sprintf("%s: %s %s by %s", r.Arm, r.State, what, r.Judge))
}

func shorts(list []judge.Ruling) []string {
	var out []string
	for _, r := range list {
		out = append(out, short(r))
	}
	return out
}
