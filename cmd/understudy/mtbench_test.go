package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/sinks"
)

// sharedData finds a folder of real data that lies beside the project, upward from
// go.mod. Such data is read where it is and never becomes part of the project.
func sharedData(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			path := filepath.Join(dir, "..", "shared", "data", name)
			if _, err := os.Stat(path); err != nil {
				t.Skipf("no ../shared/data/%s beside the project: this test reads real data that is not part of it", name)
			}
			return path
		}
	}
	t.Fatal("no go.mod above the test")
	return ""
}

// mtQuestion is one of MT-bench's two-turn questions (Zheng et al. 2023).
type mtQuestion struct {
	ID    int      `json:"question_id"`
	Turns []string `json:"turns"`
}

func mtQuestions(t *testing.T) []mtQuestion {
	f, err := os.Open(filepath.Join(sharedData(t, "mt-bench"), "question.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []mtQuestion
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var q mtQuestion
		if err := json.Unmarshal(scanner.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		all = append(all, q)
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// gradeOf makes grades that differ and can be known in advance.
func gradeOf(text string) int {
	h := fnv.New32a()
	h.Write([]byte(text))
	return 1 + int(h.Sum32()%6)
}

const mtConfiguration = `
experiment: {name: mt-bench}
models:
  cand: {provider: openai, base_url: %[2]s/v1, model: cand-2026-02-14, key: file:cand.key}
  judge: {provider: openai, base_url: %[3]s/v1, model: judge-mini-2026-03-01, digest: "sha256:0123456789abcdef"}
tap: {listen: 127.0.0.1:0, upstream: %[1]s, rate: 100%%}
bus: {dir: bus, sync: 10s}
candidates:
  cand: {model: cand, timeout: 60s}
judge: {repeat: none, agreement: none, injection: none, primary: judge, concurrency: 8}
sinks: {dir: rows, flush: {every: 200ms}}
`

// The official client asks MT-bench's 80 two-turn questions through the tap, whole
// and streamed: 80 sessions become 160 samples, trials and pairs of rows.
func TestMTBenchThroughTheOfficialClient(t *testing.T) {
	t.Parallel()
	questions := mtQuestions(t)
	if len(questions) != 80 {
		t.Fatalf("%d questions, want MT-bench's 80", len(questions))
	}
	var mu sync.Mutex
	asked := map[string]int{} // calls to the candidate by last user turn
	live, _ := fake(t, func(c llmfake.Call) llmfake.Answer { return speak("live", c) })
	cand, _ := fake(t, func(c llmfake.Call) llmfake.Answer {
		mu.Lock()
		defer mu.Unlock()
		asked[c.LastUser()]++
		if got := c.Header.Get("Authorization"); got != "Bearer cand-key" {
			t.Errorf("the candidate was asked with the key %q", got)
		}
		return speak("cand", c)
	})
	judges, _ := fake(t, verdictOnAnswer)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cand.key"), []byte("cand-key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, dir, fmt.Sprintf(mtConfiguration, live, cand, judges))
	askAll(t, s.tapURL(), questions)
	rows := s.awaitRows(320)
	s.stop()

	checkMTRows(t, rows)
	for _, q := range questions {
		for _, turn := range q.Turns {
			if asked[turn] == 0 {
				t.Errorf("the candidate was never asked %.60q", turn)
			}
		}
	}
	var r struct {
		Report struct {
			Books struct {
				Balanced                 bool
				Seen, Sampled, Published int
			}
			Arms []struct {
				Name             string
				Samples, Graded  int
				Asked, NotGraded int
			}
		}
	}
	s.report(&r)
	if b := r.Report.Books; !b.Balanced || b.Seen != 160 || b.Sampled != 160 || b.Published != 160 {
		t.Errorf("books: %+v", b)
	}
	for _, a := range r.Report.Arms {
		if a.Samples != 160 || a.Graded != 160 {
			t.Errorf("arm %+v, want 160 samples and grades", a)
		}
	}
}

// speak answers a question of MT-bench: a text that tells arms and turns apart.
func speak(arm string, c llmfake.Call) llmfake.Answer {
	return llmfake.Answer{Text: fmt.Sprintf("%s on %q: an answer of turn %d.", arm, c.LastUser(), (len(c.Turns)+1)/2), Pieces: 5}
}

// verdictOnAnswer grades by the answer's own text, which is what stands last in quotes.
func verdictOnAnswer(c llmfake.Call) llmfake.Answer {
	prompt := c.LastUser()
	for _, arm := range []string{"live", "cand"} {
		if i := strings.LastIndex(prompt, arm+" on "); i >= 0 && strings.LastIndex(prompt, " on \"") == i+len(arm) {
			answer, _, _ := strings.Cut(prompt[i:], "\n")
			return llmfake.Verdict(gradeOf(answer), "none", "by the text")
		}
	}
	return llmfake.Text("I see no answer.")
}

// askAll plays every question as a session of two turns, every other one streamed.
func askAll(t *testing.T, base string, questions []mtQuestion) {
	client := openai.NewClient(option.WithBaseURL(base), option.WithAPIKey("user-key"), option.WithMaxRetries(0))
	var all sync.WaitGroup
	for i, q := range questions {
		all.Go(func() {
			session := option.WithHeader("X-Session-Id", fmt.Sprintf("mt-%d", q.ID))
			params := openai.ChatCompletionNewParams{Model: "live-2026-01-01"}
			for _, turn := range q.Turns {
				params.Messages = append(params.Messages, openai.UserMessage(turn))
				text, err := askOnce(t, client, params, i%2 == 1, session)
				if err != nil || !strings.HasPrefix(text, "live on ") {
					t.Errorf("question %d: answer %.40q, %v", q.ID, text, err)
					return
				}
				params.Messages = append(params.Messages, openai.AssistantMessage(text))
			}
		})
	}
	all.Wait()
}

func askOnce(t *testing.T, client openai.Client, params openai.ChatCompletionNewParams, stream bool, session option.RequestOption) (string, error) {
	if !stream {
		reply, err := client.Chat.Completions.New(t.Context(), params, session)
		if err != nil {
			return "", err
		}
		return reply.Choices[0].Message.Content, nil
	}
	events := client.Chat.Completions.NewStreaming(t.Context(), params, session)
	defer events.Close()
	acc := openai.ChatCompletionAccumulator{}
	for events.Next() {
		acc.AddChunk(events.Current())
	}
	if err := events.Err(); err != nil {
		return "", err
	}
	return acc.Choices[0].Message.Content, nil
}

func checkMTRows(t *testing.T, rows []sinks.Row) {
	samples, sessions := map[string]int{}, map[string]int{}
	streamed := 0
	for _, r := range rows {
		samples[r.Sample.String()]++
		sessions[r.Session]++
		if r.Stream {
			streamed++
			if r.FirstToken == nil || r.Took == nil || *r.FirstToken > *r.Took {
				t.Errorf("streamed row of arm %s without a first token inside its time", r.Arm)
			}
		} else if r.FirstToken != nil {
			t.Errorf("row of arm %s was not streamed and has a first token", r.Arm)
		}
		if r.State != sinks.Answered || r.JudgeState != judge.StateGraded || r.Grade == nil {
			t.Errorf("arm %s: state %s, judge %s %s", r.Arm, r.State, r.JudgeState, r.JudgeReason)
		}
	}
	want := map[string]int{"samples": 160, "sessions": 80, "streamed rows": 160}
	got := map[string]int{"samples": len(samples), "sessions": len(sessions), "streamed rows": streamed}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	for session, n := range sessions {
		if n != 4 {
			t.Errorf("session %s has %d rows, want two turns of two arms", session, n)
		}
	}
}
