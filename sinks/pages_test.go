package sinks_test

import (
	"testing"

	"github.com/understudy-eval/understudy/sinks"
)

func TestCountIn(t *testing.T) {
	for _, c := range []struct {
		name, why string
		data      []byte
		width, n  int
		count     int
		ok        bool
	}{
		{"run", "eight times 1", []byte{8 << 1, 1}, 1, 8, 8, true},
		{"run of 0", "eight times 0", []byte{8 << 1, 0}, 1, 8, 0, true},
		{"packed", "one group of eight bits", []byte{1<<1 | 1, 0b1010_0110}, 1, 8, 4, true},
		{"packed, padded", "only the first three of eight count", []byte{1<<1 | 1, 0b1111_1110}, 1, 3, 2, true},
		{"both", "a run, then a group", []byte{2 << 1, 1, 1<<1 | 1, 0xff}, 1, 10, 10, true},
		{"two bits", "levels of a list: want 1, given 2 1 0 1", []byte{1<<1 | 1, 0b01_00_01_10, 0}, 2, 4, 2, true},
		{"empty", "the reader would wait for ever", nil, 1, 1, 0, false},
		{"short run", "fewer than the header says", []byte{2 << 1, 1}, 1, 3, 0, false},
		{"run of none", "no progress", []byte{0, 1, 0, 1}, 1, 3, 0, false},
		{"no value", "cut after the length", []byte{8 << 1}, 1, 8, 0, false},
		{"cut group", "cut inside the bits", []byte{2<<1 | 1, 0xff}, 1, 16, 0, false},
		{"endless length", "a number that does not end", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 1, 8, 0, false},
		{"nothing wanted", "a page without values", nil, 1, 0, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			count, ok := sinks.CountIn(c.data, c.width, c.n, 1)
			if ok != c.ok || (ok && count != c.count) {
				t.Errorf("%s: %d, %v; want %d, %v", c.why, count, ok, c.count, c.ok)
			}
		})
	}
}
