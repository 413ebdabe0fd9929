package provider_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/provider"
)

// TestLosses: nothing is lost where the provider speaks the dialect, but for what the
// model's generation refuses; each translation can be made at all, and loses something.
func TestLosses(t *testing.T) {
	dialects := []llm.Dialect{llm.OpenAIChat, llm.OpenAIResponses, llm.AnthropicMessages, llm.GeminiGenerate, llm.OllamaChat, llm.OllamaGenerate}
	for _, p := range llm.Providers() {
		c, err := provider.Open(at(p))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range dialects {
			lost := c.Losses(d)
			if c.Speaks(d) {
				lost = slices.DeleteFunc(lost, func(l llm.Loss) bool {
					return p == llm.ProviderOpenAI && (l == llm.LostReasoning || l == llm.LostThinking) // gpt-4.1 does not think
				})
				if len(lost) > 0 {
					t.Errorf("%s to %s, which speaks it, loses %v", d, p, lost)
				}
			} else if len(lost) == 0 {
				t.Errorf("%s to %s loses nothing", d, p)
			}
		}
	}
	e := at(llm.ProviderAnthropic)
	e.Model = "claude-sonnet-5"
	c, err := provider.Open(e)
	if err != nil {
		t.Fatal(err)
	}
	want := []llm.Loss{llm.LostSystemPlace, llm.LostThinking, llm.LostImageDetail, llm.LostToolStrict, llm.LostSchema, llm.LostMaxTokens,
		llm.LostTemperature, llm.LostTopP, llm.LostSeed, llm.LostPenalties, llm.LostLogitBias, llm.LostLogprobs, llm.LostReasoning, llm.LostVerbosity, llm.LostServiceTier, llm.LostOther}
	if diff := cmp.Diff(want, c.Losses(llm.OpenAIChat), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("chat to claude (-want +got)\n%s", diff)
	}
	if lost := c.Losses("telegraph"); lost != nil {
		t.Errorf("a telegraph loses %v", lost)
	}
}
