// Package duckdb holds tests only: it computes a report's figures by SQL in DuckDB,
// over the same Parquet files, and compares both results and what they cost.
// It is a module of its own, because DuckDB needs cgo and users of ours must not.
//
// What enters is made up: seeded trials of live and one candidate, written by the sink;
// no request sets a contract, and no price is known. There are two sets of SQL in
// testdata; where several ways to write a query were tried, the fastest was taken.
//
//   - listed: what a user would ask first. One paired difference with its clustered
//     standard error, exact quantiles and shares over limits of the whole time, counts
//     of grades, problems and failures.
//   - whole: that, and what else a report says of the rows. Clustered estimates of both
//     means, net win rate, grades 5-6, every problem, every limit, failures and contracts,
//     of all grades by arm and week; tails by arm and week with the bounds of their
//     intervals, of answered calls and of the first token; tokens, speeds, survival,
//     sums of costs; estimates and tails by route and week; repeated rows.
//
// A report says more still, which counts against it: worst cases, differences of
// quantiles over pairs, pairs of equal length, changes between weeks, calls to look up,
// books. It also refuses rows of other experiments, rubrics or judges and counts what
// it left out, while the SQL takes every row and hashes names to 64 bits, and it
// checks each file's hash before it reads.
//
// TestSameFigures runs with the other tests. The benchmarks take minutes:
//
//	UNDERSTUDY_BENCH_DIR=/tmp/rows go test -run '^$' -bench 10M -benchtime 5x -timeout 1h .
//
// The folder keeps the made files for the next run. Each iteration runs the four sides
// in turn, each in a process of its own with two threads, and reports medians: time, CPU
// time of all threads, peak resident memory. Like stands against like in two ratios, ours
// / DuckDB, below 1 where we are better: decision-to-duckdb-listed is what the gate reads
// and computes against the listed figures, report-to-duckdb-whole the whole report against
// nearly all that it says. report-to-duckdb-listed sets the whole report against the listed
// figures alone. They need Linux.
//
// Our sides collect garbage as often as the commands do (GOGC=30).
//
// Measured on an AMD EPYC with 2 cores, with DuckDB 1.5.6, beside little other work (load 2
// to 3, two runs of each side, given as they came):
//
//	                             1M rows                           10M rows
//	                             CPU           wall     peak        CPU           wall           peak
//	duckdb-listed                0.84, 0.76 s  0.43 s   134 MiB     6.27, 6.55 s  3.46, 3.57 s   547, 564 MiB
//	decision                     0.82, 0.88 s  0.45 s   116 MiB     6.44, 6.45 s  3.96, 3.71 s   502, 502 MiB
//	duckdb-whole                 2.88, 3.03 s  1.7 s    212 MiB     28.5, 28.3 s  15.3, 15.0 s   997, 829 MiB
//	report                       2.18, 2.33 s  1.3 s    165 MiB     22.8, 19.4 s  19.7, 11.8 s   1021, 1073 MiB
//
// The first report over 10 million rows ran while the load still was 5. Other runs of the
// decision over 10 million rows, ours / DuckDB, pair by pair:
//
//	                             CPU                 wall                peak
//	three, nothing beside        1.12, 1.09, 1.06    1.33, 1.14, 1.10    0.84, 0.89, 0.89
//	ten, little beside           0.92 to 1.04        1.00 to 1.11        0.85 to 0.92
//	  their median               1.00                1.06                0.88
//	two of the table             1.03, 0.98          1.14, 1.04          0.92, 0.89
//	two under load 5 to 6        0.98, 1.02          1.12, 1.06          0.94, 0.93
//
// So a decision takes less memory than the listed figures in DuckDB, about its CPU time,
// and up to a third more wall time: it keeps both cores less busy. It is more than they: a
// duplicate check over all ids, worst cases, every problem's difference, clustered
// intervals of shares. The whole report takes 0.7 to 0.8 of DuckDB's CPU time, and over 10
// million rows up to 1.3 times its memory.
//
// A profile of a decision, of 6.9 CPU seconds, in shares that overlap: a quarter goes into
// copying and clearing memory, a fifth into one goroutine that puts pieces together
// while others decode, a fifth into decoding columns, a third into joining samples and the
// figures. Those are three parts for two cores (live 0.9 s, the comparison 0.8, the
// candidate 0.5), so one core ends idle.
//
// Whoever changes what the main module requires runs go mod tidy here too.
package duckdb
