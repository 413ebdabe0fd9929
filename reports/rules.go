package reports

import (
	"math"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// rules are what an experiment and a window ask of a row, in the codes of a collection.
type rules struct {
	from, to                   int64 // microseconds; to is excluded
	experiment, digest, rubric uint32
	arms                       []uint32 // by their number, 0 for live
	pinned, reserve            uint32
	problems                   []bool // by code; nil: any
	clientAbort, timeout       uint32
	// again, agreement and injection are the purposes of further verdicts.
	again, agreement, injection uint32
	reach                       []int64 // by tap: how far its books go
	measures                    [quantities]measure
}

func rulesOf(e Experiment, w Window, reach map[string]int64, c *codes) rules {
	r := rules{
		from: microsSince(w.From), to: math.MaxInt64, measures: measures(),
		experiment: c.words.code(e.Name), digest: c.words.code(e.Digest), rubric: c.words.code(string(e.Digests)),
		arms:   []uint32{c.words.code(string(shadow.Live))},
		pinned: c.words.code(string(e.Judge.Pinned)), reserve: c.words.code(string(e.Judge.ReservePinned)),
		clientAbort: c.words.code(string(llm.ClientAbort)), timeout: c.words.code(string(llm.Timeout)),
		again:     c.words.code(string(judge.PurposeRepeat)),
		agreement: c.words.code(string(judge.PurposeAgreement)), injection: c.words.code(string(judge.PurposeInjection)),
	}
	if !w.To.IsZero() {
		r.to = w.To.UnixMicro()
	}
	for _, a := range e.Candidates {
		r.arms = append(r.arms, c.words.code(string(a.Name)))
	}
	if len(e.Problems) > 0 {
		for _, p := range e.Problems {
			code := int(c.words.code(string(p)))
			r.problems = append(r.problems, make([]bool, max(0, code+1-len(r.problems)))...)
			r.problems[code] = true
		}
	}
	for tap, n := range reach {
		code := int(c.taps.code(tap))
		for code >= len(r.reach) {
			r.reach = append(r.reach, 0)
		}
		r.reach[code] = n
	}
	return r
}

// arm is the number of a row's arm, if the experiment has it.
func (r *rules) arm(f *fact) (arm int, known bool) {
	for i, code := range r.arms {
		if code == f.arm {
			return i, true
		}
	}
	return 0, false
}

// ours says that a row is of the experiment and counts for its arm.
func (r *rules) ours(f *fact, known bool) bool {
	return known && f.experiment == r.experiment && f.repeat == 0
}

// booked says that the books of the row's tap reach its sample.
func (r *rules) booked(f *fact) bool {
	var reach int64
	if int(f.tap) < len(r.reach) {
		reach = r.reach[f.tap]
	}
	return f.tapSeq == unknown || f.tapSeq <= reach
}

const (
	primaryRank = iota
	reserveRank
	noJudge
)

// rank is 0 for the primary judge's snapshot, 1 for the reserve's.
func (r *rules) rank(pinned uint32) int {
	switch {
	case pinned == 0:
		return noJudge
	case pinned == r.pinned:
		return primaryRank
	case pinned == r.reserve:
		return reserveRank
	}
	return noJudge
}

// reject returns the counter of the reason for which a row is left out, or nil.
func (n *RowCounts) reject(f *fact, r *rules, known bool) *int {
	switch {
	case f.experiment != r.experiment:
		return &n.OtherExperiment
	case !known:
		return &n.OtherArm
	case f.repeat != 0:
		return &n.Repeats
	case f.digest != r.digest:
		return &n.OtherDigest
	case f.rubric != 0 && f.rubric != r.rubric:
		return &n.OtherRubric
	case f.pinned != 0 && r.rank(f.pinned) == noJudge:
		return &n.OtherJudge
	case !r.valid(f):
		return &n.Invalid
	}
	return nil
}

// valid reports whether a row says nothing that contradicts itself.
func (r *rules) valid(f *fact) bool {
	if !(f.rate > 0 && f.rate <= 1) || f.judgeRate < 0 || f.judgeRate > 1 || f.judgeRate != f.judgeRate {
		return false
	}
	switch f.state {
	case stateNotAsked:
		return f.judged != judgedGraded && f.grade == noGrade && f.arm != r.arms[0]
	case stateFailed:
		return f.judged != judgedGraded && f.grade == noGrade && f.reason != 0 && r.timed(f)
	case stateAnswered:
		return r.timed(f) && r.validVerdict(f)
	}
	return false
}

// timed reports whether the times of a call make sense. Only the live arm's, where it
// was recorded elsewhere, may be unknown: whoever asks a candidate measures it.
func (r *rules) timed(f *fact) bool {
	took, first := f.numbers[tookUS], f.numbers[firstTokenUS]
	return (took >= 0 || took == unknown && f.arm == r.arms[0]) && (first == unknown || first >= 0)
}

func (r *rules) validVerdict(f *fact) bool {
	switch f.judged {
	case judgedGraded:
		return f.grade >= int8(rubric.Best) && f.grade <= int8(rubric.Worst) &&
			f.pinned != 0 && f.rubric == r.rubric && r.listed(f.problem)
	case judgedNotGraded:
		return f.grade == noGrade && f.why != 0
	case judgedNotDrawn, judgedPending:
		return f.grade == noGrade
	}
	return false
}

// listed says that a problem is on the closed list, if there is one.
func (r *rules) listed(problem uint32) bool {
	return r.problems == nil || (int(problem) < len(r.problems) && r.problems[problem])
}

// observe is what is kept of a row that counts, but for its numbers.
func (c *codes) observe(f *fact) obs {
	rate := f.rate
	if f.judgeRate > 0 {
		rate = min(rate, f.judgeRate)
	}
	o := obs{
		rate: c.rates.code(rate), model: f.model, reason: f.reason, why: f.why,
		judge: f.judge, pinned: f.pinned, echo: f.echo, state: f.state, judged: f.judged, flags: f.flags,
	}
	if o.graded() {
		o.grade, o.problem = uint8(f.grade), f.problem
	}
	if o.asked() {
		o.latency, o.first = f.latencyKind(), f.firstKind()
	}
	return o
}

func (f *fact) latencyKind() kind {
	switch {
	case f.numbers[tookUS] == unknown && (f.aborted || f.state == stateAnswered):
		return untimed
	case f.numbers[tookUS] == unknown:
		return failed
	case f.aborted:
		return left
	case f.censored || f.timedOut:
		return cut
	case f.state == stateFailed:
		return failed
	}
	return exact
}

// firstKind is exact for a stream that began, even if it failed later.
func (f *fact) firstKind() kind {
	switch {
	case !f.stream:
		return untimed
	case f.numbers[firstTokenUS] != unknown:
		return exact
	case f.state == stateAnswered:
		return untimed // nothing but a tool call: it has no first content
	}
	return f.latencyKind()
}

// microsSince is the first microsecond of a window that starts then.
func microsSince(from time.Time) int64 {
	if from.IsZero() {
		return math.MinInt64
	}
	return from.UnixMicro()
}

func timeOf(us int64) time.Time { return time.UnixMicro(us).UTC() }
