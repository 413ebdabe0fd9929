package reports

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/shadow"
)

// trait is what the rows of an experiment say of its configuration, also those that are
// left out: few different things. Rates are the bits of their numbers.
type trait struct {
	day                                int64
	arm, model, digest, rubric, pinned uint32
	rate, judgeRate                    uint64
}

// traitOf is what rows of a pattern say.
func (r *rules) traitOf(p *pattern) trait {
	t := trait{day: p.day, arm: p.arm, digest: p.digest, rubric: p.rubric, rate: p.rate, judgeRate: p.judgeRate, pinned: r.pinned}
	if p.state == stateAnswered {
		t.model = p.model
	}
	if r.rank(p.pinned) == noJudge { // which of the experiment's judges ruled is no change
		t.pinned = p.pinned
	}
	return t
}

// traits are the traits of all rows up to the window's end, each with its first time that
// day, in microseconds.
func (c *collection) traits() map[trait]int64 {
	first := map[trait]int64{}
	for i := range c.patterns.list {
		p := &c.patterns.list[i]
		if p.rows == 0 || p.experiment != c.rules.experiment || p.day >= c.rules.toDay {
			continue
		}
		t := c.rules.traitOf(&p.pattern)
		if at, ok := first[t]; !ok || p.earliest < at {
			first[t] = p.earliest
		}
	}
	return first
}

// aspect is one thing that can change.
type aspect struct {
	kind MarkKind
	arm  shadow.Arm
}

// marks are where a value comes that was not there on the day before (of the days
// with rows): for the first time, or again. What was there first is no mark.
func (c *collection) marks() []Mark {
	days := map[aspect]map[int64]map[string]int64{}
	note := func(a aspect, value string, day, at int64) {
		if days[a] == nil {
			days[a] = map[int64]map[string]int64{}
		}
		if days[a][day] == nil {
			days[a][day] = map[string]int64{}
		}
		if old, ok := days[a][day][value]; !ok || at < old {
			days[a][day][value] = at
		}
	}
	for t, at := range c.traits() {
		for a, value := range c.said(t) {
			note(a, value, t.day, at)
		}
	}
	var out []Mark
	for a, byDay := range days {
		out = append(out, changesByDay(a, byDay)...)
	}
	return out
}

// said is a trait in words.
func (c *collection) said(t trait) map[aspect]string {
	out := map[aspect]string{{MarkExperiment, ""}: c.words.values[t.digest]}
	arm := shadow.Arm(c.words.values[t.arm])
	if t.model != 0 {
		out[aspect{MarkSnapshot, arm}] = c.words.values[t.model]
	}
	if t.rubric != 0 {
		out[aspect{MarkRubric, ""}] = c.words.values[t.rubric]
	}
	if t.pinned != 0 {
		out[aspect{MarkJudge, ""}] = c.words.values[t.pinned]
	}
	if rate := math.Float64frombits(t.rate); rate > 0 && rate <= 1 {
		out[aspect{MarkRate, arm}] = percent(rate)
	}
	if rate := math.Float64frombits(t.judgeRate); rate > 0 && rate <= 1 {
		out[aspect{MarkJudgeRate, arm}] = percent(rate)
	}
	return out
}

func changesByDay(a aspect, byDay map[int64]map[string]int64) []Mark {
	var out []Mark
	ever, before := map[string]bool{}, map[string]int64{}
	for i, day := range slices.Sorted(maps.Keys(byDay)) {
		values := slices.SortedFunc(maps.Keys(byDay[day]), func(x, y string) int {
			return cmp.Or(cmp.Compare(byDay[day][x], byDay[day][y]), cmp.Compare(x, y))
		})
		for k, value := range values {
			_, there := before[value]
			if !there && (i > 0 || k > 0) {
				out = append(out, Mark{Time: timeOf(byDay[day][value]).Truncate(time.Second), Kind: a.kind, Arm: a.arm, Text: a.text(value, ever[value])})
			}
			ever[value] = true
		}
		before = byDay[day]
	}
	return out
}

// text names a value that comes, for the first time or again.
func (a aspect) text(value string, again bool) string {
	text := map[MarkKind]string{
		MarkSnapshot: "answers come from ", MarkRate: "asked at ", MarkJudgeRate: "judged at ",
		MarkExperiment: "rows of the experiment digest ", MarkRubric: "rows under the rubric ", MarkJudge: "rulings of the judge snapshot ",
	}[a.kind] + clean(value)
	if again {
		text += " again"
	}
	return text
}
