package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Edit sets a top-level field of a request; a nil Value takes it out. A value that is
// an object is a merge patch (RFC 7386): it changes the members that it names, null
// takes one out, and the others stay as they are.
type Edit struct {
	Key   string
	Value json.RawMessage
}

// stripped are the fields that have side effects at the provider and none on the
// answer: what is stored there, and who the end user is. A person's id was given to
// the live provider, not to a candidate's. Fields that name other models to fall
// back to would let another model answer.
func stripped(d Dialect) []string {
	switch d {
	case AnthropicMessages:
		return []string{"metadata"}
	case GeminiGenerate:
		return []string{"labels"}
	case OllamaChat, OllamaGenerate:
		return nil
	}
	fields := []string{
		"metadata", "prompt_cache_key", "prompt_cache_retention", "safety_identifier", "user",
		"models", "fallback_models", "fallbacks",
	}
	if d == OpenAIResponses {
		return fields // store is on where it is absent: it is set, not taken out
	}
	return append([]string{"store"}, fields...)
}

// SameDialectBody makes a candidate's request from the client's: the model's name
// is exchanged (every model key, whatever its case, since servers differ in which
// they read; Gemini names it in the path, and its body keeps as it is), fields with
// side effects are taken out, and edits are applied last. Everything else stays byte
// for byte: numbers, the order of keys, blanks, escapes. notes name each change but the
// model's, in order.
//
//	openai-chat         without store unless it is false, metadata, prompt_cache_key, prompt_cache_retention,
//	                    safety_identifier, user, models, fallback_models, fallbacks; a streamed request gets
//	                    stream_options.include_usage, without which a stream has no token counts
//	openai-responses    likewise, but store is set to false: where it is absent it is on
//	anthropic-messages  without metadata
//	gemini-generate     without labels
//
// Errors: [ErrRequest] for a body that is not one JSON object, [ErrDialect], or an
// edit whose value is no JSON. body is not changed.
func SameDialectBody(d Dialect, body []byte, model string, edits ...Edit) (out []byte, notes []string, err error) {
	v, err := request(d, body)
	if err != nil {
		return nil, nil, fmt.Errorf("exchange model: %w", err)
	}
	for _, e := range edits {
		if e.Value != nil && !json.Valid(e.Value) {
			return nil, nil, fmt.Errorf("exchange model: value of field %q is no JSON", e.Key)
		}
	}
	s := splicer{text: v, cases: d == GeminiGenerate}
	for m := range v.members() {
		s.fields = append(s.fields, field{member: m})
	}
	s.shadow(d, v, model)
	for _, e := range edits {
		s.apply(e)
	}
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")) // a byte order mark is no JSON
	start := bytes.IndexByte(body, '{')                   // what stands around the object stays too
	return slices.Concat(body[:start], s.bytes(), body[start+len(v):]), s.notes, nil
}

// shadow makes the changes that a dialect needs.
func (s *splicer) shadow(d Dialect, v value, model string) {
	if d != GeminiGenerate {
		s.exchange(model)
	}
	for _, name := range stripped(d) {
		s.strip(name)
	}
	switch {
	case d == OpenAIChat && v.get("stream").yes():
		s.includeUsage(v)
	case d == OpenAIResponses && !v.get("store").is('f'):
		s.apply(Edit{Key: "store", Value: json.RawMessage("false")})
	}
}

type field struct {
	member
	gone bool
	set  value // the new value; nil keeps the old one
}

func (f field) now() value {
	if f.set != nil {
		return f.set
	}
	return f.val
}

// splicer edits the members of an object and leaves all other bytes alone.
type splicer struct {
	text   value
	cases  bool // names are read in camel case and in snake case
	fields []field
	added  []Edit
	notes  []string
}

func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func (s *splicer) exchange(model string) {
	exact := false
	for i := range s.fields {
		if strings.EqualFold(s.fields[i].key, "model") {
			s.fields[i].set = quote(model)
			exact = exact || s.fields[i].key == "model"
		}
	}
	if !exact {
		s.added = append(s.added, Edit{Key: "model", Value: quote(model)})
		s.notes = append(s.notes, "model added")
	}
}

func (s *splicer) strip(name string) {
	found := false
	for i := range s.fields {
		f := &s.fields[i]
		if !strings.EqualFold(f.key, name) || name == "store" && (f.val.is('f') || f.val.null()) {
			continue
		}
		f.gone, found = true, true
	}
	if found {
		s.notes = append(s.notes, name+" removed")
	}
}

// includeUsage asks for token counts at the end of the stream.
func (s *splicer) includeUsage(v value) {
	if v.get("stream_options", "include_usage").yes() {
		return
	}
	s.change(Edit{Key: "stream_options", Value: json.RawMessage(`{"include_usage":true}`)})
	s.notes = append(s.notes, "stream_options.include_usage added")
}

func (s *splicer) apply(e Edit) {
	switch found := s.change(e); {
	case e.Value != nil:
		s.notes = append(s.notes, e.Key+" set")
	case found:
		s.notes = append(s.notes, e.Key+" removed")
	}
}

// change makes an edit and says whether its field was there.
func (s *splicer) change(e Edit) (found bool) {
	for i := range s.fields {
		if f := &s.fields[i]; f.gone || !s.names(f.key, e.Key) {
			continue
		} else if found = true; e.Value == nil {
			f.gone = true
		} else {
			f.set = s.patched(f.now(), value(e.Value))
		}
	}
	for i := range s.added {
		if a := &s.added[i]; a.Key == e.Key {
			if found = true; e.Value != nil {
				a.Value = json.RawMessage(s.patched(value(a.Value), value(e.Value)))
			}
		}
	}
	switch {
	case e.Value == nil:
		s.added = slices.DeleteFunc(s.added, func(a Edit) bool { return a.Key == e.Key })
	case !found:
		s.added = append(s.added, Edit{Key: e.Key, Value: json.RawMessage(s.patched(nil, value(e.Value)))})
	}
	return found
}

// names says whether a field is the one that an edit means: where both cases of a name
// are read, either of them.
func (s *splicer) names(key, edit string) bool {
	return key == edit || s.cases && camelCase(key) == edit
}

// patched is a value after a merge patch.
func (s *splicer) patched(v, patch value) value {
	patch, _ = parse(patch)
	if !patch.object() {
		return patch
	}
	if !v.object() {
		v = value("{}")
	}
	inner := splicer{text: v, cases: s.cases}
	for m := range v.members() {
		inner.fields = append(inner.fields, field{member: m})
	}
	for m := range patch.members() {
		e := Edit{Key: m.key, Value: json.RawMessage(m.val)}
		if m.val.null() {
			e.Value = nil
		}
		inner.change(e)
	}
	return inner.bytes()
}

// bytes writes the object: of the members that stay, each with what stood before it.
func (s *splicer) bytes() []byte {
	head, tail := len(s.text)-1, len(s.text)-1
	if n := len(s.fields); n > 0 {
		head, tail = s.fields[0].start, s.fields[n-1].end
	}
	out := make([]byte, 0, len(s.text)+64)
	out = append(out, s.text[:head]...)
	kept := false
	for i, f := range s.fields {
		if f.gone {
			continue
		}
		if kept {
			out = append(out, s.text[s.fields[i-1].end:f.start]...)
		}
		kept = true
		if f.set == nil {
			out = append(out, s.text[f.start:f.end]...)
			continue
		}
		out = append(append(out, s.text[f.start:f.valStart]...), f.set...)
	}
	for _, a := range s.added {
		if kept {
			out = append(out, ',')
		}
		kept = true
		out = append(append(append(out, quote(a.Key)...), ':'), a.Value...)
	}
	return append(out, s.text[tail:]...)
}
