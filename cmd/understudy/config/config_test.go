package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/shadow/llm"
)

const smallest = `models:
  luna: {provider: openai, model: gpt-5.6-luna, key: env:OPENAI_API_KEY}
  judge: {provider: openai, model: gpt-5.6-terra-2026-08-20, key: env:OPENAI_API_KEY}
tap: {upstream: https://api.openai.com/}
judge: {primary: judge}
`

func parse(t *testing.T, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("understudy.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDefaults(t *testing.T) {
	c := parse(t, smallest+"candidates: {luna: {model: luna}}\n")
	p95, failures, cost := 500*time.Millisecond, 0.01, 0.5
	wantGate := config.Gate{
		Margin: 0.10, Alpha: 0.05, PlannedPairs: 900, BurnIn: config.BurnIn{Pairs: 50, Sessions: 30},
		Over:           []config.ShareLimit{{Limit: 3 * time.Second, Share: 0.05}, {Limit: 10 * time.Second, Share: 0.01}},
		FirstTokenOver: []config.ShareLimit{{Limit: time.Second, Share: 0.10}},
		P95Increase:    &p95, FailuresIncrease: &failures, CostIncrease: &cost,
	}
	if diff := cmp.Diff(wantGate, c.Gate); diff != "" {
		t.Errorf("gate (-want +got):\n%s", diff)
	}
	wantTap := config.Tap{
		Listen: "127.0.0.1:8080", Upstream: "https://api.openai.com", ClientTimeout: 30 * time.Second, Rate: 0.01, BySession: true,
		Session: []config.Source{{Kind: config.FromHeader, Name: "X-Session-Id"}}, Salt: "understudy",
		MaxBody: 1 << 20, QueueItems: 1000, QueueBytes: 64 << 20, Route: config.Source{Kind: config.FromPath},
	}
	if diff := cmp.Diff(wantTap, c.Tap); diff != "" {
		t.Errorf("tap (-want +got):\n%s", diff)
	}
	wantArms := []config.Candidate{{Name: "luna", Model: "luna", Share: 1, Timeout: time.Minute}}
	if diff := cmp.Diff(wantArms, c.Candidates); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	if !c.Bus.Embedded() || c.Bus.SyncEvery != 0 || c.Bus.MaxPayload != 8<<20 || c.Bus.KeepTrials != 720*time.Hour {
		t.Errorf("bus %+v", c.Bus)
	}
	if c.Judge.Rubric != "" || c.Judge.HedgeAfter != 1500*time.Millisecond || c.Judge.Budget != 20*time.Second || c.Judge.Failures != 3 || c.Judge.Cool != 5*time.Minute {
		t.Errorf("judge %+v", c.Judge)
	}
}

// TestAccepted: what is right, though it looks odd.
func TestAccepted(t *testing.T) {
	tests := []struct{ name, why, text string }{
		{"no candidates", "served answers are graded all the same", "candidates:\n"},
		{"switched off", "what is not built may stand there empty", "spend: {}\nprobe:\nalerts: []\npolicies: {}\nmetrics: {}\n"},
		{"guards off", "none switches each off", "gate: {latency: none, failures: none, problems: none}\n"},
		{"one guard off", "the others stay", "gate: {latency: {p95_increase: none, first_token: none, over: {}}, failures: {increase: none}, cost_increase: none}\n"},
		{"no text kept", "0 needs no unit", "sinks: {keep_text: 0}\n"},
		{"long forms", "compound durations, decimal sizes, blanks before %", "sinks: {keep_text: 1d12h, flush: {rows: 1, every: 1500ms}}\nbus: {max_payload: 16MB}\nreport: {level: 90 %}\n"},
		{"interval", "sync by time", "bus: {sync: 10s}\n"},
		{"cluster", "several servers", "bus: {url: \"nats://a:4222, tls://b\", creds: file:/etc/nats.creds, tls: {ca: ca.pem}}\n"},
		{"other script", "names of arms are shown, not parsed", "candidates: {模型-甲: {model: luna, share: 1}}\n"},
		{"signs of model ids", "an arm is often named after its model", "candidates:\n  gpt-4o.mini: {model: luna}\n  qwen3:8b: {model: luna}\n  \"org/m@1+2\": {model: luna}\n"},
		{"block", "the usual way to write it", "candidates:\n  a:\n    model: luna\n    share: 0.3%\n    timeout: 1m\n"},
		{"quotes", "quoted syntax is syntax", "experiment: {start: \"2026-10-05\", stop: '2026-10-06'}\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := config.Parse("x.yaml", []byte(smallest+test.text)); err != nil {
				t.Errorf("%s: %v", test.why, err)
			}
		})
	}
}

func TestSessionsInNestedFlow(t *testing.T) {
	c := parse(t, strings.Replace(smallest, "https://api.openai.com/}", "https://api.openai.com, session: [header:X-A, body:a.b:c, body:1], route: body:r}", 1))
	want := []config.Source{{Kind: config.FromHeader, Name: "X-A"}, {Kind: config.FromBody, Name: "a.b:c"}, {Kind: config.FromBody, Name: "1"}}
	if diff := cmp.Diff(want, c.Tap.Session); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if c.Tap.Route.String() != "body:r" {
		t.Errorf("route %s", c.Tap.Route)
	}
}

func TestSources(t *testing.T) {
	in := func(key, source string) string {
		return strings.Replace(smallest, "https://api.openai.com/}", "https://api.openai.com, "+key+": "+source+"}", 1)
	}
	sources := "[header:gen_ai.conversation.id, baggage:gen_ai.conversation.id, traceparent, body:a, opening]"
	var got []string
	for _, s := range parse(t, in("session", sources)).Tap.Session {
		got = append(got, s.String())
	}
	if all := "[" + strings.Join(got, ", ") + "]"; all != sources {
		t.Errorf("sessions %s, want %s", all, sources)
	}
	for _, c := range []struct{ key, source, why string }{
		{"session", "[traceparent:x]", "it has one value"},
		{"session", "[opening:x]", "so has this"},
		{"session", "[baggage]", "which entry?"},
		{"session", "[baggage:a b]", "no name of an entry"},
		{"session", "[path]", "no session is told by its path"},
		{"route", "traceparent", "one route per request"},
		{"route", "opening", "for sessions only"},
		{"tags", "{a: opening}", "for sessions only"},
		{"tags", "{a: traceparent}", "for sessions only"},
	} {
		var e *config.Error
		if _, err := config.Parse("x.yaml", []byte(in(c.key, c.source))); !errors.As(err, &e) || !strings.HasPrefix(e.Key, "tap."+c.key) {
			t.Errorf("%s: %s (%s): error %v", c.key, c.source, c.why, err)
		}
	}
	if c := parse(t, in("route", "baggage:team")); c.Tap.Route.String() != "baggage:team" {
		t.Errorf("route %s", c.Tap.Route)
	}
}

func TestTags(t *testing.T) {
	with := func(tags string) string {
		return strings.Replace(smallest, "https://api.openai.com/}", "https://api.openai.com, tags: "+tags+"}", 1)
	}
	c := parse(t, with("{lang: header:X-Lang, plan: body:metadata.plan}"))
	want := map[string]config.Source{"lang": {Kind: config.FromHeader, Name: "X-Lang"}, "plan": {Kind: config.FromBody, Name: "metadata.plan"}}
	if diff := cmp.Diff(want, c.Tap.Tags); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, bad := range []string{"[lang]", "{lang: path}", "{lang: header:Authorization}", "{La ng: header:X-Lang}", "{lang: header:A, lang: header:B}",
		"{a: body:a, b: body:a, c: body:a, d: body:a, e: body:a, f: body:a, g: body:a, h: body:a, i: body:a}"} {
		var e *config.Error
		if _, err := config.Parse("x.yaml", []byte(with(bad))); !errors.As(err, &e) || !strings.HasPrefix(e.Key, "tap.tags") {
			t.Errorf("tags %s: error %v, want one at tap.tags", bad, err)
		}
	}
}

func TestGuards(t *testing.T) {
	c := parse(t, smallest+"gate: {latency: {over: {6000ms: 2%, 2s: 0.1}, p95_increase: none}, problems: {b: {increase: 3%}, a: {increase: 0.5%}}}\n")
	if diff := cmp.Diff([]config.ShareLimit{{Limit: 2 * time.Second, Share: 0.1}, {Limit: 6 * time.Second, Share: 0.02}}, c.Gate.Over); diff != "" {
		t.Errorf("given limits replace the defaults, rising (-want +got):\n%s", diff)
	}
	if c.Gate.P95Increase != nil || len(c.Gate.FirstTokenOver) != 1 || c.Gate.FailuresIncrease == nil {
		t.Errorf("none must switch off one guard and no other: %+v", c.Gate)
	}
	if diff := cmp.Diff([]config.ProblemLimit{{Problem: "a", Increase: 0.005}, {Problem: "b", Increase: 0.03}}, c.Gate.Problems); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	err := c.CheckRubric([]string{"none", "a", "bb"})
	if err == nil || !strings.Contains(err.Error(), "understudy.yaml:6:79: gate.problems.b: this problem is not on the rubric's list") {
		t.Errorf("a problem that the rubric does not know: %v", err)
	}
	if err := c.CheckRubric([]string{"a", "b"}); err != nil {
		t.Error(err)
	}
}

func TestAt(t *testing.T) {
	c := parse(t, smallest)
	for key, want := range map[string]string{
		"tap.upstream":      "understudy.yaml:4:17",
		"tap.queue.bytes":   "understudy.yaml:4:1",
		"models.judge.key":  "understudy.yaml:3:67",
		"report.limits[1]":  "understudy.yaml:1:1",
		"gate.planned.none": "understudy.yaml:1:1",
	} {
		if got := c.At(key).String(); got != want {
			t.Errorf("%s at %s, want %s", key, got, want)
		}
	}
}

// TestModel covers what follows from a model's keys.
func TestAtLimit(t *testing.T) {
	c := parse(t, smallest+"gate: {latency: {over: {1500ms: 5%, 60s: 1%}}}\n")
	for key, want := range map[string]string{"gate.latency.over.1.5s": "understudy.yaml:6:33", "gate.latency.over.1m0s": "understudy.yaml:6:42"} {
		if got := c.At(key).String(); got != want {
			t.Errorf("%s at %s, want %s, however the limit is spelled", key, got, want)
		}
	}
}

func TestCheckSelf(t *testing.T) {
	own := []string{"Tapper", "192.0.2.7", "2001:db8::7"}
	text := `models:
  a: {provider: openai, base_url: http://192.0.2.7:8080/v1, model: m}
  a.b: {provider: openai, base_url: "http://[2001:DB8:0::7]:8080/v1", model: m}
  c: {provider: openai, base_url: http://tapper.:8080/v1, model: m}
  d: {provider: openai, base_url: http://tapper:8081/v1, model: m}
  j: {provider: openai, base_url: http://192.0.2.8:8080/v1, model: j-2026-01-01, digest: "sha256:0123456789abcdef"}
tap: {upstream: http://tapper:8080, listen: ":8080"}
judge: {primary: j}
`
	err := parse(t, text).CheckSelf(own)
	const leads = " leads to the tap itself, which listens at :8080; the address of the model's own server\n"
	want := "understudy.yaml:2:35: models.a.base_url:" + leads + `understudy.yaml:3:37: models."a.b".base_url:` + leads +
		"understudy.yaml:4:35: models.c.base_url:" + leads +
		"understudy.yaml:7:17: tap.upstream: leads to the tap itself, which listens at :8080; the live service's address, such as https://api.openai.com"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	one := strings.Replace(text, `":8080"`, `"127.0.0.1:8080"`, 1)
	if err := parse(t, one).CheckSelf(own); err != nil {
		t.Errorf("the tap listens on loopback alone: %v", err)
	}
}

func TestModel(t *testing.T) {
	text := strings.Replace(smallest, "tap:", `  vllm: {provider: openai, base_url: "http://127.0.0.1:8000/v1/", model: my-model, digest: "sha256:9F2C51D0", extra: {top_k: 20, deep: {a: [1.50, x, true, null]}}, reasoning: none, concurrency: 1}
  local: {provider: ollama, model: "qwen3:8b"}
  eu: {provider: openai, base_url: https://eu.api.openai.com/v1, model: m, key: env:K}
tap:`, 1)
	c := parse(t, text)
	got, _ := c.Model("vllm")
	want := config.Model{
		Name: "vllm", Provider: llm.ProviderOpenAI, Model: "my-model", BaseURL: "http://127.0.0.1:8000/v1", SelfHosted: true, Digest: "9f2c51d0",
		Extra: map[string]any{
			"top_k": json.Number("20"),
			"deep":  map[string]any{"a": []any{json.Number("1.50"), "x", true, nil}},
		},
		Reasoning: "none", Concurrency: 1,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(config.Secret{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if m, _ := c.Model("local"); m.BaseURL != "http://127.0.0.1:11434" || !m.SelfHosted {
		t.Errorf("ollama's default: %+v", m)
	}
	if m, _ := c.Model("eu"); m.SelfHosted {
		t.Error("a region of the vendor's is the vendor's")
	}
	if m, ok := c.Model("luna"); !ok || m.SelfHosted || m.BaseURL != "https://api.openai.com/v1" {
		t.Errorf("vendor's model %+v", m)
	}
	if _, ok := c.Model("nobody"); ok {
		t.Error("a model that is not there was found")
	}
}

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "understudy.yaml")
	text := strings.Replace(smallest, "env:OPENAI_API_KEY", "file:keys/openai", 1) + "sinks: {dir: rows}\n"
	text = strings.Replace(text, "{primary: judge}", "{primary: judge, rubric: mine}", 1)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := c.Model("luna")
	key, _ := m.Key.File()
	got := []string{c.Sinks.Dir, c.Bus.Dir, c.Judge.Rubric, key}
	want := []string{filepath.Join(dir, "rows"), filepath.Join(dir, "data/bus"), filepath.Join(dir, "mine"), filepath.Join(dir, "keys/openai")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("paths are taken from the file's folder (-want +got):\n%s", diff)
	}
	if _, err := config.Load(filepath.Join(dir, "absent.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
	if _, err := config.Load(dir); err == nil {
		t.Error("a folder was read as a file")
	}
}

// TestBytes: encodings and sizes.
func TestBytes(t *testing.T) {
	if _, err := config.Parse("x", []byte("\ufeff"+strings.ReplaceAll(smallest, "\n", "\r\n"))); err != nil {
		t.Errorf("byte order mark and CRLF: %v", err)
	}
	_, err := config.Parse("x", []byte(strings.ReplaceAll(smallest+"ä: 1\nrate: 1%\n", "\n", "\r\n")))
	if err == nil || !strings.Contains(err.Error(), "x:6:1: ä: unknown key") || !strings.Contains(err.Error(), "x:7:1: rate: unknown key") {
		t.Errorf("places in a file with CRLF: %v", err)
	}
	for name, text := range map[string]string{
		"10 MB":         strings.Repeat("# x\n", 2_500_000),
		"wide":          strings.Repeat("a: b\n", 20_000),
		"open brackets": strings.Repeat("[", 100_000),
		"open mappings": strings.Repeat("{a: ", 30_000),
		"dashes":        strings.Repeat("- ", 60_000),
		"question":      strings.Repeat("? ", 60_000),
	} {
		var fault *config.Error
		if _, err := config.Parse("x", []byte(text)); !errors.As(err, &fault) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = config.Parse("x", []byte(smallest+"k: 0\n"+manyKeys(300)))
	if lines := strings.Count(err.Error(), "\n"); lines != 100 || !strings.Contains(err.Error(), "and 201 more") {
		t.Errorf("%d lines of faults, ending %q", lines, err.Error()[len(err.Error())-40:])
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "unknown%d: 1\n", i)
	}
	return b.String()
}

func TestErrorType(t *testing.T) {
	_, err := config.Parse("x.yaml", []byte(smallest+"tap2: {}\n"))
	var fault *config.Error
	if !errors.As(err, &fault) {
		t.Fatal(err)
	}
	want := config.Error{Position: config.Position{File: "x.yaml", Line: 6, Col: 1}, Key: "tap2", Problem: "unknown key", Want: "did you mean tap?"}
	if diff := cmp.Diff(want, *fault); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestJoin(t *testing.T) {
	at := func(line int) *config.Error {
		return &config.Error{Position: config.Position{File: "f", Line: line, Col: 1}, Problem: "p"}
	}
	other := errors.New("other")
	err := config.Join(nil, other, errors.Join(at(3), at(1)), at(2), at(3))
	if err == nil || err.Error() != "f:1:1: p\nf:2:1: p\nf:3:1: p\nother" || !errors.Is(err, other) {
		t.Errorf("in the order of the file, each once, others last: %v", err)
	}
	if err := config.Join(nil, errors.Join()); err != nil {
		t.Errorf("nothing found: %v", err)
	}
}

func TestWarnings(t *testing.T) {
	text := `models:
  local: {provider: ollama, model: "qwen3:8b"}
  a: {provider: openai, base_url: http://10.0.0.5:8000/v1, model: Qwen/Qwen3-32B-2026-01-01, digest: "sha256:0123456789abcdef"}
  b: {provider: openai, base_url: http://10.0.0.5:8000/v1, model: other-2026-01-01, digest: "sha256:fedcba9876543210"}
  c: {provider: openai, base_url: http://127.0.0.1:8000/v1, model: other-2026-01-02, digest: "sha256:0123456789abcdef"}
tap: {upstream: http://127.0.0.1:9000}
candidates: {x: {model: local}}
judge: {primary: a, reserve: b}
bus: {url: "nats://127.0.0.1:4222,nats://bus.example:4222"}
`
	var got []string
	for _, w := range parse(t, text).Warnings {
		got = append(got, w.Error())
	}
	want := []string{
		"understudy.yaml:8:30: judge.reserve: is at the same provider as judge.primary: when it fails, both are gone; a reserve at another provider",
		"understudy.yaml:8:18: judge.primary: the judge is of the same family (qwen) as the arm x, and judges tend to favour their own; take a judge of another family if there is one",
		"understudy.yaml:8:18: judge.primary: conversations go unredacted to 10.0.0.5; be sure that they may; redaction is not supported yet",
		"understudy.yaml:8:30: judge.reserve: conversations go unredacted to 10.0.0.5; be sure that they may; redaction is not supported yet",
		"understudy.yaml:9:12: bus.url: conversations go unredacted to bus.example; be sure that they may; redaction is not supported yet",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	alias := parse(t, strings.NewReplacer("gpt-5.6-luna", "gpt-5.6-terra").Replace(smallest+"candidates: {x: {model: luna}}\n")).Warnings
	if len(alias) == 0 || !strings.Contains(alias[0].Error(), "the arm x asks for the alias gpt-5.6-terra, which may be the judge's own snapshot gpt-5.6-terra-2026-08-20") {
		t.Errorf("the judge may be an arm: %v", alias)
	}
	twice := parse(t, strings.Replace(smallest, "https://api.openai.com/}", "https://api.openai.com/v1/}", 1)).Warnings
	if !strings.Contains(errors.Join(twice...).Error(), "understudy.yaml:4:17: tap.upstream: a client whose base_url ends in /v1") {
		t.Errorf("paths are passed on whole: %v", twice)
	}
	whole := parse(t, strings.Replace(text, "127.0.0.1:9000}", "127.0.0.1:9000, rate: 1}", 1)).Warnings
	if len(whole) != len(want)+1 || !strings.Contains(errors.Join(whole...).Error(), "understudy.yaml:6:46: tap.rate: every request is sampled") {
		t.Errorf("a rate of 1 is all of the traffic: %v", whole)
	}
	for options, silent := range map[string]bool{"": false, ", extra: {options: {num_ctx: 32768}}": true} {
		ollama := strings.NewReplacer("primary: a, reserve: b", "primary: o", "bus:", "#", "models:\n", "models:\n  o: {provider: ollama, model: \"gpt-oss:20b\", digest: \"aaaaaaaa\""+options+"}\n").Replace(text)
		if warned := strings.Contains(fmt.Sprint(parse(t, ollama).Warnings), "judge.primary: an Ollama server cuts what is longer than its own context"); warned == silent {
			t.Errorf("options %q: warned %v of prompts that the server cuts", options, warned)
		}
	}
	quiet := strings.NewReplacer("primary: a, reserve: b", "primary: c", "bus:", "#").Replace(text)
	if w := parse(t, quiet).Warnings; len(w) != 0 {
		t.Errorf("all on loopback, and still: %v", w)
	}
}

func ExampleParse() {
	c, err := config.Parse("understudy.yaml", []byte(smallest))
	if err != nil {
		fmt.Println(err)
		return
	}
	judge, _ := c.Model(c.Judge.Primary)
	fmt.Println(judge.Provider == llm.ProviderOpenAI, judge.Model, c.Tap.Rate, c.Report.Limits)

	_, err = config.Parse("understudy.yaml", []byte("models: {}\ntap: {rate: 1.5}\n"))
	fmt.Println(err)
	// Output:
	// true gpt-5.6-terra-2026-08-20 0.01 [3s 6s 10s]
	// understudy.yaml:1:1: judge.primary: is missing; judge: {primary: NAME}, the name of a pinned model
	// understudy.yaml:1:1: models: there are no models; a model for the judge at least
	// understudy.yaml:2:1: tap.upstream: is missing; the live service's address, such as https://api.openai.com
	// understudy.yaml:2:13: tap.rate: "1.5" is out of range; a share such as 1% or 0.01, above 0% and at most 100%
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(smallest))
	f.Add(config.Starter())
	for _, pattern := range []string{"testdata/example.yaml", "testdata/bad/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := config.Parse("understudy.yaml", data)
		if (c == nil) == (err == nil) {
			t.Fatalf("config %v, error %v", c, err)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "understudy.yaml:") {
				t.Errorf("an error without its place: %v", err)
			}
			return
		}
		if c.Tap.Rate <= 0 || c.Tap.Rate > 1 || c.Judge.Budget <= c.Judge.HedgeAfter || len(c.Digest("r")) != 64 {
			t.Errorf("accepted out of range: %+v", c)
		}
	})
}
