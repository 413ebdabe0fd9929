// Package demo plays the founding case on loopback: a consumer chat service whose
// candidate is better by about four standard errors and too slow in the tail.
//
// What enters: nothing but a fixed seed. What leaves: fake providers that answer
// and judge over HTTP, and the requests of the service's users. Grades are dealt
// from fixed decks and latencies from fixed quantiles, and really slept, so that
// every run comes to the same end; the figures themselves are found by the
// pipeline, from answers and verdicts on the wire.
//
// It never touches the pipeline: it knows no bus, no rows and no report.
package demo
