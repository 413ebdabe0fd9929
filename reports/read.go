package reports

import (
	"io/fs"
	"math"
	"slices"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// Read is Build over the files below a sink's folder. It reads only the columns that
// a report needs, row groups in parallel; the figures are the same, bit for bit.
//
// Errors: as Build, and those of sinks.EachGroup with the name of the file.
func Read(fsys fs.FS, e Experiment, w Window, options ...Option) (Report, error) {
	return read(0, fsys, e, w, options...)
}

// read is Read with so many workers; 0 is GOMAXPROCS.
func read(workers int, fsys fs.FS, e Experiment, w Window, options ...Option) (Report, error) {
	return report(sinks.ScanBooks(fsys), e, w, givenBy(options), func(c *collection) error {
		return sinks.EachGroup(fsys, c.wants.columns(), workers, c.begin, c.add, c.take)
	})
}

// batch is the columns of a batch.
type batch struct {
	rows                                                                                             int
	ids                                                                                              []shadow.SampleID
	arm, experiment, digest, rubric, reason, model, why, problem, judge, pinned, echo, state, judged *sinks.Vector
	purpose, form                                                                                    *sinks.Vector
	tap, session, route, tags                                                                        *sinks.Vector
	seen, tapSeq, grade, repeat                                                                      []int64
	rate, judgeRate                                                                                  []float64
	stream, censored, redacted, hedged, contextCut, conforms, suspect                                []sinks.Flag
	numbers                                                                                          [quantities][]int64
	reach                                                                                            []int64 // by code of the tap
}

// open finds the columns of a batch.
func (c *collection) open(b *sinks.Batch) *batch {
	in := &batch{
		rows: b.Rows, ids: b.Column("sample").IDs,
		arm: b.Column("arm"), experiment: b.Column("experiment"), digest: b.Column("digest"), rubric: b.Column("rubric"),
		reason: b.Column("reason"), why: b.Column("judge_reason"), problem: b.Column("problem"), judge: b.Column("judge"),
		pinned: b.Column("judge_pinned"), state: b.Column("state"), judged: b.Column("judge_state"),
		tap: b.Column("tap"), session: b.Column("session"), route: b.Column("route"),
		seen: b.Column("seen").Ints, tapSeq: b.Column("tap_seq").Ints, grade: b.Column("grade").Ints, repeat: b.Column("repeat").Ints,
		rate: b.Column("rate").Floats, judgeRate: b.Column("judge_rate").Floats,
		stream: b.Column("stream").Flags, censored: b.Column("censored").Flags,
	}
	if !c.wants.decision {
		in.tags, in.model, in.echo = b.Column("tags"), b.Column("model"), b.Column("judge_echo")
		in.redacted, in.hedged = b.Column("redacted").Flags, b.Column("hedged").Flags
		in.contextCut, in.conforms = b.Column("context_cut").Flags, b.Column("conforms").Flags
		in.purpose, in.form, in.suspect = b.Column("purpose"), b.Column("judge_form"), b.Column("suspect").Flags
	}
	for _, q := range c.wants.quantities {
		in.numbers[q] = b.Column(q.column()).Ints
	}
	if len(in.tapSeq) > 0 {
		in.reach = make([]int64, in.tap.Texts())
		for code := range in.reach {
			in.reach[code] = c.rules.reach[string(in.tap.Text(uint32(code)))]
		}
	}
	return in
}

// skip leaves the columns of a row group out of which the file says all that is asked: that
// the books of its tap reach every sample, and that no time to a first token is negative,
// where nothing else is asked of that.
func (c *collection) skip(g *sinks.Group) {
	if tap, ok := g.Only("tap"); ok {
		if _, last, ok := g.Range("tap_seq"); ok && last <= c.rules.reach[tap] {
			g.Skip("tap_seq")
		}
	}
	if slices.Contains(c.wants.kept, firstTokenUS) {
		return
	}
	if low, _, ok := g.Range("first_token_us"); ok && low >= 0 {
		g.Skip("first_token_us")
	}
}

// digits are the columns of which a pattern is made.
func (in *batch) digits() []digit {
	out := []digit{
		in.days(), valueDigit(in.repeat), gradeDigit(in.grade), valueDigit(in.rate), valueDigit(in.judgeRate),
		presenceDigit(in.numbers[tookUS]),
	}
	if len(in.tapSeq) > 0 {
		out = append(out, in.bookings())
	}
	if numbers := in.numbers[firstTokenUS]; len(numbers) > 0 {
		out = append(out, presenceDigit(numbers))
	}
	for _, v := range []*sinks.Vector{
		in.arm, in.experiment, in.digest, in.rubric, in.reason, in.model, in.why, in.problem, in.judge, in.pinned, in.echo, in.state, in.judged,
		in.purpose, in.form,
	} {
		if v != nil {
			out = append(out, textDigit(v))
		}
	}
	for _, flags := range [][]sinks.Flag{in.stream, in.censored, in.redacted, in.hedged, in.contextCut, in.conforms, in.suspect} {
		if flags != nil {
			out = append(out, flagDigit(flags))
		}
	}
	return out
}

// days are numbered in the batch; a file of a sink has only one.
func (in *batch) days() digit {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, at := range in.seen {
		first, last = min(first, at), max(last, at)
	}
	if in.rows == 0 || utcDay(first) == utcDay(last) {
		return digit{n: 1}
	}
	days := make([]int64, in.rows)
	for i, at := range in.seen {
		days[i] = utcDay(at)
	}
	return valueDigit(days)
}

func (in *batch) bookings() digit {
	return digit{2, func(keys []uint64, from int) {
		for i := range keys {
			keys[i] *= 2
			if in.booked(from + i) {
				keys[i]++
			}
		}
	}}
}

// booked says that the books of a row's tap reach its sample.
func (in *batch) booked(i int) bool {
	if len(in.tapSeq) == 0 {
		return true
	}
	seq := in.tapSeq[i]
	return seq == unknown || seq <= in.reach[in.tap.Codes[i]]
}

// pattern is that of a row.
func (in *batch) pattern(i int, words *names) pattern {
	word := func(v *sinks.Vector) uint32 {
		if v == nil {
			return 0
		}
		return words.codeOf(v.Text(v.Codes[i]))
	}
	p := pattern{
		arm: word(in.arm), experiment: word(in.experiment), digest: word(in.digest), rubric: word(in.rubric), reason: word(in.reason),
		model: word(in.model), why: word(in.why), problem: word(in.problem), judge: word(in.judge), pinned: word(in.pinned), echo: word(in.echo),
		purpose: word(in.purpose),
		rate:    math.Float64bits(in.rate[i]), judgeRate: math.Float64bits(in.judgeRate[i]),
		day: utcDay(in.seen[i]), repeat: in.repeat[i], grade: gradeOf(in.grade[i]),
		state:  stateOf(sinks.State(in.state.Text(in.state.Codes[i]))),
		judged: judgedOf(judge.State(in.judged.Text(in.judged.Codes[i]))),
		took:   presenceOf(in.numbers[tookUS][i]),
		stream: in.stream[i] == sinks.FlagTrue, censored: in.censored[i] == sinks.FlagTrue, booked: in.booked(i),
	}
	if numbers := in.numbers[firstTokenUS]; len(numbers) > 0 {
		p.first = presenceOf(numbers[i])
	}
	if in.conforms != nil {
		p.flags = in.flags(i)
	}
	return p
}

func (in *batch) flags(i int) flags {
	f := flagIf(in.redacted[i], flagRedacted) | flagIf(in.hedged[i], flagHedged) |
		flagIf(in.contextCut[i], flagContextCut) | flagIf(in.conforms[i], flagConforms) | flagIf(in.suspect[i], flagSuspect)
	if in.suspect[i] != sinks.FlagUnknown {
		f |= flagTold
	}
	if string(in.form.Text(in.form.Codes[i])) == string(judge.FormWrapped) {
		f |= flagWrapped
	}
	if in.conforms[i] != sinks.FlagUnknown {
		f |= flagConformsKnown
	}
	return f
}

func flagIf(set sinks.Flag, flag flags) flags {
	if set == sinks.FlagTrue {
		return flag
	}
	return 0
}

// split is what a sample of this route and these tags can be split by.
func (in *batch) split(route, tags uint32, c *codes) origin {
	o := origin{route: c.words.codeOf(in.route.Text(route))}
	if in.tags != nil {
		o.tags = c.tagList(in.tags.List(tags))
	}
	return o
}
