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
// the same bits.
//
// Every estimator is checked against values from R, SciPy or a published table;
// the program, its version and the call stand in the file in testdata.
package stats
