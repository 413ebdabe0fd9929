package llm

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	neturl "net/url"
	"slices"
	"strings"
)

// ErrUnsupported is a request that cannot be put to a model faithfully: its provider
// has no words for what it asks. Nothing was sent.
var ErrUnsupported = errors.New("the request cannot be put to this model")

// Question is a client's request in no provider's words: what [ReadQuestion] makes of
// any dialect, and encoders put into another. Numbers are as they were written.
type Question struct {
	Messages []Message
	Tools    []Tool
	Choice   Choice
	Format   Format

	MaxTokens                         *int64 // nil: no limit
	Temperature, TopP, TopK, Seed     json.Number
	PresencePenalty, FrequencyPenalty json.Number
	Stop                              []string
	// Effort is how much the model is to think: none, minimal, low, medium, high, xhigh
	// or max; empty leaves it to the provider.
	Effort string
	// ThinkTokens come on top of MaxTokens where the model may think; only prompts of ours have them.
	ThinkTokens int64
}

// Message is one turn. Role is system, user, assistant or tool; a tool's turn has one
// result and nothing else.
type Message struct {
	Role  string
	Parts []Part
}

// Part is a piece of a message: exactly one of its fields is set.
type Part struct {
	Text   string
	Media  *Media
	Call   *ToolCall // ID is never empty
	Result *ToolResult
}

// Media is an image or a file: by Data, which is base64, or by URL.
type Media struct {
	Type string // such as image/png; may be empty for a URL
	Name string // of a file
	Data string
	URL  string
}

// Image says whether it is one; what only a URL is known of is taken for one.
func (m Media) Image() bool { return m.Type == "" || strings.HasPrefix(m.Type, "image/") }

// ToolResult is what a tool answered to the call with this id.
type ToolResult struct {
	ID, Name string
	Failed   bool
	Parts    []Part // text and media
}

// Choice narrows what tools the answer may call. The zero value leaves it to the model.
type Choice struct {
	None, Must bool     // no tool, or one at least
	Names      []string // only these; nil is any
	One        bool     // one call at most
}

// Format is the form that the answer's text must have.
type Format struct {
	Form        Form
	Schema      json.RawMessage // of FormSchema
	List        []string        // of FormList
	Name        string
	Description string
	Strict      bool // the schema keeps to the rules of OpenAI's strict mode
}

// Question puts a prompt of ours into the neutral form.
func (p Prompt) Question() Question {
	var q Question
	if p.System != "" {
		q.Messages = append(q.Messages, Message{Role: "system", Parts: []Part{{Text: p.System}}})
	}
	user := Message{Role: "user", Parts: []Part{{Text: p.User}}}
	if len(p.Images) > 0 {
		user.Parts = append(user.Parts, Part{Text: p.ImagesNote})
		for _, image := range p.Images {
			user.Parts = append(user.Parts, Part{Media: &image})
		}
	}
	q.Messages = append(q.Messages, user)
	switch {
	case p.Schema == nil || p.Form == ReplyPrompt:
	case p.Form == ReplyTool:
		q.Tools = []Tool{{Name: p.SchemaName, Parameters: p.Schema, Description: "Takes the reply: call it once, with all of its arguments."}}
		q.Choice = Choice{Must: true, Names: []string{p.SchemaName}}
	default:
		q.Format = Format{Form: FormSchema, Schema: p.Schema, Name: p.SchemaName, Strict: true}
	}
	if p.Steady {
		q.Temperature = "0"
	}
	q.Effort, q.ThinkTokens = p.Effort, int64(p.ThinkTokens)
	if p.MaxTokens > 0 {
		limit := int64(p.MaxTokens)
		q.MaxTokens = &limit
	}
	return q
}

// ReadQuestion reads a client's request. The record has what the neutral form does not
// hold: fields that no other dialect knows, reasoning of earlier turns, marks for a
// cache; and as notes what is left out since it has side effects only ([SameDialectBody]).
//
// Errors: [ErrRequest], [ErrDialect], [ErrNoMessages], and [ErrUnsupported] with its
// reason for what no other dialect can be asked: tools and blocks of the provider's own,
// a gap to be filled, raw prompts.
func ReadQuestion(d Dialect, body []byte) (Question, Record, error) {
	v, err := request(d, body)
	if err != nil {
		return Question{}, Record{}, fmt.Errorf("read question: %w", err)
	}
	var r questionReader
	switch d {
	case OpenAIChat:
		r.chat(v)
	case OpenAIResponses:
		r.responses(v)
	case AnthropicMessages:
		r.anthropic(v)
	case GeminiGenerate:
		r.gemini(v)
	case OllamaChat:
		r.ollama(v)
	case OllamaGenerate:
		r.generate(v)
	}
	r.strip(d, v)
	switch {
	case r.err != nil:
		return Question{}, Record{}, fmt.Errorf("read question: %w", r.err)
	case !r.asked():
		return Question{}, Record{}, fmt.Errorf("read question: %w", ErrNoMessages)
	}
	return r.q, r.Record, nil
}

// questionReader fills a question.
type questionReader struct {
	Record
	q     Question
	names map[string]string   // of the tools that earlier turns called, by the call's id
	open  map[string][]string // ids of the calls without a result, by name
	err   error               // the first thing that cannot be asked
}

// asked says whether any turn but the system's has something in it.
func (r *questionReader) asked() bool {
	for _, m := range r.q.Messages {
		if m.Role != "system" && len(m.Parts) > 0 {
			return true
		}
	}
	return false
}

func (r *questionReader) cannot(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
	}
}

// rest goes through the fields of an object that are none of the known ones and notes
// each as lost, under the word that it has in the list; null, false and empty values
// ask for nothing.
func (r *questionReader) rest(within string, v value, known string) {
	for m := range v.members() {
		if contains(known, m.key) || m.val.empty() {
			continue
		}
		r.Lose(lossOf(m.key), "not carried: "+within+tidy(m.key))
	}
}

// contains says whether a word is in a list of words with blanks around each.
func contains(words, word string) bool {
	return word != "" && !strings.Contains(word, " ") && strings.Contains(words, " "+word+" ")
}

// empty says whether a value asks for nothing.
func (v value) empty() bool {
	switch string(v) {
	case "", "null", "false", `""`, "[]", "{}":
		return true
	}
	return false
}

// lossOf is the loss of a field that has no place in the neutral form.
func lossOf(key string) Loss {
	switch camelCase(key) {
	case "logitBias":
		return LostLogitBias
	case "logprobs", "topLogprobs", "responseLogprobs":
		return LostLogprobs
	case "verbosity":
		return LostVerbosity
	case "serviceTier":
		return LostServiceTier
	case "safetySettings":
		return LostSafety
	case "cacheControl":
		return LostCacheControl
	case "mediaResolution":
		return LostImageDetail
	}
	return LostOther
}

// strip notes the fields that are left out for their side effects.
func (r *questionReader) strip(d Dialect, v value) {
	names := stripped(d)
	if d == OpenAIResponses {
		names = append(names, "store")
	}
	for _, name := range names {
		for m := range v.members() {
			if strings.EqualFold(m.key, name) && !m.val.empty() {
				r.Note(name + " removed")
			}
		}
	}
}

// say adds a message. Without parts it says nothing and is left out.
func (r *questionReader) say(role string, parts ...Part) {
	if len(parts) == 0 {
		r.Note("empty message left out")
		return
	}
	r.q.Messages = append(r.q.Messages, Message{Role: role, Parts: parts})
}

// textPart is a text as parts: none if it is empty.
func textPart(text string) []Part {
	if text == "" {
		return nil
	}
	return []Part{{Text: text}}
}

// call notes a call of an earlier turn; one without an id gets one.
func (r *questionReader) call(id, name, arguments string) Part {
	if id == "" {
		id = r.free(fmt.Sprintf("call_%d", len(r.q.Messages)))
	}
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	if r.names == nil {
		r.names, r.open = map[string]string{}, map[string][]string{}
	}
	r.names[id] = name
	r.open[name] = append(r.open[name], id)
	return Part{Call: &ToolCall{ID: id, Name: name, Arguments: arguments}}
}

// free is an id that no call has.
func (r *questionReader) free(id string) string {
	for n, first := len(r.names), id; ; n++ {
		if _, taken := r.names[id]; !taken {
			return id
		}
		id = fmt.Sprintf("%s_%d", first, n)
	}
}

// result adds what a tool answered. A dialect without ids names the tool: the result
// then belongs to the first call of it that has none.
func (r *questionReader) result(t ToolResult) {
	if t.ID == "" && len(r.open[t.Name]) > 0 {
		t.ID = r.open[t.Name][0]
	}
	if t.ID == "" {
		r.cannot("the result of a tool that was not called")
		return
	}
	if name, ok := r.names[t.ID]; ok {
		t.Name = name
	}
	if i := slices.Index(r.open[t.Name], t.ID); i >= 0 {
		r.open[t.Name] = slices.Delete(r.open[t.Name], i, i+1)
	}
	r.q.Messages = append(r.q.Messages, Message{Role: "tool", Parts: []Part{{Result: &t}}})
}

// numeral is a value's text if it is a number.
func (v value) numeral() json.Number {
	if len(v) == 0 || v[0] != '-' && (v[0] < '0' || v[0] > '9') {
		return ""
	}
	return json.Number(v)
}

// texts are the strings of a list, or the one string that stands for it.
func (v value) texts() []string {
	if s, ok := v.text(); ok {
		return []string{s}
	}
	var all []string
	for item := range v.items() {
		if s, ok := item.text(); ok {
			all = append(all, s)
		}
	}
	return all
}

// form reads the demanded form of the answer as [RequestContract] does.
func (r *questionReader) form(read func(value, *Contract) int, v value) {
	var c Contract
	read(v, &c)
	r.q.Format.Form, r.q.Format.Schema, r.q.Format.List = c.Form, c.Schema, c.List
}

// dataMedia is a file by a data URL or an address.
func dataMedia(url string) Media {
	media, data, ok := dataURL(url)
	if !ok {
		return Media{URL: url}
	}
	head, _, _ := strings.Cut(url, ",")
	if !strings.HasSuffix(strings.ToLower(head), ";base64") { // percent-encoded bytes
		if plain, err := neturl.PathUnescape(data); err == nil {
			data = base64.StdEncoding.EncodeToString([]byte(plain))
		}
	}
	return Media{Type: media, Data: data}
}
