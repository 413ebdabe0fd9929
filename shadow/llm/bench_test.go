package llm_test

import (
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// BenchmarkStream decodes an answer of 300 tokens in each dialect.
func BenchmarkStream(b *testing.B) {
	const word = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"m-1","service_tier":"default","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"abcdefgh"}` + "\n\n"
	for _, bb := range []struct {
		dialect           llm.Dialect
		head, piece, tail string
	}{
		{llm.OpenAIChat, "", word, stop + done},
		{llm.OpenAIResponses, named(respCreated, respItem, respPart), named(respB), named(respBare)},
		{llm.AnthropicMessages, named(claudeStart, claudeOpen), named(claudeB), named(claudeEnd, claudeStop)},
		{llm.GeminiGenerate, "[" + geminiA, "," + geminiB, "," + geminiEnd + "]"},
		{llm.OllamaChat, "", lines(ollamaB), lines(ollamaEnd)},
	} {
		b.Run(string(bb.dialect), func(b *testing.B) {
			body := []byte(bb.head + strings.Repeat(bb.piece, 300) + bb.tail)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				s := llm.NewStream(bb.dialect, 0)
				_, _ = s.Write(body)
				if _, err := s.Reply(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
