// Package rubric holds the yardstick: grades 1 (best) to 6, a closed list of
// problems, the prompt that puts a case before a judge, and the strict parser of
// the judge's reply. A digest names all of it.
//
// What enters: a rubric folder (rubric.yaml and prompt.tmpl), a [Case], the bytes
// of a judge's reply. What leaves: a prompt, a JSON schema, a [Verdict] or an error
// that says why there is none.
//
// It never repairs a value: a grade that is not a whole number from 1 to 6, or a
// problem that is not on the list, is no verdict. It calls nobody and knows no
// arms, models or samples.
package rubric
