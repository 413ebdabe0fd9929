package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// Contract is a request's contract, ready to check the answers of all arms. It is
// safe for concurrent use.
type Contract struct {
	asked llm.Contract
	text  func() *schema
	tools map[string]func() *schema
}

// New makes a contract ready. Its schemas are compiled once, when the first answer
// needs them. nil gives nil, a contract that says nothing about any answer.
func New(asked *llm.Contract) *Contract {
	if asked == nil {
		return nil
	}
	c := &Contract{asked: *asked, text: compiled(asked.Schema), tools: map[string]func() *schema{}}
	for _, t := range asked.Tools {
		c.tools[t.Name] = compiled(t.Parameters)
	}
	return c
}

// Check says whether a reply keeps the contract: true kept, false broken, nil
// unknown, with the reason for the latter two. why has no text of the answer but
// names of its fields and tools.
//
//   - With calls of tools, each has to name a tool that may be called, and its
//     arguments have to be one JSON value that fits the tool's parameters; no
//     arguments at all are an empty object. The text beside calls is free.
//   - Without, a call must not have been required, and the text has to be exactly one
//     JSON value, one that fits the schema, or one of the list, each but for white
//     space around it. Fences or prose around it break the contract, and so does an
//     object with two equal names, since readers differ in which they take.
//   - A refusal is not what was asked for: it breaks a contract that demands a form or
//     a call, and keeps one that only offers tools.
//   - A text cut at the token limit is checked like any other.
//
// One broken part breaks the answer whatever else is unknown. c may be nil.
func (c *Contract) Check(r llm.Reply) (kept *bool, why string) {
	if c == nil {
		return nil, "the request sets no contract"
	}
	if len(r.ToolCalls) > 0 {
		return c.calls(r.ToolCalls).result()
	}
	return c.answer(r).result()
}

func (c *Contract) answer(r llm.Reply) outcome {
	switch {
	case c.asked.MustCall:
		return broken("no tool is called")
	case c.asked.Form == llm.FormFree:
		return outcome{}
	case r.Refusal != "":
		return broken("the answer is a refusal")
	case c.asked.Form == llm.FormList:
		if !slices.Contains(c.asked.List, strings.TrimSpace(r.Text)) && !slices.Contains(c.asked.List, r.Text) {
			return broken("the text is not in the list")
		}
		return outcome{}
	}
	o := c.text().check(r.Text)
	if o.state == isBroken && r.Finish == llm.FinishLength {
		o.why += " (cut at the token limit)"
	}
	return o
}

// calls gives the first broken call's outcome, else the first unknown one's.
func (c *Contract) calls(calls []llm.ToolCall) outcome {
	var unknown outcome
	for _, call := range calls {
		o := c.call(call)
		switch {
		case o.state == isBroken:
			return o
		case unknown.state == isKept:
			unknown = o
		}
	}
	return unknown
}

func (c *Contract) call(call llm.ToolCall) outcome {
	at := slices.IndexFunc(c.asked.Tools, func(t llm.Tool) bool { return t.Name == call.Name })
	if at < 0 {
		return broken(fmt.Sprintf("tool %s may not be called", quoted(call.Name)))
	}
	if c.asked.Tools[at].FreeText {
		return outcome{}
	}
	arguments := call.Arguments
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	o := c.tools[call.Name]().check(arguments)
	if o.state != isKept {
		o.why = fmt.Sprintf("arguments of %s: %s", quoted(call.Name), o.why)
	}
	return o
}

// outcome of a check; the zero value is kept.
type outcome struct {
	state
	why string
}

type state uint8

const (
	isKept state = iota
	isBroken
	isUnknown
)

func broken(why string) outcome  { return outcome{isBroken, why} }
func unknown(why string) outcome { return outcome{isUnknown, why} }

func (o outcome) result() (kept *bool, why string) {
	if o.state == isUnknown {
		return nil, o.why
	}
	return new(o.state == isKept), o.why
}

// maxName bounds a name of the answer's within a reason, in bytes.
const maxName = 64

// quoted prints a name that a model chose: short, and without control characters.
func quoted(name string) string {
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	return fmt.Sprintf("%q", name)
}
