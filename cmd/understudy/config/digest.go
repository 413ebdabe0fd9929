package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// digestVersion changes when the digest's form does, so that no digest of one form
// equals one of another.
const digestVersion = 1

// digestForm is what the digest covers, apart from Config so that a key added to a
// section enters it on purpose only.
type digestForm struct {
	Version    int                    `json:"version"`
	Experiment digestDates            `json:"experiment"`
	Models     map[string]digestModel `json:"models"`
	Policies   map[string]Policy      `json:"policies,omitempty"`
	Candidates []digestArm            `json:"candidates"`
	Judge      digestJudge            `json:"judge"`
	Limits     []time.Duration        `json:"limits_ns"`
	Level      float64                `json:"level"`
	Gate       Gate                   `json:"gate"`
}

type digestDates struct {
	Name  string    `json:"name"`
	Start time.Time `json:"start,omitzero"`
	Stop  time.Time `json:"stop,omitzero"`
}

type digestModel struct {
	Provider  llm.Provider      `json:"provider"`
	Model     string            `json:"model"`
	BaseURL   string            `json:"base_url"`
	Digest    string            `json:"digest,omitempty"`
	Extra     map[string]any    `json:"extra,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Reasoning string            `json:"reasoning,omitempty"`
	Responses bool              `json:"responses,omitempty"`
	Images    *bool             `json:"images,omitempty"`
}

type digestArm struct {
	Name    string        `json:"name"`
	Model   string        `json:"model"`
	Timeout time.Duration `json:"timeout_ns"`
	Control bool          `json:"control"`
}

type digestJudge struct {
	Rubric     string        `json:"rubric"`
	Primary    string        `json:"primary"`
	Reserve    string        `json:"reserve,omitempty"`
	HedgeAfter time.Duration `json:"hedge_after_ns"`
	Budget     time.Duration `json:"budget_ns"`
	Failures   int           `json:"failures"`
	Cool       time.Duration `json:"cool_ns"`
	AcceptEcho []string      `json:"accept_echo,omitempty"`
	MaxPrompt  int           `json:"max_prompt,omitempty"` // 0 is the default
	// The mechanisms of the replies, empty where they are the default: a digest of before
	// there was a choice stays what it was.
	PrimaryReply llm.ReplyForm `json:"primary_reply,omitempty"`
	ReserveReply llm.ReplyForm `json:"reserve_reply,omitempty"`
}

// Digest names what is fixed before the run: 64 hexadecimal digits of SHA-256 over
// a canonical JSON text. It covers the experiment's name and dates, the models of
// candidates and judges (without key, concurrency and price), the policies that join
// them, candidates but their share,
// judge but its share and concurrency, the rubric's own digest, gate and report.
//
// Rates and shares are left out: they may change while it runs, and each row keeps
// its probability. The order of keys, comments and spellings (1% or 0.01, 60s or
// 1m, a default written out) change nothing; any other change gives another digest.
func (c *Config) Digest(rubricDigest string) string {
	form := digestForm{
		Version:    digestVersion,
		Experiment: digestDates{c.Experiment.Name, c.Experiment.Start, c.Experiment.Stop},
		Models:     map[string]digestModel{},
		Policies:   map[string]Policy{},
		Candidates: []digestArm{},
		Limits:     c.Report.Limits,
		Level:      c.Report.Level,
		Gate:       c.Gate,
		Judge: digestJudge{
			rubricDigest, c.Judge.Primary, c.Judge.Reserve, c.Judge.HedgeAfter, c.Judge.Budget, c.Judge.Failures, c.Judge.Cool,
			slices.Sorted(slices.Values(c.Judge.AcceptEcho)), otherThan(c.Judge.MaxPrompt, DefaultMaxPrompt), otherThan(c.Judge.PrimaryReply, DefaultReply), otherThan(c.Judge.ReserveReply, DefaultReply),
		},
	}
	used := []string{c.Judge.Primary, c.Judge.Reserve}
	for _, arm := range c.Candidates {
		used = append(used, arm.Model)
		form.Candidates = append(form.Candidates, digestArm{arm.Name, arm.Model, arm.Timeout, arm.Control})
	}
	slices.SortFunc(form.Candidates, func(a, b digestArm) int { return strings.Compare(a.Name, b.Name) })
	for _, name := range used {
		for _, m := range c.Asked(name) {
			form.Models[m.Name] = digestModel{m.Provider, m.Model, m.BaseURL, m.Digest, m.Extra, m.Headers, m.Reasoning, m.Responses, m.Images}
		}
		c.policiesOf(name, form.Policies)
	}
	text, err := json.Marshal(form)
	if err != nil {
		panic("config: a checked configuration is not JSON: " + err.Error()) // a bug of ours: Parse lets only JSON values in
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// otherThan is a value, or zero if it is the default.
func otherThan[T comparable](v, standard T) (out T) {
	if v != standard {
		return v
	}
	return out
}

// policiesOf adds the policy of a name, and those within it.
func (c *Config) policiesOf(name string, all map[string]Policy) {
	p, ok := c.Policy(name)
	if _, there := all[name]; !ok || there {
		return
	}
	all[name] = p
	for _, stage := range p.Stages {
		c.policiesOf(stage, all)
	}
}
