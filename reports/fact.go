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
	hash       uint64 // of id
	seen       int64  // microseconds
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
	repeat     int64
	purpose    uint32
	echo       uint32 // the snapshot that the judge's reply named
	flags      flags
	numbers    [quantities]int64
}

// noGrade stands for a row without a grade; a 0 would be a wrong one.
const noGrade = -128

// codes are the dictionaries of a collection. words holds all names of which there
// are few.
type codes struct {
	words, taps, tags names
	sessions          texts
	rates             dictionary[float64]
	tagLists          dictionary[string] // numbers of tags, see tagList
	origins           dictionary[origin]
}

func newCodes() codes {
	return codes{
		words: names{newDictionary[string]()}, sessions: newTexts(), taps: names{newDictionary[string]()},
		tags: names{newDictionary[string]()}, rates: newDictionary[float64](), tagLists: newDictionary[string](),
		origins: newDictionary[origin](),
	}
}

func (c *codes) word(code uint32) string { return c.words.values[code] }

// factOf is a row in codes.
func (c *collection) factOf(row *sinks.Row) fact {
	f := fact{
		id: row.Sample, hash: c.places.hash(&row.Sample), seen: row.Seen.UnixMicro(), tap: c.taps.code(row.Tap), tapSeq: numberOf(row.TapSeq),
		arm: c.words.code(string(row.Arm)), experiment: c.words.code(row.Experiment), digest: c.words.code(row.Digest),
		rubric: c.words.code(string(row.Rubric)), session: c.sessions.code([]byte(row.Session)), route: c.words.code(row.Route),
		tags: c.tagList(row.Tags), reason: c.words.code(row.Reason), model: c.words.code(string(row.Model)),
		why: c.words.code(string(row.JudgeReason)), problem: c.words.code(string(row.Problem)),
		judge: c.words.code(row.Judge), echo: c.words.code(string(row.JudgeEcho)), pinned: c.words.code(string(row.JudgePinned)),
		rate: row.Rate, judgeRate: row.JudgeRate, state: stateOf(row.State), judged: judgedOf(row.JudgeState), grade: noGrade,
		stream: row.Stream, censored: row.Censored, repeat: int64(row.Repeat), purpose: c.words.code(string(row.Purpose)), flags: flagsOf(row),
	}
	if row.Grade != nil {
		f.grade = max(int8(*row.Grade), noGrade+1)
	}
	f.aborted, f.timedOut = f.reason == c.rules.clientAbort, f.reason == c.rules.timeout
	for q, m := range c.rules.measures {
		f.numbers[q] = m.of(row)
	}
	return f
}

// measure says where a quantity is in a row. A number that is not there is unknown,
// which is sinks.Null.
type measure struct {
	column string
	of     func(*sinks.Row) int64
}

func measures() [quantities]measure {
	return [quantities]measure{
		tookUS:          {"took_us", func(r *sinks.Row) int64 { return microsOf(r.Took) }},
		firstTokenUS:    {"first_token_us", func(r *sinks.Row) int64 { return microsOf(r.FirstToken) }},
		tokensIn:        {"tokens_in", func(r *sinks.Row) int64 { return numberOf(r.TokensIn) }},
		tokensOut:       {"tokens_out", func(r *sinks.Row) int64 { return numberOf(r.TokensOut) }},
		tokensReasoning: {"tokens_reasoning", func(r *sinks.Row) int64 { return numberOf(r.TokensReasoning) }},
		costNUSD:        {"cost_nusd", func(r *sinks.Row) int64 { return numberOf(r.Cost) }},
		judgeTookUS:     {"judge_took_us", func(r *sinks.Row) int64 { return microsOf(r.JudgeTook) }},
		judgeCalls:      {"judge_calls", func(r *sinks.Row) int64 { return numberOf(r.JudgeCalls) }},
		judgeCostNUSD:   {"judge_cost_nusd", func(r *sinks.Row) int64 { return numberOf(r.JudgeCost) }},
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
		{row.Suspect != nil, flagTold}, {row.Suspect != nil && *row.Suspect, flagSuspect}, {row.JudgeForm == judge.FormWrapped, flagWrapped},
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
