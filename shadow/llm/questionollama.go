package llm

import (
	"encoding/base64"
	"net/http"
	"strings"
)

const (
	ollamaKnown  = " model messages stream format options think tools keep_alive prompt system images "
	optionsKnown = " temperature top_p top_k seed stop num_predict presence_penalty frequency_penalty "
)

// ollama reads a request of /api/chat.
func (r *questionReader) ollama(v value) {
	for m := range v.get("messages").items() {
		r.ollamaMessage(m)
	}
	for t := range v.get("tools").items() {
		r.openAITool(t)
	}
	r.ollamaRest(v)
}

// generate reads a request of /api/generate: one question.
func (r *questionReader) generate(v value) {
	for _, name := range []string{"suffix", "template", "context", "raw"} {
		if !v.get(name).empty() {
			r.cannot("%s", name)
		}
	}
	if system := v.get("system").str(); system != "" {
		r.say("system", Part{Text: system})
	}
	r.say("user", append(textPart(v.get("prompt").str()), r.ollamaImages(v.get("images"))...)...)
	r.ollamaRest(v)
}

// ollamaRest reads what both have.
func (r *questionReader) ollamaRest(v value) {
	q, o := &r.q, v.get("options")
	q.MaxTokens = o.get("num_predict").count() // negative: no limit
	q.Temperature, q.TopP, q.TopK, q.Seed = o.get("temperature").numeral(), o.get("top_p").numeral(), o.get("top_k").numeral(), o.get("seed").numeral()
	q.PresencePenalty, q.FrequencyPenalty = o.get("presence_penalty").numeral(), o.get("frequency_penalty").numeral()
	q.Stop = o.get("stop").texts()
	switch think := v.get("think"); {
	case think.is('f'):
		q.Effort = "none"
	case think.yes():
		q.Effort = "medium"
	default:
		q.Effort = think.str()
	}
	r.form(ollamaContract, v)
	r.rest("options.", o, optionsKnown)
	r.rest("", v, ollamaKnown)
}

func (r *questionReader) ollamaMessage(m value) {
	r.rest("messages[].", m, " role content images tool_calls tool_name tool_call_id thinking ")
	parts := append(textPart(m.get("content").str()), r.ollamaImages(m.get("images"))...)
	switch role := m.get("role").str(); role {
	case "system", "user":
		r.say(role, parts...)
	case "assistant":
		if !m.get("thinking").empty() {
			r.Lose(LostThinking, "")
		}
		for c := range m.get("tool_calls").items() {
			f := c.get("function")
			parts = append(parts, r.call(c.get("id").str(), f.get("name").str(), argumentsText(f)))
		}
		r.say(role, parts...)
	case "tool":
		t := ToolResult{ID: m.get("tool_call_id").str(), Name: m.get("tool_name").str(), Parts: parts}
		if t.ID == "" && t.Name == "" { // older clients leave even the name out
			t.Name = r.waiting()
		}
		r.result(t)
	default:
		r.cannot("a message in the role %q", tidy(role))
	}
}

// waiting is the name of the tool whose call is the last one without a result.
func (r *questionReader) waiting() string {
	for i := len(r.q.Messages) - 1; i >= 0; i-- {
		for _, p := range r.q.Messages[i].Parts {
			if p.Call != nil && len(r.open[p.Call.Name]) > 0 {
				return p.Call.Name
			}
		}
		if r.q.Messages[i].Role != "tool" {
			break
		}
	}
	return ""
}

// ollamaImages reads bare base64, whose bytes say what type of image they are.
func (r *questionReader) ollamaImages(images value) []Part {
	var parts []Part
	for image := range images.items() {
		data := image.str()
		head, _ := base64.StdEncoding.DecodeString(data[:min(len(data), 512)&^3])
		media := http.DetectContentType(head)
		if !strings.HasPrefix(media, "image/") {
			r.cannot("an image of an unknown type")
		}
		parts = append(parts, Part{Media: &Media{Type: media, Data: data}})
	}
	return parts
}
