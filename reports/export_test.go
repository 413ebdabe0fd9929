package reports

import (
	"iter"
	"strings"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// Facts are what a sample can be split by.
type Facts struct {
	Route, Session, Live string
	Tags                 []string
	Day                  int64
	// Broken: the candidate's answer is known to break the request's schema.
	Broken bool
}

// Part is the first candidate's report over the samples that keep chooses.
func Part(rows iter.Seq2[sinks.Row, error], e Experiment, keep func(Facts) bool) (ArmReport, Comparison, error) {
	c := newCollection(nil, e, Window{})
	if err := c.addRows(rows); err != nil {
		return ArmReport{}, Comparison{}, err
	}
	part := c.all().where(func(s int) bool {
		kept, known := c.answer(1, s).conforms()
		return keep(Facts{
			Route: c.route(s), Session: c.session(s), Live: c.live(s), Tags: c.tagsOf(s), Day: c.samples.at(s).day(),
			Broken: known && !kept,
		})
	})
	list := []Comparison{comparisonOf(0, part, e)}
	adjustCandidates(list)
	return armReport(e.Candidates[0], part, 1, e), list[0], nil
}

// Numbers stores values in a column of numbers at the places i·step and reads them
// back; −1 is unknown.
func Numbers(values []int64, step int) []int64 {
	var n numbers
	for i, v := range values {
		n.set(i*step, v)
	}
	out := make([]int64, len(values))
	for i := range values {
		v, known := n.at(i * step)
		if out[i] = v; !known {
			out[i] = -1
		}
	}
	return out
}

// Weekly is an arm over weeks; nil is a week without the figure. P95 is in seconds.
type Weekly struct {
	Arm           shadow.Arm
	Mean, SE, P95 []*float64
}

// Trends draws means and p95 over weeks, of which the last is not complete: an SVG
// with its notes, or nothing where there is nothing to draw.
func Trends(weeks []string, arms []Weekly) (grades, tail string, err error) {
	var means, tails []trendLine
	for _, a := range arms {
		mean, p95 := trendLine{arm: a.Arm}, trendLine{arm: a.Arm}
		for i, week := range weeks {
			last := i == len(weeks)-1
			mean.points = append(mean.points, trendPoint{week: week, value: a.Mean[i], se: a.SE[i], incomplete: last})
			p95.points = append(p95.points, trendPoint{week: week, value: a.P95[i], incomplete: last})
		}
		means, tails = append(means, mean), append(tails, p95)
	}
	drawn := func(f figure) string {
		if f.plot == nil || err != nil {
			return ""
		}
		var p plotted
		p, err = plottedOf(f)
		return string(p.SVG) + strings.Join(p.Notes, "\n")
	}
	return drawn(gradeTrend(means)), drawn(tailTrend(tails)), err
}
