// Package shadow is the vocabulary of a shadow evaluation: a sample (a tapped
// request with its live answer), the answers of all arms to it (a trial), the
// decision which requests are sampled, the closed lists of loss reasons, the
// books that must balance, and the versioned form in which all of it travels.
//
// What enters: facts about a request and its answers, as values. What leaves: the
// same values, bytes of them, and yes or no from [Keep]. Durations are
// [time.Duration], times are UTC, shares and rates lie in 0..1.
//
// It never touches a network, a file or a clock, and it knows no grades.
package shadow
