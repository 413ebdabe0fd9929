package reports

import (
	"io/fs"
	"iter"

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
	c := newCollection(nil, e, Window{}, given{})
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

// ReadBy is Read with so many workers.
func ReadBy(workers int, fsys fs.FS, e Experiment, w Window, options ...Option) (Report, error) {
	return read(workers, fsys, e, w, options...)
}

// ColumnsRead are the columns that Read asks for.
func ColumnsRead() []string { return wantsOf(Experiment{}, given{}).columns() }

// SurvivalRange is that of the log axis of seconds.
func SurvivalRange(r Report) (low, high float64, any bool) { return survivalRange(r) }

// Numbers stores values in a column of numbers at the places i·step and reads them
// back; −1 is unknown.
func Numbers(values []int64, step int) []int64 {
	n := stored(values, step)
	out := make([]int64, len(values))
	for i := range values {
		v, known := n.at(i * step)
		if out[i] = v; !known {
			out[i] = -1
		}
	}
	return out
}

// stored puts values into a column at the places i·step.
func stored(values []int64, step int) *numbers {
	p := piece{arms: make([]pieceArm, 1)}
	p.arms[0].numbers[0] = make([]uint32, 1+(len(values)-1)*step)
	for i, v := range values {
		p.set(0, 0, i*step, v)
	}
	var n numbers
	n.add(0, p.arms[0].numbers[0])
	for _, l := range p.large {
		n.setBig(l.sample, l.v)
	}
	return &n
}

// ArrangedNumbers stores values in a column of numbers, −1 is unknown, moves those of
// number order[i] to i, and reads them back.
func ArrangedNumbers(values []int64, order []uint32) []int64 {
	n := stored(values, 1)
	n.arrange(order, []*[chunkSize]uint32{{0: 7, chunkSize - 1: 7}}) // a spare chunk with something in it
	out := make([]int64, len(values))
	for i := range values {
		v, known := n.at(i)
		if out[i] = v; !known {
			out[i] = -1
		}
	}
	return out
}

// Numbered gives texts their numbers and reads each back by its number.
func Numbered(list []string) (numbers []uint32, back []string) {
	t := newTexts()
	for _, text := range list {
		numbers = append(numbers, t.code([]byte(text)))
	}
	for _, n := range numbers {
		back = append(back, string(t.at(n)))
	}
	return numbers, back
}

// Classes numbers rows by what they have in common in columns of values below n.
func Classes(n uint64, columns [][]uint32) []uint32 {
	var digits []digit
	for _, column := range columns {
		digits = append(digits, digit{n, func(keys []uint64, from int) {
			for i, v := range column[from : from+len(keys)] {
				keys[i] = keys[i]*n + uint64(v)
			}
		}})
	}
	var c classes
	out := make([]uint32, len(columns[0]))
	c.start(len(out), digits)
	for from := 0; from < len(out); from += rowBlock {
		c.number(from, out[from:min(from+rowBlock, len(out))])
	}
	return out
}

// Agreed is agreed.
var Agreed = agreed
