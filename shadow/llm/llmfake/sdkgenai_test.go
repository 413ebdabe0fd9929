package llmfake_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"google.golang.org/genai"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// byGenAI puts the parts together itself: the client's chats do the same, and its
// stream has no accumulator.
func byGenAI(t *testing.T, c *http.Client) llm.Reply {
	t.Helper()
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{APIKey: "k", Backend: genai.BackendGeminiAPI, HTTPClient: c, HTTPOptions: genai.HTTPOptions{BaseURL: "http://fake/"}})
	if err != nil {
		t.Fatal(err)
	}
	var r llm.Reply
	for answer, err := range client.Models.GenerateContentStream(t.Context(), "m", genai.Text("x"), nil) {
		if err != nil {
			t.Fatal(err)
		}
		r.Model = llm.Snapshot(answer.ModelVersion)
		r.Text += spoken(answer)
		for _, call := range answer.FunctionCalls() {
			args, err := json.Marshal(call.Args)
			if err != nil {
				t.Fatal(err)
			}
			r.ToolCalls = append(r.ToolCalls, llm.ToolCall{ID: call.ID, Name: call.Name, Arguments: string(args)})
		}
		if u := answer.UsageMetadata; u != nil {
			out := int64(u.CandidatesTokenCount + u.ThoughtsTokenCount)
			r.Usage = llm.Usage{In: num(int64(u.PromptTokenCount)), Out: &out, Reasoning: num(int64(u.ThoughtsTokenCount)), Cached: num(int64(u.CachedContentTokenCount))}
		}
		switch answer.Candidates[0].FinishReason {
		case genai.FinishReasonStop:
			r.Finish = llm.FinishStop
		case genai.FinishReasonMaxTokens:
			r.Finish = llm.FinishLength
		}
	}
	if r.Finish == llm.FinishStop && len(r.ToolCalls) > 0 {
		r.Finish = llm.FinishToolCalls
	}
	return r
}

// spoken is the text without thoughts. The client's own Text warns of calls on the log.
func spoken(answer *genai.GenerateContentResponse) (text string) {
	for _, part := range answer.Candidates[0].Content.Parts {
		if !part.Thought {
			text += part.Text
		}
	}
	return text
}
