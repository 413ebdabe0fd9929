package shadow

import (
	"encoding/hex"
	"fmt"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// SampleID identifies a sample: 16 random bytes, printed as 32 hexadecimal digits.
type SampleID [16]byte

// String prints the id as 32 lower-case hexadecimal digits.
func (id SampleID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText implements encoding.TextMarshaler.
func (id SampleID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It takes exactly 32 hexadecimal digits.
func (id *SampleID) UnmarshalText(text []byte) error {
	parsed, err := ParseSampleID(string(text))
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}

// ParseSampleID reads the form that String prints.
func ParseSampleID(text string) (SampleID, error) {
	var id SampleID
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(id) {
		return SampleID{}, fmt.Errorf("sample id %q: want 32 hexadecimal digits", text)
	}
	copy(id[:], raw)
	return id, nil
}

// Arm names who answered: [Live], or a candidate's name.
type Arm string

// Live is the arm whose answers users see.
const Live Arm = "live"

// Sample is a tapped request with the answer that the user got.
type Sample struct {
	ID         SampleID `json:"id"`
	Experiment string   `json:"experiment"`
	// Tap is the id of the process that took it, Seq its number there from 1 on
	// without gaps: a gap is a sample that was lost.
	Tap string `json:"tap"`
	Seq uint64 `json:"seq"`
	// Seen is when the request arrived, in UTC.
	Seen time.Time `json:"seen"`
	// Session groups the requests of one conversation; without one it is the
	// sample's own id.
	Session string `json:"session"`
	// Route is what reports can be split by: the request's path, unless configured otherwise.
	Route string `json:"route,omitempty"`
	// Rate is the sampling rate in force, in (0, 1]. Draw is the request's place in
	// [0, 1): it was sampled because Draw < Rate, see [Draw].
	Rate float64 `json:"rate"`
	Draw float64 `json:"draw"`
	// Dialect, Request and Header are what the client said: the body byte for byte,
	// and the dialect's own headers only. Stream says whether it asked for a stream.
	Dialect llm.Dialect         `json:"dialect"`
	Request []byte              `json:"request,omitempty"`
	Header  map[string][]string `json:"header,omitempty"`
	Stream  bool                `json:"stream"`
	Live    Answer              `json:"live"`
	// Redacted says that the request or the answer was changed before it left the tap.
	Redacted bool              `json:"redacted,omitempty"`
	Tags     map[string]string `json:"tags,omitempty"`
}

// Answer is what one arm said to a sample, or why it said nothing. Exactly one of
// these holds: it was not asked (NotAsked set), it failed (Failure set), or it
// answered (neither).
type Answer struct {
	Arm Arm `json:"arm"`
	// Share is the share of the samples that this arm is asked, in (0, 1]; 1 for live.
	Share float64 `json:"share"`
	// Snapshot is the model version that the answer names; empty if it names none.
	Snapshot  llm.Snapshot   `json:"snapshot,omitempty"`
	Text      string         `json:"text,omitempty"`
	Refusal   string         `json:"refusal,omitempty"`
	ToolCalls []llm.ToolCall `json:"tool_calls,omitempty"`
	Finish    llm.Finish     `json:"finish,omitempty"`
	// Started is when the first attempt began, in UTC: a label, never used to
	// compute a duration.
	Started time.Time `json:"started"`
	// FirstToken is the time to the first non-empty content of a stream; 0 if there was none.
	FirstToken time.Duration `json:"first_token_ns,omitempty"`
	// Took is the time from the first attempt's start to the last byte or the
	// failure. Censored says that a limit or the user cut it off: it took more than Took.
	Took     time.Duration `json:"took_ns"`
	Censored bool          `json:"censored,omitempty"`
	// Untimed says that nobody measured Took, which is 0 then: a recorded answer that
	// came without times. It is unknown in rows.
	Untimed bool `json:"untimed,omitempty"`
	// Queued is how long the sample waited in the pipeline before this arm was
	// asked: our own time, not the model's. 0 for the live arm.
	Queued   time.Duration `json:"queued_ns,omitempty"`
	Usage    llm.Usage     `json:"usage"`
	Attempts int           `json:"attempts"`
	Status   int           `json:"status,omitempty"`
	Failure  llm.Reason    `json:"failure,omitempty"`
	NotAsked NotAsked      `json:"not_asked,omitempty"`
	// Lost names what this arm could not be asked as the client asked it; Notes say what
	// differed from the client's request, e.g. "store removed".
	Lost  []llm.Loss `json:"lost,omitempty"`
	Notes []string   `json:"notes,omitempty"`
	// Uses are the calls that a policy made for the answer; nil for a single model.
	Uses []Use `json:"uses,omitempty"`
}

// Use is what one call of a policy used of a model. Usage is unknown for a call that was
// given up.
type Use struct {
	Model string    `json:"model"` // what the configuration calls it
	Fate  llm.Fate  `json:"fate"`
	Usage llm.Usage `json:"usage"`
}

// Answered says whether the arm was asked and gave an answer.
func (a Answer) Answered() bool { return a.NotAsked == "" && a.Failure == "" }

// Trial is a sample answered by every arm.
type Trial struct {
	Sample Sample `json:"sample"`
	// Candidates has one answer per configured candidate, in the order of the
	// configuration; empty when the experiment has none.
	Candidates []Answer `json:"candidates"`
}

// Answers lists the answers of all arms, live first.
func (t Trial) Answers() []Answer {
	all := make([]Answer, 0, 1+len(t.Candidates))
	all = append(all, t.Sample.Live)
	return append(all, t.Candidates...)
}
