package llm_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
)

func TestRequestImages(t *testing.T) {
	png := llm.Media{Type: "image/png", Data: "AAAA"}
	for _, tt := range []struct {
		dialect   llm.Dialect
		why, body string
		want      llm.Images
	}{
		{llm.OpenAIChat, "the case of a tool turn", string(caseFile(t, "content-null-toolcalls.json")), llm.Images{Data: []llm.Media{png}}},
		{llm.OpenAIChat, "those of earlier turns come first, addresses are counted", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"image_url","image_url":{"url":"https://x.example/a.png"}}]},{"role":"assistant","content":"x"},{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]}`,
			llm.Images{Data: []llm.Media{png, png}, Last: 1, Elsewhere: 1}},
		{llm.OpenAIResponses, "another dialect", `{"input":[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}]}`, llm.Images{Data: []llm.Media{png}}},
		{llm.AnthropicMessages, "in the result of a tool", `{"max_tokens":1,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]}]}`,
			llm.Images{Data: []llm.Media{png}}},
		{llm.GeminiGenerate, "a file is no image", `{"contents":[{"parts":[{"inlineData":{"mimeType":"application/pdf","data":"AAAA"}},{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}]}`, llm.Images{Data: []llm.Media{png}}},
		{llm.OpenAIChat, "none", `{"messages":[{"role":"user","content":"x"}]}`, llm.Images{}},
		{llm.OpenAIChat, "not to be read", `{`, llm.Images{}},
	} {
		got := llm.RequestImages(tt.dialect, []byte(tt.body))
		if diff := cmp.Diff(tt.want, got); diff != "" || got.Count() != len(tt.want.Data)+tt.want.Elsewhere {
			t.Errorf("%s: %s (-want +got)\n%s", tt.dialect, tt.why, diff)
		}
	}
}
