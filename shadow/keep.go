package shadow

import (
	"crypto/sha256"
	"encoding/binary"
)

// Draw places a key in [0, 1): the first 53 bits of SHA-256(len(salt) ‖ salt ‖ key)
// as a fraction. The same key and salt give the same place in every process, and
// places of different keys are uniform and independent.
func Draw(key, salt string) float64 {
	h := sha256.New()
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(salt)))
	h.Write(size[:])
	h.Write([]byte(salt))
	h.Write([]byte(key))
	var sum [sha256.Size]byte
	return float64(binary.BigEndian.Uint64(h.Sum(sum[:0]))>>11) / (1 << 53)
}

// Keep decides whether a request is sampled: Draw(key, salt) < rate. Rates nest:
// what is kept at 0.3 % is kept at 1 % too. A rate of 0 or below keeps nothing, a
// rate of 1 or above everything.
func Keep(key, salt string, rate float64) bool { return Draw(key, salt) < rate }

// InShare says whether a sample belongs to a share (0..1) of the samples: Draw <
// Rate × share. All shares of a sample nest, so an arm at 30 % answers a subset of
// what an arm at 100 % answers, and the judge's share is drawn the same way. The
// chance that a request is in the share is Rate × share.
func (s Sample) InShare(share float64) bool { return s.Draw < s.Rate*share }
