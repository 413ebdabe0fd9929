package tap_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// A document that is sent twice is one sample, and the books say what became of both.
func TestDocumentSentTwice(t *testing.T) {
	named := func(id string) string { return document(answered + `,"id":"` + id + `"`) }
	for _, tt := range []struct {
		name, why string
		sent      []string
		published int
		duplicate int
	}{
		{"at once", "a client that tries again", []string{named("a"), named("a"), named("b")}, 2, 1},
		{"in one batch", "a file that is sent with its end again", []string{named("a") + "\n" + named("b") + "\n" + named("a")}, 2, 1},
		{"another answer", "the id decides: the first counts", []string{named("a"), strings.Replace(named("a"), "Gern.", "Nein.", 1)}, 1, 1},
		{"one id, two spellings", "a UUID with and without dashes is one sample",
			[]string{named("0123456789abcdef0123456789abcdef"), named("01234567-89ab-cdef-0123-456789abcdef")}, 1, 1},
		{"without an id", "nobody can tell that they are the same", []string{document(answered), document(answered)}, 2, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t, options(), &store{})
			for _, body := range tt.sent {
				if got := r.Receive([]byte(body)); got.Status != 202 {
					t.Errorf("receipt %+v", got)
				}
			}
			if all := r.drained(t); len(all) > 0 && all[0].Live.Text != "Gern." {
				t.Errorf("%+v", all[0].Live)
			}
			r.balanced(t)
			if got := r.counts(); got["published"] != int64(tt.published) || got["not_sampled[duplicate]"] != int64(tt.duplicate) {
				t.Errorf("%s: %v", tt.why, got)
			}
		})
	}
}

// What found no room may be sent again and is no duplicate.
func TestDocumentThatFoundNoRoom(t *testing.T) {
	s := &store{}
	o := options()
	o.Queue.Items = 1
	tp, err := tap.New(o, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b", "b", "a"} { // before Run
		tp.Receive([]byte(document(answered + `,"id":"` + id + `"`)))
	}
	runOnce(t, tp)
	sameCounts(t, s.counts(), want("seen", 4, "sampled", 3, "published", 1, "dropped[queue_full]", 2, "not_sampled[duplicate]", 1))
}

// The bus tells what another process took; numbers without a sample are void, so that
// the samples after them are not taken for such that nobody booked.
func TestNumbersWithoutASample(t *testing.T) {
	var n atomic.Int64
	s := &store{sample: func(context.Context, shadow.Sample) error {
		switch n.Add(1) {
		case 1:
			return fmt.Errorf("publish: %w", shadow.ErrDuplicate)
		case 2:
			return fmt.Errorf("publish: %w", shadow.ErrTooLarge)
		}
		return nil
	}}
	o := options()
	o.Publishers = 1
	r := start(t, o, s)
	for range 4 {
		r.Receive([]byte(document(answered)))
	}
	var highest, handed int64
	for _, s := range r.drained(t) {
		highest = max(highest, int64(s.Seq))
	}
	for _, b := range r.books {
		handed += b.HandedOver()
	}
	if handed != 4 || highest > handed {
		t.Errorf("numbers up to %d, the books account for %d", highest, handed)
	}
	sameCounts(t, r.counts(), want("seen", 4, "sampled", 2, "published", 2, "not_sampled[duplicate]", 1, "not_sampled[too_large]", 1, "void", 2))
}
