package llm_test

import (
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// BenchmarkStream decodes an answer of 300 tokens.
func BenchmarkStream(b *testing.B) {
	body := []byte(strings.Repeat(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"m-1","service_tier":"default","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"abcdefgh"}`+"\n\n", 300) + stop + done)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		s := llm.NewStream(llm.OpenAIChat, 0)
		_, _ = s.Write(body)
		if _, err := s.Reply(); err != nil {
			b.Fatal(err)
		}
	}
}
