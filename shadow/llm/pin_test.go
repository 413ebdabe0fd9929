package llm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/shadow/llm"
)

const digest = "sha256:9f2c51d0"

func TestPinnedBy(t *testing.T) {
	const open, claude, google, ollama = llm.ProviderOpenAI, llm.ProviderAnthropic, llm.ProviderGoogle, llm.ProviderOllama
	tests := []struct {
		name     string
		why      string
		provider llm.Provider
		hosted   bool
		model    string
		digest   string
		pin      llm.Pin
		says     string // part of the error's text
	}{
		{name: "openai dated", why: "the usual snapshot", provider: open, model: "gpt-5-2025-08-07", pin: llm.PinDate},
		{name: "openai dated, dot", why: "versions have dots", provider: open, model: "gpt-5.6-terra-2026-08-20", pin: llm.PinDate},
		{name: "openai o-series", why: "not only gpt has snapshots", provider: open, model: "o3-mini-2025-01-31", pin: llm.PinDate},
		{name: "openai month and day", why: "early snapshots", provider: open, model: "gpt-4-0613", pin: llm.PinDate},
		{name: "openai month, day, preview", why: "previews of early snapshots", provider: open, model: "gpt-4-1106-preview", pin: llm.PinDate},
		{name: "openai month, day, vision", why: "previews of early snapshots", provider: open, model: "gpt-4-1106-vision-preview", pin: llm.PinDate},
		{name: "openai month and day, size", why: "a segment between", provider: open, model: "gpt-3.5-turbo-16k-0613", pin: llm.PinDate},
		{name: "openai undated", why: "moves with the vendor", provider: open, model: "gpt-5.6-luna", says: "gpt-5.6-luna-YYYY-MM-DD"},
		{name: "openai latest", why: "moves by name", provider: open, model: "chatgpt-4o-latest", says: "chatgpt-4o-YYYY-MM-DD"},
		{name: "openai preview", why: "a preview without a date moves", provider: open, model: "gpt-4-turbo-preview", says: "alias"},
		{name: "openai 13th month", why: "a date that is none must not pin", provider: open, model: "gpt-5-2026-13-45", says: "the date in gpt-5-2026-13-45 is none"},
		{name: "openai 30 February", why: "the calendar counts", provider: open, model: "gpt-5-2026-02-30", says: "is none"},
		{name: "openai year 0001", why: "not a date of a model", provider: open, model: "gpt-5-0001-01-01", says: "is none"},
		{name: "openai four digits", why: "9999 is no month and day", provider: open, model: "gpt-4-9999", says: "alias"},
		{name: "openai context size", why: "a size is no date", provider: open, model: "gpt-4-32k", says: "alias"},
		{name: "openai dated latest", why: "latest wins over a date", provider: open, model: "gpt-5-2025-08-07-latest", says: "alias"},
		{name: "openai upper case", why: "the echo would be lower case and never match", provider: open, model: "GPT-5-2025-08-07", says: "write gpt-5-2025-08-07"},
		{name: "openai prefix", why: "a router's id, not the vendor's", provider: open, model: "openai/gpt-5", says: "no prefix"},
		{name: "openai dated prefix", why: "the echo has no prefix", provider: open, model: "openai/gpt-5-2025-08-07", says: "gpt-5-YYYY-MM-DD"},
		{name: "openai compact date", why: "OpenAI writes dates with dashes", provider: open, model: "gpt-5-20250807", says: "alias"},
		{name: "openai digest", why: "the vendor's digest cannot be seen", provider: open, model: "gpt-5", digest: digest, says: "alias"},
		{name: "fine-tune of a snapshot", why: "base and job are fixed", provider: open, model: "ft:gpt-4o-mini-2024-07-18:acme::Abc123", pin: llm.PinDate},
		{name: "fine-tune with checkpoint", why: "one more part", provider: open, model: "ft:gpt-4o-mini-2024-07-18:acme:tone:Abc123:ckpt-step-90", pin: llm.PinDate},
		{name: "fine-tune of an alias", why: "the base is not named exactly", provider: open, model: "ft:gpt-4o-mini:acme::Abc123", says: "gpt-4o-mini-YYYY-MM-DD"},
		{name: "fine-tune without job", why: "half an id", provider: open, model: "ft:gpt-4o-mini-2024-07-18:acme::", says: "whole id"},

		{name: "hosted digest", why: "weights are named", provider: open, hosted: true, model: "my-model", digest: digest, pin: llm.PinDigest},
		{name: "hosted dated", why: "the operator can exchange what stands behind a date too", provider: open, hosted: true, model: "judge-mini-2026-03-01", says: "give its digest"},
		{name: "hosted dated with digest", why: "weights are named", provider: open, hosted: true, model: "judge-mini-2026-03-01", digest: digest, pin: llm.PinDigest},
		{name: "hosted undated", why: "the operator can exchange it", provider: open, hosted: true, model: "Qwen/Qwen3-8B", says: "give its digest"},
		{name: "hosted month and day", why: "2507 and 0613 may mean anything there", provider: open, hosted: true, model: "gpt-4-0613", says: "digest"},
		{name: "hosted bad date", why: "mistyped", provider: open, hosted: true, model: "judge-2026-13-45", says: "digest"},
		{name: "hosted latest", why: "moves by name", provider: open, hosted: true, model: "judge-2026-03-01:latest", says: "digest"},

		{name: "anthropic dated", why: "a snapshot of any age", provider: claude, model: "claude-haiku-4-5-20251001", pin: llm.PinDate},
		{name: "anthropic old dated", why: "a snapshot of any age", provider: claude, model: "claude-3-opus-20240229", pin: llm.PinDate},
		{name: "anthropic at", why: "the form of another cloud", provider: claude, model: "claude-3-5-sonnet@20240620", pin: llm.PinDate},
		{name: "anthropic cloud id", why: "the form of another cloud", provider: claude, model: "us.anthropic.claude-3-5-sonnet-20241022-v2:0", pin: llm.PinDate},
		{name: "anthropic 5", why: "fixed without a date", provider: claude, model: "claude-sonnet-5", pin: llm.PinName},
		{name: "anthropic 5 haiku", why: "fixed without a date", provider: claude, model: "claude-haiku-5", pin: llm.PinName},
		{name: "anthropic 4.6", why: "the first fixed generation", provider: claude, model: "claude-opus-4-6", pin: llm.PinName},
		{name: "anthropic 4.10", why: "ten is after six", provider: claude, model: "claude-opus-4-10", pin: llm.PinName},
		{name: "anthropic 10", why: "two digits", provider: claude, model: "claude-opus-10", pin: llm.PinName},
		{name: "anthropic 4.5", why: "the last with short forms", provider: claude, model: "claude-sonnet-4-5", says: "claude-sonnet-4-5-YYYYMMDD"},
		{name: "anthropic 4.0", why: "short form", provider: claude, model: "claude-opus-4-0", says: "short form"},
		{name: "anthropic 4", why: "short form", provider: claude, model: "claude-sonnet-4", says: "short form"},
		{name: "anthropic 3", why: "old order of words", provider: claude, model: "claude-3-opus", says: "short form"},
		{name: "anthropic 3.7", why: "7 is the minor of 3", provider: claude, model: "claude-3-7-sonnet", says: "short form"},
		{name: "anthropic 2.1", why: "older still", provider: claude, model: "claude-2.1", says: "short form"},
		{name: "anthropic instant", why: "older still", provider: claude, model: "claude-instant-1.2", says: "short form"},
		{name: "anthropic latest", why: "moves by name", provider: claude, model: "claude-3-5-sonnet-latest", says: "moved by Anthropic"},
		{name: "anthropic 5 latest", why: "moves by name in any generation", provider: claude, model: "claude-opus-5-latest", says: "moved by Anthropic"},
		{name: "anthropic no version", why: "family alone", provider: claude, model: "claude-opus", says: "short form"},
		{name: "anthropic bad date", why: "mistyped", provider: claude, model: "claude-sonnet-5-20261345", says: "is none"},
		{name: "anthropic upper case", why: "never echoed so", provider: claude, model: "Claude-Sonnet-5", says: "write claude-sonnet-5"},
		{name: "anthropic stranger", why: "not this vendor's", provider: claude, model: "gpt-5-large", says: "no id of Anthropic's"},

		{name: "google version", why: "fixed", provider: google, model: "gemini-4-flash", pin: llm.PinName},
		{name: "google numbered", why: "fixed", provider: google, model: "gemini-2.0-flash-001", pin: llm.PinName},
		{name: "google preview", why: "month and year are no full date", provider: google, model: "gemini-2.5-flash-preview-09-2025", pin: llm.PinName},
		{name: "google latest", why: "moves by name", provider: google, model: "gemini-flash-latest", says: "moved by Google"},
		{name: "google LATEST", why: "in any case", provider: google, model: "gemini-flash-LATEST", says: "moved by Google"},
		{name: "google prefix and latest", why: "without the prefix it would still move", provider: google, model: "models/gemini-flash-latest", says: "moved by Google"},
		{name: "google prefix", why: "modelVersion has no models/", provider: google, model: "models/gemini-4-flash", says: "write gemini-4-flash"},

		{name: "ollama digest", why: "weights are named", provider: ollama, model: "qwen3:8b", digest: "9F2C51D0aa", pin: llm.PinDigest},
		{name: "ollama tag", why: "can be pulled again", provider: ollama, model: "qwen3:8b", says: "give its digest"},
		{name: "ollama dated tag", why: "a tag with a date can be pulled again too", provider: ollama, model: "judge:2026-03-01", says: "give its digest"},
		{name: "bad digest", why: "not hexadecimal", provider: ollama, model: "qwen3:8b", digest: "sha256:xyz", says: "is no digest"},
		{name: "short digest", why: "too short to tell weights apart", provider: ollama, model: "qwen3:8b", digest: "abc", says: "is no digest"},

		{name: "no model", why: "nothing to pin", provider: open, model: "", says: "no model id"},
		{name: "blank", why: "a pasted line end would never match the echo", provider: open, model: "gpt-5-2025-08-07\n", says: "no model id"},
		{name: "no provider", why: "unknown rules", provider: "acme", model: "x-2026-01-01", says: "not known"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pin, err := llm.PinnedBy(test.provider, test.hosted, test.model, test.digest)
			if pin != test.pin {
				t.Errorf("pin %q (%v), want %q: %s", pin, err, test.pin, test.why)
			}
			if test.says == "" {
				if err != nil {
					t.Errorf("error %v, want none: %s", err, test.why)
				}
				return
			}
			if !errors.Is(err, llm.ErrAlias) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v, want one that says %q: %s", err, test.says, test.why)
			}
		})
	}
}

func FuzzPinnedBy(f *testing.F) {
	f.Add("openai", false, "gpt-5-2025-08-07", "")
	f.Add("anthropic", false, "claude-sonnet-5", "")
	f.Add("ollama", false, "qwen3:8b", "9f2c51d0")
	f.Fuzz(func(t *testing.T, provider string, hosted bool, model, digest string) {
		pin, err := llm.PinnedBy(llm.Provider(provider), hosted, model, digest)
		if (pin == "") != (err != nil) {
			t.Errorf("pin %q with error %v", pin, err)
		}
	})
}
