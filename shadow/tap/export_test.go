package tap

import "encoding/binary"

// Discard counts what waits in the queue as stopped, as a decoder would take it.
func (t *Tap) Discard() { t.discard() }

// BreakEverySecond spoils every second capture that waits in the queue so that it
// panics when it is decoded.
func (t *Tap) BreakEverySecond() {
	for i := range len(t.queue) {
		c := <-t.queue
		if i%2 == 1 {
			binary.LittleEndian.PutUint32(c.response.first.data[8:], 1<<30)
		}
		t.queue <- c
	}
}

// Held says how many bytes of the budget are taken.
func (t *Tap) Held() int64 { return t.budget.held.Load() }
