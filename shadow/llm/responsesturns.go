package llm

import "cmp"

func responsesTurns(v value) []Turn {
	turns := systemTurn(v.get("instructions"), plainPart)
	input := v.get("input")
	if s, ok := input.text(); ok {
		return append(turns, Turn{Role: "user", Text: s})
	}
	for item := range input.items() {
		switch kind := item.get("type").str(); kind {
		case "message", "":
			turns = append(turns, splitTurn(item.get("role").str(), item.get("content"), plainPart)...)
		case "function_call", "custom_tool_call":
			call := ToolCall{ID: item.get("call_id").str(), Name: item.get("name").str(), Arguments: argumentsText(item)}
			turns = append(turns, Turn{Role: "assistant", Text: CallText(call)})
		case "function_call_output", "custom_tool_call_output":
			text := joined(item.get("output"), plainPart)
			turns = append(turns, Turn{Role: "tool", Text: resultText(item.get("call_id").str(), text)})
		case "reasoning":
		default:
			turns = append(turns, Turn{Role: cmp.Or(item.get("role").str(), "assistant"), Text: "[" + kind + "]"})
		}
	}
	return turns
}

// plainPart is partText for dialects whose results of tools are no parts.
func plainPart(v value) (text string, result bool) { return partText(v), false }
