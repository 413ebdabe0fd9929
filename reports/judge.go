package reports

import (
	"github.com/understudy-eval/understudy/judge"
)

// JudgeHealth is how the judge did its work on the answers of all arms.
type JudgeHealth struct {
	// Rulings = Graded + NotGraded.X; NotGraded is the share without a grade.
	Rulings     int     `json:"rulings"`
	Graded      int     `json:"graded"`
	NotGraded   Share   `json:"not_graded"`
	NotGradedBy []Count `json:"not_graded_by"`
	// Unproven is the share whose reply named another snapshot than the pinned one, or
	// none: part of NotGraded. Echoes counts what replies named; "" named nothing.
	Unproven Share   `json:"snapshot_unproven"`
	Echoes   []Count `json:"echoes"`
	// Reserve is the share of grades that the reserve judge gave.
	Reserve Share `json:"reserve"`
	// Hedged is the share of rulings for which a second judge was asked, ContextCut of
	// those of which the judge saw a shortened conversation.
	Hedged     Share `json:"hedged"`
	ContextCut Share `json:"context_cut"`
	// Took are p50, p95 and p99 of the time until the ruling, all calls about the
	// answer together, empty if no ruling says so; Calls is how many calls that were on average, over the rulings
	// that say so.
	Took  []Quantile `json:"took"`
	Calls *float64   `json:"calls_per_ruling"`
	// Repeats is nil if no answer was graded twice.
	Repeats *Repeats `json:"repeats,omitempty"`
	// Agreement is nil if no answer went to both judges, Injection if no instruction was planted.
	Agreement *Agreement `json:"agreement,omitempty"`
	Injection *Injection `json:"injection,omitempty"`
	// Wrapped is the share of the grades whose verdict stood in a code fence or among
	// words, Suspect the share of rulings on answers that look like an attack on the judge;
	// both of the rulings whose rows tell.
	Wrapped Share `json:"wrapped"`
	Suspect Share `json:"suspect"`
}

// judgeHealth looks at the rulings in a view. A pair that was never judged says
// nothing of the judge.
func (v view) judgeHealth(e Experiment) JudgeHealth {
	h := JudgeHealth{}
	why, echoes := tally{}, tally{}
	var reserve, hedged, cut, told, wrapped, suspect, looked, formed int
	var calls int64
	var took times
	for arm := range v.arms {
		for o, n := range v.shapesOf(arm) {
			if !o.ruled() {
				continue
			}
			h.Rulings += n
			echoes[o.echo] += int64(n)
			hedged += n * one(o.flags&flagHedged != 0)
			cut += n * one(o.flags&flagContextCut != 0)
			known := one(o.flags&flagTold != 0)
			looked, suspect = looked+n*known, suspect+n*known*one(o.suspect())
			if !o.graded() {
				why[o.why] += int64(n)
				continue
			}
			h.Graded += n
			formed, wrapped = formed+n*known, wrapped+n*known*one(o.flags&flagWrapped != 0)
			reserve += n * one(v.rules.rank(o.pinned) == reserveRank)
		}
		took.exact.room(h.Rulings - took.exact.len())
		for a := range v.answers(arm) {
			if !a.ruled() {
				continue
			}
			if us, known := a.number(judgeTookUS); known {
				took.add(timing{us, exact})
			}
			if n, known := a.number(judgeCalls); known {
				calls, told = calls+n, told+1
			}
		}
	}
	h.NotGraded = shareOf(h.Rulings-h.Graded, h.Rulings, e.Level)
	h.NotGradedBy = counts(v.named(why), judge.NotGradedReasons())
	h.Unproven = shareOf(h.unproven(), h.Rulings, e.Level)
	h.Echoes = counts(v.named(echoes), []string(nil))
	h.Reserve = shareOf(reserve, h.Graded, e.Level)
	h.Wrapped, h.Suspect = shareOf(wrapped, formed, e.Level), shareOf(suspect, looked, e.Level)
	h.Hedged, h.ContextCut = shareOf(hedged, h.Rulings, e.Level), shareOf(cut, h.Rulings, e.Level)
	h.Took = []Quantile{}
	if took.len() > 0 {
		h.Took = tailOf(took.sort(), nil, e.Level).Quantiles
	}
	if told > 0 {
		h.Calls = new(float64(calls) / float64(told))
	}
	h.Repeats = repeatsOf(v.ratings(), e.Level)
	h.Agreement, h.Injection = v.agreementOf(e.Level), v.injectionOf(e.Level)
	return h
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// unproven counts the rulings that fell for their snapshot.
func (h JudgeHealth) unproven() int {
	n := 0
	for _, c := range h.NotGradedBy {
		if c.Name == string(judge.NoSnapshotMismatch) || c.Name == string(judge.NoSnapshotUnproven) {
			n += int(c.N)
		}
	}
	return n
}
