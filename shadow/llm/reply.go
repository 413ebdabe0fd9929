package llm

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// DecodeReply reads a whole answer (status 200, not streamed) as leniently as the
// servers of this dialect need: unknown fields and values are accepted, content may
// be null or a list of parts, of equal names the last counts.
//
// The error is nil or a [*Failure]; the Reply is filled as far as it is known in
// both cases. Reasons: error_in_200 (an error object; its class follows the
// embedded code; or a finish reason that says error), malformed (no JSON, or nothing of the dialect in it), empty
// (neither text nor tool call nor refusal; text of blanks only is empty), truncated
// (empty because the token limit was used up), filtered (empty because the
// provider's filter withheld it). Reasoning is never taken for the answer.
//
// For a dialect that is not read here the error is [ErrDialect].
func DecodeReply(d Dialect, body []byte) (Reply, error) {
	decode := decoderOf(d)
	if decode == nil {
		return Reply{}, fmt.Errorf("decode reply in %q: %w", d, ErrDialect)
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return Reply{}, failEmpty("no body")
	}
	v, ok := parse(body)
	if !ok || !v.object() {
		if e, found := errorOf(v); found {
			return Reply{}, e.inside200()
		}
		return Reply{}, failMalformed("the body is not a JSON object")
	}
	reply, known := decode(v)
	if e, found := errorOf(v); found {
		return reply, e.inside200()
	}
	if !known {
		return reply, failMalformed("the body is not an answer of this dialect")
	}
	if f := NoAnswer(reply); f != nil {
		return reply, f
	}
	return reply, nil
}

// decoderOf gives the function that fills a Reply from an answer and says whether
// it was one.
func decoderOf(d Dialect) func(value) (Reply, bool) {
	switch d {
	case OpenAIChat:
		return decodeOpenAI
	case OpenAIResponses:
		return decodeResponses
	case AnthropicMessages:
		return decodeAnthropic
	case GeminiGenerate:
		return decodeGemini
	case OllamaChat, OllamaGenerate:
		return decodeOllama
	default:
		return nil
	}
}

// finishError is how gateways say that an answer broke off; what came of it is no answer.
const finishError Finish = "error"

// NoAnswer says why a decoded reply is no answer: error_in_200 for a finish reason that
// says error, else empty, truncated or filtered, as [DecodeReply] does. nil is an answer.
func NoAnswer(r Reply) *Failure {
	if r.Finish == finishError {
		return &Failure{Class: Unavailable, Reason: ErrorIn200, Status: http.StatusOK, Err: errors.New("the answer ended with an error")}
	}
	if strings.TrimSpace(r.Text) != "" || r.Refusal != "" || len(r.ToolCalls) > 0 {
		return nil
	}
	switch r.Finish {
	case FinishLength:
		return &Failure{Class: Malformed, Reason: Truncated, Status: http.StatusOK, Err: errors.New("the token limit was used up before there was any text")}
	case FinishFiltered:
		return &Failure{Class: Invalid, Reason: Filtered, Status: http.StatusOK, Err: errors.New("the provider withheld the answer")}
	}
	return failEmpty("neither text nor tool call nor refusal")
}

func failEmpty(why string) *Failure {
	return &Failure{Class: Malformed, Reason: Empty, Status: http.StatusOK, Err: errors.New(why)}
}

func failMalformed(why string) *Failure {
	return &Failure{Class: Malformed, Reason: MalformedReason, Status: http.StatusOK, Err: errors.New(why)}
}

// CallText writes a tool call for a reader, on one line unless its arguments have more.
func CallText(c ToolCall) string {
	id := ""
	if c.ID != "" {
		id = " " + c.ID
	}
	return fmt.Sprintf("[tool call%s: %s(%s)]", id, c.Name, c.Arguments)
}

// AnswerText writes an answer for a reader: its text, then a marked refusal, then
// each tool call on a line of its own, as [Conversation] writes those of earlier turns.
func AnswerText(text, refusal string, calls []ToolCall) string {
	var parts []string
	if text != "" {
		parts = append(parts, text)
	}
	if refusal != "" {
		parts = append(parts, "[refusal] "+refusal)
	}
	for _, c := range calls {
		parts = append(parts, CallText(c))
	}
	return strings.Join(parts, "\n")
}
