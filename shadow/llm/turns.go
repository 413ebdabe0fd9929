package llm

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// Conversation reads the turns of a client's request, oldest first, flattened to
// text: tool calls stand as [CallText] writes them, the result of a tool behind the
// id of its call, and what is no text is a placeholder such as "[image: image/png,
// 3 bytes]". Lone surrogates become U+FFFD.
//
// Errors: [ErrRequest] for anything but one JSON object (a trailing comma, a cut
// body), [ErrNoMessages] for a request without a turn that has any text, so that
// no answer ever stands beside an empty conversation; [ErrDialect].
func Conversation(d Dialect, body []byte) ([]Turn, error) {
	v, err := request(d, body)
	if err != nil {
		return nil, fmt.Errorf("read conversation: %w", err)
	}
	var turns []Turn
	empty := true
	for m := range v.get("messages").items() {
		t := turnOf(m)
		empty = empty && strings.TrimSpace(t.Text) == ""
		turns = append(turns, t)
	}
	if empty {
		return nil, fmt.Errorf("read conversation: %w", ErrNoMessages)
	}
	return turns, nil
}

// request checks a client's body.
func request(d Dialect, body []byte) (value, error) {
	if d != OpenAIChat {
		return nil, fmt.Errorf("%w: %q", ErrDialect, d)
	}
	v, ok := parse(body)
	if !ok || !v.object() {
		return nil, ErrRequest
	}
	return v, nil
}

func turnOf(m value) Turn {
	text := m.str() // some clients send bare strings
	if s, ok := m.get("content").text(); ok {
		text = s
	} else if parts := m.get("content"); parts.list() {
		text = partsText(parts)
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
		text = fmt.Sprintf("[result of %s] %s", id, text)
	}
	return Turn{Role: m.get("role").str(), Text: text}
}

// partsText writes the parts of a message, each on lines of its own.
func partsText(parts value) string {
	var lines []string
	for part := range parts.items() {
		if line := partText(part); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// partText writes a part of a message; what is no text becomes a placeholder.
func partText(part value) string {
	if s, ok := part.text(); ok {
		return s
	}
	kind := part.get("type").str()
	switch kind {
	case "text", "input_text", "output_text", "":
		return part.get("text").str()
	case "refusal":
		return "[refusal] " + part.get("refusal").str()
	case "image_url", "input_image":
		return imageText(part.get("image_url"))
	case "input_audio":
		audio := part.get("input_audio")
		return placeholder("audio", audio.get("format").str(), base64Size(audio.get("data").str()))
	case "file", "input_file":
		return fileText(part.get("file"))
	}
	return "[" + kind + "]"
}

func imageText(image value) string {
	url := image.get("url").str()
	if url == "" {
		url = image.str()
	}
	media, data, ok := dataURL(url)
	if !ok {
		return "[image: url]"
	}
	return placeholder("image", media, base64Size(data))
}

func fileText(file value) string {
	name := file.get("filename").str()
	if name == "" && file.get("file_id").str() != "" {
		return "[file: id]"
	}
	_, data, ok := dataURL(file.get("file_data").str())
	if !ok {
		data = file.get("file_data").str()
	}
	return placeholder("file", name, base64Size(data))
}

func placeholder(kind, what string, size int) string {
	if what == "" {
		what = "unknown"
	}
	return fmt.Sprintf("[%s: %s, %d bytes]", kind, what, size)
}

// dataURL splits data:image/png;base64,….
func dataURL(url string) (media, data string, ok bool) {
	if len(url) < 5 || !strings.EqualFold(url[:5], "data:") {
		return "", "", false
	}
	head, data, _ := strings.Cut(url[5:], ",")
	media, _, _ = strings.Cut(head, ";")
	return media, data, true
}

// base64Size counts the bytes that base64 text stands for.
func base64Size(text string) int {
	return base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(text, "=")))
}
