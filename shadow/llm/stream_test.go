package llm_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
)

type streamed struct {
	reply  llm.Reply
	reason llm.Reason
	first  int64
	ended  bool
}

// feed writes a chat completion in pieces of the sizes that next gives.
func feed(t testing.TB, body []byte, limit int, next func() int) streamed {
	t.Helper()
	return feedAs(t, llm.OpenAIChat, body, limit, next)
}

func feedAs(t testing.TB, d llm.Dialect, body []byte, limit int, next func() int) streamed {
	t.Helper()
	s := llm.NewStream(d, limit)
	for len(body) > 0 {
		n := min(next(), len(body))
		if w, err := s.Write(body[:n]); w != n || err != nil {
			t.Fatalf("Write(%d bytes) = %d, %v", n, w, err)
		}
		body = body[n:]
	}
	r, err := s.Reply()
	first, _ := s.FirstContent()
	return streamed{r, reasonOf(t, err), first, s.Ended()}
}

func whole() int { return 1 << 30 }

const (
	chunkA = `data: {"model":"m","choices":[{"index":0,"delta":{"content":"A"}}]}` + "\n\n"
	chunkB = `data: {"choices":[{"index":0,"delta":{"content":"ß"},"finish_reason":null}]}` + "\n\n"
	stop   = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	done   = "data: [DONE]\n\n"
	role   = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}` + "\n\n"
)

func TestStream(t *testing.T) {
	ab := llm.Reply{Text: "Aß", Model: "m", Finish: "stop"}
	full := chunkA + chunkB + stop + done
	tests := []struct {
		name, why string
		body      string
		limit     int
		want      llm.Reply
		reason    llm.Reason
		firstEnd  string // the text that ends with the first content
	}{
		{name: "usage chunk", why: "choices may be empty", body: string(caseFile(t, "sse-usage-empty-choices.txt")), firstEnd: `"Guten "},"finish_reason":null}]}` + "\n\n",
			want: llm.Reply{Text: "Guten Tag.", Finish: "stop", Model: "cand-a-2026-02-14", Usage: llm.Usage{In: num(20), Out: num(3)}}},
		{name: "comments", why: "comments are no tokens", body: string(caseFile(t, "sse-comments.txt")), firstEnd: `"Ja"},"finish_reason":null}]}` + "\n\n",
			want: llm.Reply{Text: "Ja, gern.", Finish: "stop", Model: "cand-a-2026-02-14"}},
		{name: "tool call", why: "one call from entries of one index", body: string(caseFile(t, "sse-toolcall-dup-index.txt")), firstEnd: `{\"ord"}}]},"finish_reason":null}]}` + "\n\n",
			want: llm.Reply{Finish: "tool_calls", Model: "cand-a-2026-02-14", ToolCalls: []llm.ToolCall{{ID: "t1", Name: "find_order", Arguments: `{"order": 4711}`}}}},
		{name: "only done", why: "no answer", body: string(caseFile(t, "sse-empty-200.txt")), reason: llm.Empty},
		{name: "zero bytes", why: "no answer", body: "", reason: llm.Empty},
		{name: "crlf", why: "a common line end", body: strings.ReplaceAll(full, "\n", "\r\n"), want: ab},
		{name: "cr", why: "an allowed line end", body: strings.ReplaceAll(full, "\n", "\r"), want: ab},
		{name: "byte order mark", why: "allowed in front", body: "\xef\xbb\xbf" + full, want: ab, firstEnd: chunkA},
		{name: "no blank after colon", why: "allowed", body: strings.ReplaceAll(full, "data: ", "data:"), want: ab},
		{name: "data over lines", why: "lines of one event are joined", want: llm.Reply{Text: "A", Finish: "stop"},
			body: "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"A\"},\"finish_reason\":\"stop\"}]}\n\n" + done},
		{name: "role first", why: "a role is no content", body: role + full, want: ab, firstEnd: role + chunkA},
		{name: "reasoning first", why: "reasoning is not the answer", want: ab,
			body: `data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}` + "\n\n" + full},
		{name: "no done", why: "servers without [DONE] end with a finish reason", body: chunkA + chunkB + stop, want: ab},
		{name: "no last blank line", why: "a server that closes after its last line", body: chunkA + chunkB + stop + "data: [DONE]", want: ab},
		{name: "done without finish", why: "the end sign is enough", body: chunkA + done, want: llm.Reply{Text: "A", Model: "m"}},
		{name: "cut", why: "no end sign", body: chunkA + chunkB, want: llm.Reply{Text: "Aß", Model: "m"}, reason: llm.Reset},
		{name: "cut inside a line", why: "half an event is no rubbish", body: chunkA + chunkB[:30], want: llm.Reply{Text: "A", Model: "m"}, reason: llm.Reset},
		{name: "cut after comments", why: "nothing but keep-alive", body: ": ping\n\n: ping\n\n", reason: llm.Reset},
		{name: "error event", why: "a failure under status 200", body: chunkA + `data: {"error":{"message":"overloaded","code":503}}` + "\n\n" + done, want: llm.Reply{Text: "A", Model: "m"}, reason: llm.ErrorIn200},
		{name: "named error event", why: "other servers name it", body: chunkA + "event: error\ndata: {\"message\":\"x\"}\n\n", want: llm.Reply{Text: "A", Model: "m"}, reason: llm.ErrorIn200},
		{name: "finish reason error", why: "a gateway's way to say it", body: `data: {"choices":[{"delta":{},"finish_reason":"error"}]}` + "\n\n" + done, want: llm.Reply{Finish: "error"}, reason: llm.ErrorIn200},
		{name: "rubbish event", why: "a piece of the text may be missing", body: chunkA + "data: {broken\n\n" + stop + done, want: llm.Reply{Text: "A", Model: "m", Finish: ""}, reason: llm.MalformedReason},
		{name: "html", why: "a proxy's page", body: "<html>\n<a b:c>\n</html>\n", reason: llm.MalformedReason},
		{name: "whole answer", why: "the server did not stream", body: `{"choices":[{"message":{"content":"A"},"finish_reason":"stop"}]}`, want: llm.Reply{Text: "A", Finish: "stop"}},
		{name: "whole error", why: "the server did not stream", body: `{"error":{"message":"x"}}`, reason: llm.ErrorIn200},
		{name: "after done", why: "what follows the end sign does not count", body: full + chunkA, want: ab},
		{name: "second choice", why: "only the first answer counts", body: chunkA + `data: {"choices":[{"index":1,"delta":{"content":"X"}}]}` + "\n\n" + chunkB + stop + done, want: ab},
		{name: "refusal", why: "a refusal is content", body: `data: {"choices":[{"delta":{"refusal":"No."},"finish_reason":"stop"}]}` + "\n\n" + done, want: llm.Reply{Refusal: "No.", Finish: "stop"}},
		{name: "truncated", why: "length without text", body: `data: {"choices":[{"delta":{},"finish_reason":"length"}]}` + "\n\n" + done, want: llm.Reply{Finish: "length"}, reason: llm.Truncated},
		{name: "filtered", why: "withheld", body: `data: {"choices":[{"delta":{},"finish_reason":"content_filter"}]}` + "\n\n" + done, want: llm.Reply{Finish: "content_filter"}, reason: llm.Filtered},
		{name: "at the limit", why: "the limit itself is allowed", body: full, limit: len(full), want: ab},
		{name: "over the limit", why: "never a cut text with state answered", body: full, limit: len(full) - 1, want: ab, reason: llm.TooLarge},
		{name: "whole over the limit", why: "documents are bounded too", body: `{"choices":[{"message":{"content":"A"}}]}`, limit: 20, reason: llm.TooLarge},
		{name: "two calls, one index", why: "told apart by id", want: llm.Reply{Finish: "tool_calls", ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "b", Name: "g", Arguments: "[]"}}},
			body: `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":0,"id":"b","function":{"name":"g","arguments":"[]"}}]},"finish_reason":"tool_calls"}]}` + "\n\n" + done},
		{name: "calls without index", why: "a fragment without a name continues the last call", want: llm.Reply{ToolCalls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}},
			body: `data: {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{"}}]}}]}` + "\n\n" + `data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}}]}}]}` + "\n\n" + done},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := feed(t, []byte(tt.body), tt.limit, whole)
			if diff := cmp.Diff(tt.want, got.reply); diff != "" {
				t.Errorf("%s: reply (-want +got)\n%s", tt.why, diff)
			}
			if got.reason != tt.reason {
				t.Errorf("%s: reason %q, want %q", tt.why, got.reason, tt.reason)
			}
			if tt.firstEnd != "" && got.first != int64(strings.Index(tt.body, tt.firstEnd)+len(tt.firstEnd)) {
				t.Errorf("%s: first content at %d", tt.why, got.first)
			}
			if bytewise := feed(t, []byte(tt.body), tt.limit, func() int { return 1 }); !cmp.Equal(got, bytewise, cmp.AllowUnexported(streamed{})) {
				t.Errorf("byte by byte: %+v\nat once: %+v", bytewise, got)
			}
		})
	}
}

func TestStreamLongLines(t *testing.T) {
	base := string(caseFile(t, "sse-long-line.txt"))
	for _, size := range []int{100_000, 1 << 20, 4 << 20} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			body := strings.Replace(base, strings.Repeat("x", 100_000), strings.Repeat("x", size), 1)
			got := feed(t, []byte(body), 0, func() int { return 32 << 10 })
			if got.reason != "" || got.reply.Finish != "stop" || len(got.reply.Text) != size+3 || !strings.HasSuffix(got.reply.Text, "xEND") {
				t.Errorf("reason %q, finish %q, %d bytes of text", got.reason, got.reply.Finish, len(got.reply.Text))
			}
			if cut := feed(t, []byte(body), size, func() int { return 32 << 10 }); cut.reason != llm.TooLarge {
				t.Errorf("over the limit: reason %q", cut.reason)
			}
		})
	}
}

// TestStreamManyPieces has what a hostile server may send: time must stay linear.
func TestStreamManyPieces(t *testing.T) {
	const n = 20_000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":%d,\"function\":{\"name\":\"f\",\"arguments\":\"1\"}}]}}]}\n\n", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":%d,\"function\":{\"arguments\":\"2\"}}]}}]}\n\n", i%3)
	}
	b.WriteString(done)
	got := feed(t, []byte(b.String()), 0, func() int { return 4096 })
	calls := got.reply.ToolCalls
	if got.reason != "" || len(calls) != n || len(calls[0].Arguments)+len(calls[1].Arguments)+len(calls[2].Arguments) != n+3 || calls[n-1].Arguments != "1" {
		t.Errorf("reason %q, %d calls", got.reason, len(calls))
	}
	blanks := append([]byte(strings.Repeat(" ", 1<<18)), `{"choices":[{"message":{"content":"A"}}]}`...)
	if got := feed(t, blanks, 0, func() int { return 3 }); got.reply.Text != "A" {
		t.Errorf("blanks before a document: %+v", got)
	}
}

func TestStreamDialect(t *testing.T) {
	if _, err := llm.NewStream("telegraph", 0).Reply(); !errors.Is(err, llm.ErrDialect) {
		t.Errorf("error %v, want ErrDialect", err)
	}
}

// FuzzStream says that no split of the bytes changes the outcome.
func FuzzStream(f *testing.F) {
	for _, s := range []string{chunkA + chunkB + stop + done, "\xef\xbb\xbf" + role + strings.ReplaceAll(chunkA, "\n", "\r\n"), ": x\r\r\ndata\n\ndata:[DONE]", "{\"choices\":[]}", "\xef\xbb"} {
		f.Add([]byte(s), uint64(1), 0)
		f.Add([]byte(s), uint64(2), 40)
	}
	f.Fuzz(func(t *testing.T, body []byte, seed uint64, limit int) {
		r := rand.New(rand.NewPCG(seed, 1))
		once := feed(t, body, limit, whole)
		pieces := feed(t, body, limit, func() int { return 1 + r.IntN(7) })
		if diff := cmp.Diff(once, pieces, cmp.AllowUnexported(streamed{})); diff != "" {
			t.Errorf("split changes the outcome (-once +pieces)\n%s", diff)
		}
		if once.first > int64(len(body)) {
			t.Errorf("first content at %d of %d bytes", once.first, len(body))
		}
	})
}

func ExampleStream() {
	s := llm.NewStream(llm.OpenAIChat, 1<<20)
	for _, piece := range []string{
		"data: {\"model\":\"m-1\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
		"data: {\"choices\":[{\"delta\":{\"content\":\"Good day.\"}}]}\r\n\r\n",
		"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DO", "NE]\n\n",
	} {
		_, _ = s.Write([]byte(piece))
		_, ok := s.FirstContent()
		fmt.Println(ok, s.Ended())
	}
	r, err := s.Reply()
	fmt.Println(r.Text, r.Model, r.Finish, err)
	// Output:
	// false false
	// true false
	// true false
	// true true
	// Good day. m-1 stop <nil>
}
