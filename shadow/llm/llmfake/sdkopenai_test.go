package llmfake_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/understudy-eval/understudy/shadow/llm"
)

func openAI(c *http.Client) openai.Client {
	return openai.NewClient(option.WithHTTPClient(c), option.WithBaseURL("http://fake/v1"), option.WithAPIKey("k"), option.WithMaxRetries(0))
}

func byOpenAI(t *testing.T, c *http.Client) llm.Reply {
	t.Helper()
	client := openAI(c)
	s := client.Chat.Completions.NewStreaming(t.Context(), openai.ChatCompletionNewParams{
		Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("x")},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	})
	var acc openai.ChatCompletionAccumulator
	for s.Next() {
		if !acc.AddChunk(s.Current()) {
			t.Fatal("the client refuses a chunk")
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	choice, u := acc.Choices[0], acc.Usage
	r := llm.Reply{Text: choice.Message.Content, Refusal: choice.Message.Refusal, Finish: llm.Finish(choice.FinishReason), Model: llm.Snapshot(acc.Model),
		Usage: llm.Usage{In: &u.PromptTokens, Out: &u.CompletionTokens, Cached: &u.PromptTokensDetails.CachedTokens, Reasoning: &u.CompletionTokensDetails.ReasoningTokens}}
	for _, call := range choice.Message.ToolCalls {
		r.ToolCalls = append(r.ToolCalls, llm.ToolCall{ID: call.ID, Name: call.Function.Name, Arguments: call.Function.Arguments})
	}
	return r
}

func byOpenAIResponses(t *testing.T, c *http.Client) llm.Reply {
	t.Helper()
	client := openAI(c)
	s := client.Responses.NewStreaming(t.Context(), responses.ResponseNewParams{Model: "m", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("x")}})
	var acc responses.ResponseAccumulator
	for s.Next() {
		var e responses.ResponsesServerEventUnion
		if err := json.Unmarshal([]byte(s.Current().RawJSON()), &e); err != nil {
			t.Fatal(err)
		}
		if err := acc.AddEvent(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	answer, err := acc.ReconstructedResponse()
	if err != nil {
		t.Fatal(err)
	}
	u := answer.Usage
	r := llm.Reply{Text: acc.Snapshot().OutputText(), Model: llm.Snapshot(answer.Model), Finish: llm.FinishStop,
		Usage: llm.Usage{In: &u.InputTokens, Cached: &u.InputTokensDetails.CachedTokens, CacheWritten: &u.InputTokensDetails.CacheWriteTokens, Out: &u.OutputTokens, Reasoning: &u.OutputTokensDetails.ReasoningTokens}}
	for _, item := range acc.Snapshot().Output {
		if item.Type == "function_call" {
			r.ToolCalls = append(r.ToolCalls, llm.ToolCall{ID: item.CallID, Name: item.Name, Arguments: item.Arguments})
			r.Finish = llm.FinishToolCalls
		}
	}
	for _, item := range answer.Output {
		for _, part := range item.Content {
			r.Refusal += part.Refusal
		}
	}
	if answer.IncompleteDetails.Reason == "max_output_tokens" {
		r.Finish = llm.FinishLength
	}
	return r
}
