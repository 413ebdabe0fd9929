package reports

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
)

// gradesRow is the height of an arm's bars.
const gradesRow = 118

// gradeBars shows how often each arm got each grade.
func gradeBars(r Report) figure {
	arms, most := gradedArms(r)
	if len(arms) == 0 {
		return figure{}
	}
	p := newPlot()
	p.HideY()
	p.X.Min, p.X.Max, p.X.Tick.Marker = 0.4, 6.6, wholeTicks{}
	p.X.Tick.Length = 0
	p.Y.Min, p.Y.Max = 0, float64(len(arms))
	f := figure{
		id: "grades", title: "Grades per arm, share of graded answers in %; further left is better",
		axis: "grade, 1 best to 6 worst", desc: gradesDesc(r), plot: p, width: plotWidth, height: vg.Length(len(arms))*gradesRow + 44,
	}
	live := r.Arms[0]
	for row, i := range arms {
		a := r.Arms[i]
		var beside *ArmReport
		if a.Name != shadow.Live && live.Graded > 0 {
			beside = &live
		}
		p.Add(gradeRow(a, beside, armMark(i, shapeBar), float64(len(arms)-1-row), most))
	}
	if live.Graded > 0 && len(arms) > 1 {
		f.keys = []key{{mark{shape: shapeTick, ink: inkText}, "live's share, for comparison"}}
	}
	if slices.ContainsFunc(r.Arms, func(a ArmReport) bool { return a.Graded > 0 && a.Weighted }) {
		f.notes = []string{"means are weighted by 1/chance of being sampled; shares are not"}
	}
	return f
}

// gradedArms are the indices of the arms with grades, and the largest share of all.
func gradedArms(r Report) (arms []int, most float64) {
	for i, a := range r.Arms {
		if a.Graded == 0 {
			continue
		}
		arms = append(arms, i)
		for _, n := range a.Grades {
			most = max(most, ratio(n, a.Graded))
		}
	}
	return arms, most
}

// gradeRow draws an arm's name and a bar for each grade with its share above; ticks
// show the shares of the arm beside it.
func gradeRow(a ArmReport, beside *ArmReport, m mark, y, most float64) drawing {
	return func(c draw.Canvas, p *plot.Plot) {
		x, trY := p.Transforms(&c)
		base := trY(y)
		const tallest = gradesRow - 52
		nameAndFigures(c, base+gradesRow-8, string(a.Name),
			fmt.Sprintf("%s graded, mean %s", number(a.Graded), or(a.Mean.Value, unsigned(decimals(a.Mean.SE)))))
		c.StrokeLine2(draw.LineStyle{Color: inkMuted.rgb(), Width: 1}, c.Min.X, base, c.Max.X, base)
		for i, n := range a.Grades {
			share := ratio(n, a.Graded)
			left, right := x(float64(i)+1-0.36), x(float64(i)+1+0.36)
			top := base + vg.Length(share/most)*tallest
			c.FillPolygon(m.ink.rgb(), []vg.Point{{X: left, Y: base}, {X: left, Y: top}, {X: right, Y: top}, {X: right, Y: base}})
			above := top
			if beside != nil {
				level := base + vg.Length(ratio(beside.Grades[i], beside.Graded)/most)*tallest
				c.StrokeLine2(draw.LineStyle{Color: inkText.rgb(), Width: 2}, left-5, level, right+5, level)
				if level > top && level < top+1.3*textSize { // the share would stand on the tick
					above = level
				}
			}
			c.FillText(lettering(inkText, draw.XCenter, draw.YBottom), vg.Point{X: (left + right) / 2, Y: above + 3}, percentNumber(share))
		}
	}
}

// gradesDesc says the plot in words.
func gradesDesc(r Report) string {
	var parts []string
	for _, a := range r.Arms {
		words := fmt.Sprintf("%s, %s", a.Name, counted(a.Graded, "graded answer"))
		for g := rubric.Best; g <= rubric.Worst; g++ {
			words += fmt.Sprintf(", grade %d: %d", g, a.Grades[g-rubric.Best])
		}
		parts = append(parts, words+".")
	}
	return strings.Join(parts, " ")
}
