package llm_test

import (
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// What is no text stands in a conversation as its kind, its type or name, and its size,
// or as a reference: neither content nor address nor id is read out of the request, and
// nothing is left out.
func TestAttachments(t *testing.T) {
	const (
		secret  = "U0VDUkVU"                           // SECRET, 6 bytes
		private = "https://private.example/SECRET.png" // an address may be a key
	)
	chat := func(part string) string { return `{"messages":[{"role":"user","content":[` + part + `]}]}` }
	input := func(part string) string { return `{"input":[{"role":"user","content":[` + part + `]}]}` }
	result := func(part string) string {
		return chat(`{"type":"tool_result","tool_use_id":"t","content":[` + part + `]}`)
	}
	gemini := func(part string) string { return `{"contents":[{"parts":[` + part + `]}]}` }
	source := func(kind, source string) string { return `{"type":"` + kind + `","source":{` + source + `}}` }
	for _, tt := range []struct {
		name    string
		dialect llm.Dialect
		body    string
		want    string
	}{
		{"chat image, data", llm.OpenAIChat, chat(`{"type":"image_url","image_url":{"url":"data:image/png;base64,` + secret + `","detail":"high"}}`), "[image: image/png, 6 bytes]"},
		{"chat image, percent-encoded", llm.OpenAIChat, chat(`{"type":"image_url","image_url":{"url":"data:image/svg+xml,%3Csvg%2F%3E"}}`), "[image: image/svg+xml, 6 bytes]"},
		{"chat image, base64 in lines", llm.OpenAIChat, chat(`{"type":"image_url","image_url":{"url":"data:image/png;base64,U0VD\r\nUkVU\n"}}`), "[image: image/png, 6 bytes]"},
		{"chat image, address", llm.OpenAIChat, chat(`{"type":"image_url","image_url":{"url":"` + private + `"}}`), "[image: url]"},
		{"chat image, bare text", llm.OpenAIChat, chat(`{"type":"image_url","image_url":"` + private + `"}`), "[image: url]"},
		{"chat file", llm.OpenAIChat, chat(`{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,` + secret + `"}}`), "[file: a.pdf, 6 bytes]"},
		{"chat file, bare base64", llm.OpenAIChat, chat(`{"type":"file","file":{"filename":"a.pdf","file_data":"` + secret + `"}}`), "[file: a.pdf, 6 bytes]"},
		{"chat file, id", llm.OpenAIChat, chat(`{"type":"file","file":{"file_id":"SECRET"}}`), "[file: id]"},
		{"chat audio", llm.OpenAIChat, chat(`{"type":"input_audio","input_audio":{"format":"wav","data":"` + secret + `"}}`), "[audio: wav, 6 bytes]"},
		{"chat part of tomorrow", llm.OpenAIChat, chat(`{"type":"hologram","data":"SECRET"}`), "[hologram]"},
		{"responses image, data", llm.OpenAIResponses, input(`{"type":"input_image","image_url":"data:image/webp;base64,` + secret + `"}`), "[image: image/webp, 6 bytes]"},
		{"responses image, address", llm.OpenAIResponses, input(`{"type":"input_image","image_url":"` + private + `"}`), "[image: url]"},
		{"responses image, id", llm.OpenAIResponses, input(`{"type":"input_image","image_url":null,"file_id":"SECRET"}`), "[image: id]"},
		{"responses file", llm.OpenAIResponses, input(`{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,` + secret + `"}`), "[file: a.pdf, 6 bytes]"},
		{"responses file, address", llm.OpenAIResponses, input(`{"type":"input_file","file_url":"` + private + `"}`), "[file: url]"},
		{"responses file, id", llm.OpenAIResponses, input(`{"type":"input_file","file_id":"SECRET"}`), "[file: id]"},
		{"responses image from a tool", llm.OpenAIResponses, `{"input":[{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"data:image/png;base64,` + secret + `"}]}]}`,
			"[result of c] [image: image/png, 6 bytes]"},
		{"anthropic image", llm.AnthropicMessages, chat(source("image", `"type":"base64","media_type":"image/jpeg","data":"`+secret+`"`)), "[image: image/jpeg, 6 bytes]"},
		{"anthropic image, address", llm.AnthropicMessages, chat(source("image", `"type":"url","url":"`+private+`"`)), "[image: url]"},
		{"anthropic image, id", llm.AnthropicMessages, chat(source("image", `"type":"file","file_id":"SECRET"`)), "[image: id]"},
		{"anthropic document", llm.AnthropicMessages, chat(source("document", `"type":"base64","media_type":"application/pdf","data":"`+secret+`"`)), "[file: application/pdf, 6 bytes]"},
		{"anthropic document, text", llm.AnthropicMessages, chat(source("document", `"type":"text","media_type":"text/plain","data":"SECRET"`)), "[file: text/plain, 6 bytes]"},
		{"anthropic document, address", llm.AnthropicMessages, chat(source("document", `"type":"url","url":"`+private+`"`)), "[file: url]"},
		{"anthropic document, id", llm.AnthropicMessages, chat(source("document", `"type":"file","file_id":"SECRET"`)), "[file: id]"},
		{"anthropic image from a tool", llm.AnthropicMessages, result(source("image", `"type":"base64","media_type":"image/png","data":"`+secret+`"`)), "[result of t] [image: image/png, 6 bytes]"},
		{"anthropic document from a tool", llm.AnthropicMessages, result(source("document", `"type":"url","url":"`+private+`"`)), "[result of t] [file: url]"},
		{"anthropic upload for a container", llm.AnthropicMessages, chat(`{"type":"container_upload","file_id":"SECRET"}`), "[container_upload]"},
		{"gemini image", llm.GeminiGenerate, gemini(`{"inlineData":{"mimeType":"image/png","data":"` + secret + `"}}`), "[image: image/png, 6 bytes]"},
		{"gemini image, other spelling", llm.GeminiGenerate, gemini(`{"inline_data":{"mime_type":"image/png","data":"` + secret + `"}}`), "[image: image/png, 6 bytes]"},
		{"gemini video", llm.GeminiGenerate, gemini(`{"inlineData":{"mimeType":"video/mp4","data":"` + secret + `"}}`), "[video: video/mp4, 6 bytes]"},
		{"gemini file", llm.GeminiGenerate, gemini(`{"inlineData":{"mimeType":"application/pdf","data":"` + secret + `"}}`), "[file: application/pdf, 6 bytes]"},
		{"gemini image, address", llm.GeminiGenerate, gemini(`{"fileData":{"mimeType":"image/png","fileUri":"` + private + `"}}`), "[image: url]"},
		{"gemini file, address", llm.GeminiGenerate, gemini(`{"file_data":{"mime_type":"application/pdf","file_uri":"` + private + `"}}`), "[file: url]"},
		{"ollama image", llm.OllamaChat, `{"messages":[{"role":"user","content":"","images":["` + secret + `"]}]}`, "[image: unknown, 6 bytes]"},
		{"ollama images", llm.OllamaGenerate, `{"prompt":"","images":["` + secret + `","` + secret + `AAAA"]}`, "[image: unknown, 6 bytes]\n[image: unknown, 9 bytes]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			turns, err := llm.Conversation(tt.dialect, []byte(tt.body))
			if err != nil || len(turns) != 1 || turns[0].Text != tt.want {
				t.Fatalf("turns %+v, %v; want %q", turns, err, tt.want)
			}
			if strings.Contains(turns[0].Text, "SECRET") || strings.Contains(turns[0].Text, secret) {
				t.Errorf("%q tells what it is", turns[0].Text)
			}
		})
	}
}
