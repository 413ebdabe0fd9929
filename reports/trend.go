package reports

import (
	"time"

	"github.com/understudy-eval/understudy/shadow"
)

// maxTrend is how many weeks a trend has at most, its last one included.
const maxTrend = 8

// TrendWeek is one ISO week of a trend: what each arm did in it. A week without rows
// has its place, with nothing in it; no figure is carried over from another one.
type TrendWeek struct {
	// Week is e.g. 2026-W41.
	Week string `json:"week"`
	// Incomplete names the days that the figures can be about, e.g. Mon–Wed, or "no
	// days"; empty for a whole week. A day is missing if it lies outside the window or
	// the experiment, before its first row or after its last one, or in the future.
	Incomplete string `json:"incomplete,omitempty"`
	Samples    int    `json:"samples"`
	// Arms has live first, then the candidates in the experiment's order.
	Arms []WeekArm `json:"arms"`
	// Deltas has one entry per candidate, control arms too.
	Deltas []WeekDelta `json:"deltas"`
	Judge  JudgeHealth `json:"judge"`
}

// WeekArm is what one arm did in a week. Its figures are as in [ArmReport].
type WeekArm struct {
	Name     shadow.Arm     `json:"name"`
	Samples  int            `json:"samples"`
	Asked    int            `json:"asked"`
	Graded   int            `json:"graded"`
	Mean     Estimate       `json:"mean"`
	Weighted bool           `json:"weighted,omitempty"`
	Poor     Share          `json:"poor"`
	Problems []ProblemShare `json:"problems"`
	// Failures is the share of failed calls; those that the user left are not counted.
	Failures Share `json:"failures"`
	Latency  Tail  `json:"latency"`
}

// WeekDelta is a candidate's grade difference to live over the pairs of a week;
// negative is better. A week decides nothing, so its interval is that of a single look.
type WeekDelta struct {
	Arm     shadow.Arm `json:"arm"`
	Control bool       `json:"control,omitempty"`
	Delta   Estimate   `json:"delta"`
	Fixed   *Interval  `json:"interval_if_only_look"`
}

// stretch is what days an experiment's figures can be about, the last one excluded.
type stretch struct{ from, to time.Time }

// covered are the days of which there can be rows up to the window's end: from the
// experiment's start or its first row, whichever is later, to its stop, its last row
// or the present day, whichever is earlier. Rows after the window count for that.
func (c *collection) covered(e Experiment, now time.Time) stretch {
	sum := c.before.and(c.inside)
	if sum.counts.Used == 0 {
		return stretch{}
	}
	s := stretch{dayOf(timeOf(sum.first)), dayOf(timeOf(c.newest)).AddDate(0, 0, 1)}
	if e.Start.After(s.from) {
		s.from = e.Start
	}
	if !e.Stop.IsZero() && e.Stop.Before(s.to) {
		s.to = e.Stop
	}
	if after := dayOf(now).AddDate(0, 0, 1); !now.IsZero() && after.Before(s.to) {
		s.to = after
	}
	return s
}

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// within narrows the days to a window.
func (s stretch) within(w Window) stretch {
	if w.From.After(s.from) {
		s.from = w.From
	}
	if !w.To.IsZero() && w.To.Before(s.to) {
		s.to = w.To
	}
	return s
}

// incomplete names the days of a window of one week that a stretch has; empty if it has
// all of them.
func (s stretch) incomplete(w Window) string {
	part := s.within(w)
	last := part.to.AddDate(0, 0, -1)
	switch {
	case !part.from.Before(part.to):
		return noDays
	case part.from.Equal(w.From) && part.to.Equal(w.To):
		return ""
	case part.from.Equal(last):
		return weekday(last)
	}
	return weekday(part.from) + "–" + weekday(last)
}

// noDays stands for the days of a week of which there are none.
const noDays = "no days"

// incompleteText says which days of its week a report has.
func incompleteText(days string) string {
	if days == noDays {
		return noDays + ": none lies between the experiment's start and its last row"
	}
	return days
}

func weekday(t time.Time) string { return t.Weekday().String()[:3] }

// weeks are those of a report's trend, the last eight at most. For a window of one
// week they end with it and begin at the experiment's start; else they are those of
// the rows, if there are two or more.
func (w Window) weeks(days stretch, first, last time.Time) []Week {
	final, single := w.week()
	begin := days.from
	if !single {
		if first.IsZero() || WeekOf(first) == WeekOf(last) {
			return nil
		}
		final, begin = WeekOf(last), first
	}
	var out []Week
	for n := maxTrend - 1; n >= 0; n-- {
		if week := final.Before(n); n == 0 || !begin.IsZero() && week.Window().To.After(begin) {
			out = append(out, week)
		}
	}
	return out
}

// follow adds what a report says week by week.
func (r *Report) follow(all view, e Experiment, g given) {
	days := all.covered(e, g.now)
	weeks := r.Window.weeks(days, r.First, r.Last)
	if _, single := r.Window.week(); !single {
		all, days = all.since(microsSince(r.Window.From)), days.within(r.Window)
	}
	r.Trend = trendOf(all, weeks, days, e)
	r.Changes = changesOf(all, weeks, r.Trend, e)
	marked := r.Window
	if len(weeks) > 0 && !marked.From.IsZero() {
		marked.From = minTime(marked.From, weeks[0].Monday())
	}
	r.OtherSeries = all.otherSeries()
	r.Marks = marksIn(marked, all.marks(), g.marks)
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// incomplete names the days of a report on a week that is not whole.
func (r Report) incomplete() string {
	if _, single := r.Window.week(); !single || len(r.Trend) == 0 {
		return ""
	}
	return r.Trend[len(r.Trend)-1].Incomplete
}

// trendOf splits a view into weeks.
func trendOf(all view, weeks []Week, days stretch, e Experiment) []TrendWeek {
	if len(weeks) == 0 {
		return nil
	}
	out, parts := make([]TrendWeek, len(weeks)), make([]func(), len(weeks))
	for i, week := range weeks {
		named := TrendWeek{Week: week.String(), Incomplete: days.incomplete(week.Window())}
		parts[i] = func() { out[i] = trendWeek(all.during(week), e, named) }
	}
	inParallel(parts)
	chart(out)
	return out
}

func trendWeek(v view, e Experiment, t TrendWeek) TrendWeek {
	t.Samples, t.Deltas, t.Judge = len(v.index), []WeekDelta{}, v.judgeHealth(e)
	t.Arms = append(t.Arms, weekArm(shadow.Live, v, 0, e))
	for i, a := range e.Candidates {
		t.Arms = append(t.Arms, weekArm(a.Name, v, i+1, e))
		graded := v.pairs(0, i+1).filter(pair.drawn).filter(pair.comparable)
		d := WeekDelta{Arm: a.Name, Control: a.Control}
		est, err := graded.delta()
		d.Delta = estimateOf(graded.len(), est, err)
		if err == nil {
			d.Fixed = intervalOf(est.CI(e.Level))
		}
		t.Deltas = append(t.Deltas, d)
	}
	return t
}

func weekArm(name shadow.Arm, v view, arm int, e Experiment) WeekArm {
	var r ArmReport
	r.countStates(v, arm)
	r.countGrades(v, arm, e)
	r.clusterGrades(v, arm, e.Level)
	r.estimateMean(v, arm)
	latency := tailOf(v.times(arm, answer.latency), rising(e.Limits, limitsOf(e.Gate.Over)), e.Level)
	latency.cluster(v.callsOf(v.index, arm, answer.latency), e.Level)
	return WeekArm{
		Name: name, Samples: r.Samples, Asked: r.Asked, Graded: r.Graded,
		Mean: r.Mean, Weighted: r.Weighted, Poor: r.Poor, Problems: r.Problems, Failures: v.failures(arm).report(e.Level),
		Latency: latency,
	}
}
