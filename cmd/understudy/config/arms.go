package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// liveArm is the arm that is always there; no candidate may take its name.
const liveArm = "live"

func (r *draft) candidates(d *decoder, path string, n *node) {
	d.entries(path, n, func(key, sub string, p pair) {
		c := Candidate{Name: key, Share: 1, Timeout: DefaultTimeout}
		switch {
		case strings.EqualFold(key, liveArm):
			d.fail(p.pos, sub, "the arm live is what users see", "another name for the candidate")
		case !goodName(key, true):
			d.fail(p.pos, sub, "this is no name for an arm", wantArm)
		}
		for _, other := range r.Candidates {
			if strings.EqualFold(other.Name, key) {
				d.fail(p.pos, sub, fmt.Sprintf("two arms are named %s and %s", other.Name, key), "names that differ by more than upper and lower case")
			}
		}
		section(fields{
			"model":   text(&c.Model, "the name of a model"),
			"share":   share(&c.Share),
			"timeout": duration(&c.Timeout),
			"control": flag(&c.Control),
		})(d, sub, p.value)
		if !d.has(sub+".model") && (p.value.kind == isMap || p.value.kind == isNull) {
			d.fail(p.pos, sub, "model is missing", "model: the name of a model")
		}
		r.Candidates = append(r.Candidates, c)
	})
}

func (r *draft) judge() reader {
	j := &r.Judge
	return section(fields{
		"rubric":      r.rubric,
		"primary":     text(&j.Primary, "the name of a pinned model"),
		"reserve":     text(&j.Reserve, "the name of another pinned model; left out if there is none"),
		"hedge_after": duration(&j.HedgeAfter),
		"budget":      duration(&j.Budget),
		"share":       share(&j.Share),
		"breaker":     section(fields{"failures": count(&j.Failures, 1), "cool": duration(&j.Cool)}),
		"max_prompt":  count(&j.MaxPrompt, 1000),
		"reply":       replies(j),
		"accept_echo": echoes(&j.AcceptEcho),
		"repeat":      portion(&j.Repeat),
		"agreement":   portion(&j.Agreement),
		"anchors":     notYet,
		"injection":   portion(&j.Injection),
		"concurrency": count(&j.Concurrency, 1),
	})
}

// rubric reads standard, or a folder.
func (r *draft) rubric(d *decoder, at string, n *node) {
	if n.kind == isText && n.text == "standard" {
		r.Judge.Rubric = ""
		return
	}
	path(&r.Judge.Rubric)(d, at, n)
}

// replies reads the mechanism of both judges, or of each.
func replies(j *Judge) reader {
	var names []string
	for _, f := range llm.ReplyForms() {
		names = append(names, string(f))
	}
	return func(d *decoder, path string, n *node) {
		if n.kind == isMap {
			section(fields{"primary": oneOf((*string)(&j.PrimaryReply), names...), "reserve": oneOf((*string)(&j.ReserveReply), names...)})(d, path, n)
			return
		}
		oneOf((*string)(&j.PrimaryReply), names...)(d, path, n)
		j.ReserveReply = j.PrimaryReply
	}
}

// echoes reads the further names under which replies may prove the judge's snapshot.
func echoes(dst *[]string) reader {
	const want = "a list of the names that replies give, such as [/models/my-model]"
	return func(d *decoder, path string, n *node) {
		if n.kind != isList {
			d.fail(n.pos, path, describe(n)+" where a list belongs", want)
			return
		}
		for i, item := range n.items {
			var echo string
			at := fmt.Sprintf("%s[%d]", path, i)
			before := len(d.faults)
			modelID(&echo)(d, at, item)
			if len(d.faults) == before && !slices.Contains(*dst, echo) {
				*dst = append(*dst, echo)
			}
		}
	}
}
