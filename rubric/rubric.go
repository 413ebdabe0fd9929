package rubric

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
