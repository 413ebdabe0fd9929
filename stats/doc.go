// Package stats turns numbers into estimates that carry their own error.
//
// What enters: plain slices of float64, bool, int and string, in the order the
// caller has them; index i means the same observation in every slice of a call.
// What leaves: an [Estimate] (value, standard error, degrees of freedom), an
// [Interval], or a p-value. Units are those of the input; shares are 0..1.
//
// Differences are always candidate − live. The package does not know what the
// numbers are: whether smaller is better is the caller's business, except where
// a function says so.
//
// # Undefined values
//
// A function returns everything that is defined, and an error that wraps one of
// the sentinels for the rest: the mean of one value is returned with [ErrTooFew],
// because its standard error does not exist. A field that is not defined is 0
// and must not be read. No function returns NaN or an infinity, and none returns
// 0 for "unknown" without an error. Input that is NaN or infinite is refused
// ([ErrNotFinite]), with one exception: the quantile functions take +Inf as
// "slower than any limit".
//
// # What it never does
//
// It changes no input, reads no clock, file or random source, keeps no state,
// and knows no samples, arms or grades. The same input in the same order gives
// the same bits; another order may change the last digits of a result (sums
// of floating-point numbers are not associative; 1e-13 is what the tests allow).
//
// # How well the intervals hold
//
// Simulated, seeded, by go test ./stats -run Coverage -coverage=25 (without the
// flag a short run of the same is part of every test). Clusters of 1, 2, 3 or 20
// rows with intraclass correlation 0.3, how often 95 % intervals cover the truth:
//
//	clusters   CR2, Satterthwaite   clusters ignored, 1.96 SE     50,000 runs each
//	       6               95.4 %                      61.2 %
//	      10               94.4 %                      59.8 %
//	      30               94.1 %                      59.2 %
//
// Grades 1..6 of two arms without a difference, how often a run is ever called
// different, at 5 % (7,500 to 25,000 runs each):
//
//	a look a day for 30 days of 30 pairs, one interval for each      28.6 %
//	the same, confidence sequence from 50 pairs on                    1.3 %
//	a look after every one of 400 pairs, sequence from 50 on          2.1 %
//	the same without burn-in (equal differences make SE 0)           14.8 %
//	a look a day, sessions of 1 to 8 pairs, from 30 clusters on       1.8 %
//	the same, sessions ignored                                       30.5 %
//	eight weekly e-values, multiplied week by week                    1.2 %
//
// Other intervals of 95 %: Newcombe's for paired shares of 2 % covers 96.6 % (300
// pairs); the order statistics of p95 96.6 % and the difference of two p95 97.9 %
// (300 values an arm); PPI++ 94.3 % with 20 labels and 94.6 % with 50, where the
// predictions alone, 0.3 too high, cover 0 %.
//
// Every estimator is checked against values from R, SciPy or a published table;
// the program, its version and the call stand in the file in testdata.
package stats
