package bus

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// The kinds of messages; each has a stream and, per experiment, one stage that works on it.
const (
	KindSample = "sample"
	KindTrial  = "trial"
	KindGraded = "graded"
	KindBooks  = "books"
)

const kindDead = "dead"

// maxToken bounds an experiment's token: the server takes names of 255 bytes, and
// file systems names of about as many.
const maxToken = 96

// token writes an experiment's name as one part of a subject, of a consumer's name
// and of a key: letters, digits, - and _ stand for themselves, any other byte is
// =XX. Different names have different tokens; a long one ends in its hash.
func token(experiment string) string {
	var b strings.Builder
	for i := range len(experiment) {
		c := experiment[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	if b.Len() <= maxToken {
		return b.String()
	}
	sum := sha256.Sum256([]byte(experiment))
	return fmt.Sprintf("%s=h%x", b.String()[:maxToken-34], sum[:16])
}

// streamName names the stream of a kind.
func streamName(kind string) string { return "understudy_" + kind }

// subject is where messages of a kind and of this bus's experiment go.
func (b *Bus) subject(kind string) string { return "understudy." + kind + "." + b.token }

// deadSubject is where dead letters of a kind go.
func (b *Bus) deadSubject(kind string) string {
	return "understudy." + kindDead + "." + kind + "." + b.token
}

// durable names the consumer of a kind's stage.
func (b *Bus) durable(kind string) string { return kind + "-" + b.token }
