package judge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// seriesOf names the yardstick of a bench: 12 hexadecimal digits of SHA-256 over what
// makes verdicts comparable, which is each judge's snapshot with the mechanism of its
// replies and whether it sees images, the first one before the reserve, and the rubric with its prompt. Another
// snapshot, rubric or prompt is another series.
func seriesOf(seats []Seat, d rubric.Digest) string {
	h := sha256.New()
	fmt.Fprintf(h, "understudy series 1\n%q\n", d)
	for _, s := range seats {
		fmt.Fprintf(h, "%q %s %t\n", s.Pinned, cmp.Or(s.Reply, llm.ReplySchema), s.Images)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// Series names the yardstick of this judge's rulings, see [Ruling.Series].
func (j *Judge) Series() string { return j.series }
