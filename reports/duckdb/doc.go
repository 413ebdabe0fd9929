// Package duckdb holds tests only: it computes a report's figures by SQL in DuckDB,
// over the same Parquet files, and compares both results and what they cost.
// It is a module of its own, because DuckDB needs cgo and users of ours must not.
//
// What enters is made up: seeded trials of live and one candidate, written by the
// sink. The SQL is in testdata: the paired difference with its clustered standard
// error, exact quantiles and shares over limits, counts of grades, problems and
// failures; of several ways to write it the fastest was taken. The report computes
// all of that and much more (problems and limits in pairs, worst cases, duplicates,
// books), and checks each file's hash before it reads.
//
// TestSameFigures runs with the other tests. The benchmarks take minutes:
//
//	UNDERSTUDY_BENCH_DIR=/tmp/rows go test -run '^$' -bench 10M -benchtime 5x -timeout 1h .
//
// The folder keeps the made files for the next run. Each iteration runs both sides
// in turn, each in a process of its own with two threads, and reports medians: time, CPU
// time of all threads, peak resident memory, and their ratios, report / DuckDB (below
// 1 the report is better). They need Linux.
//
// Measured on an AMD EPYC with 2 cores that had other work, so it is CPU time that is
// shown, with DuckDB 1.5.6 (one run for 1M rows, the median of two for 10M):
//
//	          1M rows           10M rows
//	DuckDB    0.35 s  127 MiB   3.3 s  522 MiB
//	report    9.4 s   407 MiB   not measured
//	ratio     27      3.2
//
// Whoever changes what the main module requires runs go mod tidy here too.
package duckdb
