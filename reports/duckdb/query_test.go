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
//go:embed testdata/*.sql
var queries embed.FS

// byDuckDB computes the figures of the files below dir by SQL, on two threads.
func byDuckDB(ctx context.Context, dir string) (figures, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return figures{}, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // a temporary view belongs to its connection
	files := strings.ReplaceAll(filepath.Join(dir, "rows", "*", "*.parquet"), "'", "''")
	for _, statement := range []string{
		"SET threads = 2",
		"SET preserve_insertion_order = false", // less memory
		"CREATE TEMP VIEW answers AS FROM read_parquet('" + files + "', hive_partitioning = false)",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return figures{}, fmt.Errorf("%s: %w", statement, err)
		}
	}
	f := figures{Arms: map[shadow.Arm]arm{}}
	for _, q := range []struct {
		file string
		read func(*sql.Rows, *figures) error
	}{{"pairs", readPairs}, {"tails", readTails}, {"counts", readCounts}} {
		if err := query(ctx, db, q.file, func(rows *sql.Rows) error { return q.read(rows, &f) }); err != nil {
			return figures{}, fmt.Errorf("%s.sql: %w", q.file, err)
		}
	}
	return f, nil
}

// query calls read for each row of a stored query.
func query(ctx context.Context, db *sql.DB, name string, read func(*sql.Rows) error) error {
	text, err := queries.ReadFile("testdata/" + name + ".sql")
	if err != nil {
		return err
	}
	rows, err := db.QueryContext(ctx, string(text))
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
	a := arm{Problems: map[string]int{}, FailedBy: map[string]int{}}
	if err := rows.Scan(&name, &a.Calls, &failed, list{&quantiles}, list{&over}, list{&cut}); err != nil {
		return err
	}
	for i, p := range []float64{0.5, 0.95, 0.99} {
		if highest := math.Ceil(float64(a.Calls-1) * p); int(highest) < a.Calls-failed {
			a.Quantiles[i] = new(int64(math.Round(quantiles[i].(float64))))
		}
		a.Over[i] = int(over[i].(int64))
		a.Known[i] = a.Calls - int(cut[i].(int64))
	}
	f.Arms[shadow.Arm(name)] = a
	return nil
}

func readCounts(rows *sql.Rows, f *figures) error {
	var (
		name            string
		reason, problem sql.NullString
		grade           sql.NullInt64
		n               int
	)
	if err := rows.Scan(&name, &reason, &grade, &problem, &n); err != nil {
		return err
	}
	a := f.Arms[shadow.Arm(name)]
	if reason.Valid {
		a.FailedBy[reason.String] += n
	}
	if grade.Valid {
		a.Grades[grade.Int64-1] += n
		a.Problems[problem.String] += n
	}
	f.Arms[shadow.Arm(name)] = a
	return nil
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
