package shadow

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Lot draws keys under one salt; [NewLot] makes it.
type Lot struct{ seed uint64 }

// NewLot makes the lot of a salt: its seed is the first 8 bytes of SHA-256(salt) as a
// big-endian number. Lots of different salts are independent of each other.
func NewLot(salt string) Lot {
	sum := sha256.Sum256([]byte(salt))
	return Lot{binary.BigEndian.Uint64(sum[:])}
}

// Draw places a key in [0, 1): the first 53 bits of XXH64(key, seed) as a fraction. The
// same key and salt give the same place in every process, and places of different keys
// are uniform and independent. It takes some 20 ns and allocates nothing.
//
// XXH64 is no cipher: who knows the salt can make up keys that are always drawn.
//
// Source: Y. Collet, xxHash fast digest algorithm, version 0.1.1.
func (l Lot) Draw(key string) float64 {
	var d xxhash.Digest
	d.ResetWithSeed(l.seed)
	_, _ = d.WriteString(key) // never fails
	return float64(d.Sum64()>>11) / (1 << 53)
}

// Draw places a key in [0, 1) under a salt, see [Lot.Draw].
func Draw(key, salt string) float64 { return NewLot(salt).Draw(key) }

// Keep decides whether a request is sampled: Draw(key, salt) < rate. Rates nest:
// what is kept at 0.3 % is kept at 1 % too. A rate of 0 or below keeps nothing, a
// rate of 1 or above everything.
func Keep(key, salt string, rate float64) bool { return Draw(key, salt) < rate }

// InShare says whether a sample belongs to a share (0..1) of the samples: Draw <
// Rate × share. All shares of a sample nest, so an arm at 30 % answers a subset of
// what an arm at 100 % answers, and the judge's share is drawn the same way. The
// chance that a request is in the share is Rate × share.
func (s Sample) InShare(share float64) bool { return s.Draw < s.Rate*share }
