package provider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/shadow/provider"
)

// TestAgainstSDK compares what this package makes of a body with what OpenAI's own
// Go client makes of the same bytes.
func TestAgainstSDK(t *testing.T) {
	calls := []llm.ToolCall{{ID: "t1", Name: "find_order", Arguments: `{"order": 4711}`}, {ID: "t2", Name: "now", Arguments: "{}"}}
	tests := []struct {
		name   string
		answer llmfake.Answer
		stream bool
	}{
		{"text", llmfake.Answer{Text: "Grüße, 世界 🎭", In: 9, Out: 5}, false},
		{"streamed text", llmfake.Answer{Text: "Grüße, 世界 🎭", Pieces: 9, In: 9, Out: 5}, true},
		{"tools", llmfake.Answer{ToolCalls: calls, In: 1, Out: 2}, false},
		{"streamed tools", llmfake.Answer{Text: "One moment.", ToolCalls: calls, In: 1, Out: 2}, true},
		{"refusal", llmfake.Answer{Refusal: "No.", In: 1, Out: 1}, false},
		{"streamed refusal", llmfake.Answer{Refusal: "No.", In: 1, Out: 1}, true},
		{"length", llmfake.Answer{Text: "Ab", Finish: llm.FinishLength, In: 1, Out: 1}, true},
		{"usage chunk", llmfake.Answer{Raw: caseFile(t, "sse-usage-empty-choices.txt"), Pieces: 7}, true},
		{"comments", llmfake.Answer{Raw: caseFile(t, "sse-comments.txt"), Pieces: 5}, true},
		{"split call", llmfake.Answer{Raw: caseFile(t, "sse-toolcall-dup-index.txt"), Pieces: 3}, true},
		{"long line", llmfake.Answer{Raw: caseFile(t, "sse-long-line.txt"), Pieces: 50}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fake := llmfake.New(always(tt.answer))
			defer fake.Close()
			c, err := provider.Open(endpoint(llm.ProviderOpenAI, fake))
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseIdleConnections()
			got, err := c.Complete(t.Context(), ask(tt.stream))
			if err != nil {
				t.Fatal(err)
			}
			want := bySDK(t, fake, tt.stream)
			got = llm.Reply{Text: got.Text, Refusal: got.Refusal, ToolCalls: got.ToolCalls, Finish: got.Finish, Model: got.Model, Usage: llm.Usage{In: zero(got.Usage.In), Out: zero(got.Usage.Out)}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("reply (-SDK +ours)\n%s", diff)
			}
		})
	}
}

// zero is what the SDK says for a count that is not there.
func zero(n *int64) *int64 {
	if n == nil {
		return new(int64)
	}
	return n
}

func bySDK(t *testing.T, fake *llmfake.Fake, stream bool) llm.Reply {
	t.Helper()
	hc := fake.Client()
	defer hc.CloseIdleConnections()
	sdk := openai.NewClient(option.WithHTTPClient(hc), option.WithBaseURL("http://fake/v1"), option.WithAPIKey("k"), option.WithMaxRetries(0))
	params := openai.ChatCompletionNewParams{Model: "m-2", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("x")}}
	var answer openai.ChatCompletion
	if stream {
		params.StreamOptions.IncludeUsage = openai.Bool(true)
		s := sdk.Chat.Completions.NewStreaming(t.Context(), params)
		var acc openai.ChatCompletionAccumulator
		for s.Next() {
			if !acc.AddChunk(s.Current()) {
				t.Fatal("the SDK refuses a chunk")
			}
		}
		if err := s.Err(); err != nil {
			t.Fatal(err)
		}
		answer = acc.ChatCompletion
	} else {
		a, err := sdk.Chat.Completions.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		answer = *a
	}
	message := answer.Choices[0].Message
	r := llm.Reply{
		Text: message.Content, Refusal: message.Refusal, Finish: llm.Finish(answer.Choices[0].FinishReason), Model: llm.Snapshot(answer.Model),
		Usage: llm.Usage{In: &answer.Usage.PromptTokens, Out: &answer.Usage.CompletionTokens},
	}
	for _, call := range message.ToolCalls {
		r.ToolCalls = append(r.ToolCalls, llm.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
	}
	return r
}
