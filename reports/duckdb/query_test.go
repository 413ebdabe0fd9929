package duckdb_test

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	_ "github.com/duckdb/duckdb-go/v2" // the driver "duckdb"

	"github.com/understudy-eval/understudy/shadow"
)

// The queries read a view "answers" of the files of rows.
//
//go:embed testdata/*/*.sql
var queries embed.FS

// question is a stored query and what reads its rows.
type question struct {
	file string // below testdata, without .sql
	read func(*sql.Rows, *figures) error
}

// byListed computes the listed figures of the files below dir by SQL.
func byListed(ctx context.Context, dir string) (figures, error) {
	f := figures{Arms: map[shadow.Arm]arm{}}
	return f, f.ask(ctx, dir, "", []question{
		{"listed/pairs", readPairs}, {"listed/tails", readTails}, {"listed/counts", readCounts},
	})
}

// ask runs the statements of a stored file, if it is named, then the questions, over
// the files below dir, on two threads.
func (f *figures) ask(ctx context.Context, dir, setup string, list []question) error {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // what is temporary belongs to its connection
	files := strings.ReplaceAll(filepath.Join(dir, "rows", "*", "*.parquet"), "'", "''")
	statements := []string{
		"SET threads = 2",
		"SET preserve_insertion_order = false", // less memory
		"CREATE TEMP VIEW answers AS FROM read_parquet('" + files + "', hive_partitioning = true)",
	}
	if setup != "" {
		text, err := stored(setup)
		if err != nil {
			return err
		}
		statements = append(statements, text)
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	for _, q := range list {
		if err := query(ctx, db, q.file, func(rows *sql.Rows) error { return q.read(rows, f) }); err != nil {
			return fmt.Errorf("%s.sql: %w", q.file, err)
		}
	}
	return nil
}

func stored(name string) (string, error) {
	text, err := queries.ReadFile("testdata/" + name + ".sql")
	return string(text), err
}

// query calls read for each row of a stored query.
func query(ctx context.Context, db *sql.DB, name string, read func(*sql.Rows) error) error {
	text, err := stored(name)
	if err != nil {
		return err
	}
	rows, err := db.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := read(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func readPairs(rows *sql.Rows, f *figures) error {
	return rows.Scan(&f.Pairs, &f.Sessions, &f.Delta, &f.SE, &f.DF)
}

// readTails comes before readCounts, which adds to the arms.
func readTails(rows *sql.Rows, f *figures) error {
	var (
		name                 string
		failed               int
		quantiles, over, cut []any
	)
	a := newArm()
	if err := rows.Scan(&name, &a.Calls, &failed, list{&quantiles}, list{&over}, list{&cut}); err != nil {
		return err
	}
	a.tail(quantiles, over, cut, failed)
	f.Arms[shadow.Arm(name)] = a
	return nil
}

// tail sets quantiles and shares of the calls, of which some failed.
func (a *arm) tail(quantiles, over, cut []any, failed int) {
	a.Quantiles = [3]*int64(among(a.Calls, failed, quantiles, 0.5, 0.95, 0.99))
	for i := range over {
		a.Over[i] = int(over[i].(int64))
		a.Known[i] = a.Calls - int(cut[i].(int64))
	}
}

// among are quantiles of n calls in whole microseconds; nil where one lies among those
// that failed.
func among(n, failed int, values []any, at ...float64) []*int64 {
	out := make([]*int64, len(at))
	for i, p := range at {
		if highest := math.Ceil(float64(n-1) * p); int(highest) < n-failed {
			out[i] = new(int64(math.Round(values[i].(float64))))
		}
	}
	return out
}

func readCounts(rows *sql.Rows, f *figures) error {
	var (
		name string
		c    counted
	)
	if err := rows.Scan(&name, &c.reason, &c.grade, &c.problem, &c.n); err != nil {
		return err
	}
	f.count(name, c)
	return nil
}

// counted are n calls of an arm that have all this in common.
type counted struct {
	reason, problem sql.NullString
	grade           sql.NullInt64
	n               int
}

func (f *figures) count(name string, c counted) {
	a := f.Arms[shadow.Arm(name)]
	if c.reason.Valid {
		a.FailedBy[c.reason.String] += c.n
	}
	if c.grade.Valid {
		a.Grades[c.grade.Int64-1] += c.n
		a.Problems[c.problem.String] += c.n
	}
	f.Arms[shadow.Arm(name)] = a
}

// list scans a column of a list type.
type list struct{ to *[]any }

// Scan implements sql.Scanner.
func (l list) Scan(v any) error {
	values, ok := v.([]any)
	if !ok {
		return fmt.Errorf("a %T is no list", v)
	}
	*l.to = values
	return nil
}
