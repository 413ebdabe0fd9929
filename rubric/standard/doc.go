// Package standard holds the rubric that is used unless another is configured: a
// general one for chat answers, with six anchors and a closed list of problems.
//
// What enters: nothing. What leaves: the parsed [rubric.Rubric], and its two files
// for editing. It never changes without its name changing.
package standard
