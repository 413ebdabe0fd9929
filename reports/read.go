package reports

import (
	"io/fs"
	"slices"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/sinks"
)

// Read is Build over the files below a sink's folder. It reads only the columns that
// a report needs, row groups in parallel; the figures are the same, bit for bit.
//
// Errors: as Build, and those of sinks.EachBatch with the name of the file.
func Read(fsys fs.FS, e Experiment, w Window, options ...Option) (Report, error) {
	return read(0, fsys, e, w, options...)
}

// read is Read with so many workers; 0 is GOMAXPROCS.
func read(workers int, fsys fs.FS, e Experiment, w Window, options ...Option) (Report, error) {
	return report(sinks.ScanBooks(fsys), e, w, givenBy(options), func(c *collection) error {
		return sinks.EachBatch(fsys, c.wants.columns(), workers, c.addBatch)
	})
}

// batch is the columns of a batch, their texts in the codes of the collection.
type batch struct {
	*sinks.Batch
	tap, arm, experiment, digest, rubric, session, route, tags, reason, model, why, problem, judge, pinned, echo, purpose, form coded
	state                                                                                                                       []state
	judged                                                                                                                      []judged
	stateCodes, judgedCodes                                                                                                     []uint32
	numbers                                                                                                                     [quantities][]int64
	present                                                                                                                     []quantity // those with a number in any row
	wrapped                                                                                                                     uint32     // code of the form
	seen, tapSeq, grade, repeat                                                                                                 []int64
	rate, judgeRate                                                                                                             []float64
	stream, censored, redacted, hedged, contextCut, conforms, suspect                                                           []sinks.Flag
}

// coded is a column of texts: own[codes[i]] is row i's number in the collection.
type coded struct{ codes, own []uint32 }

func (c *coded) at(i int) uint32 { return c.own[c.codes[i]] }

// addBatch takes the rows of a batch in.
func (c *collection) addBatch(b *sinks.Batch) error {
	in := c.open(b)
	ids := b.Column("sample").IDs
	var f fact
	for q := range f.numbers {
		f.numbers[q] = unknown
	}
	var hashes [lookAhead]uint64
	for i := range b.Rows {
		if i%lookAhead == 0 {
			c.places.hashes(ids[i:min(i+lookAhead, len(ids))], &hashes)
		}
		f.id, f.hash = ids[i], hashes[i%lookAhead]
		in.fill(&f, i)
		if !c.wants.decision {
			in.fillRest(&f, i)
		}
		f.aborted, f.timedOut = f.reason == c.rules.clientAbort, f.reason == c.rules.timeout
		c.add(&f)
	}
	return nil
}

// open translates the texts of a batch, each once.
func (c *collection) open(b *sinks.Batch) *batch {
	words := func(name string) coded { return codedBy(b.Column(name), c.words.codeOf) }
	in := &batch{
		Batch: b, tap: codedBy(b.Column("tap"), c.taps.codeOf), session: codedBy(b.Column("session"), c.sessions.code),
		arm: words("arm"), experiment: words("experiment"), digest: words("digest"), rubric: words("rubric"), route: words("route"),
		reason: words("reason"), why: words("judge_reason"), problem: words("problem"),
		judge: words("judge"), pinned: words("judge_pinned"),
		seen: b.Column("seen").Ints, tapSeq: b.Column("tap_seq").Ints, grade: b.Column("grade").Ints, repeat: b.Column("repeat").Ints,
		rate: b.Column("rate").Floats, judgeRate: b.Column("judge_rate").Floats,
		stream: b.Column("stream").Flags, censored: b.Column("censored").Flags,
		stateCodes: b.Column("state").Codes, judgedCodes: b.Column("judge_state").Codes,
	}
	if !c.wants.decision {
		in.tags, in.model, in.echo = c.codedTags(b.Column("tags")), words("model"), words("judge_echo")
		in.redacted, in.hedged = b.Column("redacted").Flags, b.Column("hedged").Flags
		in.contextCut, in.conforms = b.Column("context_cut").Flags, b.Column("conforms").Flags
		in.wrapped = c.words.code(string(judge.FormWrapped))
		in.purpose, in.form, in.suspect = words("purpose"), words("judge_form"), b.Column("suspect").Flags
	}
	for _, q := range c.wants.quantities {
		in.numbers[q] = b.Column(c.rules.measures[q].column).Ints
		if slices.ContainsFunc(in.numbers[q], func(n int64) bool { return n != sinks.Null }) {
			in.present = append(in.present, q)
		}
	}
	for code := range b.Column("state").Texts() {
		in.state = append(in.state, stateOf(sinks.State(b.Column("state").Text(uint32(code)))))
	}
	for code := range b.Column("judge_state").Texts() {
		in.judged = append(in.judged, judgedOf(judge.State(b.Column("judge_state").Text(uint32(code)))))
	}
	return in
}

func codedBy(v *sinks.Vector, number func([]byte) uint32) coded {
	c := coded{v.Codes, make([]uint32, v.Texts())}
	for code := range c.own {
		c.own[code] = number(v.Text(uint32(code)))
	}
	return c
}

func (c *codes) codedTags(v *sinks.Vector) coded {
	out := coded{v.Codes, make([]uint32, v.Lists())}
	for code := range out.own {
		out.own[code] = c.tagList(v.List(uint32(code)))
	}
	return out
}

// fill takes what every report needs of a row.
func (in *batch) fill(f *fact, i int) {
	f.seen, f.tap, f.tapSeq = in.seen[i], in.tap.at(i), in.tapSeq[i]
	f.arm, f.experiment, f.digest, f.rubric = in.arm.at(i), in.experiment.at(i), in.digest.at(i), in.rubric.at(i)
	f.session, f.route = in.session.at(i), in.route.at(i)
	f.reason, f.why, f.problem = in.reason.at(i), in.why.at(i), in.problem.at(i)
	f.judge, f.pinned = in.judge.at(i), in.pinned.at(i)
	f.rate, f.judgeRate = in.rate[i], in.judgeRate[i]
	f.state, f.judged = in.state[in.stateCodes[i]], in.judged[in.judgedCodes[i]]
	f.grade = noGrade
	if g := in.grade[i]; g != sinks.Null {
		f.grade = int8(g) // 1..6: the sink checks it
	}
	f.stream, f.censored, f.repeat = in.stream[i] == sinks.FlagTrue, in.censored[i] == sinks.FlagTrue, in.repeat[i]
	for _, q := range in.present {
		f.numbers[q] = in.numbers[q][i]
	}
}

// fillRest takes what no decision rests on.
func (in *batch) fillRest(f *fact, i int) {
	f.tags, f.model, f.echo = in.tags.at(i), in.model.at(i), in.echo.at(i)
	f.purpose = in.purpose.at(i)
	f.flags = flagIf(in.redacted[i], flagRedacted) | flagIf(in.hedged[i], flagHedged) |
		flagIf(in.contextCut[i], flagContextCut) | flagIf(in.conforms[i], flagConforms) | flagIf(in.suspect[i], flagSuspect)
	if in.suspect[i] != sinks.FlagUnknown {
		f.flags |= flagTold
	}
	if in.wrapped == in.form.at(i) {
		f.flags |= flagWrapped
	}
	if in.conforms[i] != sinks.FlagUnknown {
		f.flags |= flagConformsKnown
	}
}

func flagIf(set sinks.Flag, flag flags) flags {
	if set == sinks.FlagTrue {
		return flag
	}
	return 0
}
