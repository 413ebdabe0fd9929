package duckdb_test

import (
	"cmp"
	"context"
	"database/sql"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/stats"
)

// byWhole computes by SQL what the report says of the files below dir, also where
// figures keeps nothing of it.
func byWhole(ctx context.Context, dir string) (figures, error) {
	f := figures{Arms: map[shadow.Arm]arm{}, Further: newFurther()}
	err := f.ask(ctx, dir, "whole/setup", []question{
		{"whole/graded", readGraded}, {"whole/problems", readProblems}, {"whole/crossed", readCrossed}, {"whole/asked", readAsked},
		{"whole/slices", readSlices}, {"whole/slicetails", readSliceTails},
		{"whole/tails", readAllTails}, {"whole/lengths", readLengths}, {"whole/counts", readAllCounts},
		{"whole/means", readMeans}, {"whole/survival", ignore}, {"whole/repeats", readRepeats},
	})
	return f, cmp.Or(err, f.Further.joinMcNemar())
}

// ignore leaves a row as it is: a report picks other times for its curves.
func ignore(*sql.Rows, *figures) error { return nil }

// named scans a name and the estimate that it has.
func named(rows *sql.Rows) (name string, e estimate, err error) {
	err = rows.Scan(&name, &e.N, &e.Sessions, &e.Value, &e.SE, &e.DF)
	return name, e, err
}

// readGraded sorts the estimates over graded pairs.
func readGraded(rows *sql.Rows, f *figures) error {
	name, e, err := named(rows)
	switch name {
	case "delta":
		f.Pairs, f.Sessions, f.Delta, f.SE, f.DF = e.N, e.Sessions, e.Value, e.SE, e.DF
	case "poor":
		f.Further.Shares[name] = shareDelta{e.N, e.Value}
	default:
		f.Further.Estimates[name] = e
	}
	return err
}

func readProblems(rows *sql.Rows, f *figures) error {
	name, e, err := named(rows)
	f.Further.Problems[name] = problemDelta{Share: shareDelta{e.N, e.Value}, P: pOf(e)}
	return err
}

// pOf is the t test's p of no difference; nil where there is none.
func pOf(e estimate) *float64 {
	p, err := stats.Estimate{N: e.N, Clusters: e.Sessions, Value: e.Value, SE: e.SE, DF: e.DF}.PValue(0)
	if err != nil {
		return nil
	}
	return &p
}

// readCrossed comes after readProblems.
func readCrossed(rows *sql.Rows, f *figures) error {
	var (
		live, cand string
		n          int
	)
	if err := rows.Scan(&live, &cand, &n); err != nil {
		return err
	}
	of := f.Further.Problems
	l, c := of[live], of[cand]
	if live == cand {
		l.Both += n
		of[live] = l
		return nil
	}
	l.OtherOnly, c.CandOnly = l.OtherOnly+n, c.CandOnly+n
	of[live], of[cand] = l, c
	return nil
}

// joinMcNemar completes p as a report has it: the larger one of the t test's and of
// McNemar's mid-p. It comes after readCrossed.
func (f *further) joinMcNemar() error {
	for name, p := range f.Problems {
		_, mid, err := stats.McNemar(p.OtherOnly, p.CandOnly)
		if err != nil {
			return err
		}
		if p.P == nil || *p.P < mid {
			p.P = &mid
		}
		f.Problems[name] = p
	}
	return nil
}

func readAsked(rows *sql.Rows, f *figures) error {
	name, e, err := named(rows)
	f.Further.Shares[name] = shareDelta{e.N, e.Value}
	return err
}

func readSlices(rows *sql.Rows, f *figures) error {
	var (
		value string
		s     slice
	)
	err := rows.Scan(&value, &s.Pairs, &s.Sessions, &s.MeanLive, &s.SELive, &s.MeanCandidate, &s.SECandidate,
		&s.Delta, &s.SE, &s.DF, &s.Wins, &s.Ties, &s.Losses)
	f.Further.Slices[value] = s
	return err
}

// readSliceTails comes after readSlices.
func readSliceTails(rows *sql.Rows, f *figures) error {
	var (
		value              string
		n                  int
		failed, over, left [2]int
		live, cand         []any
	)
	err := rows.Scan(&value, &n, &failed[0], &failed[1], list{&live}, list{&cand}, &over[0], &over[1], &left[0], &left[1])
	if err != nil {
		return err
	}
	s := f.Further.Slices[value]
	for i, quantiles := range [][]any{live, cand} {
		s.P95[i] = among(n, failed[i], quantiles, 0.95)[0]
		s.Over[i], s.Known[i] = over[i], n-left[i]
	}
	f.Further.Slices[value] = s
	return nil
}

// readAllTails keeps those of all weeks together; it comes before the other questions
// about arms.
func readAllTails(rows *sql.Rows, f *figures) error {
	var (
		name                                    string
		week                                    sql.NullString
		failed, firstFailed                     int
		quantiles, over, cut, answered, byFirst []any
		a, t                                    = newArm(), times{}
	)
	err := rows.Scan(&name, &week, &a.Calls, &failed, list{&quantiles}, list{&over}, list{&cut},
		list{&answered}, &t.Streamed, &firstFailed, list{&byFirst})
	if err != nil || week.Valid {
		return err
	}
	a.tail(quantiles, over, cut, failed)
	f.Arms[shadow.Arm(name)] = a
	t.Answers = [3]*int64(among(a.Calls, 0, answered, 0.5, 0.95, 0.99))
	t.First = [3]*int64(among(t.Streamed, firstFailed, byFirst, 0.5, 0.95, 0.99))
	f.Further.Times[shadow.Arm(name)] = t
	return nil
}

// readLengths keeps what answers are long and fast, without the rest.
func readLengths(rows *sql.Rows, f *figures) error {
	var (
		name            string
		median          float64
		streamed, whole []any
		none            any
	)
	err := rows.Scan(&name, &none, &median, list{&streamed}, list{&whole}, &none, &none, &none)
	if err != nil {
		return err
	}
	t := f.Further.Times[shadow.Arm(name)]
	t.TokensOut = median
	for i := range 2 {
		t.Speed[i], t.SpeedWhole[i] = streamed[i].(float64), whole[i].(float64)
	}
	f.Further.Times[shadow.Arm(name)] = t
	return nil
}

// readAllCounts adds up the weeks; sums of tokens and costs are passed over.
func readAllCounts(rows *sql.Rows, f *figures) error {
	var (
		name string
		c    counted
		none any
	)
	err := rows.Scan(&name, &none, &c.reason, &none, &none, &none, &c.grade, &c.problem, &c.n, &none, &none, &none, &none, &none)
	if err != nil {
		return err
	}
	f.count(name, c)
	return nil
}

// readMeans keeps those of all weeks together.
func readMeans(rows *sql.Rows, f *figures) error {
	var (
		name string
		week sql.NullString
		e    estimate
	)
	err := rows.Scan(&name, &week, &e.N, &e.Sessions, &e.Value, &e.SE, &e.DF)
	if !week.Valid {
		f.Further.Estimates["all of "+name] = e
	}
	return err
}

func readRepeats(rows *sql.Rows, f *figures) error { return rows.Scan(&f.Further.Repeats) }
