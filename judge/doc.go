// Package judge has answers graded by a pinned model version: one verdict per
// answer, from one judge per trial, with a reserve that is asked only after a
// transport failure or a silence.
//
// What enters: a [shadow.Trial], judges as [llm.Model], a rubric. What leaves: a
// [Graded]: for each answer a grade with its problem, or the reason why there is none.
//
// What a judge is shown, the same for every answer of a trial: every turn of the system
// and as many of the last others as fit beside the longest answer ([Options].MaxPromptChars),
// tool calls and their results written out; of the images, for a model that can see, the
// last 8 that stand in the request as PNG, JPEG or WebP of at most 5 MiB each and 16 MiB
// together, in base64, and once turns were left out only those of the last message. For
// what is not shown there is a line or a placeholder, and the ruling is flagged
// (ContextCut). Answers are never cut: one that does not fit is not graded (malformed).
//
// Replies are held to a verdict's schema by the mechanism of the seat ([Seat].Reply).
// Judges are asked not to think, and get tokens on top where they may do so all the same.
//
// It never turns a failure into a grade, never shows a judge an arm, a model's name
// or a latency, and never mixes two judges within a trial.
package judge
