package tap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Key is a place in a request. Its forms are
//
//	path            the path; for routes only
//	header:NAME     the first value of a header
//	baggage:NAME    an entry of the W3C baggage that OpenTelemetry passes on in the header
//	                of that name, such as baggage:gen_ai.conversation.id
//	traceparent     the trace id of the W3C header of that name; for sessions only
//	body:PATH       a string or number in the body: PATH is a list of member names and list
//	                positions joined by dots, like metadata.session_id
//	opening         a hash of the conversation's opening, see below; for sessions only
//
// What is empty or nothing but blanks is not there, and the next key is looked at. Of
// something longer than 256 bytes, or that is no UTF-8, the SHA-256 is the key.
//
// The opening is the conversation as [llm.Conversation] reads it, up to the first turn
// of the user: what stays the same while a conversation grows, so that all of its
// requests are one session. Conversations that begin alike are one session too: there
// are fewer and larger ones. A request whose earlier turns lie at the provider
// (previous_response_id) opens with its own first turn.
type Key struct {
	kind keyKind
	name string   // of the header or the entry
	path []string // in the body
}

type keyKind uint8

const (
	keyPath keyKind = iota
	keyHeader
	keyBaggage
	keyTrace
	keyBody
	keyOpening
)

// ParseKey reads a Key in the form that String prints.
func ParseKey(text string) (Key, error) {
	kind, name, named := strings.Cut(text, ":")
	plain := name != "" && !strings.ContainsAny(name, " \t\r\n:")
	switch {
	case text == "path":
		return Key{}, nil
	case text == "traceparent":
		return Key{kind: keyTrace, name: "Traceparent"}, nil
	case text == "opening":
		return Key{kind: keyOpening}, nil
	case kind == "header" && plain:
		return Key{kind: keyHeader, name: http.CanonicalHeaderKey(name)}, nil
	case kind == "baggage" && plain && !strings.ContainsAny(name, ",;="):
		return Key{kind: keyBaggage, name: name}, nil
	case kind == "body" && named && !slices.Contains(strings.Split(name, "."), ""):
		return Key{kind: keyBody, path: strings.Split(name, ".")}, nil
	}
	return Key{}, fmt.Errorf("key %q: want path, header:NAME, baggage:NAME, traceparent, body:PATH or opening", text)
}

// String prints the key as it is configured.
func (k Key) String() string {
	switch k.kind {
	case keyHeader:
		return "header:" + k.name
	case keyBaggage:
		return "baggage:" + k.name
	case keyTrace:
		return "traceparent"
	case keyBody:
		return "body:" + strings.Join(k.path, ".")
	case keyOpening:
		return "opening"
	}
	return "path"
}

// inBody says that the key needs the request's body.
func (k *Key) inBody() bool { return k.kind == keyBody || k.kind == keyOpening }

// ofHeaders gives what stands at the key in the headers; "" if nothing does.
func (k *Key) ofHeaders(h http.Header) string {
	switch k.kind {
	case keyHeader:
		return first(h[k.name])
	case keyBaggage:
		return baggage(h["Baggage"], k.name)
	case keyTrace:
		return traceID(first(h[k.name]))
	}
	return ""
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// baggage gives an entry of W3C baggage: lists of name=value;properties, with values in
// percent-encoding. The first that is not empty counts.
//
// Source: https://www.w3.org/TR/baggage/, section 3.2.1.
func baggage(lists []string, name string) string {
	for _, list := range lists {
		for entry := range strings.SplitSeq(list, ",") {
			entry, _, _ = strings.Cut(entry, ";")
			key, value, _ := strings.Cut(entry, "=")
			if strings.TrimSpace(key) != name {
				continue
			}
			value = strings.TrimSpace(value)
			if plain, err := url.PathUnescape(value); err == nil {
				value = plain
			}
			if value != "" {
				return value
			}
		}
	}
	return ""
}

// traceID gives the trace id of a traceparent, version-trace-parent-flags; "" for one
// that is not valid, whose version is ff or whose id is all zeros. What later versions
// add behind the flags is not looked at.
//
// Source: https://www.w3.org/TR/trace-context/, section 3.2.2.
func traceID(parent string) string {
	const size = len("00-0123456789abcdef0123456789abcdef-0123456789abcdef-00")
	if len(parent) < size || len(parent) > size && (parent[size] != '-' || parent[:2] == "00") ||
		parent[2] != '-' || parent[35] != '-' || parent[52] != '-' {
		return ""
	}
	id := parent[3:35]
	if !isHex(parent[:2]) || parent[:2] == "ff" || !isHex(id) || !isHex(parent[36:52]) || strings.Trim(id, "0") == "" {
		return ""
	}
	return id
}

// isHex says whether there are only small hexadecimal digits.
func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// textAt gives the string or number at a path of a JSON document; "" if there is
// none. Names are matched exactly; of equal names the last counts.
func textAt(doc []byte, path []string) string {
	for _, step := range path {
		doc = bytes.TrimLeft(doc, " \t\r\n")
		var err error
		if len(doc) > 0 && doc[0] == '[' {
			doc, err = itemAt(doc, step)
		} else {
			var members map[string]json.RawMessage
			err = json.Unmarshal(doc, &members)
			doc = members[step]
		}
		if err != nil || doc == nil {
			return ""
		}
	}
	var text string
	if json.Unmarshal(doc, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(doc, &number) == nil {
		return number.String()
	}
	return ""
}

func itemAt(doc []byte, step string) ([]byte, error) {
	i, err := strconv.Atoi(step)
	if err != nil {
		return nil, err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(doc, &items); err != nil || i < 0 || i >= len(items) {
		return nil, err
	}
	return items[i], nil
}
