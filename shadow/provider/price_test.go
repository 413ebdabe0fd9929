package provider_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/provider"
)

func n(v int64) *int64 { return &v }

func TestCost(t *testing.T) {
	small := provider.Price{In: 0.25, Out: 2, CachedIn: 0.025, CacheWrite: 0.25}
	claude := provider.Price{In: 2, Out: 10, CachedIn: 0.2, CacheWrite: 2.5}
	tests := []struct {
		name, why string
		price     provider.Price
		usage     llm.Usage
		want      int64
		unknown   bool
	}{
		{name: "plain", why: "1,000 × 250 + 100 × 2,000 nano-USD", price: small, usage: llm.Usage{In: n(1000), Out: n(100)}, want: 450_000},
		{name: "cached", why: "600 of the 1,000 are cached, not on top of them", price: small, usage: llm.Usage{In: n(1000), Cached: n(600), Out: n(100)}, want: 400*250 + 600*25 + 100*2000},
		{name: "cache written", why: "writing costs more than plain tokens", price: claude, usage: llm.Usage{In: n(113), Cached: n(100), CacheWritten: n(10), Out: n(7)}, want: 3*2000 + 100*200 + 10*2500 + 7*10_000},
		{name: "reasoning", why: "part of the tokens out, not on top of them", price: small, usage: llm.Usage{In: n(0), Out: n(100), Reasoning: n(90)}, want: 200_000},
		{name: "float noise", why: "the catalogue has 0.39999999999999997", price: provider.Flat(0.39999999999999997, 1.5999999999999999), usage: llm.Usage{In: n(3), Out: n(7)}, want: 3*400 + 7*1600},
		{name: "below a nano-USD", why: "rounded once, at the end", price: provider.Flat(0.0004, 0.0004), usage: llm.Usage{In: n(1), Out: n(1)}, want: 1},
		{name: "free", why: "an explicit 0 is known, whatever the usage", usage: llm.Usage{}, want: 0},
		{name: "no usage", why: "unknown, not 0", price: small, unknown: true},
		{name: "no tokens out", why: "half of a cost is none", price: small, usage: llm.Usage{In: n(1000)}, unknown: true},
		{name: "free prompt", why: "a count that costs nothing is not needed", price: provider.Price{Out: 2}, usage: llm.Usage{Out: n(5)}, want: 10_000},
		{name: "more cached than sent", why: "counts that contradict each other", price: small, usage: llm.Usage{In: n(5), Cached: n(6), Out: n(1)}, unknown: true},
		{name: "negative", why: "no count", price: small, usage: llm.Usage{In: n(-5), Out: n(1)}, unknown: true},
		{name: "too many", why: "no sum of 64 bits", price: small, usage: llm.Usage{In: n(math.MaxInt64), Out: n(math.MaxInt64)}, unknown: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, known := tt.price.Cost(tt.usage)
			if known == tt.unknown || got != tt.want {
				t.Errorf("%s: %d, known %v; want %d, known %v", tt.why, got, known, tt.want, !tt.unknown)
			}
		})
	}
}

// One answer in each dialect's own words: 1,000 tokens in, 600 of them from the
// cache, 100 out, 80 of those in thought, cost the same whoever counts them.
func TestCostPerDialect(t *testing.T) {
	price := provider.Price{In: 2, Out: 10, CachedIn: 0.2, CacheWrite: 2}
	const want = 400*2000 + 600*200 + 100*10_000
	tests := []struct {
		name, why string
		dialect   llm.Dialect
		body      string
	}{
		{
			name: "openai", why: "cached within in, reasoning within out", dialect: llm.OpenAIChat,
			body: `{"choices":[{"message":{"content":"A"}}],"usage":{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,
				"prompt_tokens_details":{"cached_tokens":600},"completion_tokens_details":{"reasoning_tokens":80}}}`,
		},
		{
			name: "anthropic", why: "cached beside in, thinking within out", dialect: llm.AnthropicMessages,
			body: `{"content":[{"type":"text","text":"A"}],"stop_reason":"end_turn","usage":{"input_tokens":400,"cache_read_input_tokens":600,"output_tokens":100}}`,
		},
		{
			name: "gemini", why: "cached within in, thoughts beside out", dialect: llm.GeminiGenerate,
			body: `{"candidates":[{"content":{"parts":[{"text":"A"}]},"finishReason":"STOP"}],
				"usageMetadata":{"promptTokenCount":1000,"cachedContentTokenCount":600,"candidatesTokenCount":20,"thoughtsTokenCount":80}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reply, err := llm.DecodeReply(tt.dialect, []byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if got, known := price.Cost(reply.Usage); got != want || !known {
				t.Errorf("%s: %d, known %v; want %d", tt.why, got, known, want)
			}
		})
	}
}

func TestPriceOf(t *testing.T) {
	const openai, anthropic, google = "https://api.openai.com/v1", "https://api.anthropic.com", "https://generativelanguage.googleapis.com"
	gpt5 := provider.Price{In: 1.25, Out: 10, CachedIn: 0.125, CacheWrite: 1.25}
	haiku := provider.Price{In: 1, Out: 5, CachedIn: 0.1, CacheWrite: 1.25}
	tests := []struct {
		name, why      string
		address, model string
		want           provider.Price
		unknown        bool
	}{
		{name: "id", why: "as it is listed", address: openai, model: "gpt-5", want: gpt5},
		{name: "snapshot", why: "a dated id is priced as its name", address: openai, model: "gpt-5-2026-08-07", want: gpt5},
		{name: "upstream", why: "the tap's address has no version", address: "https://api.openai.com", model: "gpt-5", want: gpt5},
		{name: "region", why: "the same vendor", address: "https://eu.api.openai.com/v1", model: "gpt-5", want: gpt5},
		{name: "both cache prices", why: "reading costs less than plain tokens, writing more", address: openai, model: "gpt-5.6-terra-2026-08-20", want: provider.Price{In: 2.5, Out: 15, CachedIn: 0.25, CacheWrite: 3.125}},
		{name: "cache price in the other place", why: "the catalogue has it as the price of the way in", address: openai, model: "gpt-5.5", want: provider.Price{In: 5, Out: 30, CachedIn: 0.5, CacheWrite: 5}},
		{name: "no cache price", why: "cached tokens cost what others do", address: openai, model: "gpt-5.5-pro", want: provider.Flat(30, 180)},
		{name: "no date in the calendar", why: "a typo is no snapshot", address: openai, model: "gpt-5-2026-13-07", unknown: true},
		{name: "longer name", why: "another model, not a version of this one", address: openai, model: "gpt-5-chat-latest", unknown: true},
		{name: "fine-tune", why: "tuned models have prices of their own", address: openai, model: "ft:gpt-4o-mini:org::id", unknown: true},
		{name: "unlisted", why: "missing is unknown", address: openai, model: "gpt-99", unknown: true},
		{name: "no model", why: "an answer may name none", address: openai, unknown: true},
		{name: "anthropic snapshot", why: "listed with its date", address: anthropic, model: "claude-haiku-4-5-20251001", want: haiku},
		{name: "anthropic alias", why: "all snapshots of the name have one price", address: anthropic, model: "claude-haiku-4-5", want: haiku},
		{name: "anthropic other date", why: "only another snapshot is listed", address: anthropic, model: "claude-haiku-4-5-20261001", unknown: true},
		{name: "google", why: "with the prefix of its lists", address: google + "/v1beta/openai", model: "models/gemini-2.5-flash", want: provider.Price{In: 0.3, Out: 2.5, CachedIn: 0.03, CacheWrite: 0.3}},
		{name: "other provider", why: "found by its address, with the provider's own prefix", address: "https://openrouter.ai/api/v1", model: "openai/gpt-4.1", want: provider.Price{In: 2, Out: 8, CachedIn: 0.5, CacheWrite: 2}},
		{name: "dearer snapshot", why: "an id that is listed is priced by itself", address: "https://openrouter.ai/api/v1", model: "openai/gpt-4o-2024-05-13", want: provider.Flat(5, 15)},
		{name: "unlisted snapshot of several prices", why: "it may cost as the dearer one does", address: "https://openrouter.ai/api/v1", model: "openai/gpt-4o-2026-01-01", unknown: true},
		{name: "two prices for cached tokens", why: "neither is taken", address: "https://openrouter.ai/api", model: "google/gemini-2.5-pro", want: provider.Flat(1.25, 10)},
		{name: "listed with 0", why: "nobody entered a price, it is not free", address: "https://api.githubcopilot.com", model: "gpt-4.1", unknown: true},
		{name: "own server", why: "the name says nothing about what it costs there", address: "http://127.0.0.1:8000/v1", model: "gpt-5", unknown: true},
		{name: "other port", why: "not the vendor's own service", address: "https://api.openai.com:8443/v1", model: "gpt-5", unknown: true},
		{name: "lookalike", why: "another host", address: "https://notapi.openai.com.example/v1", model: "gpt-5", unknown: true},
		{name: "no address", why: "refused, no panic", address: "::", model: "gpt-5", unknown: true},
	}
	catalogue := provider.LoadCatalogue()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, known := catalogue.PriceOf(tt.address, tt.model)
			if known == tt.unknown {
				t.Fatalf("%s: known %v", tt.why, known)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tt.why, diff)
			}
		})
	}
}

func TestPriceString(t *testing.T) {
	for _, tt := range []struct {
		price provider.Price
		want  string
	}{
		{provider.Price{}, "free"},
		{provider.Flat(0.39999999999999997, 1.5999999999999999), "$0.4 in, $1.6 out"},
		{provider.Price{In: 2, Out: 10, CachedIn: 0.2, CacheWrite: 2.5}, "$2 in, $10 out, $0.2 cached in, $2.5 written to the cache"},
	} {
		if got := tt.price.String(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func ExampleCatalogue_PriceOf() {
	prices := provider.LoadCatalogue()
	_, known := prices.PriceOf("http://127.0.0.1:11434", "qwen3:8b")
	fmt.Println("a model of your own:", known)
	p, known := prices.PriceOf("https://api.openai.com/v1", "gpt-5-2026-08-07")
	fmt.Println("a vendor's model:", known, p)
	in, out := int64(1200), int64(300)
	nano, _ := p.Cost(llm.Usage{In: &in, Out: &out})
	fmt.Printf("one answer: $%.4f\n", float64(nano)/1e9)
	// Output:
	// a model of your own: false
	// a vendor's model: true $1.25 in, $10 out, $0.125 cached in
	// one answer: $0.0045
}
