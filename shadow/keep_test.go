package shadow_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
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
	for i := range 1_000_000 {
		key := "session " + strconv.Itoa(i)
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

// Two experiments draw independently, whatever their names have in common: of ids that
// count up, each of the first bits agrees in half of the cases, and the share that both
// keep is the product of the shares.
func TestSaltsAreIndependent(t *testing.T) {
	const n, bits = 100_000, 20
	for _, salts := range [][2]string{{"support-1", "support-2"}, {"", "a"}, {"a", "aa"}, {"support-2026-10", "sales-2026-10"}} {
		a, b := shadow.NewLot(salts[0]), shadow.NewLot(salts[1])
		var agree [bits]float64
		both := 0.0
		for i := range n {
			key := "id-" + strconv.Itoa(i)
			x, y := a.Draw(key), b.Draw(key)
			if x < 0.1 && y < 0.1 {
				both++
			}
			for bit := range agree {
				if differ := uint64(x*(1<<bits)) ^ uint64(y*(1<<bits)); differ>>bit&1 == 0 {
					agree[bit]++
				}
			}
		}
		for bit, count := range agree {
			if math.Abs(count-n/2) > 5*math.Sqrt(n)/2 {
				t.Errorf("%q: bit %d agrees in %v of %d draws", salts, bit, count, n)
			}
		}
		if math.Abs(both-n*0.01) > 5*math.Sqrt(n*0.01*0.99) {
			t.Errorf("%q: both keep %v of %d, want one in a hundred", salts, both, n)
		}
	}
}

// The places are part of the wire format: a process of another version must draw
// alike. Reference: XXH64 as its description (version 0.1.1) has it, written anew in
// Python 3, with hashlib.sha256 for the seed.
func TestDrawIsFixed(t *testing.T) {
	for _, c := range []struct {
		key, salt string
		want      float64
	}{
		{"", "", 0.9859093627968196},
		{"session-1", "support-2026-10", 0.3459822441631696},
		{"\xff\x00", "s", 0.962592707163341},
		{"3f2a9b1c-1111-4222-8333-944455556666", "support-2026-10", 0.1792276698796169}, // over 32 bytes: the other way of the hash
	} {
		if got := shadow.Draw(c.key, c.salt); got != c.want {
			t.Errorf("Draw(%q, %q) = %v, want %v", c.key, c.salt, got, c.want)
		}
	}
	if shadow.Draw("b", "a") == shadow.Draw("", "ab") || shadow.Draw("b", "a") == shadow.Draw("a", "b") {
		t.Error("key and salt are not told apart")
	}
}

// Another process decides the same: this test asks a second start of its own program.
func TestAnotherProcessDrawsAlike(t *testing.T) {
	const asked = "UNDERSTUDY_TEST_DRAWS"
	draws := func() string {
		var b strings.Builder
		for i := range 1000 {
			fmt.Fprintln(&b, shadow.Draw("id-"+strconv.Itoa(i), "salt"))
		}
		return b.String()
	}
	if os.Getenv(asked) != "" {
		fmt.Print("draws:\n", draws())
		return
	}
	again := exec.Command(os.Args[0], "-test.run", "^TestAnotherProcessDrawsAlike$")
	again.Env = append(os.Environ(), asked+"=1")
	out, err := again.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(out), "draws:\n"+draws()) {
		t.Error("another process draws other places")
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
