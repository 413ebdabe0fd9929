package llm

import (
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxMessage bounds how much of a provider's message is kept, in bytes: it is for a
// reader of a log line, and some servers echo the whole prompt.
const maxMessage = 300

// bodyError is what an error body says, whatever dialect it is in.
type bodyError struct {
	code    string   // the most telling code
	codes   []string // all codes, types and states that were found
	status  int      // an embedded HTTP status, 0 if there is none
	message string
	wait    time.Duration
	lasting bool // a quota that no wait within the hour lifts
}

// errorOf finds an error object in a body: {"error": {…}}, {"error": "text"}, a list
// that starts with one, or {"type": "error", …}. An error that is null or empty is none.
func errorOf(v value) (bodyError, bool) {
	if v.list() {
		for first := range v.items() {
			v = first
			break
		}
	}
	e := v.get("error")
	switch {
	case e.object():
		for range e.members() {
			return eventError(e), true
		}
	case e.is('"'):
		if s := e.str(); s != "" {
			return bodyError{message: tidy(s)}, true
		}
	}
	return bodyError{}, false
}

// eventError reads the error object itself.
func eventError(e value) bodyError {
	b := bodyError{message: tidy(e.get("message").str())}
	if s := e.str(); s != "" {
		b.message = tidy(s)
	}
	for _, c := range []value{e.get("details", "error_code"), e.get("code"), e.get("status"), e.get("type"), e.get("innererror", "code")} {
		if c.str() != "error" { // the type of an event, it says nothing
			b.note(c)
		}
	}
	for detail := range e.get("details").items() {
		b.detail(detail)
	}
	return b
}

func (b *bodyError) note(c value) {
	if n := c.count(); n != nil {
		if b.status == 0 && *n >= 400 && *n <= 599 {
			b.status = int(*n)
		}
		b.codes = append(b.codes, string(c))
	} else if s := c.str(); s != "" {
		b.codes = append(b.codes, tidy(s))
	}
	// A word says more than the status it comes with.
	if len(b.codes) > 0 && (b.code == "" || isNumber(b.code)) {
		b.code = b.codes[len(b.codes)-1]
	}
}

// detail reads an entry of Gemini's details: a reason, a wait, or a quota.
func (b *bodyError) detail(d value) {
	if reason := d.get("reason").str(); reason != "" {
		b.codes = append(b.codes, reason)
		b.code = tidy(reason)
	}
	if w := d.get("retryDelay"); w != nil {
		b.wait = protoDuration(w)
	}
	for violation := range d.get("violations").items() {
		limit, day := violation.get("quotaValue"), strings.Contains(violation.get("quotaId").str(), "PerDay")
		b.lasting = b.lasting || day || limit.str() == "0" || string(limit) == "0"
	}
}

func (b bodyError) has(codes ...string) bool {
	for _, c := range b.codes {
		for _, want := range codes {
			if strings.EqualFold(c, want) {
				return true
			}
		}
	}
	return false
}

// inside200 is the failure for an error that came under status 200. Its class
// follows the embedded code; its reason says where it was.
func (b bodyError) inside200() *Failure {
	class, reason := b.classify(b.status)
	if b.status == 0 && class == Invalid && reason != Filtered {
		class = Unavailable
	}
	if reason != Filtered {
		reason = ErrorIn200
	}
	return &Failure{Class: class, Reason: reason, Status: http.StatusOK, Code: b.code, RetryAfter: b.wait, Err: b.err("error in a 200")}
}

func (b bodyError) err(fallback string) error {
	if b.message == "" {
		return errors.New(fallback)
	}
	return errors.New(b.message)
}

// tidy makes a foreign message fit for one log line.
func tidy(s string) string {
	if len(s) > maxMessage {
		cut := maxMessage
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

func isNumber(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}
