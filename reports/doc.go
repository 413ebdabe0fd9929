// Package reports compares a candidate with the live arm on rows: grade delta with
// its standard error, latency tails, failures, problems, coverage. Then it decides:
// go, no-go or keep running.
//
// What enters: rows from sinks, the books, the experiment as it was fixed before
// the run. What leaves: a [Report], a [Decision], and both as text, Markdown or
// JSON. Every delta is candidate − live: a negative grade delta is better. Latencies
// are never averaged. What is unknown is said to be undefined, never 0.
//
// It never touches a bus, a model or a clock: the same rows and the same experiment
// give the same bytes.
package reports
