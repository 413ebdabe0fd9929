package llm

import (
	"bytes"
	"encoding/json"
	"iter"
	"math"
	"strconv"
	"unicode/utf8"
)

// value is a piece of JSON text that is known to be valid, without blanks around
// it; nil is an absent value. Reading it lazily keeps the bytes as they were
// written: numbers of any length, key order, escapes. Names are compared exactly.
type value []byte

// parse checks a whole text once. A leading byte order mark is ignored.
func parse(text []byte) (value, bool) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !json.Valid(text) {
		return nil, false
	}
	return value(bytes.Trim(text, " \t\r\n")), true
}

func (v value) is(first byte) bool { return len(v) > 0 && v[0] == first }
func (v value) object() bool       { return v.is('{') }
func (v value) list() bool         { return v.is('[') }
func (v value) null() bool         { return len(v) == 0 || v[0] == 'n' }
func (v value) yes() bool          { return v.is('t') }

// member is one key and value of an object; Start and End bound both in the text.
type member struct {
	key        string
	val        value
	start, end int
	valStart   int
}

// members walks through an object in order, duplicates included.
func (v value) members() iter.Seq[member] {
	return func(yield func(member) bool) {
		if !v.object() {
			return
		}
		for i := skipBlank(v, 1); i < len(v) && v[i] != '}'; {
			m := member{start: i}
			keyEnd := skipValue(v, i)
			m.key, _ = v[i:keyEnd].text()
			m.valStart = skipBlank(v, skipBlank(v, keyEnd)+1)
			m.end = skipValue(v, m.valStart)
			m.val = v[m.valStart:m.end]
			if !yield(m) {
				return
			}
			i = skipBlank(v, m.end)
			if i < len(v) && v[i] == ',' {
				i = skipBlank(v, i+1)
			}
		}
	}
}

// items walks through a list.
func (v value) items() iter.Seq[value] {
	return func(yield func(value) bool) {
		if !v.list() {
			return
		}
		for i := skipBlank(v, 1); i < len(v) && v[i] != ']'; {
			end := skipValue(v, i)
			if !yield(v[i:end]) {
				return
			}
			i = skipBlank(v, end)
			if i < len(v) && v[i] == ',' {
				i = skipBlank(v, i+1)
			}
		}
	}
}

// get follows a path of names; of equal names the last counts, as most parsers have it.
func (v value) get(path ...string) value {
	for _, name := range path {
		v = v.field(name)
	}
	return v
}

// field is get for one name. It is where the time of decoding goes, so it copies nothing.
func (v value) field(name string) value {
	if !v.object() {
		return nil
	}
	var found value
	for i := skipBlank(v, 1); i < len(v) && v[i] != '}'; {
		key := v[i:skipString(v, i)]
		start := skipBlank(v, skipBlank(v, i+len(key))+1)
		end := skipValue(v, start)
		if key.named(name) {
			found = v[start:end]
		}
		i = skipBlank(v, end)
		if i < len(v) && v[i] == ',' {
			i = skipBlank(v, i+1)
		}
	}
	return found
}

// named says whether a key, with its quotes, is this name.
func (v value) named(name string) bool {
	if inner := v[1 : len(v)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner) == name
	}
	return v.str() == name
}

// text gives a string's content; lone surrogates and broken UTF-8 become U+FFFD.
func (v value) text() (string, bool) {
	if !v.is('"') {
		return "", false
	}
	inner := v[1 : len(v)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), true
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return "", false
	}
	return s, true
}

// str is text, or "" for anything that is not a string.
func (v value) str() string {
	s, _ := v.text()
	return s
}

// count reads a whole number that is not negative; nil for anything else.
func (v value) count() *int64 {
	if len(v) == 0 || v[0] < '0' || v[0] > '9' {
		return nil
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return &n
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != math.Trunc(f) || f >= 1<<53 {
		return nil
	}
	n := int64(f)
	return &n
}

// number is count, or 0 where there is none.
func (v value) number() int64 {
	if n := v.count(); n != nil {
		return *n
	}
	return 0
}

func skipBlank(v value, i int) int {
	for i < len(v) && (v[i] == ' ' || v[i] == '\t' || v[i] == '\n' || v[i] == '\r') {
		i++
	}
	return i
}

// skipValue gives the end of the value that starts at i. The text is valid.
func skipValue(v value, i int) int {
	depth := 0
	for i < len(v) {
		switch v[i] {
		case '"':
			i = skipString(v, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
			continue
		default:
			i = skipWord(v, i)
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

func skipString(v value, i int) int {
	for i++; i < len(v); i++ {
		switch v[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(v)
}

// skipWord passes a number, true, false or null.
func skipWord(v value, i int) int {
	for ; i < len(v); i++ {
		switch v[i] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return i
		}
	}
	return i
}
