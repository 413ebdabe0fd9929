package tap

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// newID makes 16 random bytes. They tell samples apart and secure nothing, so the
// runtime's generator does: it is seeded by the system and takes no lock.
func newID() shadow.SampleID {
	var id shadow.SampleID
	binary.LittleEndian.PutUint64(id[:8], rand.Uint64())
	binary.LittleEndian.PutUint64(id[8:], rand.Uint64())
	return id
}

// maxKey bounds a key's length in bytes. A longer one, or one that is no UTF-8 and
// would not survive JSON, is replaced by a hash, so that sessions stay apart.
const maxKey = 256

func tidyKey(key string) string {
	if len(key) <= maxKey && utf8.ValidString(key) {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// session gives the session's key of a request; "" if it names none. Where a key of the
// body is next and the body was not read yet, unread says so.
func (t *Tap) session(d llm.Dialect, h http.Header, body []byte, read bool) (key string, unread bool) {
	for i := range t.o.Session {
		k := &t.o.Session[i]
		found := ""
		switch {
		case !k.inBody():
			found = k.ofHeaders(h)
		case !read:
			return "", true
		case len(body) > 0:
			found = k.ofBody(d, body)
		}
		if !blank(found) {
			return tidyKey(found), false
		}
	}
	return "", false
}

// blank says that there is nothing to read in a key: it names nobody, and those who send
// such a one are no conversation.
func blank(key string) bool {
	return key == "" || (key[0] <= ' ' || key[0] >= utf8.RuneSelf) && strings.TrimSpace(key) == ""
}

// ofBody gives what stands at the key in a whole body; "" if nothing does. It runs on
// the request's goroutine, so that a panic in our decoders must end here.
func (k *Key) ofBody(d llm.Dialect, body []byte) (found string) {
	defer func() {
		if recover() != nil {
			found = ""
		}
	}()
	if k.kind == keyBody {
		return textAt(body, k.path)
	}
	return opening(d, body)
}

// opening hashes a conversation's turns up to the first of the user: SHA-256 over role
// and text of each, with the length of each before it as 8 bytes, big-endian; of the
// sum the first 16 bytes, as hexadecimal digits. "" without a turn of the user.
func opening(d llm.Dialect, body []byte) string {
	turns, err := llm.Conversation(d, body)
	n := slices.IndexFunc(turns, func(t llm.Turn) bool { return t.Role == "user" })
	if err != nil || n < 0 {
		return ""
	}
	h := sha256.New()
	for _, turn := range turns[:n+1] {
		for _, text := range [...]string{turn.Role, turn.Text} {
			var size [8]byte
			binary.BigEndian.PutUint64(size[:], uint64(len(text)))
			h.Write(size[:])
			h.Write([]byte(text))
		}
	}
	return "opening:" + hex.EncodeToString(h.Sum(nil)[:16])
}

// buffered is a request body of which the beginning was read before the decision.
type buffered struct {
	io.Reader
	io.Closer
}

// buffer reads a body up to limit bytes and one more, and gives a body that reads
// the same: the bytes, the same error or the rest. whole says that body is all of it.
func buffer(r io.ReadCloser, limit int64) (body []byte, whole bool, same io.ReadCloser) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	var rest io.Reader = r
	if err != nil {
		rest = failing{err}
	}
	whole = err == nil && int64(len(body)) <= limit
	return body, whole, buffered{io.MultiReader(bytes.NewReader(body), rest), r}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// dialectHeaders are all that is kept of a request's headers.
func dialectHeaders(d llm.Dialect, h http.Header) map[string][]string {
	var names []string
	switch d {
	case llm.OpenAIChat, llm.OpenAIResponses:
		names = []string{"Openai-Beta"}
	case llm.AnthropicMessages:
		names = []string{"Anthropic-Version", "Anthropic-Beta"}
	}
	var kept map[string][]string
	for _, name := range names {
		values := h[name]
		if len(values) == 0 {
			continue
		}
		if kept == nil {
			kept = map[string][]string{}
		}
		kept[name] = slices.DeleteFunc(slices.Clone(values), func(v string) bool {
			return len(v) > maxKey || !utf8.ValidString(v)
		})
	}
	return kept
}
