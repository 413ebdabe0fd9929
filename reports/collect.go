package reports

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// obs is what a report needs of a row.
type obs struct {
	id             shadow.SampleID
	seen           int64 // microseconds
	session, route string
	rate           float64 // chance of being asked and judged
	stream         bool
	redacted       bool
	state          sinks.State
	reason         string
	latency        timing
	first          timing
	tokens         *int64
	model          llm.Snapshot
	judged         judge.State
	why            judge.NotGraded
	grade          rubric.Grade
	problem        rubric.Problem
	judge          string
	pinned         llm.Snapshot
	rank           int // of its judge: primary, reserve, none
}

func (o *obs) asked() bool  { return o.state != sinks.NotAsked }
func (o *obs) graded() bool { return o.judged == judge.StateGraded }

// sameSaying reports whether two rows of one sample and arm say the same.
func (o *obs) sameSaying(p *obs) bool {
	return o.state == p.state && o.reason == p.reason && o.judged == p.judged &&
		o.why == p.why && o.grade == p.grade && o.problem == p.problem
}

type rowKey struct {
	id  shadow.SampleID
	arm int
}

// collection holds the used rows per arm, 0 for live, in order of time and id.
type collection struct {
	arms        [][]obs
	counts      RowCounts
	leftOut     []int // per arm: samples without a used row
	unbooked    []int // per arm: samples that their tap's books do not reach yet
	first, last time.Time
}

// collect reads the rows of a window. The order of rows matters only between rows
// of one sample, arm and judge snapshot that differ: the first one counts. reach is
// how far the books of each tap go.
func collect(rows iter.Seq2[sinks.Row, error], reach map[string]int64, e Experiment, w Window) (collection, error) {
	names := armIndex(e)
	c := collection{arms: make([][]obs, len(names)), leftOut: make([]int, len(names)), unbooked: make([]int, len(names))}
	used, left := map[rowKey]int{}, map[rowKey]bool{}
	if rows == nil {
		return c, nil
	}
	for row, err := range rows {
		if err != nil {
			return collection{}, err
		}
		if !w.Contains(row.Seen) {
			continue
		}
		c.counts.Read++
		arm, known := names[row.Arm]
		counter := c.counts.reject(row, e, known)
		key := rowKey{row.Sample, arm}
		if _, there := used[key]; !there && !left[key] && row.TapSeq != nil && *row.TapSeq > reach[row.Tap] &&
			known && row.Experiment == e.Name && row.Repeat == 0 {
			c.unbooked[arm]++
		}
		if counter != nil {
			*counter++
			if known && row.Experiment == e.Name && row.Repeat == 0 {
				left[key] = true
			}
			continue
		}
		c.add(used, key, observe(row, e))
		c.span(row.Seen)
	}
	for key := range left {
		if _, ok := used[key]; !ok {
			c.leftOut[key.arm]++
		}
	}
	for _, arm := range c.arms {
		c.counts.Used += len(arm)
		slices.SortFunc(arm, func(a, b obs) int {
			return cmp.Or(cmp.Compare(a.seen, b.seen), bytes.Compare(a.id[:], b.id[:]))
		})
	}
	return c, nil
}

// add keeps the row unless its sample and arm are there. Of two judges the
// primary's row counts, so that the arms of a trial agree in any order of rows.
func (c *collection) add(used map[rowKey]int, key rowKey, o obs) {
	at, there := used[key]
	if !there {
		used[key] = len(c.arms[key.arm])
		c.arms[key.arm] = append(c.arms[key.arm], o)
		return
	}
	old := &c.arms[key.arm][at]
	c.counts.Duplicates++
	if !old.sameSaying(&o) {
		c.counts.Conflicts++
	}
	if o.rank < old.rank {
		*old = o
	}
}

func (c *collection) span(seen time.Time) {
	seen = seen.UTC()
	if c.first.IsZero() || seen.Before(c.first) {
		c.first = seen
	}
	if c.last.IsZero() || seen.After(c.last) {
		c.last = seen
	}
}

func armIndex(e Experiment) map[shadow.Arm]int {
	names := map[shadow.Arm]int{shadow.Live: 0}
	for i, a := range e.Candidates {
		names[a.Name] = i + 1
	}
	return names
}

// reject returns the counter of the reason for which a row is left out, or nil.
func (n *RowCounts) reject(row sinks.Row, e Experiment, known bool) *int {
	switch {
	case row.Experiment != e.Name:
		return &n.OtherExperiment
	case !known:
		return &n.OtherArm
	case row.Repeat != 0:
		return &n.Repeats
	case row.Digest != e.Digest:
		return &n.OtherDigest
	case row.Rubric != "" && row.Rubric != e.Digests:
		return &n.OtherRubric
	case row.JudgePinned != "" && judgeRank(row.JudgePinned, e.Judge) == noJudge:
		return &n.OtherJudge
	case !valid(row, e):
		return &n.Invalid
	}
	return nil
}

const noJudge = 2

func judgeRank(pinned llm.Snapshot, j Judge) int {
	switch {
	case pinned == "":
		return noJudge
	case pinned == j.Pinned:
		return 0
	case pinned == j.ReservePinned:
		return 1
	}
	return noJudge
}

func observe(row sinks.Row, e Experiment) obs {
	o := obs{
		id: row.Sample, seen: row.Seen.UnixMicro(), session: row.Session, route: row.Route,
		rate: row.Rate, stream: row.Stream, redacted: row.Redacted, state: row.State, reason: row.Reason,
		tokens: row.TokensOut, model: row.Model, judged: row.JudgeState, why: row.JudgeReason,
		judge: row.Judge, pinned: row.JudgePinned, rank: judgeRank(row.JudgePinned, e.Judge),
	}
	if row.JudgeRate > 0 {
		o.rate = min(o.rate, row.JudgeRate)
	}
	if o.graded() {
		o.grade, o.problem = *row.Grade, row.Problem
	}
	if o.asked() {
		o.latency = latencyOf(row)
		o.first = firstTokenOf(row)
	}
	return o
}
