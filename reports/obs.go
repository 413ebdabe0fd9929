package reports

// state is what became of an arm's answer, judged what the judge made of it.
type (
	state  uint8
	judged uint8
)

const (
	stateAbsent state = iota // no row of this arm for the sample
	stateNotAsked
	stateFailed
	stateAnswered
	stateStrange // none of ours
)

const (
	judgedPending judged = iota
	judgedGraded
	judgedNotGraded
	judgedNotDrawn
	judgedStrange
)

// flags are what is true of a row.
type flags uint8

const (
	flagRedacted flags = 1 << iota
	flagHedged
	flagContextCut
	flagConforms
	flagConformsKnown
	flagSuspect
	flagWrapped
	flagTold // whether it is suspect or wrapped is known
)

// obs is what one arm did with one sample, but for its numbers. There are few
// different ones: a sample holds its number in the list of shapes.
type obs struct {
	rate                                       uint32 // chance of being asked and judged
	model, reason, why, problem, judge, pinned uint32
	echo                                       uint32
	state                                      state
	judged                                     judged
	grade                                      uint8
	latency, first                             kind
	flags                                      flags
}

func (o *obs) there() bool    { return o.state != stateAbsent }
func (o *obs) asked() bool    { return o.state == stateAnswered || o.state == stateFailed }
func (o *obs) answered() bool { return o.state == stateAnswered }
func (o *obs) failed() bool   { return o.state == stateFailed }
func (o *obs) graded() bool   { return o.judged == judgedGraded }
func (o *obs) ruled() bool    { return o.judged == judgedGraded || o.judged == judgedNotGraded }
func (o *obs) redacted() bool { return o.flags&flagRedacted != 0 }
func (o *obs) suspect() bool  { return o.flags&flagSuspect != 0 }

// conforms says whether the answer keeps to the request's own schema, and whether
// that is known.
func (o *obs) conforms() (kept, known bool) {
	return o.flags&flagConforms != 0, o.flags&flagConformsKnown != 0
}

// sameSaying reports whether two rows of one sample and arm say the same.
func (o *obs) sameSaying(p *obs) bool {
	return o.state == p.state && o.reason == p.reason && o.judged == p.judged &&
		o.why == p.why && o.grade == p.grade && o.problem == p.problem
}

// quantity is one of the numbers of a row that a report needs; each may be unknown.
type quantity uint8

const (
	tookUS quantity = iota
	firstTokenUS
	tokensIn
	tokensOut
	tokensReasoning
	costNUSD // 1e-9 USD
	judgeTookUS
	judgeCalls
	judgeCostNUSD // 1e-9 USD
	quantities
)

// column is the column of the rows that has a quantity.
func (q quantity) column() string {
	return [quantities]string{
		"took_us", "first_token_us", "tokens_in", "tokens_out", "tokens_reasoning", "cost_nusd", "judge_took_us", "judge_calls", "judge_cost_nusd",
	}[q]
}

// armRows are an arm's rows, one place per sample: the number of its shape, and
// what it counted and measured.
type armRows struct {
	shape   chunks[uint32]
	numbers [quantities]numbers
}

// answer is one arm's row for one sample, with its numbers.
type answer struct {
	*obs
	rows   *armRows
	sample int
}

func (c *collection) answer(arm, sample int) answer {
	rows := &c.arms[arm]
	return answer{&c.shapes.list[*rows.shape.at(sample)], rows, sample}
}

func (a answer) number(q quantity) (v int64, known bool) { return a.rows.numbers[q].at(a.sample) }

// latency is the time of the whole call.
func (a answer) latency() timing {
	us, _ := a.number(tookUS)
	return timing{us, a.obs.latency}
}

// first is the time to the first token of a streamed answer.
func (a answer) first() timing {
	q := tookUS
	if a.obs.first == exact {
		q = firstTokenUS
	}
	us, _ := a.number(q)
	return timing{us, a.obs.first}
}

// sample is what the arms of a sample have in common, as the first arm says it
// (live, then the candidates in their order).
type sample struct {
	seen    int64 // microseconds
	session uint32
	origin  uint32 // number of its origin
}

// origin is what comes again from sample to sample.
type origin struct {
	route, tags uint32
	from        int32 // 1 + the arm that says it; 0: no row is used
}

// day is the UTC day since 1970-01-01.
func (s *sample) day() int64 { return utcDay(s.seen) }

func utcDay(us int64) int64 {
	const perDay = 24 * 60 * 60 * 1_000_000
	day := us / perDay
	if us%perDay < 0 {
		day--
	}
	return day
}
