package llmfake_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// official asks a vendor's own client for a stream and gives what its accumulator
// made of it.
type official func(t *testing.T, c *http.Client) llm.Reply

// clients are the official clients; Ollama's is a web server in one module, so its
// lines are held against encoding/json instead, see TestOllamaAgainstJSON.
func clients() map[llm.Dialect]official {
	return map[llm.Dialect]official{
		llm.OpenAIChat: byOpenAI, llm.OpenAIResponses: byOpenAIResponses,
		llm.AnthropicMessages: byAnthropic, llm.GeminiGenerate: byGenAI,
	}
}

// written gives the streams of testdata/streams: a folder per dialect, a file per
// stream, whole answers that every client can read. They are written after the vendors'
// documentation, not recorded.
func written(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "streams", "*", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d streams, %v", len(files), err)
	}
	all := map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := strings.CutPrefix(strings.TrimSuffix(filepath.ToSlash(file), ".txt"), "testdata/streams/")
		all[name] = string(data)
	}
	return all
}

// TestAgainstOfficialClients compares what package llm makes of a stream with what
// the vendor's own client makes of the same bytes, however they are framed and split.
func TestAgainstOfficialClients(t *testing.T) {
	for name, stream := range written(t) {
		d := llm.Dialect(path.Dir(name))
		client := clients()[d]
		if client == nil {
			continue // Ollama
		}
		for framing, body := range map[string]string{
			"plain":    stream,
			"crlf":     strings.ReplaceAll(stream, "\n", "\r\n"),
			"comments": ": ping\n\n" + strings.ReplaceAll(stream, "\n\n", "\n\n: ping\n\n"),
		} {
			t.Run(name+" "+framing, func(t *testing.T) {
				theirs := body
				if d == llm.GeminiGenerate {
					theirs = stream // its client takes no comments
				}
				want := asked(t, client, llmfake.Answer{Raw: []byte(theirs), Pieces: 1})
				if bytewise := asked(t, client, llmfake.Answer{Raw: []byte(theirs), Pieces: len(theirs)}); !cmp.Equal(want, bytewise) {
					t.Errorf("the client is not steady: %s", cmp.Diff(want, bytewise))
				}
				for _, split := range []int{1, 2, 3, 5, 8, 13, 100, len(body)} {
					if diff := cmp.Diff(want, decoded(t, d, body, split)); diff != "" {
						t.Fatalf("in pieces of %d bytes (-client +ours)\n%s", split, diff)
					}
				}
			})
		}
	}
}

// decoded is what package llm makes of a stream in pieces.
func decoded(t *testing.T, d llm.Dialect, body string, split int) llm.Reply {
	t.Helper()
	s := llm.NewStream(d, 0)
	for piece := range slices.Chunk([]byte(body), split) {
		_, _ = s.Write(piece)
	}
	r, err := s.Reply()
	if err != nil {
		t.Errorf("in pieces of %d bytes: %v", split, err)
	}
	return plain(t, r)
}

// TestGeminiListAgainstClient says that a list and events of the same answers are the
// same; the official client asks for events only.
func TestGeminiListAgainstClient(t *testing.T) {
	for name, events := range written(t) {
		if path.Dir(name) != string(llm.GeminiGenerate) {
			continue
		}
		want := asked(t, byGenAI, llmfake.Answer{Raw: []byte(events), Pieces: 1})
		answers := strings.Split(strings.TrimSpace(strings.ReplaceAll(events, "data: ", "")), "\n\n")
		if diff := cmp.Diff(want, decoded(t, llm.GeminiGenerate, "["+strings.Join(answers, "\r\n,\r\n")+"]", 5)); diff != "" {
			t.Errorf("%s (-client +ours)\n%s", name, diff)
		}
	}
}

// TestFakeAgainstOfficialClients says that the fake speaks as its clients expect.
func TestFakeAgainstOfficialClients(t *testing.T) {
	for d, client := range clients() {
		t.Run(string(d), func(t *testing.T) {
			a := llmfake.Answer{Text: "Grüße, 世界 🎭", Pieces: 5, In: 9, Out: 5, ToolCalls: []llm.ToolCall{{ID: "t1", Name: "find_order", Arguments: `{"order":4711}`}}}
			want := llm.Reply{Text: a.Text, ToolCalls: a.ToolCalls, Finish: llm.FinishToolCalls, Model: "m", Usage: llm.Usage{In: num(9), Out: num(5), Cached: num(0), CacheWritten: num(0), Reasoning: num(0)}}
			if d == llm.GeminiGenerate {
				want.ToolCalls = []llm.ToolCall{{Name: "find_order", Arguments: `{"order":4711}`}}
			}
			if diff := cmp.Diff(want, asked(t, client, a)); diff != "" {
				t.Errorf("reply (-script +client)\n%s", diff)
			}
		})
	}
}

// TestOllamaAgainstJSON holds the cutting of lines against encoding/json.
func TestOllamaAgainstJSON(t *testing.T) {
	body := written(t)["ollama-chat/call"]
	var want llm.Reply
	for dec := json.NewDecoder(strings.NewReader(body)); ; {
		var line struct {
			Model      llm.Snapshot
			Message    struct{ Content string }
			DoneReason llm.Finish `json:"done_reason"`
			In         int64      `json:"prompt_eval_count"`
			Out        int64      `json:"eval_count"`
		}
		if err := dec.Decode(&line); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		want.Text += line.Message.Content
		want.Model, want.Finish, want.Usage = line.Model, line.DoneReason, llm.Usage{In: &line.In, Out: &line.Out}
	}
	want.Finish, want.ToolCalls = llm.FinishToolCalls, []llm.ToolCall{{Name: "find_order", Arguments: `{"order":4711}`}}
	if diff := cmp.Diff(plain(t, want), decoded(t, llm.OllamaChat, body, 3)); diff != "" {
		t.Errorf("reply (-json +ours)\n%s", diff)
	}
}

// asked plays an answer to a client.
func asked(t *testing.T, client official, a llmfake.Answer) llm.Reply {
	t.Helper()
	fake := llmfake.New(func(llmfake.Call) llmfake.Answer { return a })
	defer fake.Close()
	c := fake.Client()
	defer c.CloseIdleConnections()
	return plain(t, client(t, c))
}

// plain writes a reply as clients can: a count that is not there is 0, and
// arguments are JSON without blanks.
func plain(t *testing.T, r llm.Reply) llm.Reply {
	t.Helper()
	for _, n := range []**int64{&r.Usage.In, &r.Usage.Cached, &r.Usage.CacheWritten, &r.Usage.Out, &r.Usage.Reasoning} {
		if *n == nil {
			*n = new(int64)
		}
	}
	for i := range r.ToolCalls {
		var b bytes.Buffer
		if err := json.Compact(&b, []byte(r.ToolCalls[i].Arguments)); err != nil {
			t.Fatalf("arguments %q: %v", r.ToolCalls[i].Arguments, err)
		}
		r.ToolCalls[i].Arguments = b.String()
	}
	return r
}

func num(n int64) *int64 { return &n }
