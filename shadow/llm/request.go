package llm

import "fmt"

// Info is what a client's request says about itself.
type Info struct {
	// Model is the model that was asked for; of several model keys the last counts.
	Model string
	// Stream says that the answer is to be streamed, IncludeUsage that the stream
	// is to end with token counts.
	Stream       bool
	IncludeUsage bool
	// N is the number of answers that were asked for; 1 if the request does not say.
	N int
	// MaxTokens is the limit of the answer's length, nil if there is none.
	MaxTokens *int64
}

// RequestInfo reads a client's request as far as it can be read: a field of the
// wrong type counts as absent. Errors: [ErrRequest], [ErrDialect].
func RequestInfo(d Dialect, body []byte) (Info, error) {
	v, err := request(d, body)
	if err != nil {
		return Info{}, fmt.Errorf("read request: %w", err)
	}
	info := Info{
		Model:        v.get("model").str(),
		Stream:       v.get("stream").yes(),
		IncludeUsage: v.get("stream_options", "include_usage").yes(),
		N:            1,
		MaxTokens:    v.get("max_completion_tokens").count(),
	}
	if info.MaxTokens == nil {
		info.MaxTokens = v.get("max_tokens").count()
	}
	if n := v.get("n").count(); n != nil {
		info.N = int(min(*n, 1<<31-1))
	}
	return info, nil
}

// Unsupported says whether a request cannot be put to another model faithfully, and
// why: several answers, audio, state or tools at the provider's side, files by id.
// What merely has side effects (store, metadata) is stripped instead, see
// [SameDialectBody]. A body that is no request of the dialect is unsupported too.
func Unsupported(d Dialect, body []byte) (why string, yes bool) {
	v, err := request(d, body)
	if err != nil {
		return err.Error(), true
	}
	if n := v.get("n").count(); n != nil && *n > 1 {
		return "more than one answer (n)", true
	}
	for _, name := range []string{
		"web_search_options", "previous_response_id", "conversation", "background", "prompt", "audio", "plugins", "container",
	} {
		if f := v.get(name); !f.null() && !f.is('f') {
			return name, true
		}
	}
	for m := range v.get("modalities").items() {
		if m.str() == "audio" {
			return "audio", true
		}
	}
	for t := range v.get("tools").items() {
		if kind := t.get("type").str(); kind != "function" && kind != "custom" && kind != "" {
			return "tool at the provider's side (" + tidy(kind) + ")", true
		}
	}
	return unsupportedPart(v)
}

func unsupportedPart(v value) (why string, yes bool) {
	for m := range v.get("messages").items() {
		if !m.get("audio").null() {
			return "audio", true
		}
		for part := range m.get("content").items() {
			switch {
			case part.get("type").str() == "input_audio":
				return "audio", true
			case !part.get("file", "file_id").null(), !part.get("file_id").null():
				return "file by id", true
			}
		}
	}
	return "", false
}
