// Package candidate asks every candidate the question of a sample, as the live model
// was asked it: the same request, the same streaming flag, one attempt each, all at once.
// A model that is asked a translation says in its answer what was lost in it.
//
// What enters: a [shadow.Sample] and models ([llm.Model]) that were put together
// elsewhere. What leaves: a [shadow.Trial] with one answer per candidate in the order
// in which they are configured; a failure or a time-out is such an answer, with the
// time it took (durations are monotonic, a time-out's is a lower bound).
//
// It never tries again, never sends anything of the caller's but the request and the
// dialect's own headers, never lets one candidate wait for another or take it down,
// and turns a process that stops into an error, never into a failed answer.
package candidate
