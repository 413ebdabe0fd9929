package config

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// vendorURL is where a provider is asked if no base_url was given.
func vendorURL(p llm.Provider) string {
	switch p {
	case llm.ProviderOpenAI:
		return "https://api.openai.com/v1"
	case llm.ProviderAnthropic:
		return "https://api.anthropic.com"
	case llm.ProviderGoogle:
		return "https://generativelanguage.googleapis.com"
	default:
		return "http://127.0.0.1:11434"
	}
}

// vendorHost says whether a host belongs to the provider's vendor.
func vendorHost(p llm.Provider, host string) bool {
	vendor := map[llm.Provider]string{
		llm.ProviderOpenAI: "api.openai.com", llm.ProviderAnthropic: "api.anthropic.com",
		llm.ProviderGoogle: "generativelanguage.googleapis.com",
	}[p]
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return vendor != "" && (host == vendor || strings.HasSuffix(host, "."+vendor))
}

func (r *draft) models(d *decoder, path string, n *node) {
	d.entries(path, n, func(key, sub string, p pair) {
		if !goodName(key, true) {
			d.fail(p.pos, sub, "this is no name for a model", wantArm)
		}
		m := Model{Name: key}
		r.model(&m)(d, sub, p.value)
		r.finish(&m, sub, p)
		r.Models = append(r.Models, m)
		r.broken[key] = m.Provider == "" || m.Model == "" || m.BaseURL == "" || m.Digest == "" && r.has(sub+".digest")
	})
}

func (r *draft) model(m *Model) reader {
	names := make([]string, 0, len(llm.Providers()))
	for _, p := range llm.Providers() {
		names = append(names, string(p))
	}
	return section(fields{
		"provider":    oneOf((*string)(&m.Provider), names...),
		"model":       modelID(&m.Model),
		"base_url":    httpURL(&m.BaseURL, "a server's address such as http://127.0.0.1:8000/v1"),
		"key":         secret(&m.Key),
		"digest":      digest(&m.Digest),
		"extra":       extra(&m.Extra),
		"headers":     headers(&m.Headers),
		"reasoning":   oneOf(&m.Reasoning, "none", "minimal", "low", "medium", "high", "xhigh", "max"),
		"concurrency": count(&m.Concurrency, 1),
		"images":      sight(&m.Images),
		"api":         api(&m.Responses),
		"price":       price(&m.Price),
	})
}

// finish fills in what follows from other keys of the model, and checks them together.
func (r *draft) finish(m *Model, path string, p pair) {
	if p.value.kind == isNull {
		r.fail(p.pos, path, "says nothing", "provider and model at least")
		return
	}
	for _, required := range []struct{ key, value string }{{"provider", string(m.Provider)}, {"model", m.Model}} {
		if p.value.kind == isMap && !r.has(path+"."+required.key) {
			r.fail(p.pos, path, required.key+" is missing", "provider and model at least")
		}
	}
	if m.Provider == "" || r.failed(path+".base_url") {
		return
	}
	if m.BaseURL == "" {
		m.BaseURL = vendorURL(m.Provider)
	}
	m.SelfHosted = !vendorHost(m.Provider, hostOf(m.BaseURL))
	switch {
	case m.Provider == llm.ProviderOllama && strings.HasSuffix(m.BaseURL, "/v1"):
		r.failAt(path+".base_url", "ollama is asked through its own API", "the address without /v1, or provider: openai")
	case !m.SelfHosted && m.Key.IsZero() && !r.has(path+".key"):
		r.fail(p.pos, path, "key is missing", fmt.Sprintf("key: env:NAME or file:PATH, since %s wants one", hostOf(m.BaseURL)))
	case m.Responses && m.Provider != llm.ProviderOpenAI:
		r.failAt(path+".api", fmt.Sprintf("responses is an API of OpenAI's, and the provider is %s", m.Provider), "leave it out")
	case !m.SelfHosted && m.Digest != "":
		r.failAt(path+".digest", "the vendor shows no digest that could be compared", "leave it out; a dated id pins the model")
	}
}

func (d *decoder) has(path string) bool {
	_, ok := d.places[path]
	return ok
}

// modelID reads a provider's id of a model: no blanks, no control characters.
func modelID(dst *string) reader {
	const want = "the id that the provider gives the model"
	return func(d *decoder, path string, n *node) {
		if n.kind == isText && keyText.MatchString(n.text) {
			d.fail(n.pos, path, "this looks like a key (it is not shown here)", want)
			return
		}
		if n.kind == isText && (len(n.text) > 256 || strings.ContainsFunc(n.text, func(r rune) bool { return r <= ' ' || r == 0x7f })) {
			d.fail(n.pos, path, quote(n.text)+" is no model id: it is too long or has blanks in it", want)
			return
		}
		text(dst, want)(d, path, n)
	}
}

// api reads by which of its two an OpenAI endpoint is asked where the choice is ours.
func api(responses *bool) reader {
	return func(d *decoder, path string, n *node) {
		name := "chat"
		oneOf(&name, "chat", "responses")(d, path, n)
		*responses = name == "responses"
	}
}

// sight reads whether a model can see images.
func sight(dst **bool) reader {
	return func(d *decoder, path string, n *node) {
		var sees bool
		before := len(d.faults)
		if flag(&sees)(d, path, n); len(d.faults) == before {
			*dst = &sees
		}
	}
}

func digest(dst *string) reader {
	const want = "8 to 64 hexadecimal digits, with or without sha256: before them, in quotes"
	return func(d *decoder, path string, n *node) {
		if n.kind != isText && n.kind != isInt && n.kind != isFloat || !llm.ValidDigest(n.text) {
			d.fail(n.pos, path, describe(n)+" is no digest", want)
			return
		}
		*dst = strings.ToLower(strings.TrimPrefix(n.text, "sha256:"))
	}
}

// reserved are fields of a request that extra must not set: they are the
// question itself, what the arm was configured with, or a credential.
var reserved = []string{
	"model", "models", "messages", "input", "contents", "prompt", "system", "stream", "n", "tools", "response_format",
	"api_key", "apikey", "key", "authorization", "password", "secret", "token",
}

// connection are headers that belong to the connection or to the body's form.
var connection = []string{
	"host", "connection", "content-length", "content-type", "content-encoding", "transfer-encoding", "accept-encoding",
	"te", "trailer", "upgrade", "expect", "keep-alive",
}

// headers reads what a model's questions are sent with, such as anthropic-version.
func headers(dst *map[string]string) reader {
	const want = "name: value, such as anthropic-version: \"2026-10-21\"; a credential belongs in key"
	return func(d *decoder, path string, n *node) {
		out := map[string]string{}
		d.entries(path, n, func(key, sub string, p pair) {
			name, value := strings.ToLower(key), p.value.text
			switch {
			case !headerName.MatchString(key) || slices.Contains(credentials, name) || slices.Contains(connection, name):
				d.fail(p.pos, sub, "this header cannot be set", want)
			case p.value.kind != isText || looksLikeKey(value) || value == "" || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }):
				d.fail(p.value.pos, sub, "this is no value of a header (it is not shown here)", want)
			default:
				out[name] = value
			}
		})
		if len(out) > 0 {
			*dst = out
		}
	}
}

var jsonNumber = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$`)

// extra reads the provider's own fields as values that JSON can carry.
func extra(dst *map[string]any) reader {
	return func(d *decoder, path string, n *node) {
		out := map[string]any{}
		d.entries(path, n, func(key, sub string, p pair) {
			if slices.Contains(reserved, strings.ToLower(key)) {
				d.fail(p.pos, sub, "this field cannot be set by extra", "fields of the provider that understudy does not set, such as top_k")
				return
			}
			out[key] = jsonValue(d, sub, p.value)
		})
		if len(out) > 0 {
			*dst = out
		}
	}
}

func jsonValue(d *decoder, path string, n *node) any {
	switch n.kind {
	case isNull:
		return nil
	case isBool:
		return n.text == "true"
	case isInt, isFloat:
		if !jsonNumber.MatchString(n.text) {
			d.fail(n.pos, path, describe(n)+" is no number of JSON", "a number such as 20 or 0.5")
		}
		return json.Number(n.text)
	case isMap:
		out := map[string]any{}
		d.entries(path, n, func(key, sub string, p pair) { out[key] = jsonValue(d, sub, p.value) })
		return out
	case isList:
		out := []any{}
		for i, item := range n.items {
			out = append(out, jsonValue(d, fmt.Sprintf("%s[%d]", path, i), item))
		}
		return out
	default:
		return n.text
	}
}
