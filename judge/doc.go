// Package judge has answers graded by a pinned model version: one verdict per
// answer, from one judge per trial, with a reserve that is asked only after a
// transport failure or a silence.
//
// What enters: a [shadow.Trial], judges as [llm.Model], a rubric. What leaves: a
// [Graded]: for each answer a grade with its problem, or the reason why there is none.
//
// It never turns a failure into a grade, never shows a judge an arm, a model's name
// or a latency, and never mixes two judges within a trial.
package judge
