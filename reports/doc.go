// Package reports compares a candidate with the live arm on rows: grade delta with
// its standard error, latency tails, failures, problems, coverage. Then it decides:
// go, no-go or keep running.
//
// What enters: rows from sinks, the books, the experiment as it was fixed before
// the run. What leaves: a [Report], a [Decision], and both as text, Markdown, HTML or
// JSON. Every delta is candidate − live: a negative grade delta is better. Latencies
// are never averaged. What is unknown is said to be undefined, never 0.
//
// It never touches a bus, a model or a clock: the same rows and the same experiment
// give the same bytes. The present time and marks of people come as an [Option].
//
// # Which rows count
//
// One row per sample and arm. Rows of another experiment, digest, rubric or judge
// snapshot, second verdicts, contradictory rows and duplicates are left out and
// counted. A pair counts for grades if one judge graded both answers; pairs without
// both grades give worst-case bounds. Where samples had unequal chances to be
// taken, pairs are weighted by 1/chance within routes, and the report says so.
//
// # How it reads
//
// [Read] asks the sink for the columns that a report needs. Row groups are decoded in
// parallel, and each worker makes a piece of its own: rows are numbered by their pattern
// (all that comes again from row to row; there are few different ones, so the rules are
// asked once for each), and rows of one sample that lie one after the other become one.
// Rows in memory go the same way. Pieces are put together in their order: for each sample
// id, time, session and what it can be split by (16 + 16 bytes), and for each arm the
// number of its pattern and 4 bytes for each number that somebody wrote. When all rows are
// there, samples of equal ids are made one, and all are moved into the order in which
// everything goes over them: session after session.
//
// Sums are whole numbers by session and size of session, times are sorted as whole
// microseconds, samples lie in an order that rows do not change. So the report is the
// same bit for bit in any order of rows, in any files, with any number of workers.
//
// With [ForDecision] it stops where a decision does: fewer columns are read and kept, and
// nothing is computed of slices, weeks, lengths, extremes or the judge.
//
// Measured on 2 cores of an AMD EPYC with little other work (load 2 to 5), with GOGC=30,
// which the commands set: 10 million rows, 5 million pairs, a million sessions, files of
// 282 MB take 19 to 23 CPU seconds and 1.1 GiB at the peak for the whole report with
// slices and trend, and 6.4 CPU seconds and 502 MiB for a decision alone. A tenth of the
// rows takes 2.3 CPU seconds and 165 MiB, or 0.9 and 116. That is without the check of
// booked files ([sinks.Verify]) that the commands make first. The module reports/duckdb
// compares, and has the ratios.
//
// # Slices
//
// Each comparison is also made per route, live snapshot, ISO week and tag, where there
// are several values ([Slice]). Slices decide nothing: among many some differ by
// chance, so their p-values are adjusted by Holm within a dimension.
//
// # Weeks
//
// A report on an ISO week ([Week]), or on rows that span several, has a trend of up to
// eight ([TrendWeek]): each figure is that week's own, a week without rows has its
// place, and an incomplete one names its days. [Changes] compare the last two as if
// they were independent: means and shares in standard errors, p95 by its interval, and
// among how many figures the largest were found. [Mark] says what else changed then.
//
// Days are not chosen for a decision: it rests on all rows from the experiment's start
// to the window's end, and is made as of that end ([Report.Whole]).
//
// # The judge
//
// [JudgeHealth] counts rulings, those without a grade, and who gave them. Where rows
// hold repeats, [Repeats] says how much the judge wavers, and whether it drifts.
//
// # Times
//
// A failed call is slower than any limit, a time-out is also longer than its time
// ("≥ 20.0 s"). A call that the user left is longer than its time but no failure:
// it counts over a limit only if it was left after it, is left out of that share
// otherwise, and stands in quantiles at the time of leaving. That can only flatter
// live, so it never flatters a candidate.
//
// Differences of times are those of quantiles and of shares over the samples that both
// arms were asked, never averages. Live is measured at the tap and a candidate from the
// worker that asked it ([Vantage]); the control arm shows what that alone makes. A
// slower or better answer may just be longer, so grades and times are also compared at
// equal length ([Length]).
//
// # Sessions
//
// Calls of one session are alike, so every mean and share of an arm and every difference
// is clustered by session; one without its session leaves them without an error. Only
// quantiles' intervals and the judge's own shares take calls as independent of each
// other, and a share without any case has nothing that could be clustered.
//
// # Discipline
//
// An answer outside the schema, list or tools of its own request is counted per arm
// and over pairs, by the rows' column conforms; what could not be checked is left
// out. A refusal and a text cut at the token limit are outside where they break the
// form. It stands beside the grades and enters no decision.
//
// # The decision
//
// Quality is the anytime interval of the grade delta against the margin; it starts
// after the burn-in. Guards are intervals against limits: shares over a time
// (Wilson with as many calls as are independent, [Share]), increases of failures and problems (Newcombe for pairs, widened where
// sessions have several), increase of p95 (MOVER). Increases are measured against
// the control arm where there is one.
//
// Several candidates are several chances of a wrong go. So with more than one, a
// candidate is no worse, or better, only if that also holds by Holm's adjustment of
// the anytime p-values over all candidates of the experiment, also those without
// data ([AnytimeTests]); control arms claim nothing and do not count. A no-go and the
// guards, which must all hold, are not adjusted.
//
// See [Gate.Decide] for how checks are joined and [Code] for the closed list of reasons.
//
// # Policies that were not run
//
// [Simulate] says what a chain, a race or turns of the measured arms would have made of
// the same samples (package policy's Design on each sample's measured calls), with a bootstrap of
// the sessions: what a policy does with a request depends on all its arms at once, and no
// formula has the error of a quantile of that. Draws are seeded, so the same rows give the
// same intervals. A share of 0 or 1, of which every draw is alike, has Wilson's interval
// with the sessions as its n.
package reports
