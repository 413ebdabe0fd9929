package policy

import (
	"strings"
	"unicode"

	"github.com/understudy-eval/understudy/shadow/contract"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// Rating says by rule, without a judge, whether an answer can be one. The larger the
// better; only [IsPlausible] is good enough to end a race.
type Rating uint8

// The ratings, worst first.
const (
	IsEmpty      Rating = iota // neither text nor tool call nor refusal
	IsNearEmpty                // hardly any letter or digit
	IsRepetition               // the same piece again and again
	IsOutside                  // breaks the form that the request demands
	IsPlausible
)

func (r Rating) String() string {
	return [...]string{"empty", "nearly empty", "repetition", "outside the request's form", "plausible"}[r]
}

// Rate rates an answer by its request. A refusal that is marked as such is plausible:
// where an answer must not be given it is the right one. So is a call of a tool that
// keeps to the tool's schema. An answer in a form that the request demands (JSON, a
// list) is judged by that form alone, however short.
func Rate(req llm.Request, reply llm.Reply) Rating { return rate(contractOf(req), reply) }

func rate(asked *contract.Contract, reply llm.Reply) Rating {
	switch {
	case len(reply.ToolCalls) == 0 && strings.TrimSpace(reply.Text) == "":
		if strings.TrimSpace(reply.Refusal) != "" {
			return IsPlausible
		}
		return IsEmpty
	case reply.Refusal == "" && broken(asked, reply) != "":
		if repeats(reply.Text) {
			return IsRepetition
		}
		return IsOutside
	case len(reply.ToolCalls) > 0:
		return IsPlausible
	case repeats(reply.Text):
		return IsRepetition
	case asked == nil && weight(reply.Text) < minWeight:
		return IsNearEmpty
	}
	return IsPlausible
}

// broken says how an answer breaks its contract; empty if it does not, or if nobody knows.
func broken(asked *contract.Contract, reply llm.Reply) string {
	if kept, why := asked.Check(reply); kept != nil && !*kept {
		return why
	}
	return ""
}

// minWeight is two letters; a digit or an ideograph says as much as two: "7", "是".
const minWeight = 2

func weight(text string) int {
	n := 0
	for _, r := range text {
		switch {
		case unicode.IsDigit(r), unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul), unicode.Is(unicode.So, r):
			n += minWeight
		case unicode.IsLetter(r):
			n++
		}
		if n >= minWeight {
			return n
		}
	}
	return n
}

// The bounds of a repetition are our judgement: a loop of a model fills its answer's
// end, while verse, tables and lists repeat less of it.
const (
	tailRunes    = 4096 // a loop runs to the end, so the end is enough
	minLoop      = 48   // runes that repeat
	maxPeriod    = 256
	minRounds    = 4
	loopOverTail = 2 // the loop is at least half of the tail
)

// repeats says whether the end of a text is one piece again and again: at least four
// rounds, half of the text and 48 characters. Blanks alone do not count.
func repeats(text string) bool {
	tail := []rune(strings.TrimSpace(last(text, 4*tailRunes)))
	tail = tail[max(0, len(tail)-tailRunes):]
	if len(tail) < minLoop {
		return false
	}
	for period := 1; period <= min(maxPeriod, len(tail)/minRounds); period++ {
		run := period
		for i := len(tail) - 1 - period; i >= 0 && tail[i] == tail[i+period]; i-- {
			run++
		}
		if run >= max(minLoop, minRounds*period) && run*loopOverTail >= len(tail) && worded(tail[len(tail)-period:]) {
			return true
		}
	}
	return false
}

// worded says that a piece has a letter or digit: lines of dashes, dots and blanks are layout.
func worded(piece []rune) bool {
	for _, r := range piece {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return true
		}
	}
	return false
}

func last(text string, n int) string { return text[max(0, len(text)-n):] }
