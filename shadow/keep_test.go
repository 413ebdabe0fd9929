package shadow_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/understudy-eval/understudy/shadow"
)

func TestKeepTakesItsShare(t *testing.T) {
	kept := 0
	for i := range 1_000_000 {
		if shadow.Keep("id-"+strconv.Itoa(i), "salt", 0.01) {
			kept++
		}
	}
	if kept < 9_600 || kept > 10_400 { // four standard errors of 99.5
		t.Errorf("kept %d of 10^6 at 1 %%, want 10,000 ± 400", kept)
	}
}

func TestDrawIsUniform(t *testing.T) {
	const n, bins = 100_000, 100
	var count [bins]float64
	for i := range n {
		d := shadow.Draw(strconv.Itoa(i), "another")
		if d < 0 || d >= 1 {
			t.Fatalf("draw %v is not in [0, 1)", d)
		}
		count[int(d*bins)]++
	}
	chi := 0.0
	for _, c := range count {
		chi += (c - n/bins) * (c - n/bins) / (n / bins)
	}
	if chi > 99+5*math.Sqrt(2*99) { // mean 99, five standard deviations
		t.Errorf("chi-square %.1f over %d bins", chi, bins)
	}
}

func TestRatesNest(t *testing.T) {
	for i := range 20_000 {
		key := fmt.Sprint("session ", i)
		if shadow.Keep(key, "s", 0.003) && !shadow.Keep(key, "s", 0.01) {
			t.Fatalf("%q is kept at 0.3 %% and not at 1 %%", key)
		}
		s := shadow.Sample{Rate: 0.5, Draw: shadow.Draw(key, "s")}
		if s.InShare(0.3) && !s.InShare(0.31) {
			t.Fatalf("%q is in the smaller share only", key)
		}
		if s.InShare(1) != shadow.Keep(key, "s", 0.5) {
			t.Fatalf("%q: the whole share is not the sample", key)
		}
	}
}

func TestKeepAtTheEnds(t *testing.T) {
	for _, c := range []struct {
		rate float64
		want bool
		why  string
	}{
		{0, false, "a rate of 0 keeps nothing"},
		{-1, false, "nor does one below it"},
		{math.NaN(), false, "what is no rate keeps nothing"},
		{1, true, "a rate of 1 keeps everything"},
		{2, true, "so does one above it"},
	} {
		for i := range 1000 {
			if shadow.Keep(strconv.Itoa(i), "", c.rate) != c.want {
				t.Errorf("rate %v: %s", c.rate, c.why)
			}
		}
	}
}

// The places are part of the wire format: a process of another version must draw
// alike. Reference: Python 3 hashlib.sha256 over the bytes that Draw documents.
func TestDrawIsFixed(t *testing.T) {
	for _, c := range []struct {
		key, salt string
		want      float64
	}{
		{"", "", 0.6848974799809221},
		{"session-1", "support-2026-10", 0.7163747848228883},
		{"\xff\x00", "s", 0.4529223606788645},
	} {
		if got := shadow.Draw(c.key, c.salt); got != c.want {
			t.Errorf("Draw(%q, %q) = %v, want %v", c.key, c.salt, got, c.want)
		}
	}
	if shadow.Draw("b", "a") == shadow.Draw("", "ab") || shadow.Draw("b", "a") == shadow.Draw("a", "b") {
		t.Error("key and salt are not told apart")
	}
}

func ExampleKeep() {
	for _, session := range []string{"s-1", "s-2", "s-3", "s-4"} {
		fmt.Println(session, shadow.Keep(session, "support-2026-10", 0.5))
	}
	// Output:
	// s-1 false
	// s-2 true
	// s-3 true
	// s-4 false
}
