package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/sinks"
)

const oddConfiguration = `
experiment: {name: odd}
models:
  cand: {provider: openai, base_url: %[2]s/v1, model: cand-2026-02-14, key: file:cand.key}
  judge: {provider: openai, base_url: %[3]s/v1, model: judge-mini-2026-03-01, digest: "sha256:0123456789abcdef", key: file:judge.key}
tap: {listen: 127.0.0.1:0, upstream: %[1]s, rate: 100%%, max_body: 64KiB}
bus: {dir: bus, sync: 10s}
candidates:
  cand: {model: cand, timeout: 20s}
judge: {repeat: none, agreement: none, injection: none, primary: judge}
sinks: {dir: rows, keep_text: 30d, flush: {every: 200ms}}
`

// packingUpstream answers as the request's X-Answer header says, and echoes what it
// was sent: its body, and where it refuses also the caller's key, as providers do.
func packingUpstream(t *testing.T) (string, func() [][]byte) {
	var bodies lines
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_ = json.NewEncoder(&bodies).Encode(body)
		answer := []byte(`{"model":"live-1","choices":[{"message":{"role":"assistant","content":"Gern."},"finish_reason":"stop"}]}`)
		w.Header().Set("Content-Type", "application/json")
		switch r.Header.Get("X-Answer") {
		case "gzip":
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			_, _ = z.Write(answer)
			_ = z.Close()
			w.Header().Set("Content-Encoding", "gzip")
			answer = packed.Bytes()
		case "unknown packing":
			w.Header().Set("Content-Encoding", "x-rot13")
		case "large":
			answer = bytes.Replace(answer, []byte("Gern."), bytes.Repeat([]byte("x"), 100<<10), 1)
		case "denied":
			w.WriteHeader(http.StatusUnauthorized)
			answer = fmt.Appendf(nil, `{"error":{"message":"Incorrect API key provided: %s","code":"invalid_api_key"}}`, r.Header.Get("Authorization"))
		case "cut":
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write(answer)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() (all [][]byte) {
		for line := range strings.Lines(bodies.String()) {
			var body []byte
			if err := json.Unmarshal([]byte(line), &body); err != nil {
				t.Fatal(err)
			}
			all = append(all, body)
		}
		return all
	}
}

// startLoud is start in this process with a log of everything.
func startLoud(t *testing.T, dir, configuration string) *stage {
	t.Helper()
	path := filepath.Join(dir, configFile)
	if err := os.WriteFile(path, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	su, err := newSetup(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	s := &stage{t: t, dir: dir, log: &lines{}, end: end, done: make(chan int, 1)}
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	go func() {
		if err := runRoles(ctx, su, allRoles(), log); err != nil {
			log.Error("ended", "error", err)
			s.done <- exitError
			return
		}
		s.done <- exitOK
	}()
	t.Cleanup(end)
	return s
}

// Bodies too large, other endpoints, packed answers, odd JSON and keys in every
// place: the user gets what the live service said, all of it is counted, and no key
// is found in any file, log or report.
func TestOddTrafficAndNoSecrets(t *testing.T) {
	live, sent := packingUpstream(t)
	cand, _ := fake(t, func(c llmfake.Call) llmfake.Answer {
		if c.LastUser() == "deny me" {
			return llmfake.Answer{Status: http.StatusUnauthorized, Raw: fmt.Appendf(nil, `{"error":{"message":"Incorrect API key provided: %s","code":"invalid_api_key"}}`, c.Header.Get("Authorization"))}
		}
		if strings.Contains(fmt.Sprint(c.Header), "CANARY-USER") || !strings.Contains(c.Header.Get("Authorization"), "CANARY-CAND") {
			t.Errorf("the candidate got headers %v", c.Header)
		}
		if bytes.Contains(c.Body, []byte("seed")) && !bytes.Contains(c.Body, []byte(`"seed":123456789012345678901234567890`)) {
			t.Errorf("a large number reached the candidate as %s", c.Body)
		}
		return candScript(c)
	})
	judges, _ := fake(t, func(c llmfake.Call) llmfake.Answer {
		if strings.Contains(c.LastUser(), "deny the judge") {
			return llmfake.Answer{Status: http.StatusUnauthorized, Raw: fmt.Appendf(nil, `{"error":{"message":"Incorrect API key provided: %s","code":"invalid_api_key"}}`, c.Header.Get("Authorization"))}
		}
		return judgeScript(c)
	})
	dir := t.TempDir()
	for name, key := range map[string]string{"cand.key": "CANARY-CAND-1", "judge.key": "CANARY-JUDGE-1"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(key), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := startLoud(t, dir, fmt.Sprintf(oddConfiguration, live, cand, judges))
	base := s.tapURL()
	chat := func(content string) string {
		return fmt.Sprintf(`{"model":"live-1","messages":[{"role":"user","content":%q}]}`, content)
	}
	var odd []string
	data, err := os.ReadFile("testdata/id-surrogate-request.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &odd); err != nil {
		t.Fatal(err)
	}
	type request struct{ path, answer, body string }
	requests := []request{
		{"/chat/completions", "", chat("plain")},
		{"/chat/completions?api_key=CANARY-USER-QUERY", "", chat("key in the query")},
		{"/chat/completions", "", chat(strings.Repeat("y", 100<<10))},
		{"/chat/completions", "large", chat("large answer")},
		{"/chat/completions", "gzip", chat("packed")},
		{"/chat/completions", "unknown packing", chat("packed by a stranger")},
		{"/chat/completions", "denied", chat("denied")},
		{"/chat/completions?api_key=CANARY-USER-QUERY", "cut", chat("cut before the first byte")},
		{"/chat/completions", "", chat("deny me")},
		{"/chat/completions", "", chat("deny the judge")},
		{"/embeddings", "", `{"model":"e","input":"x"}`},
		{"/embeddings?api_key=CANARY-USER-QUERY", "", `{"model":"e","input":"x"}`},
		{"/chat/completions", "", ""},
		{"/chat/completions", "", "\x00\xff\xfe no JSON"},
		{"/chat/completions", "", `[]`},
		{"/chat/completions", "", strings.Repeat(`[`, 20000)},
	}
	for _, body := range odd {
		requests = append(requests, request{"/chat/completions", "", body})
	}
	for i, r := range requests {
		direct, through := askBoth(t, live+"/v1"+r.path, base+r.path, r.answer, r.body)
		if diff := cmp.Diff(direct, through); diff != "" {
			t.Errorf("request %d: with the tap the user gets something else (-without +with):\n%s", i, diff)
		}
	}
	seen := sent()
	for i := 0; i+1 < len(seen); i += 2 {
		if !bytes.Equal(seen[i], seen[i+1]) {
			t.Errorf("the live service got %.80q, without the tap %.80q", seen[i+1], seen[i])
		}
	}
	r := s.awaitBooks(len(requests))
	s.stop()
	b := r.Report.Books
	got := map[string]int{
		"rate": b.NotSampled.of("rate"), "unsupported_endpoint": b.NotSampled.of("unsupported_endpoint"),
		"too_large": b.NotSampled.of("too_large"), "encoding": b.NotSampled.of("encoding"),
		"malformed": b.Dropped.of("malformed"), "other drops": b.Dropped.sum() - b.Dropped.of("malformed"), "dead": b.Dead.sum(),
	}
	want := map[string]int{"rate": 0, "unsupported_endpoint": 2, "too_large": 2, "encoding": 1, "malformed": 6, "other drops": 0, "dead": 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("books (-want +got):\n%s", diff)
	}
	checkNoSecret(t, s)
}

// userAnswer is what a user can see.
type userAnswer struct {
	Status   int
	Encoding string
	Body     string
	Failed   bool
}

// askBoth sends the same request to the live service and to the tap before it.
func askBoth(t *testing.T, direct, through, answer, body string) (a, b userAnswer) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	one := func(url string) userAnswer {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{
			"Authorization": {"Bearer CANARY-USER-1"}, "X-Api-Key": {"CANARY-USER-2"}, "Cookie": {"s=CANARY-USER-3"},
			"Api-Key": {"CANARY-USER-4"}, "Proxy-Authorization": {"Basic CANARY-USER-5"}, "X-Answer": {answer},
		}
		resp, err := client.Do(req)
		if err != nil {
			return userAnswer{Failed: true}
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if resp.StatusCode == http.StatusBadGateway && answer == "cut" {
			return userAnswer{Failed: true} // what a proxy says for a service that hung up
		}
		return userAnswer{resp.StatusCode, resp.Header.Get("Content-Encoding"), string(text), err != nil}
	}
	return one(direct), one(through)
}

// checkNoSecret looks for a key in all that the process wrote or prints.
func checkNoSecret(t *testing.T, s *stage) {
	t.Helper()
	look := func(where, text string) {
		if i := strings.Index(text, "CANARY"); i >= 0 {
			t.Errorf("%s shows a key: …%.200q", where, text[max(0, i-100):])
		}
	}
	look("the log", s.log.String())
	files := 0
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) == ".key" {
			return err
		}
		data, err := os.ReadFile(path)
		files++
		look(path, path+string(data))
		return err
	})
	if err != nil || files < 5 {
		t.Errorf("%d files searched, %v", files, err)
	}
	for _, row := range s.rows() {
		look("a row", fmt.Sprintf("%+v", row))
	}
	for text, err := range sinks.ScanTexts(os.DirFS(filepath.Join(s.dir, "rows"))) {
		if err != nil {
			t.Fatal(err)
		}
		look("a text", fmt.Sprintf("%+v", text))
	}
	for _, format := range []string{"text", "markdown", "json"} {
		_, out, errs := s.command("report", "--format", format)
		look("the report", out+errs)
	}
}
