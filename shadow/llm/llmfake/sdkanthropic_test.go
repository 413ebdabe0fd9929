package llmfake_test

import (
	"net/http"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/understudy-eval/understudy/shadow/llm"
)

func byAnthropic(t *testing.T, c *http.Client) llm.Reply {
	t.Helper()
	client := anthropic.NewClient(option.WithHTTPClient(c), option.WithBaseURL("http://fake"), option.WithAPIKey("k"), option.WithMaxRetries(0))
	s := client.Messages.NewStreaming(t.Context(), anthropic.MessageNewParams{
		Model: "m", MaxTokens: 9, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("x"))},
	})
	var m anthropic.Message
	for s.Next() {
		if err := m.Accumulate(s.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	u := m.Usage
	in := u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens
	r := llm.Reply{Model: llm.Snapshot(m.Model), Usage: llm.Usage{In: &in, Cached: &u.CacheReadInputTokens, CacheWritten: &u.CacheCreationInputTokens,
		Out: &u.OutputTokens, Reasoning: &u.OutputTokensDetails.ThinkingTokens}}
	for _, block := range m.Content {
		switch block.Type {
		case "text":
			r.Text += block.Text
		case "tool_use":
			r.ToolCalls = append(r.ToolCalls, llm.ToolCall{ID: block.ID, Name: block.Name, Arguments: string(block.Input)})
		}
	}
	switch m.StopReason {
	case anthropic.StopReasonEndTurn:
		r.Finish = llm.FinishStop
	case anthropic.StopReasonMaxTokens:
		r.Finish = llm.FinishLength
	case anthropic.StopReasonToolUse:
		r.Finish = llm.FinishToolCalls
	case anthropic.StopReasonRefusal:
		r.Finish, r.Refusal = llm.FinishStop, m.StopDetails.Explanation
	}
	return r
}
