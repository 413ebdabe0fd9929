package candidate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/candidate"
	"github.com/understudy-eval/understudy/shadow/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const body = `{"model":"m", "messages":[{"role":"user","content":"Hi <&>"}]}`

func sample() shadow.Sample {
	return shadow.Sample{
		ID: shadow.SampleID{1}, Seen: time.Now().UTC(), Session: "s", Rate: 0.01, Draw: 0.004,
		Dialect: llm.OpenAIChat, Request: []byte(body), Stream: true,
		Header: map[string][]string{"Anthropic-Beta": {"a", "b"}},
		Live:   shadow.Answer{Arm: shadow.Live, Share: 1, Text: "live", Took: 2 * time.Second},
	}
}

// says answers after a delay, or fails as a provider's client does once ctx ends.
func says(text string, after time.Duration) llm.Model {
	return llm.Model{Complete: func(ctx context.Context, req llm.Request) (llm.Reply, error) {
		start := time.Now()
		select {
		case <-time.After(after):
			return llm.Reply{Text: text, Took: time.Since(start), Attempts: 1, Status: 200}, nil
		case <-ctx.Done():
			return llm.Reply{Took: time.Since(start)}, &llm.Failure{Class: llm.Unavailable, Reason: llm.Reset, Err: ctx.Err()}
		}
	}}
}

func fails(reply llm.Reply, err error) llm.Model {
	return llm.Model{Complete: func(context.Context, llm.Request) (llm.Reply, error) { return reply, err }}
}

func asker(t *testing.T, log *slog.Logger, arms ...candidate.Arm) *candidate.Asker {
	t.Helper()
	a, err := candidate.New(arms, candidate.Options{Log: log})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAllAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := asker(t, nil,
			candidate.Arm{Name: "slow", Model: says("slow", 4*time.Second)},
			candidate.Arm{Name: "hangs", Model: says("", time.Hour), Timeout: 20 * time.Second},
			candidate.Arm{Name: "fast", Model: says("fast", time.Second)},
		)
		s := sample()
		time.Sleep(5 * time.Second) // 2 of them the live answer's own
		start := time.Now()
		trial, err := a.Try(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 20*time.Second {
			t.Errorf("took %s, want 20s: the longest, not the sum", took)
		}
		answer := shadow.Answer{Share: 1, Started: start.UTC().Round(0), Queued: 3 * time.Second, Attempts: 1}
		slow, hangs, fast := answer, answer, answer
		slow.Arm, slow.Text, slow.Took, slow.Status = "slow", "slow", 4*time.Second, 200
		hangs.Arm, hangs.Failure, hangs.Censored, hangs.Took = "hangs", llm.Timeout, true, 20*time.Second
		fast.Arm, fast.Text, fast.Took, fast.Status = "fast", "fast", time.Second, 200
		if diff := cmp.Diff(shadow.Trial{Sample: s, Candidates: []shadow.Answer{slow, hangs, fast}}, trial); diff != "" {
			t.Errorf("trial (-want +got):\n%s", diff)
		}
		if _, err := shadow.EncodeTrial(trial); err != nil {
			t.Error(err)
		}
	})
}

func TestCancelledIsNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := asker(t, nil, candidate.Arm{Name: "a", Model: says("a", 0)}, candidate.Arm{Name: "b", Model: says("b", time.Minute), Concurrency: 1})
		stopping := errors.New("stopping")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(3*time.Second, func() { cancel(stopping) })
		go a.Try(ctx, sample()) // one works, the other waits for a place
		trial, err := a.Try(ctx, sample())
		if !errors.Is(err, stopping) || len(trial.Candidates) != 0 {
			t.Errorf("trial %+v, error %v; want none and the cause", trial, err)
		}
		synctest.Wait()
	})
}

func TestShares(t *testing.T) {
	var asked atomic.Int64
	model := llm.Model{Complete: func(context.Context, llm.Request) (llm.Reply, error) {
		asked.Add(1)
		return llm.Reply{Text: "x"}, nil
	}}
	a := asker(t, nil,
		candidate.Arm{Name: "some", Model: model, Share: 0.3},
		candidate.Arm{Name: "half", Model: model, Share: 0.5},
		candidate.Arm{Name: "all", Model: model, Control: true})
	for _, tt := range []struct {
		draw float64
		want []shadow.NotAsked
	}{
		{0.0029, []shadow.NotAsked{"", "", ""}},
		{0.004, []shadow.NotAsked{"share", "", ""}},
		{0.005, []shadow.NotAsked{"share", "share", ""}},
		{0.0099, []shadow.NotAsked{"share", "share", ""}},
	} {
		s := sample()
		s.Draw = tt.draw
		trial, err := a.Try(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		var got []shadow.NotAsked
		for _, answer := range trial.Candidates {
			got = append(got, answer.NotAsked)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("draw %v (-want +got):\n%s", tt.draw, diff)
		}
	}
	if asked.Load() != 7 {
		t.Errorf("asked %d times, want 7", asked.Load())
	}
}

func TestUnsupported(t *testing.T) {
	a := asker(t, nil, candidate.Arm{Name: "a", Model: fails(llm.Reply{}, errors.New("must not be asked"))})
	s := sample()
	s.Request = []byte(`{"model":"m","n":2,"messages":[{"role":"user","content":"Hi"}]}`)
	trial, err := a.Try(t.Context(), s)
	if err != nil || trial.Candidates[0].NotAsked != shadow.NotAskedUnsupported || trial.Candidates[0].Failure != "" {
		t.Errorf("%+v, %v", trial.Candidates, err)
	}
}

// An arm is asked only what it can be asked as the client asked it; the others are.
func TestDialectsOfAModel(t *testing.T) {
	answers := func(context.Context, llm.Request) (llm.Reply, error) { return llm.Reply{Text: "x"}, nil }
	a := asker(t, nil,
		candidate.Arm{Name: "chat", Model: llm.Model{Dialects: []llm.Dialect{llm.OpenAIChat}, Complete: answers}},
		candidate.Arm{Name: "none", Model: llm.Model{Dialects: []llm.Dialect{}, Complete: answers}},
		candidate.Arm{Name: "any", Model: llm.Model{Complete: answers}})
	for dialect, want := range map[llm.Dialect][]shadow.NotAsked{
		llm.OpenAIChat:        {"", shadow.NotAskedUnsupported, ""},
		llm.AnthropicMessages: {shadow.NotAskedUnsupported, shadow.NotAskedUnsupported, ""},
	} {
		s := sample()
		s.Dialect = dialect
		s.Request = []byte(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}`)
		trial, err := a.Try(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		var got []shadow.NotAsked
		for _, answer := range trial.Candidates {
			got = append(got, answer.NotAsked)
			if answer.Failure != "" || (answer.NotAsked == "") != (answer.Text == "x") {
				t.Errorf("%s: %+v", dialect, answer)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", dialect, diff)
		}
	}
}

// A model that cannot be put the question is not asked; the others are. What a
// translation lost is in the answer.
func TestNotToBePut(t *testing.T) {
	refuses := func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{}, fmt.Errorf("ask: %w: an image by its address", llm.ErrUnsupported)
	}
	answers := func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{Text: "x", Lost: []llm.Loss{llm.LostSeed}, Notes: []string{"seed 1 left out"}}, nil
	}
	a := asker(t, nil, candidate.Arm{Name: "no", Model: llm.Model{Complete: refuses}}, candidate.Arm{Name: "yes", Model: llm.Model{Complete: answers}})
	trial, err := a.Try(t.Context(), sample())
	if err != nil {
		t.Fatal(err)
	}
	want := shadow.Answer{Arm: "no", Share: 1, NotAsked: shadow.NotAskedUnsupported, Notes: []string{"ask: the request cannot be put to this model: an image by its address"}}
	if diff := cmp.Diff(want, trial.Candidates[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := trial.Candidates[1]; !got.Answered() || len(got.Lost) != 1 || len(got.Notes) != 1 {
		t.Errorf("%+v", got)
	}
	if _, err := shadow.EncodeTrial(trial); err != nil {
		t.Error(err)
	}
}

func TestFailures(t *testing.T) {
	failure := func(r llm.Reason, status int) error {
		return &llm.Failure{Class: llm.Unavailable, Reason: r, Status: status}
	}
	tests := []struct {
		name, why string
		model     llm.Model
		want      llm.Reason
		status    int
		censored  bool
		logged    bool
	}{
		{name: "429", why: "one attempt: a failed answer", model: fails(llm.Reply{}, failure(llm.RateLimited, 429)), want: llm.RateLimited, status: 429},
		{name: "wrapped", why: "found by type", model: fails(llm.Reply{}, fmt.Errorf("x: %w", failure(llm.Connect, 0))), want: llm.Connect},
		{name: "idle limit", why: "a limit within the call is a lower bound too", model: fails(llm.Reply{}, failure(llm.Timeout, 200)), want: llm.Timeout, status: 200, censored: true},
		{name: "unlisted reason", why: "the books know closed lists only", model: fails(llm.Reply{}, failure("odd", 0)), want: llm.MalformedReason},
		{name: "no reason", why: "failed all the same", model: fails(llm.Reply{}, failure("", 0)), want: llm.MalformedReason},
		{name: "plain error", why: "a bug of the model", model: fails(llm.Reply{}, errors.New("x")), want: llm.MalformedReason, logged: true},
		{name: "panic", why: "must not end the process", model: llm.Model{Complete: func(context.Context, llm.Request) (llm.Reply, error) { panic("secret text") }}, want: llm.MalformedReason, logged: true},
		{name: "nothing", why: "neither text nor tool call", model: fails(llm.Reply{Text: " \n", Status: 200}, nil), want: llm.Empty, status: 200},
		{name: "reasoning only", why: "token limit spent before any text", model: fails(llm.Reply{Finish: llm.FinishLength}, nil), want: llm.Truncated},
		{name: "withheld", why: "by the provider's filter", model: fails(llm.Reply{Finish: llm.FinishFiltered}, nil), want: llm.Filtered},
		{name: "tool call", why: "is an answer", model: fails(llm.Reply{ToolCalls: []llm.ToolCall{{Name: "f", Arguments: "{}"}}}, nil)},
		{name: "refusal", why: "is an answer", model: fails(llm.Reply{Refusal: "no"}, nil)},
		{name: "odd times", why: "a model's clock is not trusted", model: fails(llm.Reply{Text: "x", Took: -1, FirstToken: time.Hour, Attempts: -3}, nil)},
		{name: "late with a status", why: "the provider said it itself", model: llm.Model{Complete: func(ctx context.Context, _ llm.Request) (llm.Reply, error) {
			<-ctx.Done()
			return llm.Reply{}, failure(llm.Status5xx, 503)
		}}, want: llm.Status5xx, status: 503},
		{name: "late plain error", why: "the time limit, not a bug", model: llm.Model{Complete: func(ctx context.Context, _ llm.Request) (llm.Reply, error) {
			<-ctx.Done()
			return llm.Reply{}, ctx.Err()
		}}, want: llm.Timeout, censored: true},
		{name: "late but whole", why: "slow, not lost", model: llm.Model{Complete: func(ctx context.Context, _ llm.Request) (llm.Reply, error) {
			<-ctx.Done()
			return llm.Reply{Text: "x"}, nil
		}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				a := asker(t, slog.New(slog.NewTextHandler(&log, nil)),
					candidate.Arm{Name: "bad", Model: tt.model}, candidate.Arm{Name: "good", Model: says("x", time.Second)})
				trial, err := a.Try(t.Context(), sample())
				if err != nil {
					t.Fatal(err)
				}
				got := trial.Candidates[0]
				if got.Failure != tt.want || got.Status != tt.status || got.Censored != tt.censored {
					t.Errorf("failure %q, status %d, censored %v; want %q, %d, %v: %s",
						got.Failure, got.Status, got.Censored, tt.want, tt.status, tt.censored, tt.why)
				}
				if got.Took < 0 || got.FirstToken > got.Took || got.Attempts != 1 {
					t.Errorf("took %s, first token %s, attempts %d", got.Took, got.FirstToken, got.Attempts)
				}
				if trial.Candidates[1].Text != "x" {
					t.Errorf("the other arm: %+v", trial.Candidates[1])
				}
				if logged := log.Len() > 0; logged != tt.logged || strings.Contains(log.String(), "secret") {
					t.Errorf("log %q", log.String())
				}
				if _, err := shadow.EncodeTrial(trial); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Every arm gets the client's bytes, and what one does to them reaches no other.
func TestSameRequest(t *testing.T) {
	spoil := llm.Model{Complete: func(_ context.Context, req llm.Request) (llm.Reply, error) {
		got := llm.Request{Dialect: req.Dialect, Body: bytes.Clone(req.Body), Stream: req.Stream, Header: req.Header.Clone()}
		want := llm.Request{
			Dialect: llm.OpenAIChat, Body: []byte(body), Stream: true,
			Header: http.Header{"Anthropic-Beta": {"a", "b"}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("request (-want +got):\n%s", diff)
		}
		clear(req.Body)
		req.Header["Anthropic-Beta"][0] = "spoilt"
		req.Header.Set("Authorization", "spoilt")
		return llm.Reply{Text: "a\xffb"}, nil
	}}
	a := asker(t, nil, candidate.Arm{Name: "a", Model: spoil}, candidate.Arm{Name: "b", Model: spoil})
	s := sample()
	trial, err := a.Try(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample().Header, trial.Sample.Header); diff != "" || string(s.Request) != body {
		t.Errorf("the sample was changed: %q\n%s", s.Request, diff)
	}
	if got := trial.Candidates[0].Text; got != "a\uFFFDb" {
		t.Errorf("text %q", got)
	}
}

func TestWaitIsOurTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := func(ctx context.Context) error {
			select {
			case <-time.After(20 * time.Second):
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		a := asker(t, nil, candidate.Arm{Name: "a", Model: says("a", 10*time.Second), Timeout: 12 * time.Second, Wait: held})
		trial, err := a.Try(t.Context(), sample())
		if err != nil {
			t.Fatal(err)
		}
		if got := trial.Candidates[0]; got.Took != 10*time.Second || got.Queued != 20*time.Second-2*time.Second || got.Failure != "" {
			t.Errorf("took %s after %s, %s", got.Took, got.Queued, got.Failure)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := a.Try(ctx, sample()); err == nil {
			t.Error("a trial without its answer")
		}
	})
}

func TestConcurrencyIsOurTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := asker(t, nil, candidate.Arm{Name: "a", Model: says("a", 10*time.Second), Timeout: 12 * time.Second, Concurrency: 1})
		s := sample()
		time.Sleep(2 * time.Second)
		trials := make(chan shadow.Trial, 2)
		for range 2 {
			go func() {
				trial, _ := a.Try(t.Context(), s)
				trials <- trial
			}()
		}
		first, second := (<-trials).Candidates[0], (<-trials).Candidates[0]
		if first.Took != 10*time.Second || second.Took != 10*time.Second || first.Queued != 0 || second.Queued != 10*time.Second {
			t.Errorf("first %s after %s, second %s after %s", first.Took, first.Queued, second.Took, second.Queued)
		}
	})
}

func TestNone(t *testing.T) {
	s := sample()
	s.Request = []byte("not json")
	s.Seen = s.Seen.Add(time.Hour)
	trial, err := asker(t, nil).Try(t.Context(), s)
	if err != nil || trial.Candidates == nil || len(trial.Candidates) != 0 {
		t.Errorf("%+v, %v", trial, err)
	}
}

func TestClockSteps(t *testing.T) {
	s := sample()
	s.Seen = s.Seen.Add(time.Hour) // the tap's clock is ahead
	trial, err := asker(t, nil, candidate.Arm{Name: "a", Model: fails(llm.Reply{Text: "x"}, nil)}).Try(t.Context(), s)
	if err != nil || trial.Candidates[0].Queued != 0 {
		t.Errorf("queued %s, %v; want 0", trial.Candidates[0].Queued, err)
	}
}

func TestNewRefuses(t *testing.T) {
	good := fails(llm.Reply{}, nil)
	for _, tt := range []struct {
		name string
		arms []candidate.Arm
	}{
		{"no name", []candidate.Arm{{Model: good}}},
		{"live", []candidate.Arm{{Name: "live", Model: good}}},
		{"twice", []candidate.Arm{{Name: "a", Model: good}, {Name: "a", Model: good}}},
		{"no model", []candidate.Arm{{Name: "a"}}},
		{"share over 1", []candidate.Arm{{Name: "a", Model: good, Share: 1.5}}},
		{"share below 0", []candidate.Arm{{Name: "a", Model: good, Share: -0.1}}},
		{"share NaN", []candidate.Arm{{Name: "a", Model: good, Share: math.NaN()}}},
		{"negative limit", []candidate.Arm{{Name: "a", Model: good, Timeout: -1}}},
		{"negative concurrency", []candidate.Arm{{Name: "a", Model: good, Concurrency: -1}}},
	} {
		if _, err := candidate.New(tt.arms, candidate.Options{}); err == nil {
			t.Errorf("%s: accepted", tt.name)
		}
	}
}

func ExampleAsker_Try() {
	greet := llm.Model{Complete: func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{Text: "Guten Tag."}, nil
	}}
	busy := llm.Model{Complete: func(context.Context, llm.Request) (llm.Reply, error) {
		return llm.Reply{}, &llm.Failure{Class: llm.Unavailable, Reason: llm.RateLimited, Status: 429}
	}}
	asker, err := candidate.New([]candidate.Arm{{Name: "small", Model: greet}, {Name: "large", Model: busy}}, candidate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	trial, err := asker.Try(context.Background(), shadow.Sample{
		Rate: 1, Dialect: llm.OpenAIChat,
		Request: []byte(`{"model":"m","messages":[{"role":"user","content":"Hallo"}]}`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range trial.Candidates {
		fmt.Printf("%s: %q, failed: %q\n", a.Arm, a.Text, a.Failure)
	}
	// Output:
	// small: "Guten Tag.", failed: ""
	// large: "", failed: "rate_limited"
}

func TestSharesChange(t *testing.T) {
	model := fails(llm.Reply{Text: "x"}, nil)
	asker := asker(t, nil, candidate.Arm{Name: "a", Model: model}, candidate.Arm{Name: "b", Model: model})
	for _, bad := range []map[shadow.Arm]float64{{"a": 0.1, "c": 0.5}, {"a": 0}, {"a": 1.5}, {"a": math.NaN()}} {
		if asker.SetShares(bad) == nil {
			t.Errorf("%v is taken", bad)
		}
	}
	if err := asker.SetShares(map[shadow.Arm]float64{"a": 0.25}); err != nil {
		t.Fatal(err)
	}
	s := sample()
	s.Rate, s.Draw = 0.5, 0.2
	trial, err := asker.Try(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	a, b := trial.Candidates[0], trial.Candidates[1]
	if a.NotAsked != shadow.NotAskedShare || a.Share != 0.25 || !b.Answered() || b.Share != 1 {
		t.Errorf("a %+v, b %+v", a, b)
	}
}
