package tap

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/understudy-eval/understudy/shadow"
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

// find gives what stands at the key in the headers or in a whole body; "" if nothing does.
func (k *Key) find(h http.Header, body []byte) string {
	if k.header != "" {
		if values := h[k.header]; len(values) > 0 {
			return values[0]
		}
		return ""
	}
	if len(body) == 0 {
		return ""
	}
	return textAt(body, k.body)
}

// textAt gives the string or number at a path of a JSON document; "" if there is
// none. Names are matched exactly; of equal names the last counts.
func textAt(doc []byte, path []string) string {
	for _, step := range path {
		doc = bytes.TrimLeft(doc, " \t\r\n")
		var err error
		if len(doc) > 0 && doc[0] == '[' {
			doc, err = itemAt(doc, step)
		} else {
			var members map[string]json.RawMessage
			err = json.Unmarshal(doc, &members)
			doc = members[step]
		}
		if err != nil || doc == nil {
			return ""
		}
	}
	var text string
	if json.Unmarshal(doc, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(doc, &number) == nil {
		return number.String()
	}
	return ""
}

func itemAt(doc []byte, step string) ([]byte, error) {
	i, err := strconv.Atoi(step)
	if err != nil {
		return nil, err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(doc, &items); err != nil || i < 0 || i >= len(items) {
		return nil, err
	}
	return items[i], nil
}

// session gives the session's key of a request; "" if it names none.
func (t *Tap) session(h http.Header, body []byte) string {
	for i := range t.o.Session {
		if found := t.o.Session[i].find(h, body); found != "" {
			return tidyKey(found)
		}
	}
	return ""
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
func dialectHeaders(h http.Header) map[string][]string {
	var kept map[string][]string
	for _, name := range [...]string{"Anthropic-Version", "Anthropic-Beta", "Openai-Beta"} {
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
