package llm

import "cmp"

func anthropicTurns(v value) []Turn {
	turns := systemTurn(v.get("system"), plainPart)
	for m := range v.get("messages").items() {
		turns = append(turns, splitTurn(m.get("role").str(), m.get("content"), anthropicPart)...)
	}
	return turns
}

// anthropicPart writes a block of a message for a reader. Thinking is left out.
func anthropicPart(v value) (text string, result bool) {
	switch v.get("type").str() {
	case "tool_use":
		return CallText(ToolCall{ID: v.get("id").str(), Name: v.get("name").str(), Arguments: argumentsText(v)}), false
	case "tool_result":
		text = joined(v.get("content"), anthropicContent)
		if v.get("is_error").yes() {
			text = "[error] " + text
		}
		return resultText(v.get("tool_use_id").str(), text), true
	case "thinking", "redacted_thinking":
		return "", false
	}
	return anthropicContent(v)
}

// anthropicContent writes a block that may stand in the result of a tool too. It does
// not look for results inside of results, so that no nesting costs more than its size.
func anthropicContent(v value) (text string, result bool) {
	source := v.get("source")
	switch v.get("type").str() {
	case "image":
		return sourceText("image", "", source), false
	case "document":
		return sourceText("file", v.get("title").str(), source), false
	case "search_result":
		return "[search result: " + v.get("title").str() + "] " + joined(v.get("content"), plainPart), false
	}
	return plainPart(v)
}

// sourceText is a placeholder for an image or a file; a document of blocks is its text.
func sourceText(kind, name string, v value) string {
	data := v.get("data").str()
	what := cmp.Or(name, v.get("media_type").str())
	switch v.get("type").str() {
	case "url":
		return "[" + kind + ": url]"
	case "file":
		return "[" + kind + ": id]"
	case "text":
		return placeholder(kind, what, len(data))
	case "content":
		return joined(v.get("content"), plainPart)
	}
	return placeholder(kind, what, base64Size(data))
}
