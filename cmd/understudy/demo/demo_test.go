package demo

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

// The decks are the founding case's: exactly 600 requests are sampled, and each
// arm's cards have its means and its shares over 3 and 6 s.
func TestDecks(t *testing.T) {
	type arm struct {
		name         string
		of           func(turn) card
		mean         float64
		over3, over6 int
	}
	for _, a := range []arm{
		{"live", func(t turn) card { return t.live }, 2.68, 9, 0},
		{"control", func(t turn) card { return t.control }, 2.68, 9, 0},
		{"candidate", func(t turn) card { return t.cand }, 2.37, 198, 81},
	} {
		n, sum, over3, over6 := 0, 0, 0, 0
		for _, c := range cast() {
			for _, turn := range c.turns {
				if !c.sampled {
					continue
				}
				dealt := a.of(turn)
				n++
				sum += dealt.grade
				if dealt.took > 3*time.Second {
					over3++
				}
				if dealt.took > 6*time.Second {
					over6++
				}
			}
		}
		if mean := float64(sum) / float64(n); n != 600 || math.Abs(mean-a.mean) > 1e-9 {
			t.Errorf("%s: %d cards with mean %v, want 600 with %v", a.name, n, mean, a.mean)
		}
		if over3 != a.over3 || over6 != a.over6 {
			t.Errorf("%s: %d over 3 s and %d over 6 s, want %d and %d", a.name, over3, over6, a.over3, a.over6)
		}
	}
}

func TestCast(t *testing.T) {
	sessions, requests, streamed, refs := map[string]bool{}, 0, 0, map[string]bool{}
	for _, c := range cast() {
		if sessions[c.session] || len(c.turns) < 1 || len(c.turns) > maxTurns {
			t.Errorf("%s is there twice, or has %d turns", c.session, len(c.turns))
		}
		sessions[c.session] = true
		for _, turn := range c.turns {
			requests++
			if turn.stream {
				streamed++
			}
			for _, dealt := range []card{turn.live, turn.control, turn.cand} {
				if refs[dealt.ref] {
					t.Errorf("reference %s names two answers", dealt.ref)
				}
				refs[dealt.ref] = true
			}
		}
	}
	if requests != 6000 || math.Abs(float64(streamed)-2000) > 60 {
		t.Errorf("%d requests, %d of them streamed; want 6000, a third streamed", requests, streamed)
	}
}

// A quarter of the requests ask for JSON, and each such answer is JSON but for the
// candidate's in a fence.
func TestForms(t *testing.T) {
	asked, broken := 0, 0
	for _, c := range cast() {
		for _, turn := range c.turns {
			if !turn.form {
				continue
			}
			asked++
			for _, dealt := range []card{turn.live, turn.control, turn.cand} {
				var reply struct{ Reply string }
				if err := json.Unmarshal([]byte(turn.said(dealt)), &reply); err != nil || reply.Reply != answer(dealt) {
					t.Fatalf("%s: %v", turn.said(dealt), err)
				}
			}
			if !json.Valid([]byte(turn.fenced(turn.cand))) {
				broken++
			}
		}
	}
	if math.Abs(float64(asked)-1500) > 60 || math.Abs(float64(broken)-1500.0/16) > 30 {
		t.Errorf("%d requests for JSON, %d fenced; want a quarter of 6000, and a sixteenth of those", asked, broken)
	}
}

// The mixtures have the founding case's published figures.
func TestLatencies(t *testing.T) {
	for _, c := range []struct {
		name      string
		m         mixture
		over      float64
		want, tol float64
	}{
		{"candidate over 2.3 s: its median", candidateLatency(), 2.3, 0.5, 0.002},
		{"candidate over 3 s", candidateLatency(), 3, 0.33, 0.002},
		{"candidate over 6 s", candidateLatency(), 6, 0.135, 0.002},
		{"live over 3 s: 98 to 99 % within", liveLatency(), 3, 0.015, 0.003},
		{"judge over 0.7 s: its median", judgeLatency(), 0.7, 0.5, 0.001},
		{"judge over 1.6 s: its 90th percentile", judgeLatency(), 1.6, 0.1, 0.002},
	} {
		if got := c.m.over(c.over); math.Abs(got-c.want) > c.tol {
			t.Errorf("%s: %.4f, want %.4f", c.name, got, c.want)
		}
	}
	if got := candidateLatency().quantile(0.5).Seconds(); math.Abs(got-2.3) > 0.01 {
		t.Errorf("median of the candidate %.3f s, want 2.30", got)
	}
}
