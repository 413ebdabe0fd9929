package rubric

import "bytes"

// maxRestarts bounds how often a bracket that is never closed is passed over as
// prose: each one may cost a look at the rest of the reply.
const maxRestarts = 16

// thinkTag reads the tag at the start of text that starts or ends a block of
// reasoning, which some models leave in their answer: <think>, </think>, or thinking
// for think, in any case. Its length is 0 if there is none.
func thinkTag(text []byte) (length int, ends bool) {
	rest := text[1:]
	if len(rest) > 0 && rest[0] == '/' {
		rest, ends = rest[1:], true
	}
	for _, name := range []string{"think>", "thinking>"} {
		if len(rest) >= len(name) && bytes.EqualFold(rest[:len(name)], []byte(name)) {
			return len(text) - len(rest) + len(name), ends
		}
	}
	return 0, false
}

// topLevel cuts a reply into its outermost bracketed pieces, each from an opening
// bracket to the one that closes it, outside think blocks. Strings are respected
// inside brackets; a line feed ends one, as JSON has none in strings. What is inside
// a piece is never looked at as a piece of its own. No recursion, no stack.
func topLevel(reply []byte) [][]byte {
	var spans [][]byte
	restarts := 0
	for at := 0; at < len(reply); {
		switch reply[at] {
		case '<':
			switch length, ends := thinkTag(reply[at:]); {
			case length == 0:
				at++
			case ends: // of a block whose start was not sent
				spans = nil
				at += length
			default:
				at = afterThink(reply, at+length)
			}
		case '{', '[':
			size := spanLength(reply[at:])
			if size > 0 {
				spans = append(spans, reply[at:at+size])
				at += size
				continue
			}
			if restarts++; restarts > maxRestarts || looksLikeJSON(reply[at:]) {
				return spans // cut off in the middle of a structure: all that follows is inside it
			}
			at++
		default:
			at++
		}
	}
	return spans
}

// afterThink gives the place after the end of a think block that starts before at;
// the end of the reply if the block is never closed.
func afterThink(reply []byte, at int) int {
	for {
		next := bytes.IndexByte(reply[at:], '<')
		if next < 0 {
			return len(reply)
		}
		at += next
		if length, ends := thinkTag(reply[at:]); ends {
			return at + length
		}
		at++
	}
}

// spanLength is the length of the bracketed piece that text starts with; 0 if it is
// never closed. Both kinds of brackets count alike: a piece in which they do not
// match is no JSON anyway.
func spanLength(text []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\':
			i++
		case quoted && (c == '"' || c == '\n'):
			quoted = false
		case quoted:
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// looksLikeJSON tells a structure that was cut off from a bracket in prose, such as
// the one of an interval or an emoticon.
func looksLikeJSON(text []byte) bool {
	rest := bytes.TrimLeft(text[1:min(len(text), 64)], " \t\r\n")
	if len(rest) == 0 {
		return false
	}
	return rest[0] == '"' || text[0] == '[' && (rest[0] == '{' || rest[0] == '[')
}

// flatObject gives the object that text starts with if it may be a verdict: at most
// five strings (three keys, two values), no structure inside, little besides. Else
// nil, after a look at a few strings only.
func flatObject(text []byte) []byte {
	quoted, strings, bare := false, 0, 0
	for i := 1; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\':
			i++
		case quoted && c == '\n':
			return nil
		case quoted && c == '"':
			quoted = false
		case quoted:
		case c == '}':
			return text[:i+1]
		case c == '{' || c == '[' || c == ']' || c == '\\' || strings > 5 || bare > maxBare:
			return nil
		case c == '"':
			quoted = true
			strings++
		default:
			bare++
		}
	}
	return nil
}

// maxBare bounds the blanks, signs and digits of a verdict.
const maxBare = 512
