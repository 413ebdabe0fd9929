package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// call is one HTTP call, ready to be sent but for the key.
type call struct {
	llm.Record // what differs from what was to be asked
	dialect    llm.Dialect
	path       string
	body       []byte
	header     http.Header
	stream     bool
}

func (c *Client) encode(req llm.Request) (call, error) {
	switch {
	case req.Body != nil && req.Prompt != nil:
		return call{}, errors.New("request has both a body and a prompt")
	case req.Prompt != nil:
		if req.Prompt.Schema != nil && !json.Valid(req.Prompt.Schema) {
			return call{}, errors.New("schema of the prompt is no JSON")
		}
		return c.put(req.Prompt.Question(), llm.Record{}, false, true)
	case req.Body == nil:
		return call{}, errors.New("request has neither a body nor a prompt")
	case c.Speaks(req.Dialect):
		return c.passOn(req)
	}
	return c.translate(req)
}

// passOn makes the model's request of a client's in a dialect that the provider speaks:
// the same bytes but for the model, for what has side effects, for what this model's
// generation refuses, and for what the endpoint sets.
func (c *Client) passOn(req llm.Request) (call, error) {
	out := call{dialect: req.Dialect, stream: req.Stream, path: c.path(req.Dialect, req.Stream), header: c.headers(req)}
	edits := c.fit(req, &out)
	if word := c.end.Reasoning; word != "" {
		edits = append(edits, patchEdits(c.effort(req.Dialect, word, &out.Record))...)
	}
	var err error
	var notes []string
	out.body, notes, err = llm.SameDialectBody(req.Dialect, req.Body, c.end.Model, append(edits, c.extra...)...)
	out.Notes = append(notes, out.Notes...)
	return out, err
}

// translate asks a client's request in the provider's own dialect.
func (c *Client) translate(req llm.Request) (call, error) {
	if why, yes := llm.Unsupported(req.Dialect, req.Body); yes {
		return call{}, fmt.Errorf("%w: %s", llm.ErrUnsupported, why)
	}
	q, r, err := llm.ReadQuestion(req.Dialect, req.Body)
	if err != nil {
		return call{}, err
	}
	return c.put(q, r, req.Stream, false)
}

// put encodes a question in the provider's own dialect, a client's or one of our own. r
// has what was lost before.
func (c *Client) put(q llm.Question, r llm.Record, stream, own bool) (call, error) {
	d := c.Dialect()
	e := encoder{Record: r, c: c, q: q, body: object{}, own: own}
	if own {
		e.settle(d)
	}
	if d != llm.GeminiGenerate {
		e.body["model"] = c.end.Model
	}
	switch d {
	case llm.AnthropicMessages:
		e.anthropic(stream)
	case llm.GeminiGenerate:
		e.gemini()
	case llm.OllamaChat:
		e.ollama(stream)
	case llm.OpenAIResponses:
		e.responses(stream)
	default:
		e.chat(stream)
	}
	if e.err != nil {
		return call{}, e.err
	}
	e.reason(d)
	patch(e.body, c.end.Extra)
	out := call{dialect: d, stream: stream, path: c.path(d, stream), header: c.headers(llm.Request{Dialect: d})}
	var err error
	out.body, err = encoded(e.body)
	out.Record = e.Record
	return out, err
}

type object = map[string]any

// encoder puts one question into a provider's dialect.
type encoder struct {
	llm.Record
	c    *Client
	q    llm.Question
	body object
	own  bool              // a prompt of ours
	ids  map[string]string // exchanged ids of calls
	err  error             // the first thing that cannot be asked
}

func (e *encoder) cannot(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf("%w: %s", llm.ErrUnsupported, fmt.Sprintf(format, args...))
	}
}

// patch merges fields into a body as [llm.Edit] does: objects member by member, nil
// takes a field out.
func patch(body, with object) {
	for key, value := range with {
		inner, isObject := value.(object)
		present, hasObject := body[key].(object)
		switch {
		case value == nil:
			delete(body, key)
		case isObject && !hasObject:
			present = object{}
			body[key] = present
			fallthrough
		case isObject:
			patch(present, inner)
		default:
			body[key] = value
		}
	}
}

// patchEdits are the fields of a patch as edits, in the order of their names.
func patchEdits(p object) []llm.Edit {
	var out []llm.Edit
	for _, key := range slices.Sorted(maps.Keys(p)) {
		value, err := encoded(p[key])
		if err == nil {
			out = append(out, llm.Edit{Key: key, Value: value})
		}
	}
	return out
}

// encoded writes JSON without escapes that only a web page needs.
func encoded(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
