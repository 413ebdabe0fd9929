package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/policy"
	"github.com/understudy-eval/understudy/sinks"
)

// measured are the samples that can be simulated, in the order in which they were seen.
type measured struct {
	arms     []shadow.Arm // live first, the others in the experiment's order
	samples  []measuredSample
	sessions int
	groups   int // of whole sessions, which are drawn together
	leftOut  map[string]int
	costs    bool // the cost of any call is known
}

// mostGroups bounds what is drawn: with more sessions than that, some are drawn together.
// Groups of whole sessions are as independent of each other as sessions.
const mostGroups = 2000

// measuredSample is a request with what each arm did with it.
type measuredSample struct {
	id     shadow.SampleID
	seen   time.Time
	name   string
	group  int
	stream bool
	calls  []measuredCall // by arm
	// weight and judgeWeight are the inverse of the chances that all arms were asked, and
	// that their answers went to the judge.
	weight, judgeWeight float64
}

// measuredCall is what an arm did with a request.
type measuredCall struct {
	there   bool
	left    string // why its outcome is not known
	outcome policy.Outcome
	cost    *int64
	grade   rubric.Grade // 0 without one
	problem rubric.Problem
}

// Why a sample is left out.
const (
	leftNotAsked = "not every arm was asked"
	leftUser     = "the user left"
	leftNoTime   = "recorded without its time"
)

// measure reads the rows of the arms that designs need, and live's.
func measure(rows iter.Seq2[sinks.Row, error], e Experiment, w Window, designs []policy.Design) (*measured, error) {
	m := &measured{arms: []shadow.Arm{shadow.Live}, leftOut: map[string]int{}}
	needed := map[string]bool{}
	for _, d := range designs {
		for _, name := range d.Models() {
			needed[name] = true
		}
	}
	delete(needed, string(shadow.Live))
	for _, a := range e.Candidates {
		if needed[string(a.Name)] {
			m.arms = append(m.arms, a.Name)
			delete(needed, string(a.Name))
		}
	}
	for name := range needed {
		return nil, fmt.Errorf("%q is no arm of the experiment", name)
	}
	found := map[shadow.SampleID]int{}
	var all []measuredSample
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		arm := slices.Index(m.arms, row.Arm)
		if arm < 0 || row.Repeat != 0 || row.Experiment != e.Name || !w.Contains(row.Seen) {
			continue
		}
		i, ok := found[row.Sample]
		if !ok {
			i = len(all)
			found[row.Sample] = i
			all = append(all, measuredSample{
				id: row.Sample, seen: row.Seen, name: row.Session, stream: row.Stream, calls: make([]measuredCall, len(m.arms)),
			})
		}
		all[i].take(arm, row)
	}
	m.keep(all)
	return m, nil
}

// take notes a row; a row that was written twice is the same.
func (s *measuredSample) take(arm int, row sinks.Row) {
	c := &s.calls[arm]
	if row.State == sinks.NotAsked || c.there {
		return
	}
	s.weight, s.judgeWeight = max(s.weight, 1/row.Rate), max(s.judgeWeight, 1/row.JudgeRate)
	*c = measuredCall{there: true, cost: row.Cost, problem: row.Problem}
	switch {
	case row.Took == nil:
		c.left = leftNoTime
		return
	case row.Reason == string(llm.ClientAbort):
		c.left = leftUser
	}
	c.outcome.Took = *row.Took
	if row.Stream && row.FirstToken != nil {
		c.outcome.First = *row.FirstToken
	}
	if row.State == sinks.Failed {
		c.outcome.Failure = failureOf(row)
	}
	if row.Grade != nil {
		c.grade = *row.Grade
	}
}

// failureOf is a failed row's failure, as far as policies tell failures apart.
func failureOf(row sinks.Row) *llm.Failure {
	f := &llm.Failure{Class: llm.Unavailable, Reason: llm.Reason(row.Reason)}
	if row.Status != nil {
		f.Status = int(*row.Status)
	}
	switch f.Reason {
	case llm.DeniedReason:
		f.Class = llm.Denied
	case llm.Filtered:
		f.Class = llm.Invalid
	case llm.Status4xx:
		if !slices.Contains([]int{http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly}, f.Status) {
			f.Class = llm.Invalid
		}
	case llm.MalformedReason, llm.Empty, llm.TooLarge:
		f.Class = llm.Malformed
	}
	return f
}

// keep keeps the samples of which all is known.
func (m *measured) keep(all []measuredSample) {
	slices.SortFunc(all, func(a, b measuredSample) int {
		return cmp.Or(a.seen.Compare(b.seen), bytes.Compare(a.id[:], b.id[:]))
	})
	sessions := map[string]int{}
	for _, s := range all {
		if why := s.unknown(); why != "" {
			m.leftOut[why]++
			continue
		}
		i, ok := sessions[s.name]
		if !ok {
			i = len(sessions)
			sessions[s.name] = i
		}
		s.group = i % mostGroups
		m.costs = m.costs || slices.ContainsFunc(s.calls, func(c measuredCall) bool { return c.cost != nil })
		m.samples = append(m.samples, s)
	}
	m.sessions, m.groups = len(sessions), min(len(sessions), mostGroups)
}

func (s measuredSample) unknown() string {
	why := ""
	for _, c := range s.calls {
		switch {
		case !c.there:
			return leftNotAsked
		case c.left != "":
			why = c.left
		}
	}
	return why
}

// outcome is what an arm did with the request.
func (m *measured) outcome(s *measuredSample, arm string) *measuredCall {
	return &s.calls[slices.Index(m.arms, shadow.Arm(arm))]
}
