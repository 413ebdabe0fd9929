package demo

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/understudy-eval/understudy/shadow"
)

const (
	requests = 6000
	maxTurns = 8
	// Rate and Salt decide which sessions are sampled: exactly 600 requests of this
	// cast, one for each card of a deck, and with as much spread between sessions as
	// makes the difference of the founding case its four standard errors.
	Rate = 0.10
	Salt = "demo-702"
	seed = 1
)

// liveCounts and candidateCounts are how many answers have grade 1 to 6: 600 an
// arm, means 2.68 and 2.37, the founding case's published means. They are the
// reference case unpaired_600_each of the statistics package's golden values.
func liveCounts() [6]int      { return [6]int{115, 204, 120, 105, 31, 25} }
func candidateCounts() [6]int { return [6]int{171, 231, 87, 51, 36, 24} }

// card is what one arm will say to one request: how good, and how fast.
type card struct {
	ref   string // names the answer in its text; says nothing of arm or grade
	grade int
	took  time.Duration
}

// turn is one request of a conversation.
type turn struct {
	text    string
	stream  bool
	form    bool // the answer has to be JSON
	live    card
	control card
	cand    card
}

// conversation is one session of a user.
type conversation struct {
	session string
	start   time.Duration // after the curtain rises
	turns   []turn
	sampled bool
}

// cast writes the conversations and deals every card, always the same.
func cast() []conversation {
	rng := rand.New(rand.NewPCG(seed, seed))
	var all []conversation
	for n := 0; n < requests; {
		turns := min(1+rng.IntN(maxTurns), requests-n)
		session := fmt.Sprintf("session-%04d", len(all)+1)
		c := conversation{
			session: session,
			sampled: shadow.Keep(session, Salt, Rate),
			turns:   make([]turn, turns),
			start:   time.Duration(rng.Float64() * float64(opening)),
		}
		for i := range c.turns {
			c.turns[i] = turn{text: question(rng, len(all), i), stream: (n+i)%3 == 0, form: (n+i)%4 == 1}
		}
		all = append(all, c)
		n += turns
	}
	deal(rng, all, true)
	deal(rng, all, false)
	return all
}

// deal gives a card of each arm to every request that is sampled, or to every one
// that is not. Decks are shuffled separately, so the arms are independent.
func deal(rng *rand.Rand, all []conversation, sampled bool) {
	var turns []*turn
	for i := range all {
		if all[i].sampled == sampled {
			for j := range all[i].turns {
				turns = append(turns, &all[i].turns[j])
			}
		}
	}
	live := shuffled(rng, liveCounts(), liveLatency(), len(turns))
	control := shuffled(rng, liveCounts(), liveLatency(), len(turns))
	cand := shuffled(rng, candidateCounts(), candidateLatency(), len(turns))
	for i, t := range turns {
		t.live, t.control, t.cand = live[i], control[i], cand[i]
	}
}

// shuffled is n cards: grades in the proportions of counts, latencies at evenly
// spaced quantiles, in two independent random orders.
func shuffled(rng *rand.Rand, counts [6]int, latency mixture, n int) []card {
	var grades []int
	for len(grades) < n {
		for i, count := range counts {
			for range count {
				grades = append(grades, i+1)
			}
		}
	}
	rng.Shuffle(len(grades), func(i, j int) { grades[i], grades[j] = grades[j], grades[i] })
	times := latency.deck(n)
	rng.Shuffle(n, func(i, j int) { times[i], times[j] = times[j], times[i] })
	cards := make([]card, n)
	for i := range cards {
		cards[i] = card{ref: fmt.Sprintf("%08x", rng.Uint32()), grade: grades[i], took: times[i]}
	}
	return cards
}
