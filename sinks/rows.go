package sinks

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
)

// Rows gives the rows of a graded trial: one per arm, live first, then the
// candidates in their order; also of arms that failed or were not asked. An arm
// that has rulings with several Repeat numbers has a row for each. A row is in the
// form that a file gives back: UTC, whole microseconds (cut, not rounded, so that a
// censored time stays a lower bound), bytes that are no UTF-8 replaced by U+FFFD.
//
// An answer without a ruling has no JudgeState: it is pending. A ruling on an arm
// that gave no answer is left out, and a ruling that says graded without a grade
// from 1 to 6 becomes not graded: out_of_scale (malformed without a verdict). g is
// not changed. Costs are null; a [Writer] fills them in by its [Costs].
func Rows(g judge.Graded) []Row { return Costs{}.rows(g) }

func (c Costs) rows(g judge.Graded) []Row {
	rows := make([]Row, 0, 1+len(g.Trial.Candidates))
	asked := contractOf(g.Trial.Sample)
	for _, a := range g.Trial.Answers() {
		row := sampleRow(g, a)
		row.fromAnswer(a)
		row.Cost = c.answer(a)
		row.Conforms = conforms(asked, a)
		before := len(rows)
		for _, r := range g.Rulings {
			if r.Arm == a.Arm && a.Answered() {
				ruled := row
				ruled.fromRuling(r)
				c.judged(&ruled, r, g.Unused)
				rows = append(rows, ruled)
			}
		}
		if len(rows) == before {
			rows = append(rows, row)
		}
	}
	return rows
}

func sampleRow(g judge.Graded, a shadow.Answer) Row {
	s := g.Trial.Sample
	share := a.Share
	if a.Arm == shadow.Live {
		share = 1
	}
	row := Row{
		Sample: s.ID, Arm: clean(a.Arm), Experiment: clean(s.Experiment), Digest: clean(g.Digest),
		Seen: micro(s.Seen), Session: clean(s.Session), Route: clean(s.Route), Dialect: clean(s.Dialect),
		Stream: s.Stream, Rate: s.Rate * share, JudgeRate: s.Rate * min(share, g.Share),
		Redacted: s.Redacted, Rubric: clean(g.Rubric), Tap: clean(s.Tap),
		Tags: tagsOf(s.Tags),
	}
	if s.Seq > 0 && s.Seq <= math.MaxInt64 {
		row.TapSeq = ptr(int64(s.Seq))
	}
	return row
}

// tagsOf gives each row of a sample the same list; rows do not change it.
func tagsOf(tags map[string]string) []string {
	if len(tags) == 0 {
		return nil
	}
	list := make([]string, 0, len(tags))
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, clean(key+"="+tags[key]))
	}
	return list
}

func (r *Row) fromAnswer(a shadow.Answer) {
	switch {
	case a.NotAsked != "":
		r.State, r.Reason = NotAsked, clean(string(a.NotAsked))
		return
	case a.Failure != "":
		r.State, r.Reason = Failed, clean(string(a.Failure))
	default:
		r.State = Answered
		r.ToolNames = make([]string, 0, len(a.ToolCalls))
		for _, call := range a.ToolCalls {
			r.ToolNames = append(r.ToolNames, clean(call.Name))
		}
		r.AnswerChars = ptr(int64(utf8.RuneCountInString(a.Text)))
	}
	r.Model, r.Finish = clean(a.Snapshot), clean(a.Finish)
	if r.Censored = a.Censored; !a.Untimed {
		r.Took = duration(a.Took)
	}
	if a.FirstToken != 0 {
		r.FirstToken = duration(a.FirstToken)
	}
	if a.Arm != shadow.Live {
		r.Queued = duration(a.Queued)
	}
	if a.Status != 0 {
		r.Status = int32s(a.Status)
	}
	if a.Attempts != 0 {
		r.Attempts = int32s(a.Attempts)
	}
	r.TokensIn, r.TokensOut, r.TokensReasoning = copied(a.Usage.In), copied(a.Usage.Out), copied(a.Usage.Reasoning)
	r.TokensCached = copied(a.Usage.Cached)
	for _, lost := range a.Lost {
		r.NotCarried = append(r.NotCarried, clean(string(lost)))
	}
}

func (r *Row) fromRuling(u judge.Ruling) {
	r.JudgeState, r.JudgeReason = clean(u.State), clean(u.Reason)
	if u.State == judge.StateGraded {
		r.grade(u.Verdict)
	}
	r.Judge, r.JudgePinned, r.JudgeEcho = clean(u.Judge), clean(u.Pinned), clean(u.Echo)
	r.Hedged, r.ContextCut, r.Repeat = u.Hedged, u.ContextCut, *int32s(u.Repeat)
	r.Purpose, r.Plant, r.Series, r.JudgeForm = clean(u.Purpose), clean(u.Plant), clean(u.Series), clean(u.Form)
	r.Regraded, r.Suspect = ptr(u.Regraded), ptr(u.Suspect)
	if u.State != judge.StateNotDrawn {
		r.JudgeCalls = int32s(u.Calls)
	}
	if u.Calls > 0 {
		r.JudgeTook = duration(u.Took)
	}
}

// grade takes a verdict over, or says why there is no number to take.
func (r *Row) grade(v *rubric.Verdict) {
	switch {
	case v == nil:
		r.JudgeState, r.JudgeReason = judge.StateNotGraded, judge.NoMalformed
	case v.Grade < rubric.Best || v.Grade > rubric.Worst:
		r.JudgeState, r.JudgeReason = judge.StateNotGraded, judge.NoOutOfScale
	default:
		r.Grade, r.Problem = ptr(v.Grade), clean(v.Problem)
	}
}

func micro(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func duration(d time.Duration) *time.Duration { return ptr(d.Truncate(time.Microsecond)) }

func int32s(n int) *int32 { return ptr(int32(min(max(n, math.MinInt32), math.MaxInt32))) }

func ptr[T any](v T) *T { return &v }

// copied keeps rows apart from the values that they were made of.
func copied(n *int64) *int64 {
	if n == nil {
		return nil
	}
	return ptr(*n)
}

// clean is s with every run of bytes that is no UTF-8 replaced by U+FFFD: a string
// column of Parquet holds UTF-8. NUL and control characters stay.
func clean[S ~string](s S) S { return S(strings.ToValidUTF8(string(s), "\ufffd")) }
