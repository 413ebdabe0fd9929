package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/tap"
	"github.com/understudy-eval/understudy/sinks"
)

// readRows joins the live rows of a sink's folder with their texts. It holds the rows
// but no texts.
func readRows(dir string) iter.Seq2[recording, error] {
	return func(yield func(recording, error) bool) {
		live := map[shadow.SampleID]sinks.Row{}
		var order []shadow.SampleID
		for row, err := range sinks.Scan(os.DirFS(dir)) {
			if err != nil {
				yield(recording{}, fmt.Errorf("rows in %s: %w", dir, err))
				return
			}
			if _, had := live[row.Sample]; row.Arm == shadow.Live && !had {
				live[row.Sample] = row
				order = append(order, row.Sample)
			}
		}
		for text, err := range sinks.ScanTexts(os.DirFS(dir)) {
			if err != nil {
				yield(recording{}, fmt.Errorf("texts in %s: %w", dir, err))
				return
			}
			row, ok := live[text.Sample]
			if text.Arm != shadow.Live || !ok {
				continue
			}
			delete(live, text.Sample) // a text may have been written twice
			if !yield(ofRow(dir, row, text), nil) {
				return
			}
		}
		for _, id := range order {
			row, left := live[id]
			if !left {
				continue
			}
			r := recording{place: dir + ": sample " + id.String(), id: id, doc: tap.Document{Endpoint: endpointOf(row), Seen: row.Seen}}
			r.lost, r.err = shadow.DroppedIncompleteRequest, errors.New("its texts were not kept")
			if !yield(r, nil) {
				return
			}
		}
	}
}

// ofRow is the document that a live row and its texts tell of.
func ofRow(dir string, row sinks.Row, text sinks.Text) recording {
	r := recording{place: dir + ": sample " + row.Sample.String(), id: row.Sample}
	if text.Replaced {
		r.lost, r.err = shadow.DroppedIncompleteRequest, errors.New("bytes of its request were no UTF-8 and are gone")
	}
	answer := &llm.Reply{Text: text.Answer, Refusal: text.Refusal, Finish: row.Finish, Model: row.Model,
		Usage: llm.Usage{In: row.TokensIn, Out: row.TokensOut, Reasoning: row.TokensReasoning, Cached: row.TokensCached}}
	if text.ToolCalls != "" {
		if err := json.Unmarshal([]byte(text.ToolCalls), &answer.ToolCalls); err != nil {
			r.lost, r.err = shadow.DroppedMalformed, fmt.Errorf("its tool calls: %w", err)
		}
	}
	r.doc = tap.Document{
		ID: row.Sample.String(), Endpoint: endpointOf(row), Seen: row.Seen, Session: row.Session, Route: row.Route,
		Rate: row.Rate, Request: []byte(text.Conversation), Answer: answer, Took: row.Took, Redacted: row.Redacted,
	}
	if row.State == sinks.Failed {
		r.doc.Failure = llm.Reason(row.Reason)
	}
	if row.FirstToken != nil {
		r.doc.FirstToken = *row.FirstToken
	}
	if row.Status != nil {
		r.doc.Status = int(*row.Status)
	}
	if row.Attempts != nil {
		r.doc.Attempts = int(*row.Attempts)
	}
	for _, tag := range row.Tags {
		if key, value, ok := strings.Cut(tag, "="); ok {
			if r.doc.Tags == nil {
				r.doc.Tags = map[string]string{}
			}
			r.doc.Tags[key] = value
		}
	}
	return r
}

// endpointOf is a path of the row's dialect: the one that the client used, where its
// route tells, else a usual one.
func endpointOf(row sinks.Row) string {
	if d, _, ok := llm.Endpoint(row.Route); ok && d == row.Dialect {
		return row.Route
	}
	all := llm.Surfaces()
	i := slices.IndexFunc(all, func(s llm.Surface) bool {
		return s.Dialect == row.Dialect && (s.Dialect != llm.GeminiGenerate || s.Stream == row.Stream)
	})
	switch {
	case i < 0:
		return shadow.OtherEndpoint
	case all[i].Dialect == llm.GeminiGenerate:
		return "/v1beta/models/model" + all[i].Suffix
	case strings.HasPrefix(all[i].Suffix, "/v1/"), strings.HasPrefix(all[i].Suffix, "/api/"):
		return all[i].Suffix
	}
	return "/v1" + all[i].Suffix
}
