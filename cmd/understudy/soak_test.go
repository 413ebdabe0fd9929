//go:build linux || darwin

package main

import (
	"flag"
	"runtime"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/shadow/bus"
)

// soak is for a long run by hand: go test ./cmd/understudy -run MemoryStaysFlat -soak 10m
// (and -timeout above it).
var soak = flag.Duration("soak", 0, "how long TestMemoryStaysFlat goes on; 0 is a short run")

// What the process holds after four times as many samples, all written, is no more than
// after the first, but for what caches may hold: a quarter of what one stage was given.
func TestMemoryStaysFlat(t *testing.T) {
	const size, round, slack = 64 << 10, 100, 8 << 20
	url, request := instant(t), benchRequest(size)
	server := benchServer(t, time.Minute)
	p, stop := benchProcess(t, url, server.URL(), "100ms")
	sent := 0
	playUntil(t, p, allRoles()[1:], func() {
		send := func() {
			fill(t, p.bus, request, sent, round)
			sent += round
			awaitLeft(t, p.bus, func(l bus.Backlog) bool { return l.Left() == 0 })
		}
		send()
		for warm := time.Now(); time.Since(warm) < *soak/4; {
			send()
		}
		before := heap()
		begin, more := time.Now(), 3
		for more > 0 || time.Since(begin) < *soak*3/4 {
			send()
			more--
			if *soak > 0 {
				t.Logf("%d samples: %d MiB in use", sent, heap()>>20)
			}
		}
		after := heap()
		for try := 0; try < 20 && after > before+slack; try++ { // caches expire
			time.Sleep(500 * time.Millisecond)
			after = heap()
		}
		if after > before+slack {
			t.Errorf("%d KiB in use after %d samples, %d KiB before the last of them", after>>10, sent, before>>10)
		}
	})
	checkWritten(t, p, 2*sent)
	if err := stop(); err != nil {
		t.Error(err)
	}
	if err := server.Shutdown(); err != nil {
		t.Error(err)
	}
}

// heap is what is reachable now, in bytes.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
