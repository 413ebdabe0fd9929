package demo

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

func openers() []string {
	return []string{
		"My video calls freeze after a minute. What can I do?",
		"How do I move my account to a new phone?",
		"Can I cancel my subscription in the middle of the month?",
		"The app asks for a code that never arrives. Why?",
		"Is there a way to blur my background during a call?",
		"How many people can join a group call?",
		"My microphone is not found, though it works elsewhere.",
		"Where do I find the invoice for last month?",
	}
}

func followUps() []string {
	return []string{
		"And if that does not help?",
		"Does it work the same way on a tablet?",
		"How long does that usually take?",
		"Is that included in my plan?",
		"Can you say it in simpler words?",
		"What happens to my old messages then?",
	}
}

// question is what a user says at a turn of a conversation. The ticket number is
// how the fakes find the card that was dealt to it.
func question(rng *rand.Rand, conversation, turn int) string {
	lines := openers()
	if turn > 0 {
		lines = followUps()
	}
	return fmt.Sprintf("%s (ticket %04d/%d)", lines[rng.IntN(len(lines))], conversation, turn)
}

// answer is the text that a fake model gives: an answer of its card, told apart by
// its reference only.
func answer(c card) string {
	return fmt.Sprintf("Thanks for asking. Please open Settings, choose the entry that fits your question "+
		"and follow the two steps there; the change takes effect at once. "+
		"If it does not, restart the app and try again, or write to us with this reference.\n\nRef. %s", c.ref)
}

// form is the response_format of the turns that want JSON.
func form() map[string]any {
	return map[string]any{"type": "json_schema", "json_schema": map[string]any{
		"name": "reply", "strict": true, "schema": map[string]any{
			"type": "object", "properties": map[string]any{"reply": map[string]any{"type": "string"}},
			"required": []string{"reply"}, "additionalProperties": false,
		},
	}}
}

// said is the answer in the form that the turn asked for.
func (t turn) said(c card) string {
	if !t.form {
		return answer(c)
	}
	return fmt.Sprintf(`{"reply":%s}`, strconv.Quote(answer(c)))
}

// fenced is what the candidate makes of said: one in sixteen answers in JSON, by its
// reference, comes in a fence of Markdown, which no parser takes.
func (t turn) fenced(c card) string {
	if t.form && c.ref[0] == '0' {
		return "```json\n" + t.said(c) + "\n```"
	}
	return t.said(c)
}
