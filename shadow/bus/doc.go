// Package bus carries samples, trials, graded rulings and books from one stage to
// the next over NATS JetStream, so that each product is stored before the next
// step starts and an outage of a later stage neither loses nor repeats it.
//
// What enters: values of package shadow, and graded rulings as bytes that somebody
// else encoded. What leaves: the same values, at least once, in the order in which
// they were stored but for redeliveries; a message is removed from a stage's work
// only after the stage's function returned nil ([Bus.EachSample] and its sisters).
// What can never be worked on goes to a dead-letter subject with its reason.
//
// Subjects are understudy.<kind>.<experiment> with the kinds sample, trial, graded
// and books, and understudy.dead.<kind>.<experiment>; several experiments share a
// bus. Samples, graded and books are removed once they are acknowledged; trials
// stay for a while ([Options.KeepTrials]) so that they can be judged again. What others
// send to understudy.in.<experiment> is handed on ([Bus.Intake]) and kept by no stream.
// Two key-value buckets stand beside them: understudy_experiments has what was fixed before
// each experiment ([Bus.PutExperiment]), understudy_spend what was drawn from each limit
// for a day ([Bus.Draw]).
//
// What is pulled and what is on its way to the server is bounded in bytes, 8 MiB each.
// Beside the client library's own asynchronous publishing in the same run, a stored
// sample, encoding included, took 1.3 times the processor time at 2 KiB, as much at 16 KiB
// and less at 256 KiB (two busy cores; go test ./shadow/bus -bench Publish measures it,
// also with every message synced). Ids are remembered for two minutes, in the server's
// memory.
//
// It never drops a message silently, never calls a stage twice at once for one
// message, never writes a message's text or a credential into an error or a log,
// and must not be called from a request's own goroutine: a bus that stalls holds
// its caller until the caller's deadline.
package bus
