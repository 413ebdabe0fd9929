package llm

import (
	"fmt"
	"slices"
	"strings"
)

// Conversation reads the turns of a client's request, oldest first, flattened to
// text: a system prompt that stands outside of the messages is the first turn, tool
// calls stand as [CallText] writes them, the result of a tool behind the id of its call
// (or its name, where a dialect has no ids) with the role tool, and what is no text is
// a placeholder such as "[image: image/png, 3 bytes]", "[file: url]" or "[file: id]".
// Roles are as the client wrote them, but Gemini's model is assistant. Reasoning is
// left out. Lone surrogates become U+FFFD.
//
// Errors: [ErrRequest] for anything but one JSON object (a trailing comma, a cut
// body), [ErrNoMessages] for a request without a turn that has any text, so that
// no answer ever stands beside an empty conversation; [ErrDialect].
func Conversation(d Dialect, body []byte) ([]Turn, error) {
	v, err := request(d, body)
	if err != nil {
		return nil, fmt.Errorf("read conversation: %w", err)
	}
	turns := turnsReader(d)(v)
	if !slices.ContainsFunc(turns, func(t Turn) bool { return strings.TrimSpace(t.Text) != "" }) {
		return nil, fmt.Errorf("read conversation: %w", ErrNoMessages)
	}
	return turns, nil
}

// turnsReader gives the function that reads a dialect's turns, nil for one that is not
// read here.
func turnsReader(d Dialect) func(value) []Turn {
	switch d {
	case OpenAIChat:
		return chatTurns
	case OpenAIResponses:
		return responsesTurns
	case AnthropicMessages:
		return anthropicTurns
	case GeminiGenerate:
		return geminiTurns
	case OllamaChat:
		return ollamaTurns
	case OllamaGenerate:
		return generateTurns
	default:
		return nil
	}
}

// request checks a client's body.
func request(d Dialect, body []byte) (value, error) {
	if turnsReader(d) == nil {
		return nil, fmt.Errorf("%w: %q", ErrDialect, d)
	}
	v, ok := parse(body)
	if !ok || !v.object() {
		return nil, ErrRequest
	}
	return v, nil
}

// systemTurn is a prompt that stands outside of the messages; none if it has no text.
func systemTurn(prompt value, read func(value) (string, bool)) []Turn {
	if text := joined(prompt, read); text != "" {
		return []Turn{{Role: "system", Text: text}}
	}
	return nil
}

// joined writes a text, or the parts of a list on lines of their own.
func joined(content value, read func(value) (text string, result bool)) string {
	if s, ok := content.text(); ok {
		return s
	}
	var lines []string
	for part := range content.items() {
		if text, _ := read(part); text != "" {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}

// splitTurn makes turns of a message whose parts may be results of tools: each of
// these is a turn of its own, in its place.
func splitTurn(role string, content value, read func(value) (text string, result bool)) []Turn {
	var turns []Turn
	var lines []string
	flush := func() {
		if len(lines) > 0 {
			turns, lines = append(turns, Turn{Role: role, Text: strings.Join(lines, "\n")}), nil
		}
	}
	for part := range content.items() {
		switch text, result := read(part); {
		case result:
			flush()
			turns = append(turns, Turn{Role: "tool", Text: text})
		case text != "":
			lines = append(lines, text)
		}
	}
	flush()
	if len(turns) == 0 {
		turns = []Turn{{Role: role, Text: content.str()}}
	}
	return turns
}

func resultText(id, text string) string { return fmt.Sprintf("[result of %s] %s", id, text) }

func chatTurns(v value) []Turn {
	var turns []Turn
	for m := range v.get("messages").items() {
		turns = append(turns, turnOf(m))
	}
	return turns
}

func turnOf(m value) Turn {
	text := m.str() // some clients send bare strings
	if s, ok := m.get("content").text(); ok {
		text = s
	} else if parts := m.get("content"); parts.list() {
		text = joined(parts, plainPart)
	}
	var calls toolCalls
	for item := range m.get("tool_calls").items() {
		calls.add(item, false)
	}
	if legacy := m.get("function_call"); legacy.object() {
		calls.addFunction(-1, "", legacy)
	}
	text = AnswerText(text, m.get("refusal").str(), calls.list())
	if id := m.get("tool_call_id").str(); id != "" {
		text = resultText(id, text)
	}
	return Turn{Role: m.get("role").str(), Text: text}
}
