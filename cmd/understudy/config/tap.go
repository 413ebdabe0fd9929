package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const wantUpstream = "the live service's address, such as https://api.openai.com"

var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// credentials are headers whose value is a secret: it would be stored with each row.
var credentials = []string{"authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "x-goog-api-key"}

func (r *draft) tap() reader {
	t := &r.Tap
	by := "session"
	return func(d *decoder, path string, n *node) {
		section(fields{
			"listen":         listenAddress(&t.Listen),
			"client_timeout": duration(&t.ClientTimeout),
			"upstream":       r.upstream,
			"rate":           share(&t.Rate),
			"sample_by":      oneOf(&by, "session", "request"),
			"session":        sources(&t.Session),
			"salt":           text(&t.Salt, "a text that draws the samples, such as support-2026-10"),
			"max_body":       size(&t.MaxBody),
			"queue":          section(fields{"items": count(&t.QueueItems, 1), "bytes": size(&t.QueueBytes)}),
			"redact":         notYet,
			"route":          route(&t.Route),
			"tags":           tags(&t.Tags),
		})(d, path, n)
		t.BySession = by == "session"
	}
}

// upstream reads a URL. A policy in its place is known, but not built.
func (r *draft) upstream(d *decoder, path string, n *node) {
	if n.kind == isMap {
		section(fields{"policy": r.served})(d, path, n)
		return
	}
	if n.kind == isText && strings.HasPrefix(n.text, "policy:") {
		r.served(d, path, n)
		return
	}
	httpURL(&r.Tap.Upstream, wantUpstream)(d, path, n)
}

// sources reads the list of what may name a session; the first that is present does.
func sources(dst *[]Source) reader {
	const want = "a list such as [header:X-Session-Id] or [body:metadata.session]"
	return func(d *decoder, path string, n *node) {
		if n.kind != isList {
			d.fail(n.pos, path, describe(n)+" where a list belongs", want)
			return
		}
		out := []Source{}
		for i, item := range n.items {
			sub := fmt.Sprintf("%s[%d]", path, i)
			d.places[sub] = item.pos
			s, problem := parseSource(item, false)
			if problem == "" && slices.Contains(out, s) {
				problem = quote(item.text) + " is given twice"
			}
			if problem != "" {
				d.fail(item.pos, sub, problem, "header:NAME or body:PATH, without a blank after the colon")
				continue
			}
			out = append(out, s)
		}
		*dst = out
	}
}

func route(dst *Source) reader {
	return func(d *decoder, path string, n *node) {
		s, problem := parseSource(n, true)
		if problem != "" {
			d.fail(n.pos, path, problem, "path, header:NAME or body:PATH")
			return
		}
		*dst = s
	}
}

var tagName = regexp.MustCompile("^[a-z][a-z0-9_.-]*$")

// maxTags keeps reports readable.
const maxTags = 8

func tags(dst *map[string]Source) reader {
	return func(d *decoder, path string, n *node) {
		out := map[string]Source{}
		d.entries(path, n, func(key, sub string, p pair) {
			s, problem := parseSource(p.value, false)
			switch {
			case !tagName.MatchString(key):
				d.fail(p.pos, sub, quote(key)+" is no name of a tag", "small letters, digits, _ . and -, such as lang")
			case problem != "":
				d.fail(p.value.pos, sub, problem, "header:NAME or body:PATH, without a blank after the colon")
			case len(out) == maxTags:
				d.fail(p.pos, sub, fmt.Sprintf("over %d tags", maxTags), "a few: every value of a tag is a slice of the report")
			default:
				out[key] = s
			}
		})
		*dst = out
	}
}

// parseSource reads header:NAME, body:PATH and, where allowed, path.
func parseSource(n *node, pathToo bool) (s Source, problem string) {
	if n.kind != isText {
		return s, describe(n) + " names no part of a request"
	}
	if n.text == "path" && pathToo {
		return Source{Kind: FromPath}, ""
	}
	if header, ok := strings.CutPrefix(n.text, "header:"); ok {
		switch {
		case !headerName.MatchString(header):
			return s, quote(n.text) + " names no header"
		case slices.Contains(credentials, strings.ToLower(header)):
			return s, quote(n.text) + " is a credential, which would be stored with each row"
		}
		return Source{Kind: FromHeader, Name: header}, ""
	}
	if body, ok := strings.CutPrefix(n.text, "body:"); ok {
		if slices.Contains(strings.Split(body, "."), "") || strings.TrimSpace(body) != body {
			return s, quote(n.text) + " names no value of a body (a path with dots, such as body:metadata.session)"
		}
		return Source{Kind: FromBody, Name: body}, ""
	}
	return s, quote(n.text) + " names no part of a request"
}
