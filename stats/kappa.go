package stats

import (
	"fmt"
	"math"
	"slices"
)

// CrossTable counts pairs of labels: table[i][j] is how often a said labels[i]
// and b said labels[j] of the same item. labels is the closed list in its order
// (worst to best or best to worst for an ordered scale); labels that never occur
// keep their empty row and column.
//
// Errors: ErrMismatch; ErrRange for a label outside the list, which is never
// mapped to another one, or a list with duplicates; ErrTooFew for an empty list.
func CrossTable[L comparable](a, b, labels []L) ([][]int, error) {
	if err := checkLen("b", len(b), len(a)); err != nil {
		return nil, err
	}
	if len(labels) == 0 {
		return nil, fmt.Errorf("table without labels: %w", ErrTooFew)
	}
	at := make(map[L]int, len(labels))
	table := make([][]int, len(labels))
	for i, l := range labels {
		if _, twice := at[l]; twice {
			return nil, fmt.Errorf("label %v is listed twice: %w", l, ErrRange)
		}
		at[l] = i
		table[i] = make([]int, len(labels))
	}
	for i := range a {
		row, ok := at[a[i]]
		if !ok {
			return nil, fmt.Errorf("label %v of item %d is not on the list: %w", a[i], i, ErrRange)
		}
		col, ok := at[b[i]]
		if !ok {
			return nil, fmt.Errorf("label %v of item %d is not on the list: %w", b[i], i, ErrRange)
		}
		table[row][col]++
	}
	return table, nil
}

// Within counts the items whose two labels are at most steps apart on the list,
// and all items: 0 steps is exact agreement. Pass both to Wilson for an interval.
// Errors: as Kappa, and ErrRange for negative steps.
func Within(table [][]int, steps int) (x, n int, err error) {
	if n, err = checkTable(table); err != nil {
		return 0, 0, err
	}
	if steps < 0 {
		return 0, 0, fmt.Errorf("%d steps: %w", steps, ErrRange)
	}
	for i, row := range table {
		for j, c := range row {
			if i-j <= steps && j-i <= steps {
				x += c
			}
		}
	}
	return x, n, nil
}

// Weights says how much two labels agree that are not the same.
type Weights int

const (
	// Unweighted: only equal labels agree.
	Unweighted Weights = iota
	// Linear: 1 − |i−j|/(k−1).
	Linear
	// Quadratic: 1 − ((i−j)/(k−1))²; the choice for ordered grades.
	Quadratic
)

// Agreement of two raters: the weighted share of agreement observed, the share
// expected if they were independent, Cohen's kappa, and its large-sample
// standard error. N is the number of items.
type Agreement struct {
	N                             int
	Observed, Expected, Kappa, SE float64
}

// Kappa is Cohen's kappa of a table of counts from CrossTable (square, labels in
// the same order on both sides).
//
//	po = Σ W P; pe = Σ W r c; kappa = (po − pe) / (1 − pe)
//	SE as in Fleiss, Cohen & Everitt
//
// It is 1 for full agreement, 0 for what independence gives, and depends on the
// margins: 90 % agreement can go with a negative kappa, so print both. Errors:
// ErrTooFew without items; ErrMismatch if the table is not square; ErrRange for a
// negative count or unknown weights; ErrUndefined if both raters used one and the
// same label only (N, Observed, Expected are filled).
//
// Source: Cohen (1960, 1968); Fleiss, Cohen & Everitt (1969); checked against R
// vcd and psych, testdata/kappa.json.
func Kappa(table [][]int, w Weights) (Agreement, error) {
	n, err := checkTable(table)
	if err != nil {
		return Agreement{}, err
	}
	if w < Unweighted || w > Quadratic {
		return Agreement{}, fmt.Errorf("weights %d: %w", w, ErrRange)
	}
	row, col := margins(table, float64(n))
	weight := func(i, j int) float64 { return agreementWeight(w, i, j, len(table)) }
	a := Agreement{N: n}
	wr, wc := make([]float64, len(row)), make([]float64, len(row)) // mean weights
	for i := range row {
		for j := range col {
			a.Observed += weight(i, j) * float64(table[i][j]) / float64(n)
			a.Expected += weight(i, j) * row[i] * col[j]
			wr[i] += weight(i, j) * col[j]
			wc[j] += weight(i, j) * row[i]
		}
	}
	if 1-a.Expected <= 8*eps {
		a.Observed, a.Expected = 1, 1
		return a, fmt.Errorf("kappa, one label only: %w", ErrUndefined)
	}
	a.Kappa = (a.Observed - a.Expected) / (1 - a.Expected)
	rest := 1 - a.Kappa
	var sum float64
	for i := range row {
		for j := range col {
			d := weight(i, j) - (wr[i]+wc[j])*rest
			sum += float64(table[i][j]) / float64(n) * d * d
		}
	}
	shift := a.Kappa - a.Expected*rest
	variance := (sum - shift*shift) / float64(n)
	if variance > 8*eps*sum/float64(n) {
		a.SE = math.Sqrt(variance) / (1 - a.Expected)
	}
	return a, nil
}

// CI is the two-sided normal interval Kappa ∓ z SE; near full agreement it may reach
// beyond 1, and with SE 0 it is the point Kappa. Errors: ErrRange for the level,
// ErrTooFew for an Agreement without items, ErrNotFinite on overflow.
func (a Agreement) CI(level float64) (Interval, error) {
	if err := checkOpenUnit("level", level); err != nil {
		return Interval{}, err
	}
	if a.N == 0 {
		return Interval{}, fmt.Errorf("kappa of no items: %w", ErrTooFew)
	}
	return around(a.Kappa, zQuantile(level)*a.SE, level)
}

func agreementWeight(w Weights, i, j, k int) float64 {
	if i == j {
		return 1
	}
	apart := math.Abs(float64(i-j)) / float64(k-1)
	switch w {
	case Linear:
		return 1 - apart
	case Quadratic:
		return 1 - apart*apart
	}
	return 0
}

func margins(table [][]int, n float64) (row, col []float64) {
	row, col = make([]float64, len(table)), make([]float64, len(table))
	for i := range table {
		for j, c := range table[i] {
			row[i] += float64(c) / n
			col[j] += float64(c) / n
		}
	}
	return row, col
}

// checkTable returns the number of items.
func checkTable(table [][]int) (n int, err error) {
	for i, row := range table {
		if err := checkLen(fmt.Sprintf("row %d", i), len(row), len(table)); err != nil {
			return 0, err
		}
		if slices.ContainsFunc(row, func(c int) bool { return c < 0 }) {
			return 0, fmt.Errorf("row %d has a negative count: %w", i, ErrRange)
		}
		for _, c := range row {
			if n > math.MaxInt-c {
				return 0, fmt.Errorf("sum of counts: %w", ErrRange)
			}
			n += c
		}
	}
	if n == 0 {
		return 0, fmt.Errorf("agreement on no items: %w", ErrTooFew)
	}
	return n, nil
}
