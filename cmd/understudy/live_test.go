package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// moody plays providers of which each model's id says what is wrong with it.
func moody(c llmfake.Call) llmfake.Answer {
	answer := llmfake.Text("ok")
	if strings.Contains(string(c.Body), "grade") {
		answer = llmfake.Verdict(2, "none", "fine")
		if strings.Contains(c.Model, "seven") {
			answer = llmfake.Verdict(7, "none", "fine")
		}
	}
	body := string(c.Body)
	switch {
	case strings.Contains(c.Model, "noform") && (strings.Contains(body, "response_format") || strings.Contains(c.Model, "notool") && strings.Contains(body, "tools")):
		return llmfake.Error(400, "invalid_request_error")
	case strings.Contains(c.Model, "loose") && strings.Contains(body, "grade"):
		answer.Text = "Here it is:\n" + answer.Text
	case strings.Contains(c.Model, "noform") && strings.Contains(body, `"tools"`):
		answer = llmfake.Answer{ToolCalls: []llm.ToolCall{{ID: "c", Name: "verdict", Arguments: answer.Text}}}
	case strings.Contains(c.Model, "denied"):
		sent := c.Header.Get("Authorization") + c.Header.Get("X-Api-Key") + c.Header.Get("X-Goog-Api-Key")
		return llmfake.Answer{Status: 401, Raw: []byte(`{"error":{"message":"bad key ` + sent + `","code":"invalid_api_key"}}`)}
	case strings.Contains(c.Model, "chatonly") && c.Dialect == llm.OpenAIResponses, strings.Contains(c.Model, "notchat") && c.Dialect != llm.OpenAIResponses, strings.Contains(c.Model, "gone"):
		return llmfake.Error(404, "model_not_found")
	case strings.Contains(c.Model, "moved"):
		answer.Model = "moved-2025-01-01"
	case strings.Contains(c.Model, "alias"):
		answer.Model = "alias"
	}
	return answer
}

// checkLiveOf runs check --live on models, one a line, of which j is the judge.
func checkLiveOf(t *testing.T, models string) (status int, stdout, stderr string) {
	t.Helper()
	server := llmfake.New(moody, "qwen3:8b")
	url, err := server.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	t.Setenv("LIVE_TEST_KEY", "sk-CANARY-0123456789")
	text := strings.NewReplacer(
		"OPENAI", "provider: openai, key: env:LIVE_TEST_KEY, base_url: "+url+"/v1",
		"ANTHROPIC", "provider: anthropic, key: env:LIVE_TEST_KEY, base_url: "+url,
		"GOOGLE", "provider: google, key: env:LIVE_TEST_KEY, base_url: "+url,
		"OLLAMA", "provider: ollama, base_url: "+url,
	).Replace("models:\n" + models + "tap: {upstream: http://127.0.0.1:9}\njudge: {primary: j}\n")
	path := filepath.Join(t.TempDir(), configFile)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	status = run(t.Context(), []string{"check", "--live", "--config", path}, strings.NewReader(""), &out, &errs)
	if strings.Contains(out.String()+errs.String(), "CANARY") {
		t.Errorf("a key is shown:\n%s%s", out.String(), errs.String())
	}
	return status, out.String(), errs.String()
}

func TestCheckLive(t *testing.T) {
	full := llmfake.Digest("qwen3:8b")
	tests := []struct {
		name, why, models string
		status            int
		says, silent      []string
	}{
		{
			name: "all fit", why: "each dialect is asked in its own way",
			models: "  j: {ANTHROPIC, model: claude-sonnet-5}\n  g: {GOOGLE, model: gemini-4-flash}\n  o: {OPENAI, model: m}\n  l: {OLLAMA, model: qwen3:8b}\n",
			says: []string{
				"model j (claude-sonnet-5): answered as claude-sonnet-5", "model g (gemini-4-flash): answered as", "model o (m): answered as m",
				`to pin it:  digest: "sha256:` + full + `"`, "judge j: grade 2, problem none", "ok: every model answered",
				"warning: upstream 127.0.0.1:9 is not reached: connect",
			},
			silent: []string{"lists no digest"},
		},
		{
			name: "candidates", why: "each is asked in every dialect in which requests are passed on to it",
			models: "  j: {ANTHROPIC, model: claude-sonnet-5}\n  c: {OPENAI, model: m}\n  o: {OPENAI, model: chatonly}\n  l: {OLLAMA, model: qwen3:8b}\n  g: {GOOGLE, model: gemini-4-flash}\n" +
				"candidates: {c: {model: c}, o: {model: o}, l: {model: l}, g: {model: g}}\n",
			says: []string{
				"model c (m): answered as m", "  in openai-responses too, in ", "  warning: samples in openai-responses would fail there: denied (denied), status 404",
				"  in ollama-generate too, in ", "  in openai-chat too, in ", "model g (gemini-4-flash): answered as", "ok: every model answered",
			},
		},
		{
			name: "arms unfit", why: "each is named with what it did, and the others are asked all the same",
			models: "  d: {OPENAI, model: denied}\n  a: {ANTHROPIC, model: claude-denied-5}\n  g: {GOOGLE, model: gemini-gone}\n  m: {OPENAI, model: moved-2026-01-01}\n" +
				"  l: {OLLAMA, model: qwen3:8b, digest: \"00000000\"}\n  n: {OLLAMA, model: none}\n  j: {OPENAI, model: j-2026-01-01, digest: \"01234567\"}\n",
			status: exitError,
			says: []string{
				"model d (denied): denied (denied), status 401, code invalid_api_key", "model a (claude-denied-5): denied", "model g (gemini-gone): denied (denied), status 404",
				"model m (moved-2026-01-01): answered as moved-2025-01-01", "another version than the one that is configured",
				"model l: the server has qwen3:8b with digest " + full + ", configured is 00000000", "the server does not list none:latest",
				"judge j: grade 2", "not every model is fit",
			},
		},
		{
			name: "judge of another version", why: "its verdicts would not count", status: exitError,
			models: "  j: {OPENAI, model: moved-2026-01-01, digest: \"01234567\"}\n", says: []string{"judge j: no verdict by schema (snapshot_mismatch)"}, silent: []string{"write  judge"},
		},
		{
			name: "judge that echoes an alias", why: "nothing proves which version answered", status: exitError,
			models: "  j: {OPENAI, model: alias-2026-01-01, digest: \"01234567\"}\n", says: []string{"model j (alias-2026-01-01): answered as alias", "judge j: no verdict by schema (snapshot_unproven)"},
		},
		{
			name: "judge off the scale", why: "a verdict is never repaired", status: exitError,
			models: "  j: {OPENAI, model: seven-2026-01-01, digest: \"01234567\"}\n", says: []string{"judge j: no verdict by schema (out_of_scale)"}, silent: []string{"write  judge"},
		},
		{
			name: "judge by the Responses API", why: "it is asked there",
			models: "  j: {OPENAI, model: notchat-2026-01-01, digest: \"01234567\", api: responses}\n", says: []string{"model j (notchat-2026-01-01): answered as", "judge j: grade 2"},
		},
		{
			name: "judge without schemas", why: "a forced tool works, and is there for copying", status: exitError,
			models: "  j: {OPENAI, model: noform-2026-01-01, digest: \"01234567\"}\n",
			says:   []string{"judge j: no verdict by schema (malformed)", "  by tool it gives one: write  judge: {reply: {primary: tool}}"},
		},
		{
			name: "judge without schemas and tools", why: "the prompt's words work", status: exitError,
			models: "  j: {OPENAI, model: noform-notool-2026-01-01, digest: \"01234567\"}\n", says: []string{"  by prompt it gives one: write  judge: {reply: {primary: prompt}}"},
		},
		{
			name: "judge that ignores its schema", why: "its verdicts count, but nothing holds them to the list",
			models: "  j: {OPENAI, model: loose-2026-01-01, digest: \"01234567\"}\n", says: []string{"judge j: grade 2", "warning: asked by schema, it wrote the verdict into its text"},
		},
		{
			name: "judge with its digest", why: "the weights are compared",
			models: "  j: {OLLAMA, model: qwen3:8b, digest: " + full[:12] + "}\n", says: []string{"its digest is the configured one", "judge j: grade 2"},
		},
		{
			name: "judge with other weights", why: "the yardstick would be another one", status: exitError,
			models: "  j: {OLLAMA, model: qwen3:8b, digest: 12345678}\n", says: []string{"judge j: no verdict: model j: the server has"},
		},
		{
			name: "judge without a digest", why: "it is refused, and what would be right is there for copying", status: exitError,
			models: "  j: {OLLAMA, model: qwen3:8b}\n",
			says:   []string{"model j (qwen3:8b):\n  to pin it:  digest: \"sha256:" + full + `"`, "judge.primary: a judge has to be pinned", `"understudy check --live" prints for copying`},
		},
		{
			name: "judge on a server that lists none", why: "the user has to find it", status: exitError,
			models: "  j: {OPENAI, model: mine}\n", says: []string{"no digest was found to copy", "judge.primary: a judge has to be pinned"},
		},
		{
			name: "judge on a server that lists models only", why: "what the list says can be copied", status: exitError,
			models: "  j: {OPENAI, model: qwen3:8b}\n", says: []string{"  to pin it:  digest: \"sha256:", "judge.primary: a judge has to be pinned"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			status, out, errs := checkLiveOf(t, test.models)
			if status != test.status {
				t.Errorf("%s: status %d, want %d", test.why, status, test.status)
			}
			for _, want := range test.says {
				if !strings.Contains(out+errs, want) {
					t.Errorf("%s: no %q in:\n%s%s", test.why, want, out, errs)
				}
			}
			for _, unwanted := range test.silent {
				if strings.Contains(out+errs, unwanted) {
					t.Errorf("%s: %q in:\n%s%s", test.why, unwanted, out, errs)
				}
			}
		})
	}
}
