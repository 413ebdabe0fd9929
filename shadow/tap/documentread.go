package tap

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Fault is one thing that is wrong with a document: where, what, and what belongs there.
type Fault struct {
	At      string `json:"at"` // a JSON pointer; "" is the whole document
	Problem string `json:"problem"`
	Want    string `json:"want,omitempty"`
}

// Faults are all that is wrong with a document.
type Faults []Fault

func (f Faults) Error() string {
	var all []string
	for _, one := range f {
		text := one.Problem
		if one.At != "" {
			text = one.At + ": " + text
		}
		if one.Want != "" {
			text += "; want " + one.Want
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// ReadDocument reads one document in the form of [Schema]: names exactly as they are
// there, none that it does not list, none twice. null is the same as leaving a member
// out. What is wrong comes as [Faults].
func ReadDocument(data []byte) (Document, error) {
	var d Document
	var r documentReader
	r.object(data, "", r.members(&d))
	if len(r.faults) > 0 {
		return Document{}, r.faults
	}
	r.whole(&d)
	if len(r.faults) > 0 {
		return Document{}, r.faults
	}
	return d, nil
}

const (
	maxDocumentID  = 200
	maxTags        = 8
	maxMS          = 1e9 // 11 days: longer is a unit mixed up
	maxFaults      = 10
	maxFaultQuoted = 60
)

// documentReader collects faults, so that a caller sees all of them at once.
type documentReader struct{ faults Faults }

func (r *documentReader) fail(at, problem, want string) {
	if len(r.faults) < maxFaults {
		r.faults = append(r.faults, Fault{at, problem, want})
	}
}

// take reads the value of a member.
type take func(raw []byte, at string)

// whole checks what no member can say by itself.
func (r *documentReader) whole(d *Document) {
	if !strings.HasPrefix(d.Endpoint, "/") {
		r.fail("/endpoint", missingOr(d.Endpoint, "no path"), `the path that was posted to, such as "/v1/chat/completions"`)
	}
	if d.Request == nil {
		r.fail("/request", "is missing", "the body as it was sent: an object, or a string that holds it")
	}
	if d.Response == nil && d.Answer == nil && d.Failure == "" {
		r.fail("", "says nothing of an answer", "response, answer or failure")
	}
	if d.Response != nil && d.Answer != nil {
		r.fail("/answer", "stands beside response", "one of them")
	}
	if d.Took != nil && d.FirstToken > *d.Took {
		r.fail("/first_token_ms", "is after took_ms", "at most took_ms")
	}
}

func missingOr(text, problem string) string {
	if text == "" {
		return "is missing"
	}
	return problem
}

// object reads the members of one JSON object and refuses what is not listed.
func (r *documentReader) object(raw []byte, at string, members map[string]take) {
	r.pairs(raw, at, func(key string, value []byte, place string) {
		switch read := members[key]; {
		case read == nil:
			r.fail(place, "is not known here", "one of "+strings.Join(slices.Sorted(maps.Keys(members)), ", "))
		case string(value) != "null":
			read(value, place)
		}
	})
}

// pairs walks over one JSON object and refuses names that are there twice. A null is
// passed over, but its name has to be known all the same.
func (r *documentReader) pairs(raw []byte, at string, each func(key string, value []byte, place string)) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		r.noJSON(dec, at, err, "an object")
		return
	}
	had := map[string]bool{}
	for dec.More() {
		name, err := dec.Token()
		var value json.RawMessage
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			r.noJSON(dec, at, err, "")
			return
		}
		key := name.(string)
		if place := at + "/" + pointer(key); had[key] {
			r.fail(place, "is there twice", "each name once")
		} else {
			each(key, value, place)
		}
		had[key] = true
	}
	if _, err := dec.Token(); err != nil {
		r.noJSON(dec, at, err, "")
	} else if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		r.fail(at, fmt.Sprintf("something follows the document at byte %d", dec.InputOffset()), "one JSON object")
	}
}

func (r *documentReader) noJSON(dec *json.Decoder, at string, err error, want string) {
	if err == nil {
		r.fail(at, "has another type", want)
		return
	}
	what := "is no JSON"
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		what = "ends too early"
	}
	r.fail(at, fmt.Sprintf("%s, at byte %d", what, dec.InputOffset()), "one JSON object")
}

// pointer writes a name as a part of a JSON pointer, short and in one line.
func pointer(name string) string {
	if len(name) > maxFaultQuoted {
		name = strings.ToValidUTF8(name[:maxFaultQuoted], "") + "…"
	}
	return strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return utf8.RuneError
		}
		return c
	}, strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
}
