// Package contract decides whether an answer keeps the contract that its request
// sets: a JSON schema, any JSON, a closed list of texts, and the parameters of the
// tools that may be called.
//
// What enters: a [llm.Contract] and a [llm.Reply]. What leaves: kept, broken or
// unknown, with a reason for a reader. No judge is asked.
//
// It never loads anything that a schema refers to, never repairs an answer (a fence
// of Markdown around JSON is outside the contract, as it is for the client's
// parser), and never takes what it cannot check for broken. It is a package of its
// own because it fences in the library of JSON Schema.
//
// # What it takes
//
// Schemas of drafts 4 to 2020-12, by their $schema; 2020-12 where there is none.
// Formats (date-time, email) are checked where the draft says so: up to draft 7.
// Unknown, not broken: a schema that does not compile (unknown draft, a pattern
// outside Go's RE2 such as (?=…), a reference out of the schema), with over 5,000
// objects or 1,000 levels, or with equal names in an object; an answer with over
// 1,000 levels or a number of over 400 digits or with such an exponent; and a check
// that would take too long, as where unions refer to themselves.
//
// Compiling a small schema takes about 0.3 ms, checking an answer 0.01 ms (2 cores,
// AMD EPYC); nothing is kept between two requests.
package contract
