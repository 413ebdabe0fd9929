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
	from                       int64 // microseconds
	fromDay, toDay             int64 // see utcDay; toDay is excluded
	experiment, digest, rubric uint32
	arms                       []uint32 // by their number, 0 for live
	pinned, reserve            uint32
	problems                   []bool // by code; nil: any
	clientAbort, timeout       uint32
	// again, agreement and injection are the purposes of further verdicts.
	again, agreement, injection uint32
	reach                       map[string]int64 // by tap: how far its books go
}

func rulesOf(e Experiment, w Window, reach map[string]int64, c *codes) rules {
	r := rules{
		from: microsSince(w.From), fromDay: math.MinInt64, toDay: math.MaxInt64, reach: reach,
		experiment: c.words.code(e.Name), digest: c.words.code(e.Digest), rubric: c.words.code(string(e.Digests)),
		arms:   []uint32{c.words.code(string(shadow.Live))},
		pinned: c.words.code(string(e.Judge.Pinned)), reserve: c.words.code(string(e.Judge.ReservePinned)),
		clientAbort: c.words.code(string(llm.ClientAbort)), timeout: c.words.code(string(llm.Timeout)),
		again:     c.words.code(string(judge.PurposeRepeat)),
		agreement: c.words.code(string(judge.PurposeAgreement)), injection: c.words.code(string(judge.PurposeInjection)),
	}
	if !w.From.IsZero() {
		r.fromDay = utcDay(w.From.UnixMicro())
	}
	if !w.To.IsZero() {
		r.toDay = utcDay(w.To.UnixMicro())
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
	return r
}

// arm is the number of a row's arm, if the experiment has it.
func (r *rules) arm(p *pattern) (arm int, known bool) {
	for i, code := range r.arms {
		if code == p.arm {
			return i, true
		}
	}
	return 0, false
}

// ours says that a row is of the experiment and counts for its arm.
func (r *rules) ours(p *pattern, known bool) bool {
	return known && p.experiment == r.experiment && p.repeat == 0
}

// furtherVerdict says that a row is a further verdict by a judge of the experiment.
func (r *rules) furtherVerdict(p *pattern) bool {
	return p.repeat > 0 && p.experiment == r.experiment && p.digest == r.digest &&
		(p.judged == judgedGraded || p.judged == judgedNotGraded) && r.rank(p.pinned) != noJudge && r.valid(p)
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
func (n *RowCounts) reject(p *pattern, r *rules, known bool) *int {
	switch {
	case p.experiment != r.experiment:
		return &n.OtherExperiment
	case !known:
		return &n.OtherArm
	case p.repeat != 0:
		return &n.Repeats
	case p.digest != r.digest:
		return &n.OtherDigest
	case p.rubric != 0 && p.rubric != r.rubric:
		return &n.OtherRubric
	case p.pinned != 0 && r.rank(p.pinned) == noJudge:
		return &n.OtherJudge
	case !r.valid(p):
		return &n.Invalid
	}
	return nil
}

// valid reports whether a row says nothing that contradicts itself.
func (r *rules) valid(p *pattern) bool {
	rate, judgeRate := math.Float64frombits(p.rate), math.Float64frombits(p.judgeRate)
	if !(rate > 0 && rate <= 1) || judgeRate < 0 || judgeRate > 1 || judgeRate != judgeRate {
		return false
	}
	switch p.state {
	case stateNotAsked:
		return p.judged != judgedGraded && p.grade == noGrade && p.arm != r.arms[0]
	case stateFailed:
		return p.judged != judgedGraded && p.grade == noGrade && p.reason != 0 && r.timed(p)
	case stateAnswered:
		return r.timed(p) && r.validVerdict(p)
	}
	return false
}

// timed reports whether the times of a call make sense. Only the live arm's, where it
// was recorded elsewhere, may be unknown: whoever asks a candidate measures it.
func (r *rules) timed(p *pattern) bool {
	return (p.took == thereNumber || p.took == missingNumber && p.arm == r.arms[0]) && p.first != negativeNumber
}

func (r *rules) validVerdict(p *pattern) bool {
	switch p.judged {
	case judgedGraded:
		return p.grade >= int8(rubric.Best) && p.grade <= int8(rubric.Worst) &&
			p.pinned != 0 && p.rubric == r.rubric && r.listed(p.problem)
	case judgedNotGraded:
		return p.grade == noGrade && p.why != 0
	case judgedNotDrawn, judgedPending:
		return p.grade == noGrade
	}
	return false
}

// listed says that a problem is on the closed list, if there is one.
func (r *rules) listed(problem uint32) bool {
	return r.problems == nil || (int(problem) < len(r.problems) && r.problems[problem])
}

// observe is what is kept of rows that count, but for their numbers.
func (c *collection) observe(p *pattern) obs {
	rate, judgeRate := math.Float64frombits(p.rate), math.Float64frombits(p.judgeRate)
	if judgeRate > 0 {
		rate = min(rate, judgeRate)
	}
	o := obs{
		rate: c.rates.code(rate), model: p.model, reason: p.reason, why: p.why,
		judge: p.judge, pinned: p.pinned, echo: p.echo, state: p.state, judged: p.judged, flags: p.flags,
	}
	if o.graded() {
		o.grade, o.problem = uint8(p.grade), p.problem
	}
	if o.asked() {
		o.latency = c.rules.latencyKind(p)
		o.first = p.firstKind(o.latency)
	}
	return o
}

func (r *rules) latencyKind(p *pattern) kind {
	aborted := p.reason == r.clientAbort
	switch {
	case p.took == missingNumber && (aborted || p.state == stateAnswered):
		return untimed
	case p.took == missingNumber:
		return failed
	case aborted:
		return left
	case p.censored || p.reason == r.timeout:
		return cut
	case p.state == stateFailed:
		return failed
	}
	return exact
}

// firstKind is exact for a stream that began, even if it failed later.
func (p *pattern) firstKind(latency kind) kind {
	switch {
	case !p.stream:
		return untimed
	case p.first != missingNumber:
		return exact
	case p.state == stateAnswered:
		return untimed // nothing but a tool call: it has no first content
	}
	return latency
}

// microsSince is the first microsecond of a window that starts then.
func microsSince(from time.Time) int64 {
	if from.IsZero() {
		return math.MinInt64
	}
	return from.UnixMicro()
}

func timeOf(us int64) time.Time { return time.UnixMicro(us).UTC() }
