package config

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// warnings are things to know before the start. They need no environment.
func (r *draft) warnings() []error {
	var all []*Error
	warn := func(key, problem, want string) {
		all = append(all, &Error{Position: r.Config.At(key), Key: key, Problem: problem, Want: want})
	}
	primary, _ := r.Model(r.Judge.Primary)
	reserve, hasReserve := r.Model(r.Judge.Reserve)
	if hasReserve && sameServer(primary.BaseURL, reserve.BaseURL) {
		warn("judge.reserve", "is at the same provider as judge.primary: when it fails, both are gone", "a reserve at another provider")
	}
	for _, j := range r.judges() {
		for _, c := range r.Candidates {
			m, ok := r.Model(c.Model)
			if ok && sameServer(m.BaseURL, j.model.BaseURL) && isAliasOf(m.Model, j.model.Model) {
				warn(j.key, fmt.Sprintf("the arm %s asks for the alias %s, which may be the judge's own snapshot %s", printable(c.Name), m.Model, j.model.Model), "a judge that is no arm")
			} else if ok && family(m) != "" && family(m) == family(j.model) {
				warn(j.key, fmt.Sprintf("the judge is of the same family (%s) as the arm %s, and judges tend to favour their own", family(m), printable(c.Name)), "take a judge of another family if there is one")
			}
		}
		for i, echo := range r.Judge.AcceptEcho {
			if !j.model.SelfHosted && isAliasOf(echo, j.model.Model) {
				warn(fmt.Sprintf("judge.accept_echo[%d]", i), fmt.Sprintf("%s is an alias that %s can move: a reply with it proves nothing, and its verdicts count all the same", echo, hostOf(j.model.BaseURL)), "leave it out, unless the replies never name the dated id")
			}
		}
		if options, _ := j.model.Extra["options"].(map[string]any); j.model.Provider == llm.ProviderOllama && options["num_ctx"] == nil {
			warn(j.key, "an Ollama server cuts what is longer than its own context, often 4,096 tokens, at the front and without a word: the judge would grade without its instructions", "extra: {options: {num_ctx: 32768}} for the model, as much as fits judge.max_prompt")
		}
		if host := hostOf(j.model.BaseURL); !onLoopback(host) {
			warn(j.key, "conversations go unredacted to "+host, "be sure that they may; redaction is not supported yet")
		}
	}
	if r.Tap.Rate == 1 {
		warn("tap.rate", "every request is sampled: each candidate and the judge are asked, and paid, for all of the traffic", "1% for a hundredth of it, or be sure")
	}
	if strings.HasSuffix(r.Tap.Upstream, "/v1") {
		warn("tap.upstream", "a client whose base_url ends in /v1, as usual, would reach /v1/v1 there: paths are passed on whole", "the address without /v1")
	}
	if host, _, err := net.SplitHostPort(r.Tap.Ingest.Listen); err == nil && (host == "" || unspecified(host) || !onLoopback(host)) {
		warn("tap.ingest.listen", "whoever reaches this address can add samples: it asks for no credential", "127.0.0.1, or a network of your own")
	}
	for _, address := range strings.Split(r.Bus.URL, ",") {
		if address != "" && !onLoopback(hostOf(address)) {
			warn("bus.url", "conversations go unredacted to "+hostOf(address), "be sure that they may; redaction is not supported yet")
		}
	}
	return errorsOf(all)
}

// isAliasOf says whether an id is that of a snapshot without its date.
func isAliasOf(id, snapshot string) bool {
	rest, ok := strings.CutPrefix(snapshot, strings.TrimSuffix(id, "-latest"))
	return ok && datePart.MatchString(rest)
}

var datePart = regexp.MustCompile(`^[-@](?:[0-9]{4}-?[0-9]{2}-?[0-9]{2}|[0-9]{4})$`)

type judgeModel struct {
	key   string
	model Model
}

func (c *Config) judges() []judgeModel {
	var all []judgeModel
	for _, j := range []struct{ key, name string }{{"judge.primary", c.Judge.Primary}, {"judge.reserve", c.Judge.Reserve}} {
		if m, ok := c.Model(j.name); ok {
			all = append(all, judgeModel{j.key, m})
		}
	}
	return all
}

func errorsOf(all []*Error) []error {
	var out []error
	for _, e := range all {
		out = append(out, e)
	}
	return out
}

var familyName = regexp.MustCompile(`^(?:ft:)?(?:[a-z0-9._-]+/)*(claude|gemini|gemma|gpt|o[0-9]|chatgpt|qwen|qwq|llama|mistral|mixtral|ministral|deepseek|phi|grok|command|glm|kimi)`)

// family says who made a model, as far as its provider or id tells; "" if unknown.
func family(m Model) string {
	if !m.SelfHosted {
		return string(m.Provider)
	}
	found := familyName.FindStringSubmatch(strings.ToLower(m.Model))
	if found == nil {
		return ""
	}
	switch f := found[1]; f {
	case "gpt", "chatgpt", "o1", "o2", "o3", "o4", "o5":
		return string(llm.ProviderOpenAI)
	case "claude":
		return string(llm.ProviderAnthropic)
	case "gemini", "gemma":
		return string(llm.ProviderGoogle)
	case "mixtral", "ministral":
		return "mistral"
	case "qwq":
		return "qwen"
	default:
		return f
	}
}

// Secrets tries every reference to a key, and every file for the bus, and gives a
// warning for each that has no value now, an [*Error] at its place: a variable that
// is unset or empty, a file that cannot be read or is empty. lookup is [os.LookupEnv]
// outside tests. A run cannot start with such a key; a check only says so.
func (c *Config) Secrets(lookup func(name string) (string, bool)) []error {
	var all []*Error
	try := func(key, want string, err error) {
		if err != nil {
			all = append(all, &Error{Position: c.At(key), Key: key, Problem: err.Error(), Want: want})
		}
	}
	for _, m := range c.Models {
		try(under("models", m.Name)+".key", "set it before understudy run", m.Key.present(lookup))
	}
	creds, _ := c.Bus.Creds.File()
	key, _ := c.Bus.TLS.Key.File()
	for _, f := range []struct{ key, path string }{
		{"bus.creds", creds}, {"bus.tls.ca", c.Bus.TLS.CA}, {"bus.tls.cert", c.Bus.TLS.Cert}, {"bus.tls.key", key},
	} {
		try(f.key, "put it there before understudy run", filled(f.path))
	}
	return errorsOf(all)
}

// filled says why a file has nothing to read; nil if it has, or none is named. What
// is in it, often several lines, is the reader's matter.
func filled(path string) error {
	if path == "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read file:%s: %w", path, cause(err))
	}
	defer f.Close()
	switch _, err := f.Read(make([]byte, 1)); {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("file:%s is empty", path)
	case err != nil:
		return fmt.Errorf("read file:%s: %w", path, cause(err))
	}
	return nil
}
