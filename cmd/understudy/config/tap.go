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
			"ingest":         section(fields{"listen": listenAddress(&t.Ingest.Listen), "nats": flag(&t.Ingest.NATS)}),
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
			s, problem := parseSource(item, FromHeader, FromBaggage, FromTrace, FromBody, FromOpening)
			if problem == "" && slices.Contains(out, s) {
				problem = quote(item.text) + " is given twice"
			}
			if problem != "" {
				d.fail(item.pos, sub, problem, "header:NAME, baggage:NAME, traceparent, body:PATH or opening, without a blank after a colon")
				continue
			}
			out = append(out, s)
		}
		*dst = out
	}
}

func route(dst *Source) reader {
	return func(d *decoder, path string, n *node) {
		s, problem := parseSource(n, FromPath, FromHeader, FromBaggage, FromBody)
		if problem != "" {
			d.fail(n.pos, path, problem, "path, header:NAME, baggage:NAME or body:PATH")
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
			s, problem := parseSource(p.value, FromHeader, FromBaggage, FromBody)
			switch {
			case !tagName.MatchString(key):
				d.fail(p.pos, sub, quote(key)+" is no name of a tag", "small letters, digits, _ . and -, such as lang")
			case problem != "":
				d.fail(p.value.pos, sub, problem, "header:NAME, baggage:NAME or body:PATH, without a blank after the colon")
			case len(out) == maxTags:
				d.fail(p.pos, sub, fmt.Sprintf("over %d tags", maxTags), "a few: every value of a tag is a slice of the report")
			default:
				out[key] = s
			}
		})
		*dst = out
	}
}

// parseSource reads a source of one of the kinds that may stand here.
func parseSource(n *node, may ...SourceKind) (s Source, problem string) {
	if n.kind != isText {
		return s, describe(n) + " names no part of a request"
	}
	kind, name, named := strings.Cut(n.text, ":")
	s = Source{Kind: SourceKind(kind), Name: name}
	if !slices.Contains(may, s.Kind) {
		return Source{}, quote(n.text) + " names no part of a request that can stand here"
	}
	fine := true
	switch s.Kind {
	case FromHeader:
		fine = headerName.MatchString(name)
		problem = " names no header"
		if slices.Contains(credentials, strings.ToLower(name)) {
			fine, problem = false, " is a credential, which would be stored with each row"
		}
	case FromBaggage:
		fine = headerName.MatchString(name)
		problem = " names no entry of baggage"
	case FromBody:
		fine = !slices.Contains(strings.Split(name, "."), "") && strings.TrimSpace(name) == name
		problem = " names no value of a body (a path with dots, such as body:metadata.session)"
	default:
		fine = !named
		problem = " takes no name"
	}
	if !fine {
		return Source{}, quote(n.text) + problem
	}
	return s, ""
}
