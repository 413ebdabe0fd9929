package llm

func ollamaTurns(v value) []Turn {
	var turns []Turn
	for m := range v.get("messages").items() {
		t := turnOf(m)
		t.Text = withImages(t.Text, m.get("images"))
		if name := m.get("tool_name").str(); name != "" && m.get("tool_call_id").null() {
			t.Text = resultText(name, t.Text)
		}
		turns = append(turns, t)
	}
	return turns
}

// generateTurns reads /api/generate: one question, and what is to follow the answer
// where a gap is filled.
func generateTurns(v value) []Turn {
	turns := systemTurn(v.get("system"), plainPart)
	text := withImages(v.get("prompt").str(), v.get("images"))
	if suffix := v.get("suffix").str(); suffix != "" {
		text += "\n[suffix] " + suffix
	}
	return append(turns, Turn{Role: "user", Text: text})
}

// withImages adds a placeholder per image; these come as bare base64.
func withImages(text string, images value) string {
	for image := range images.items() {
		if text != "" {
			text += "\n"
		}
		text += placeholder("image", "", base64Size(image.str()))
	}
	return text
}
