package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/sinks"
)

const liveOnlyConfiguration = `
experiment: {name: live-only}
models:
  judge: {provider: openai, base_url: %[2]s/v1, model: judge-mini-2026-03-01, digest: "sha256:0123456789abcdef"}
tap: {listen: 127.0.0.1:0, upstream: %[1]s, rate: 100%%}
bus: {dir: bus, sync: 10s}
judge: {repeat: none, agreement: none, injection: none, primary: judge, share: 50%%}
sinks: {dir: rows, flush: {every: 200ms}}
`

// Without candidates the live answers are graded all the same, at the judge's share.
func TestLiveOnly(t *testing.T) {
	live, _ := fake(t, liveScript)
	judges, judge := fake(t, judgeScript)
	s := start(t, t.TempDir(), fmt.Sprintf(liveOnlyConfiguration, live, judges))
	base := s.tapURL()
	const n = 60
	for i := range n {
		post(t, base, fmt.Sprintf("hello %d", i))
	}
	rows := s.awaitRows(n)
	r := s.awaitBooks(n)
	s.stop()
	for _, row := range rows {
		if row.Arm != "live" || row.JudgeRate != 0.5 {
			t.Errorf("row of arm %s with judge rate %v", row.Arm, row.JudgeRate)
		}
	}
	if len(r.Report.Arms) != 1 {
		t.Fatalf("%d arms, want live alone", len(r.Report.Arms))
	}
	a := r.Report.Arms[0]
	// All or none of 60 at 50 % happens once in 10^18.
	if a.Name != "live" || a.Graded == 0 || a.NotDrawn == 0 || a.Graded+a.NotDrawn != n || a.Graded != judge.Calls() {
		t.Errorf("arm %+v with %d calls of the judge", a, judge.Calls())
	}
	for _, format := range []string{"text", "markdown", "json"} {
		status, out, errs := s.command("report", "--format", format)
		if status != exitOK || !strings.Contains(out, "live") {
			t.Errorf("report as %s: status %d, %q, %s", format, status, out, errs)
		}
	}
	if status, _, errs := s.command("gate"); status != exitUsage || !strings.Contains(errs, "no candidate") {
		t.Errorf("gate: status %d, %s", status, errs)
	}
}

// Users who leave, and a live service that cuts its answers, are samples too.
func TestCutAnswers(t *testing.T) {
	live, liveFake := fake(t, func(c llmfake.Call) llmfake.Answer {
		a := llmfake.Answer{Text: "word by word to the end", Pieces: 5}
		switch said := c.LastUser(); {
		case c.Header.Get("X-User") == "":
			return a // asked as the control arm
		case said == "leave":
			a.Pieces, a.First, a.Took = 20, 10*time.Millisecond, time.Minute
		case said == "reset", said == "reset whole":
			a.Then = llmfake.Reset
		case said == "reset before":
			a.Text, a.Then = "", llmfake.Reset
		case said == "close":
			a.Then = llmfake.Close
		}
		return a
	})
	cand, _ := fake(t, candScript)
	judges, _ := fake(t, judgeScript)
	s := start(t, t.TempDir(), fmt.Sprintf(pipelineConfiguration, live, cand, judges, "dir: bus, sync: 10s"))
	host := strings.TrimSuffix(s.tapURL(), "/v1")
	cases := []struct {
		said   string
		stream bool
		want   string
	}{
		{"leave", true, "failed client_abort"},
		{"reset", true, "failed reset"},
		{"reset whole", false, "failed reset"},
		{"reset before", true, "failed reset"},
		{"close", true, "failed reset"},
		{"well", true, "answered"},
	}
	want := map[string]string{}
	for _, c := range cases {
		route := "/" + strings.ReplaceAll(c.said, " ", "-") + "/v1/chat/completions"
		want[route] = c.want
		ctx, leave := context.WithCancel(t.Context())
		body := fmt.Sprintf(`{"model":"live-2026-01-01","stream":%v,"messages":[{"role":"user","content":%q}]}`, c.stream, c.said)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, host+route, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-User", "a person")
		if resp, err := http.DefaultClient.Do(req); err == nil {
			if c.said == "leave" {
				_, _ = io.ReadFull(resp.Body, make([]byte, 10))
				leave()
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		leave()
	}
	got := map[string]string{}
	for _, row := range s.awaitRows(4 * len(cases)) {
		if row.Arm == "live" {
			got[row.Route] = strings.TrimSpace(string(row.State) + " " + row.Reason)
			if row.Censored != (row.Reason == "client_abort") || row.Took == nil {
				t.Errorf("%s: censored %v, took %v", row.Route, row.Censored, row.Took)
			}
		} else if row.Arm == "cand" && row.State != sinks.Answered {
			t.Errorf("%s: the candidate %s %s", row.Route, row.State, row.Reason)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("live outcomes (-want +got):\n%s", diff)
	}
	r := s.awaitBooks(len(cases))
	if b := r.Report.Books; b.Published != len(cases) || b.Dropped.sum() != 0 {
		t.Errorf("books %+v", b)
	}
	s.eventually("nobody answers a user who left", func() bool { return liveFake.Open() == 0 })
	s.stop()
}
