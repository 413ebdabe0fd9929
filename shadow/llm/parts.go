package llm

import (
	"encoding/base64"
	"fmt"
	"strings"
)

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
		if part.get("image_url").null() && !part.get("file_id").null() {
			return "[image: id]"
		}
		return imageText(part.get("image_url"))
	case "input_audio":
		audio := part.get("input_audio")
		return placeholder("audio", audio.get("format").str(), base64Size(audio.get("data").str()))
	case "file":
		return fileText(part.get("file"))
	case "input_file":
		return fileText(part)
	}
	return "[" + tidy(kind) + "]"
}

func imageText(image value) string {
	url := image.get("url").str()
	if url == "" {
		url = image.str()
	}
	media, size, ok := dataSize(url)
	if !ok {
		return "[image: url]"
	}
	return placeholder("image", media, size)
}

func fileText(file value) string {
	name, content := file.get("filename").str(), file.get("file_data").str()
	switch {
	case name == "" && file.get("file_id").str() != "":
		return "[file: id]"
	case content == "" && file.get("file_url").str() != "":
		return "[file: url]"
	}
	_, size, ok := dataSize(content)
	if !ok {
		size = base64Size(content)
	}
	return placeholder("file", name, size)
}

func placeholder(kind, what string, size int) string {
	if what == "" {
		what = "unknown"
	}
	return fmt.Sprintf("[%s: %s, %d bytes]", kind, what, size)
}

// mediaKind is what a placeholder calls content of a media type.
func mediaKind(media string) string {
	kind, _, _ := strings.Cut(media, "/")
	switch kind {
	case "image", "audio", "video":
		return kind
	}
	return "file"
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

// dataSize gives the type and the size in bytes of what a data URL holds; no is another
// address. Content that is no base64 is percent-encoded.
//
// Source: RFC 2397.
func dataSize(url string) (media string, size int, ok bool) {
	media, data, ok := dataURL(url)
	if !ok {
		return "", 0, false
	}
	head, _, _ := strings.Cut(url, ",")
	if strings.HasSuffix(strings.ToLower(head), ";base64") {
		return media, base64Size(data), true
	}
	return media, max(0, len(data)-2*strings.Count(data, "%")), true
}

// base64Size counts the bytes that base64 text stands for, which may be broken into lines.
func base64Size(text string) int {
	text = strings.TrimRight(text, "= \r\n")
	breaks := strings.Count(text, "\n") + strings.Count(text, "\r") + strings.Count(text, " ")
	return base64.RawStdEncoding.DecodedLen(len(text) - breaks)
}
