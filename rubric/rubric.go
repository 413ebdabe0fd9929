package rubric

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"text/template"
)

// Grade is a grade from 1 (best) to 6 (worst); a whole number, never 0.
type Grade int8

// Best and Worst are the ends of the scale.
const (
	Best  Grade = 1
	Worst Grade = 6
)

// Problem is an id of the closed list, or [None].
type Problem string

// None says that an answer has no problem worth naming. It is on every list.
const None Problem = "none"

// Verdict is what a judge said of one answer.
type Verdict struct {
	Grade   Grade   `json:"grade"`
	Problem Problem `json:"problem"`
	Reason  string  `json:"reason"`
}

// Digest names a rubric's content: 64 hexadecimal digits of SHA-256 over grades,
// problems, guidance and prompt template.
type Digest string

// Case is what a judge is shown: a conversation and one answer to it. It has no
// arm, no model name, no latency.
type Case struct {
	// Turns is the conversation up to the answer, oldest first.
	Turns []Turn
	// Answer is the answer to grade, as it will stand in the prompt byte for byte.
	Answer string
	// TurnsLeftOut counts turns that were cut to fit the judge's context.
	TurnsLeftOut int
}

// Turn is one turn of a conversation.
type Turn struct {
	Role string
	Text string
}

// Rubric is a yardstick: what the grades mean, which problems there are, and the
// prompt that puts both before a judge. It is made by [Load], never changes, and
// may be used from many goroutines.
type Rubric struct {
	name     string
	anchors  [Worst]string // of grade i+1
	problems []listed
	guidance string
	source   string // of prompt.tmpl
	tmpl     *template.Template
	plain    string // the prompt with tryCode and no turn left out; empty if it must be rendered each time
	system   string
	digest   Digest
}

// listed is a problem with the line that says when to use it.
type listed struct {
	ID  Problem
	Use string
}

// Name is what the rubric calls itself. It is in no prompt and not in the digest.
func (r *Rubric) Name() string { return r.name }

// Problems lists the closed list in the order of rubric.yaml, [None] included.
func (r *Rubric) Problems() []Problem {
	ids := make([]Problem, len(r.problems))
	for i, p := range r.problems {
		ids[i] = p.ID
	}
	return ids
}

// Lists says whether a problem is on the closed list, spelled exactly so.
func (r *Rubric) Lists(p Problem) bool {
	return slices.ContainsFunc(r.problems, func(l listed) bool { return l.ID == p })
}

// Use is the line that says when a problem is the right one; empty for a problem
// that is not on the list.
func (r *Rubric) Use(p Problem) string {
	for _, l := range r.problems {
		if l.ID == p {
			return l.Use
		}
	}
	return ""
}

// Anchors gives the text of each grade, from [Best] at index 0 to [Worst] at index 5.
func (r *Rubric) Anchors() []string { return slices.Clone(r.anchors[:]) }

// Guidance is the rubric's further advice to the judge; it may be empty.
func (r *Rubric) Guidance() string { return r.guidance }

// Digest names everything in the rubric that can change a verdict: anchors,
// problems with their order and lines, guidance, prompt template, and the form of
// the blocks that [Rubric.Prompt] puts into it. Two rubrics with one digest make
// the same prompts and accept the same verdicts. The name is not in it.
func (r *Rubric) Digest() Digest { return r.digest }

// blockForm is the version of what this code adds to every prompt and of the
// parser's rules: count it up when either changes, so that digests change too.
const blockForm = "understudy rubric 1"

// computeDigest hashes each part with its length before it, so that no two
// different rubrics run together into the same bytes.
func (r *Rubric) computeDigest() Digest {
	h := sha256.New()
	part := func(s string) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(s)))
		h.Write(size[:])
		h.Write([]byte(s))
	}
	part(blockForm)
	for _, a := range r.anchors {
		part(a)
	}
	for _, p := range r.problems {
		part(string(p.ID))
		part(p.Use)
	}
	part(r.guidance)
	part(r.source)
	return Digest(hex.EncodeToString(h.Sum(nil)))
}
