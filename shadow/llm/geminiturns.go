package llm

import "cmp"

// geminiTurns reads names in both cases: the API takes either.
func geminiTurns(v value) []Turn {
	turns := systemTurn(v.either("systemInstruction", "system_instruction").get("parts"), geminiPart)
	contents := v.get("contents")
	if contents.object() { // some clients leave the list out around one
		return append(turns, geminiTurn(contents)...)
	}
	for c := range contents.items() {
		turns = append(turns, geminiTurn(c)...)
	}
	return turns
}

func geminiTurn(v value) []Turn {
	role := cmp.Or(v.get("role").str(), "user")
	if role == "model" {
		role = "assistant"
	}
	return splitTurn(role, v.get("parts"), geminiPart)
}

// geminiPart writes a part for a reader. Thoughts are left out.
func geminiPart(v value) (text string, result bool) {
	if v.get("thought").yes() {
		return "", false
	}
	if s, ok := v.get("text").text(); ok {
		return s, false
	}
	call := v.either("functionCall", "function_call")
	answer := v.either("functionResponse", "function_response")
	inline := v.either("inlineData", "inline_data")
	switch {
	case call != nil:
		return CallText(ToolCall{ID: call.get("id").str(), Name: call.get("name").str(), Arguments: string(call.get("args"))}), false
	case answer != nil:
		return resultText(cmp.Or(answer.get("id").str(), answer.get("name").str()), string(answer.get("response"))), true
	case inline != nil:
		media := inline.either("mimeType", "mime_type").str()
		return placeholder(mediaKind(media), media, base64Size(inline.get("data").str())), false
	case v.either("fileData", "file_data") != nil:
		return "[" + mediaKind(v.either("fileData", "file_data").either("mimeType", "mime_type").str()) + ": url]", false
	}
	for m := range v.members() {
		return "[" + tidy(m.key) + "]", false
	}
	return v.str(), false
}
