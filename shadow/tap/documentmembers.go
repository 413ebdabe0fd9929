package tap

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/understudy-eval/understudy/shadow/llm"
)

func (r *documentReader) members(d *Document) map[string]take {
	return map[string]take{
		"id":             r.text(&d.ID, maxDocumentID),
		"endpoint":       r.text(&d.Endpoint, maxPath),
		"seen":           r.time(&d.Seen),
		"session":        r.text(&d.Session, math.MaxInt),
		"route":          r.text(&d.Route, math.MaxInt),
		"tags":           r.tags(&d.Tags),
		"rate":           r.rate(&d.Rate),
		"header":         r.header(&d.Header),
		"request":        r.body(&d.Request, false),
		"response":       r.body(&d.Response, true),
		"status":         r.whole32(&d.Status, 100, 599),
		"answer":         r.answer(&d.Answer),
		"failure":        r.reason(&d.Failure),
		"took_ms":        func(raw []byte, at string) { d.Took = r.millis(raw, at) },
		"first_token_ms": r.first(&d.FirstToken),
		"attempts":       r.whole32(&d.Attempts, 1, 1000),
		"redacted":       r.yes(&d.Redacted),
	}
}

func (r *documentReader) text(dst *string, limit int) take {
	return func(raw []byte, at string) {
		var s string
		switch err := json.Unmarshal(raw, &s); {
		case err != nil:
			r.fail(at, "is no text", "a string")
		case utf8.RuneCountInString(s) > limit:
			r.fail(at, "is too long", fmt.Sprintf("at most %d characters", limit))
		default:
			*dst = s
		}
	}
}

func (r *documentReader) time(dst *time.Time) take {
	return func(raw []byte, at string) {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
				*dst = t.UTC()
				return
			}
		}
		r.fail(at, "is no time", "RFC 3339, such as 2026-10-05T12:00:00Z")
	}
}

var tagName = regexp.MustCompile(`^[a-z][a-z0-9_.-]*$`)

func (r *documentReader) tags(dst *map[string]string) take {
	return func(raw []byte, at string) {
		tags := map[string]string{}
		r.pairs(raw, at, func(key string, raw []byte, place string) {
			var value *string
			switch err := json.Unmarshal(raw, &value); {
			case !tagName.MatchString(key):
				r.fail(place, "is no name of a tag", "small letters, digits, _ . and -, such as lang")
			case err != nil:
				r.fail(place, "is no text", "a string")
			case value != nil && *value != "":
				tags[key] = tidyKey(*value)
			}
		})
		if len(tags) > maxTags {
			r.fail(at, fmt.Sprintf("has %d tags", len(tags)), fmt.Sprintf("at most %d", maxTags))
		}
		if len(tags) > 0 {
			*dst = tags
		}
	}
}

func (r *documentReader) rate(dst *float64) take {
	return func(raw []byte, at string) {
		var rate float64
		if json.Unmarshal(raw, &rate) != nil || !(rate > 0 && rate <= 1) {
			r.fail(at, "is no rate", "the chance with which you drew, over 0 and at most 1; leave it out if you send everything")
			return
		}
		*dst = rate
	}
}

// dialectHeaderNames are those that [dialectHeaders] keeps, of all dialects.
var dialectHeaderNames = [...]string{"Anthropic-Version", "Anthropic-Beta", "Openai-Beta"}

// header takes the dialect's own headers and nothing else: a credential must not get here.
func (r *documentReader) header(dst *map[string][]string) take {
	return func(raw []byte, at string) {
		values := [3]string{}
		members := map[string]take{}
		for i, name := range dialectHeaderNames {
			members[strings.ToLower(name)] = r.text(&values[i], maxKey)
		}
		r.object(raw, at, members)
		for i, name := range dialectHeaderNames {
			if values[i] != "" {
				if *dst == nil {
					*dst = map[string][]string{}
				}
				(*dst)[name] = []string{values[i]}
			}
		}
	}
}

// body takes a body that stands in the document itself, byte for byte, or as a text.
func (r *documentReader) body(dst *[]byte, lists bool) take {
	return func(raw []byte, at string) {
		var s string
		switch {
		case raw[0] == '{', lists && raw[0] == '[':
			*dst = raw
		case raw[0] == '"' && json.Unmarshal(raw, &s) == nil:
			*dst = []byte(s)
		default:
			r.fail(at, "is no body", "the JSON that was sent, or a string that holds it")
		}
	}
}

func (r *documentReader) whole32(dst *int, low, high int) take {
	return func(raw []byte, at string) {
		var n float64
		if json.Unmarshal(raw, &n) != nil || n != math.Trunc(n) || n < float64(low) || n > float64(high) {
			r.fail(at, "is out of range", fmt.Sprintf("a whole number from %d to %d", low, high))
			return
		}
		*dst = int(n)
	}
}

func (r *documentReader) yes(dst *bool) take {
	return func(raw []byte, at string) {
		if json.Unmarshal(raw, dst) != nil {
			r.fail(at, "is neither true nor false", "true or false")
		}
	}
}

func (r *documentReader) reason(dst *llm.Reason) take {
	return func(raw []byte, at string) {
		var s string
		if json.Unmarshal(raw, &s) != nil || !slices.Contains(llm.Reasons(), llm.Reason(s)) {
			var all []string
			for _, reason := range llm.Reasons() {
				all = append(all, string(reason))
			}
			r.fail(at, "is no reason of a failure", "one of "+strings.Join(all, ", "))
			return
		}
		*dst = llm.Reason(s)
	}
}

// millis reads a time in milliseconds, nil if it is none.
func (r *documentReader) millis(raw []byte, at string) *time.Duration {
	var ms float64
	if json.Unmarshal(raw, &ms) != nil || !(ms >= 0 && ms <= maxMS) {
		r.fail(at, "is no time", fmt.Sprintf("milliseconds from 0 to %g", float64(maxMS)))
		return nil
	}
	return new(time.Duration(math.Round(ms * float64(time.Millisecond))))
}

func (r *documentReader) first(dst *time.Duration) take {
	return func(raw []byte, at string) {
		if d := r.millis(raw, at); d != nil {
			*dst = *d
		}
	}
}

func (r *documentReader) answer(dst **llm.Reply) take {
	return func(raw []byte, at string) {
		var a llm.Reply
		var model, finish string
		r.object(raw, at, map[string]take{
			"text":       r.text(&a.Text, math.MaxInt),
			"refusal":    r.text(&a.Refusal, math.MaxInt),
			"tool_calls": r.calls(&a.ToolCalls),
			"finish":     r.text(&finish, maxKey),
			"model":      r.text(&model, maxKey),
			"usage":      r.usage(&a.Usage),
		})
		a.Finish, a.Model = llm.Finish(finish), llm.Snapshot(model)
		*dst = &a
	}
}

func (r *documentReader) calls(dst *[]llm.ToolCall) take {
	return func(raw []byte, at string) {
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			r.fail(at, "is no list", "a list of tool calls")
			return
		}
		for i, item := range items {
			var c llm.ToolCall
			place := fmt.Sprintf("%s/%d", at, i)
			r.object(item, place, map[string]take{
				"id": r.text(&c.ID, math.MaxInt), "name": r.text(&c.Name, math.MaxInt), "arguments": r.text(&c.Arguments, math.MaxInt),
			})
			if c.Name == "" {
				r.fail(place+"/name", "is missing", "the function's name")
			}
			*dst = append(*dst, c)
		}
	}
}

func (r *documentReader) usage(dst *llm.Usage) take {
	return func(raw []byte, at string) {
		tokens := func(dst **int64) take {
			return func(raw []byte, at string) {
				var n float64
				if json.Unmarshal(raw, &n) != nil || n != math.Trunc(n) || n < 0 || n > 1e12 {
					r.fail(at, "is no number of tokens", "a whole number from 0 on")
					return
				}
				*dst = new(int64(n))
			}
		}
		r.object(raw, at, map[string]take{
			"in": tokens(&dst.In), "cached": tokens(&dst.Cached), "cache_written": tokens(&dst.CacheWritten),
			"out": tokens(&dst.Out), "reasoning": tokens(&dst.Reasoning),
		})
	}
}
