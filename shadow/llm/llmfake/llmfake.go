package llmfake

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// Call is one call as the script sees it.
type Call struct {
	// N numbers the calls from 1 in order of arrival.
	N int
	// Path is the URL's path; Header and Body are what was sent.
	Path    string
	Header  http.Header
	Body    []byte
	Dialect llm.Dialect
	Model   string
	Stream  bool
	// Turns is the conversation, flattened to text; nil if there is none.
	Turns []llm.Turn

	listed bool // Gemini: a stream comes as one list
}

// LastUser is the text of the last turn with role user, "" if there is none.
func (c Call) LastUser() string {
	for i := len(c.Turns) - 1; i >= 0; i-- {
		if c.Turns[i].Role == "user" {
			return c.Turns[i].Text
		}
	}
	return ""
}

// Script answers a call. Calls come at the same time: it must be safe for that.
type Script func(Call) Answer

// Then says what happens after the answer's pieces were sent.
type Then string

const (
	// Finish ends the answer as its dialect asks.
	Finish Then = ""
	// Close ends the body in good order, but without the dialect's end sign; of an
	// answer that is not streamed the second half is missing.
	Close Then = "close"
	// Reset drops the connection: before the first byte if there is nothing to send,
	// else where Close would have ended the body.
	Reset Then = "reset"
	// Hang keeps the connection open in silence until the client leaves. An answer
	// without text, or one that is not streamed, never begins.
	Hang Then = "hang"
)

// Answer is what the fake does with a call. The zero value is an empty answer at once.
type Answer struct {
	// Status is the HTTP status; 0 is 200. With another status the body is an error
	// of the dialect with Code, unless Raw is set.
	Status int
	Code   string
	Header map[string]string

	Text      string
	Refusal   string
	ToolCalls []llm.ToolCall
	// Finish is stop if it is empty, or tool_calls when there are any.
	Finish llm.Finish
	// Model is the version that says it answered; the one asked for if it is empty.
	Model string
	// In and Out are token counts; 0 is a quarter of the bytes of body and text.
	In, Out int64

	// First is the time to the first token, Took the whole time; both are slept.
	// An answer that is not streamed comes in one piece after the longer of the two.
	First, Took time.Duration
	// Pieces is the number of events with text, spread evenly from First on; 0 is one.
	Pieces int
	// Raw is sent instead of an encoded answer; when streamed, in Pieces pieces.
	Raw  []byte
	Then Then
}

// Text is an answer in words, at once.
func Text(text string) Answer { return Answer{Text: text} }

// Error is an error of the dialect with a status and the provider's code.
func Error(status int, code string) Answer { return Answer{Status: status, Code: code} }

// Verdict is a judge's reply: one JSON object with grade, problem and reason.
func Verdict(grade int, problem, reason string) Answer {
	text, _ := json.Marshal(struct { // numbers and strings always encode
		Grade   int    `json:"grade"`
		Problem string `json:"problem"`
		Reason  string `json:"reason"`
	}{grade, problem, reason})
	return Answer{Text: string(text)}
}

func (a Answer) finish() llm.Finish {
	switch {
	case a.Finish != "":
		return a.Finish
	case len(a.ToolCalls) > 0:
		return llm.FinishToolCalls
	}
	return llm.FinishStop
}

func (a Answer) status() int {
	if a.Status == 0 {
		return http.StatusOK
	}
	return a.Status
}

// filled sets model and token counts from the call where the script left them out.
func (a Answer) filled(c Call) Answer {
	if a.Model == "" {
		a.Model = c.Model
	}
	if a.In == 0 {
		a.In = int64(len(c.Body)+3) / 4
	}
	if a.Out == 0 {
		a.Out = int64(len(a.Text)+3) / 4
	}
	return a
}

// empty says that there is nothing to send.
func (a Answer) empty() bool {
	return a.Text == "" && a.Refusal == "" && len(a.ToolCalls) == 0 && len(a.Raw) == 0
}
