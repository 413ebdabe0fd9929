package reports

import (
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// fact is a row in codes: what the rules look at, and what is kept.
type fact struct {
	id         shadow.SampleID
	seen       int64 // microseconds
	tap        uint32
	tapSeq     int64
	arm        uint32
	experiment uint32
	digest     uint32
	rubric     uint32
	session    uint32
	route      uint32
	tags       uint32
	reason     uint32
	model      uint32
	why        uint32
	problem    uint32
	judge      uint32
	pinned     uint32
	rate       float64
	judgeRate  float64
	state      state
	judged     judged
	grade      int8 // noGrade: none
	aborted    bool // the user left
	timedOut   bool
	stream     bool
	censored   bool
	repeat     bool
	flags      flags
	numbers    [quantities]int64
}

// noGrade stands for a row without a grade; a 0 would be a wrong one.
const noGrade = -128

// codes are the dictionaries of a collection. words holds all names of which there
// are few.
type codes struct {
	words, sessions, taps, tags dictionary[string]
	rates                       dictionary[float64]
	tagLists                    dictionary[string] // numbers of tags, see tagList
}

func newCodes() codes {
	return codes{
		words: newDictionary[string](), sessions: newDictionary[string](), taps: newDictionary[string](),
		tags: newDictionary[string](), rates: newDictionary[float64](), tagLists: newDictionary[string](),
	}
}

func (c *codes) word(code uint16) string { return c.words.values[code] }

// factOf is a row in codes.
func (c *codes) factOf(row *sinks.Row, r *rules) fact {
	f := fact{
		id: row.Sample, seen: row.Seen.UnixMicro(), tap: c.taps.code(row.Tap), tapSeq: numberOf(row.TapSeq),
		arm: c.words.code(string(row.Arm)), experiment: c.words.code(row.Experiment), digest: c.words.code(row.Digest),
		rubric: c.words.code(string(row.Rubric)), session: c.sessions.code(row.Session), route: c.words.code(row.Route),
		tags: c.tagList(row.Tags), reason: c.words.code(row.Reason), model: c.words.code(string(row.Model)),
		why: c.words.code(string(row.JudgeReason)), problem: c.words.code(string(row.Problem)),
		judge: c.words.code(row.Judge), pinned: c.words.code(string(row.JudgePinned)),
		rate: row.Rate, judgeRate: row.JudgeRate, state: stateOf(row.State), judged: judgedOf(row.JudgeState), grade: noGrade,
		stream: row.Stream, censored: row.Censored, repeat: row.Repeat != 0, flags: flagsOf(row),
	}
	if row.Grade != nil {
		f.grade = max(int8(*row.Grade), noGrade+1)
	}
	f.aborted, f.timedOut = f.reason == r.clientAbort, f.reason == r.timeout
	f.numbers = numbersOf(row)
	return f
}

func numbersOf(row *sinks.Row) [quantities]int64 {
	return [quantities]int64{
		tookUS: microsOf(row.Took), firstTokenUS: microsOf(row.FirstToken), queuedUS: microsOf(row.Queued),
		tokensIn: numberOf(row.TokensIn), tokensOut: numberOf(row.TokensOut), tokensReasoning: numberOf(row.TokensReasoning),
		tokensCached: numberOf(row.TokensCached), answerChars: numberOf(row.AnswerChars), costNUSD: numberOf(row.Cost),
		judgeTookUS: microsOf(row.JudgeTook), judgeCalls: numberOf(row.JudgeCalls), judgeTokensIn: numberOf(row.JudgeTokensIn),
		judgeTokensOut: numberOf(row.JudgeTokensOut), judgeCostNUSD: numberOf(row.JudgeCost),
	}
}

func numberOf[N int32 | int64](n *N) int64 {
	if n == nil {
		return unknown
	}
	return int64(*n)
}

// microsOf keeps the sign of a duration, also below a microsecond.
func microsOf(d *time.Duration) int64 {
	switch {
	case d == nil:
		return unknown
	case *d < 0:
		return min(-1, d.Microseconds())
	}
	return d.Microseconds()
}

func stateOf(s sinks.State) state {
	switch s {
	case sinks.NotAsked:
		return stateNotAsked
	case sinks.Failed:
		return stateFailed
	case sinks.Answered:
		return stateAnswered
	}
	return stateStrange
}

func judgedOf(s judge.State) judged {
	switch s {
	case "":
		return judgedPending
	case judge.StateGraded:
		return judgedGraded
	case judge.StateNotGraded:
		return judgedNotGraded
	case judge.StateNotDrawn:
		return judgedNotDrawn
	}
	return judgedStrange
}

func flagsOf(row *sinks.Row) flags {
	var f flags
	for _, b := range []struct {
		set  bool
		flag flags
	}{
		{row.Redacted, flagRedacted}, {row.Hedged, flagHedged}, {row.ContextCut, flagContextCut},
		{row.Conforms != nil, flagConformsKnown}, {row.Conforms != nil && *row.Conforms, flagConforms},
	} {
		if b.set {
			f |= b.flag
		}
	}
	return f
}

// tagList gives a list of tags a number; the list is kept as the bytes of the tags' numbers.
func (c *codes) tagList(tags []string) uint32 {
	if len(tags) == 0 {
		return 0
	}
	key := make([]byte, 0, 4*len(tags))
	for _, t := range tags {
		code := c.tags.code(t)
		key = append(key, byte(code), byte(code>>8), byte(code>>16), byte(code>>24))
	}
	return c.tagLists.code(string(key))
}

// tagsIn lists the numbers of the tags of a list.
func (c *codes) tagsIn(list uint32) []uint32 {
	key := c.tagLists.values[list]
	out := make([]uint32, 0, len(key)/4)
	for ; len(key) > 0; key = key[4:] {
		out = append(out, uint32(key[0])|uint32(key[1])<<8|uint32(key[2])<<16|uint32(key[3])<<24)
	}
	return out
}
