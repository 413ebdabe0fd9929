package tap_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// states says for every surface what becomes of an answer that is no plain text: the
// reason of its failure, "refused" for a marked refusal and "short" for a text that the
// token limit ended, both answers, and - where a dialect has no such answer. The columns
// are: cut by the upstream · left by the client · an error object under status 200 · an
// answer without text · no byte at all · refused · withheld by a filter · the token limit
// used up without text · reached after some.
const states = `
chat               reset client_abort error_in_200 empty empty refused filtered truncated short
chat streamed      reset client_abort error_in_200 empty empty refused filtered truncated short
azure streamed     reset client_abort error_in_200 empty empty refused filtered truncated short
responses          reset client_abort error_in_200 empty empty refused filtered truncated short
responses streamed reset client_abort error_in_200 empty empty refused filtered truncated short
messages           reset client_abort error_in_200 empty empty refused -        truncated short
messages streamed  reset client_abort error_in_200 empty empty refused -        truncated short
gemini             reset client_abort error_in_200 empty empty refused filtered truncated short
gemini events      reset client_abort error_in_200 empty empty refused filtered truncated short
gemini list        reset client_abort error_in_200 empty empty refused filtered truncated short
ollama             reset client_abort error_in_200 empty empty -       -        truncated short
ollama streamed    reset client_abort error_in_200 empty empty -       -        truncated short
generate           reset client_abort error_in_200 empty empty -       -        truncated short
generate streamed  reset client_abort error_in_200 empty empty -       -        truncated short
`

const stateNames = "cut left error empty nothing refused filtered truncated short"

// TestEveryStateOfEverySurface holds the table against the tap: what each surface's bytes
// become, with the text that came and with times that are known.
func TestEveryStateOfEverySurface(t *testing.T) {
	rows := map[string][]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(states), "\n") {
		cells := strings.Fields(line)
		n := len(cells) - len(strings.Fields(stateNames))
		rows[strings.Join(cells[:n], " ")] = cells[n:]
	}
	if len(rows) != len(ways()) {
		t.Errorf("%d rows for %d surfaces", len(rows), len(ways()))
	}
	for _, w := range ways() {
		row := rows[w.name]
		if row == nil {
			t.Errorf("the table says nothing of %q", w.name)
		}
		for _, version := range versions(w) {
			for i, cell := range row {
				state := strings.Fields(stateNames)[i]
				if cell == "-" {
					continue
				}
				t.Run(strings.TrimSpace(w.name+" "+version+" "+state), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { w.becomes(t, version, state, cell) })
				})
			}
		}
	}
}

// versions of the API in the field, which a header names.
func versions(w way) []string {
	if w.dialect == llm.AnthropicMessages {
		return []string{"2023-06-01", "2026-10-21"}
	}
	return []string{""}
}

// step is the pause before each piece of an answer.
const step = 100 * time.Millisecond

func (w way) becomes(t *testing.T, version, state, cell string) {
	pieces := w.pieces(state)
	if !w.stream && len(pieces) > 0 && (state == "cut" || state == "left") {
		pieces = []string{pieces[0][:len(pieces[0])/2]}
	}
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r := start(t, options(), &store{})
	h := r.Middleware(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for _, p := range pieces {
			time.Sleep(step)
			_, _ = io.WriteString(rw, p)
		}
		time.Sleep(step)
		switch state {
		case "cut":
			panic(http.ErrAbortHandler)
		case "left":
			leave()
		}
	}))
	ask := request(t, "POST", w.path, w.body).WithContext(ctx)
	if version != "" {
		ask.Header.Set("Anthropic-Version", version)
	}
	func() {
		defer func() { _ = recover() }()
		h.ServeHTTP(&nullWriter{http.Header{}}, ask)
	}()
	s := r.one(t)
	if got, want := outcomeOf(s), w.expected(state, cell, len(pieces)); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := s.Header["Anthropic-Version"]; version != "" && (len(got) != 1 || got[0] != version) {
		t.Errorf("version %q, want %q", got, version)
	}
	if got, want := s.Stream, w.stream; got != want {
		t.Errorf("stream %v, want %v", got, want)
	}
	r.balanced(t)
}

// outcome is what a sample says of its live answer.
type outcome struct {
	state, text string
	censored    bool
	first, took time.Duration
}

func outcomeOf(s shadow.Sample) outcome {
	o := outcome{string(s.Live.Failure), s.Live.Text, s.Live.Censored, s.Live.FirstToken, s.Live.Took}
	switch {
	case s.Live.Failure != "":
	case s.Live.Refusal != "":
		o.state = "refused"
	case s.Live.Finish == llm.FinishLength:
		o.state = "short"
	}
	return o
}

// expected follows from the table: a stream keeps the text that came and the time of its
// first piece, a whole answer has neither; who was cut took until the end.
func (w way) expected(state, cell string, pieces int) outcome {
	o := outcome{state: cell, censored: cell == string(llm.ClientAbort), took: time.Duration(pieces) * step}
	begun := state == "cut" || state == "left" || state == "error"
	if state == "short" || w.stream && begun {
		o.text = "Ja"
	}
	if state == "cut" || state == "left" || state == "nothing" {
		o.took += step
	}
	if w.stream && (o.text != "" || cell == "refused") {
		o.first = 2 * step // a piece without content comes before it
	}
	return o
}
