package tap_test

import (
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Bytes are kept whole in pieces of any size, at the ends of the memory's chunks too.
func TestPiecesOfAnySize(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		size := draw.IntN(12<<10) + 1
		largest := []int{3, 100, 4068, 4069, 4080, 16 << 10}[draw.IntN(6)]
		said := make([]byte, size)
		for i := range said {
			said[i] = 'a' + byte(draw.IntN(26))
		}
		ask := strings.Replace(question, "Hallo", string(said), 1)
		answer := strings.Replace(wholeAnswer, "Gern.", string(said), 1)
		r := start(t, options(), &store{})
		r.Middleware(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			buffer := make([]byte, largest)
			for {
				n, err := req.Body.Read(buffer[:draw.IntN(largest)+1])
				if n == 0 || err != nil {
					break
				}
			}
			for rest := answer; rest != ""; {
				n := min(draw.IntN(largest+1), len(rest))
				_, _ = io.WriteString(w, rest[:n])
				rest = rest[n:]
			}
		})).ServeHTTP(&plainWriter{}, request(t, "POST", chatPath, ask))
		if s := r.one(t); string(s.Request) != ask || s.Live.Text != string(said) {
			t.Fatalf("%d bytes in pieces of up to %d: %d bytes asked, %d said", size, largest, len(s.Request), len(s.Live.Text))
		}
	}
}

// After thousands of pieces some are joined; a time is then off by less than 10 ms.
func TestTimesOfALongStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options(), &store{})
		const thoughts, gap = 9000, time.Millisecond
		r.Middleware(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body)
			for range thoughts {
				time.Sleep(gap)
				_, _ = io.WriteString(w, ": thinking\n\n")
			}
			time.Sleep(time.Second)
			_, _ = io.WriteString(w, chunk("Gern."))
			time.Sleep(gap)
			_, _ = io.WriteString(w, chunk(" Ja.")+stopChunk+doneEvent)
			time.Sleep(time.Minute) // what the handler does afterwards
		})).ServeHTTP(&plainWriter{}, request(t, "POST", chatPath, streamed))
		live := r.one(t).Live
		first := thoughts*gap + time.Second
		if live.FirstToken != first || live.Took != first+gap || live.Text != "Gern. Ja." {
			t.Errorf("first token %v, took %v, %q; want %v and a gap more", live.FirstToken, live.Took, live.Text, first)
		}
	})
}
