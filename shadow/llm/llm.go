package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// Dialect names a wire format that a client speaks to a model.
type Dialect string

// OpenAIChat is OpenAI's Chat Completions, spoken by most servers.
const OpenAIChat Dialect = "openai-chat"

// Snapshot is a model version as the provider names it, e.g.
// "gpt-5.6-terra-2026-08-20". Empty means that nobody said which one it was.
type Snapshot string

// Complete asks a model once: one call, no hidden retry. A failed call returns
// the time it took in [Reply.Took] beside a [*Failure]; other errors are bugs or
// a cancelled ctx. A request that the model cannot be asked faithfully is [ErrUnsupported],
// with nothing sent.
type Complete func(ctx context.Context, req Request) (Reply, error)

// Model is something that can be asked. A fake is a closure; a policy of several
// models is a Model too.
type Model struct {
	// Name is what the configuration calls it. It is never sent to anybody.
	Name string
	// Snapshot is the version that was configured; what answered is in [Reply.Model].
	Snapshot Snapshot
	// Dialects are those of the clients' bodies that it takes; nil takes any.
	Dialects []Dialect
	Complete Complete
}

// Takes says whether a client's body in this dialect can be put to the model.
func (m Model) Takes(d Dialect) bool { return m.Dialects == nil || slices.Contains(m.Dialects, d) }

// Request is one question to a model: either a client's own body (Body with its
// Dialect) or a question of ours (Prompt). Exactly one of the two is set.
type Request struct {
	Dialect Dialect
	// Body is the client's request as it was sent, byte for byte. A provider that speaks
	// its dialect exchanges the model's name in it and takes out what has side effects;
	// any other is asked a translation ([ReadQuestion]).
	Body []byte
	// Stream says that the client asked for a stream; the model is asked for the same.
	Stream bool
	// Header has the dialect's own headers (anthropic-version and the like), never
	// a credential.
	Header http.Header
	// Prompt is a question of our own, put into the provider's dialect by its encoder.
	Prompt *Prompt
	// OnFirst is called once, by the goroutine that reads the answer, when a stream's
	// first content is there; nil is nobody. It is not called for an answer that is not
	// streamed, nor for a stream without content.
	OnFirst func()
	// Tags are what the client's service says about the request; they are never sent.
	Tags map[string]string
	// IdempotencyKey is the same for all calls that are to be one at the provider; empty
	// sends none.
	IdempotencyKey string
}

// Prompt is a question of our own: a judge's, or a probe's.
type Prompt struct {
	System string
	User   string
	// Images follow the user's text, after a text that says what they are.
	Images     []Media
	ImagesNote string
	// Schema is the JSON schema that the reply must follow; nil asks for plain text.
	// SchemaName is its name where a provider wants one.
	Schema     json.RawMessage
	SchemaName string
	// Form is the mechanism that holds the reply to the schema; empty is [ReplySchema].
	Form ReplyForm
	// MaxTokens limits the reply; 0 leaves it to the provider. ThinkTokens come on top
	// where the model may think before it, so that its thoughts do not eat the reply.
	MaxTokens, ThinkTokens int
	// Effort is how much the model is to think, see [Question]; it is asked only of
	// models that are known to take it.
	Effort string
	// Steady asks for temperature 0 of a model that takes one and does not think. No
	// reply may depend on it.
	Steady bool
}

// ReplyForm is a mechanism that holds a model's reply to a schema.
type ReplyForm string

// The mechanisms, the strictest first.
const (
	ReplySchema ReplyForm = "schema" // the provider's own structured output
	ReplyTool   ReplyForm = "tool"   // the call of a tool whose arguments have the schema, which is forced where that can be said
	ReplyPrompt ReplyForm = "prompt" // nothing but the words of the prompt
)

// ReplyForms lists the mechanisms, the strictest first.
func ReplyForms() []ReplyForm { return []ReplyForm{ReplySchema, ReplyTool, ReplyPrompt} }

// Reply is what a model said.
type Reply struct {
	// Text is the answer without reasoning. Refusal is a refusal that the provider
	// marked as such; a refusal in plain words is Text.
	Text      string
	Refusal   string
	ToolCalls []ToolCall
	Finish    Finish
	// Model is the version that says it answered; empty if the reply names none.
	Model Snapshot
	Usage Usage
	// FirstToken is the time from the start of the first attempt to the first
	// non-empty content of a stream; 0 when the answer was not streamed or had none.
	FirstToken time.Duration
	// Took is the time from the start of the first attempt to the last byte, or to
	// the failure. Monotonic, never negative.
	Took time.Duration
	// Attempts counts calls; 1 for anything but a policy.
	Attempts int
	// Status is the HTTP status; 0 if there was no response.
	Status int
	// Lost names what could not be asked as the client asked it, each thing once; Notes
	// say what differed, e.g. "store removed", "temperature 1.5 clamped to 1".
	Lost  []Loss
	Notes []string
	// Trace is what a policy did, in the order in which its calls began; nil for
	// anything but a policy. Mark says what is special about the answer.
	Trace []Attempt
	Mark  Mark
}

// ToolCall is a function call that a model asked for. Arguments is its JSON text
// as the model wrote it. It is text to be graded, never something to execute.
type ToolCall struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Usage counts tokens, in one way for all dialects. nil means that the provider did
// not say.
type Usage struct {
	// In is the whole request: Cached of it were read from the provider's cache, and
	// CacheWritten of it were written there.
	In           *int64 `json:"in,omitempty"`
	Cached       *int64 `json:"cached,omitempty"`
	CacheWritten *int64 `json:"cache_written,omitempty"`
	// Out is the whole reply: Reasoning of it went into thinking.
	Out       *int64 `json:"out,omitempty"`
	Reasoning *int64 `json:"reasoning,omitempty"`
}

// Finish says why an answer ended.
type Finish string

// The ways in which an answer ends. A value that a provider invents later is kept
// as it is.
const (
	FinishStop      Finish = "stop"
	FinishLength    Finish = "length"
	FinishToolCalls Finish = "tool_calls"
	FinishFiltered  Finish = "content_filter"
	FinishUnknown   Finish = "" // the answer was cut, or the provider did not say
)

// Turn is one turn of a conversation, flattened to text for a reader or a judge:
// tool calls and results are written out, images are marked placeholders.
type Turn struct {
	// Role is system, user, assistant or tool, or what the client wrote, see [Conversation].
	Role string
	Text string
}
