package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
)

const priced = `models:
  free: {provider: ollama, model: "qwen3:8b", price: {in: 0, out: 0}}
  plain: {provider: openai, model: gpt-5, key: env:A, price: {in: 1.25, out: 10}}
  dated: {provider: openai, model: gpt-5-2026-08-07, key: env:A, price: {in: "1.5", out: 12, cached_in: 0}}
  twice: {provider: openai, model: gpt-5-2026-08-07, key: env:A, price: {in: 2, out: 12}}
  elsewhere: {provider: openai, model: gpt-5-mini, base_url: "https://gateway.example/v1", price: {in: 9, out: 9}}
  judge: {provider: openai, model: gpt-5.6-terra-2026-08-20, key: env:A}
tap: {upstream: "https://api.openai.com"}
judge: {primary: judge}
`

func TestPrice(t *testing.T) {
	c := parse(t, priced)
	for name, want := range map[string]*config.Price{
		"free":  {},
		"plain": {In: 1.25, Out: 10, CachedIn: 1.25}, // without a price of their own, cached tokens cost what others do
		"dated": {In: 1.5, Out: 12},                  // an explicit 0 stays 0
		"judge": nil,
	} {
		m, _ := c.Model(name)
		if diff := cmp.Diff(want, m.Price); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestLivePrices(t *testing.T) {
	tests := []struct {
		name, why, named string
		want             []config.Price
	}{
		{name: "alias", why: "the id itself", named: "gpt-5", want: []config.Price{{In: 1.25, Out: 10, CachedIn: 1.25}}},
		{name: "other snapshot", why: "what was asked for without a date answers with one", named: "gpt-5-2026-11-11", want: []config.Price{{In: 1.25, Out: 10, CachedIn: 1.25}}},
		{name: "two prices", why: "both are told, so that nobody picks one", named: "gpt-5-2026-08-07", want: []config.Price{{In: 1.5, Out: 12}, {In: 2, Out: 12, CachedIn: 2}}},
		{name: "elsewhere", why: "the same model at another server has another price", named: "gpt-5-mini"},
		{name: "not given", why: "a model without a price says nothing", named: "gpt-5.6-terra-2026-08-20"},
		{name: "nameless", why: "an answer may name no model"},
	}
	c := parse(t, priced)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, c.LivePrices(tt.named)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.why, diff)
			}
		})
	}
}
