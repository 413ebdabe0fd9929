// Package sinks turns graded trials into rows, one per sample and arm, and rows
// into Parquet files that are proven before they are read: named by the hash of
// their content, synced, read back, renamed.
//
// What enters: [judge.Graded] and [shadow.Books]. What leaves: files in date
// folders, and streams of [Row] from [Scan]. Durations are int64 microseconds
// (…_us), times are UTC, unknown is null, never 0.
//
// It never opens a file whose bytes it has not checked, never changes a file once
// it has its name, and computes no statistics.
package sinks
