package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxObjects bounds a schema, and with it the time to compile it, which grows with
// the square: 0.2 s at the bound, which is the number of properties that OpenAI takes.
const maxObjects = 5000

// schema checks texts. Without compiled any JSON will do, unless doubt says why the
// request's schema cannot be used.
type schema struct {
	compiled *jsonschema.Schema
	doubt    string
}

// compiled compiles a schema when it is first needed; any JSON fits nil.
func compiled(raw json.RawMessage) func() *schema {
	return sync.OnceValue(func() *schema {
		if raw == nil {
			return &schema{}
		}
		s, err := compile(string(raw))
		if err != nil {
			return &schema{doubt: "the request's schema cannot be used: " + strings.Join(strings.Fields(err.Error()), " ")}
		}
		return &schema{compiled: s}
	})
}

// address is where a schema is taken to stand; nothing is ever loaded from there.
const address = "https://request.invalid/schema"

func compile(text string) (s *jsonschema.Schema, err error) {
	defer recovered(&err)
	doc, objects, err := decode(text)
	switch {
	case err != nil:
		return nil, err
	case objects > maxObjects:
		return nil, fmt.Errorf("over %d objects", maxObjects)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(nowhere{})
	c.UseRegexpEngine(compilePattern)
	if err := c.AddResource(address, doc); err != nil {
		return nil, err
	}
	return c.Compile(address)
}

// nowhere loads nothing: a schema that refers to a file or an address is unknown.
type nowhere struct{}

func (nowhere) Load(string) (any, error) { return nil, errors.New("references are not loaded") }

// pattern is a regular expression that knows the size of its program: the time to
// match a text grows with both.
type pattern struct {
	*regexp.Regexp
	size int
}

func compilePattern(text string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	return pattern{re, len(prog.Inst)}, nil
}

// check says whether a text is exactly one JSON value that fits the schema.
func (s *schema) check(text string) outcome {
	v, _, err := decode(text)
	switch {
	case errors.Is(err, errNotJSON), errors.Is(err, errEqualName):
		return broken(err.Error())
	case err != nil:
		return unknown(err.Error())
	case s.doubt != "":
		return unknown(s.doubt)
	case s.compiled == nil:
		return outcome{}
	case !affordable(s.compiled, v):
		return unknown("the check would take too long")
	}
	return s.validate(v)
}

func (s *schema) validate(v any) outcome {
	var invalid *jsonschema.ValidationError
	switch err := validated(s.compiled, v); {
	case err == nil:
		return outcome{}
	case errors.As(err, &invalid):
		return broken(first(invalid))
	default:
		return unknown(err.Error())
	}
}

func validated(s *jsonschema.Schema, v any) (err error) {
	defer recovered(&err)
	return s.Validate(v)
}

// recovered turns a panic of the library, which reads what strangers wrote, into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the library gave up: %v", p)
	}
}

// first names the place and the keyword of the first fault, in the order of places.
func first(e *jsonschema.ValidationError) string {
	var faults []string
	collect(e, &faults)
	return slices.Min(faults)
}

func collect(e *jsonschema.ValidationError, faults *[]string) {
	if len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			collect(cause, faults)
		}
		return
	}
	var place strings.Builder
	for _, name := range e.InstanceLocation {
		place.WriteString("/" + name)
	}
	keyword := "the schema false"
	if path := e.ErrorKind.KeywordPath(); len(path) > 0 {
		keyword = path[0]
	}
	where := "the value"
	if place.Len() > 0 {
		where = quoted(place.String())
	}
	*faults = append(*faults, fmt.Sprintf("%s breaks %s", where, keyword))
}
