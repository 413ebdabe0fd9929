package sinks_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

func TestRowsConforms(t *testing.T) {
	schema := `{"messages":[],"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object","required":["order"]}}}}`
	yes, no := new(true), new(false)
	for _, c := range []struct {
		name, why string
		change    func(*shadow.Sample)
		want      []*bool // live; terra, which calls two tools; slow, which failed; poor, which was not asked
	}{
		{"none", "no contract, no flag", func(*shadow.Sample) {}, []*bool{nil, nil, nil, nil}},
		{"kept and broken", "one contract for all arms; no answer, no flag", func(s *shadow.Sample) {
			s.Request, s.Live.Text = []byte(schema), ` {"order":1}`
		}, []*bool{yes, no, nil, nil}},
		{"tools", "a call without the argument it needs", func(s *shadow.Sample) {
			s.Request = []byte(`{"tools":[{"type":"function","function":{"name":"find_order"}},{"type":"function","function":{"name":"refund","parameters":{"type":"object","required":["order"]}}}]}`)
		}, []*bool{yes, no, nil, nil}},
		{"refusal", "is outside a schema", func(s *shadow.Sample) {
			s.Request, s.Live.Text, s.Live.Refusal = []byte(schema), "", "I cannot."
		}, []*bool{no, no, nil, nil}},
		{"redacted", "what was asked or said was changed", func(s *shadow.Sample) {
			s.Request, s.Redacted = []byte(schema), true
		}, []*bool{nil, nil, nil, nil}},
		{"unknown schema", "a pattern outside RE2 is nobody's fault; prose and calls are", func(s *shadow.Sample) {
			s.Request = []byte(`{"response_format":{"type":"json_schema","json_schema":{"schema":{"pattern":"(?!x)"}}}}`)
			s.Live.Text = `"x"`
		}, []*bool{nil, no, nil, nil}},
		{"other dialect", "cannot be read", func(s *shadow.Sample) {
			s.Request, s.Dialect = []byte(schema), llm.Dialect("morse")
		}, []*bool{nil, nil, nil, nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := graded(1, monday)
			c.change(&g.Trial.Sample)
			var got []*bool
			for _, r := range sinks.Rows(g) {
				got = append(got, r.Conforms)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got)\n%s", c.why, diff)
			}
		})
	}
}
