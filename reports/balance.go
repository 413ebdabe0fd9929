package reports

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/understudy-eval/understudy/shadow"
)

// Balance is what the taps counted, and whether it adds up:
//
//	Seen    = Sampled + Σ NotSampled
//	Sampled = Published + Σ Dropped + Inside
//	Published + Unbooked + Late = an arm's samples + left out + in flight, for every arm
//
// Inside and in flight are differences: what is still on its way. A negative one,
// a missing entry of a tap, or rows without books do not balance.
//
// Unbooked are samples that came after the last entry of their tap: it runs and
// will book them, or it was killed and never can. Over one percent of an arm's
// samples they do not balance. Late are samples that a tap gave up (bus_down, stopped)
// although the bus had them: a bus that stalls leaves that open.
type Balance struct {
	Balanced bool `json:"balanced"`
	// Wrong has a line for everything that does not add up.
	Wrong []string `json:"wrong"`
	// Entries counts the books' entries, Duplicates those that came again.
	Entries    int     `json:"entries"`
	Duplicates int     `json:"duplicates"`
	Seen       int64   `json:"seen"`
	NotSampled []Count `json:"not_sampled"`
	Sampled    int64   `json:"sampled"`
	Dropped    []Count `json:"dropped"`
	Published  int64   `json:"published"`
	Inside     int64   `json:"inside"`
	Unbooked   int64   `json:"unbooked"`
	Late       int64   `json:"late"`
	// Dead counts dead letters by "stage: why". They are part of what is in flight.
	Dead []Count `json:"dead"`
	// Paused counts the pauses of grading by their cause; what was to be graded waited.
	Paused []Count `json:"paused"`
}

// ledger adds up the books of an experiment.
type ledger struct {
	entries, duplicates int
	numbers             map[string]map[uint64]bool
	sums                map[shadow.Entry]map[string]int64
	strange             map[string]bool
	// reach is how many samples each tap had handed to the bus by its last entry.
	reach map[string]int64
}

// unbookedPercent is how much of the samples may be missing from the books: a tap
// books every few seconds, so more than that is no delay. A judgement of ours.
const unbookedPercent = 1

func newLedger() ledger {
	return ledger{
		numbers: map[string]map[uint64]bool{}, sums: map[shadow.Entry]map[string]int64{}, strange: map[string]bool{},
		reach: map[string]int64{},
	}
}

// readBooks adds up the books of a window, and those of all days up to its end.
func readBooks(books iter.Seq2[shadow.Books, error], e Experiment, w Window) (inside, whole ledger, err error) {
	inside, whole = newLedger(), newLedger()
	if books == nil {
		return inside, whole, nil
	}
	for b, err := range books {
		if err != nil {
			return ledger{}, ledger{}, err
		}
		if b.Experiment != e.Name {
			continue
		}
		if inside.first(b) {
			inside.add(b, w)
		}
		if whole.first(b) {
			whole.add(b, w.whole())
		}
	}
	return inside, whole, nil
}

// first reports whether an entry comes for the first time.
func (l *ledger) first(b shadow.Books) bool {
	if l.numbers[b.Source] == nil {
		l.numbers[b.Source] = map[uint64]bool{}
	}
	if l.numbers[b.Source][b.Number] {
		l.duplicates++
		return false
	}
	l.numbers[b.Source][b.Number] = true
	l.entries++
	return true
}

func (l *ledger) add(b shadow.Books, w Window) {
	l.reach[b.Source] += b.HandedOver()
	for _, line := range b.Lines {
		switch {
		case !w.containsDay(line.Day):
		case line.Count < 0:
			l.strange[fmt.Sprintf("%s: entry %d counts %d %s", b.Source, b.Number, line.Count, line.Entry)] = true
		default:
			if l.sums[line.Entry] == nil {
				l.sums[line.Entry] = map[string]int64{}
			}
			l.sums[line.Entry][line.Reason] += line.Count
		}
	}
}

func (l *ledger) total(e shadow.Entry) int64 {
	var sum int64
	for _, n := range l.sums[e] {
		sum += n
	}
	return sum
}

// gaps lists the sources of which an entry is missing: numbers run from 1 on.
func (l *ledger) gaps() []string {
	var out []string
	for _, source := range slices.Sorted(maps.Keys(l.numbers)) {
		numbers := l.numbers[source]
		highest := slices.Max(slices.Collect(maps.Keys(numbers)))
		if numbers[0] {
			out = append(out, fmt.Sprintf("books of %s: an entry has no number", source))
			continue
		}
		switch missing := highest - uint64(len(numbers)); missing {
		case 0:
		case 1:
			out = append(out, fmt.Sprintf("books of %s: 1 of %d entries is missing", source, highest))
		default:
			out = append(out, fmt.Sprintf("books of %s: %d of %d entries are missing", source, missing, highest))
		}
	}
	return out
}

// balance checks the identities and fills InFlight of every arm. unbooked has a
// count for each arm.
func (l *ledger) balance(arms []ArmReport, unbooked []int) Balance {
	b := Balance{
		Entries: l.entries, Duplicates: l.duplicates,
		Seen: l.total(shadow.Seen), Sampled: l.total(shadow.EntrySampled), Published: l.total(shadow.EntryPublished),
		NotSampled: counts(l.sums[shadow.EntryNotSampled], shadow.NotSampledReasons()),
		Dropped:    counts(l.sums[shadow.EntryDropped], shadow.DroppedReasons()),
		Dead:       counts(l.sums[shadow.EntryDead], []string(nil)),
		Paused:     counts(l.sums[shadow.EntryPaused], []string(nil)),
		Wrong:      append(slices.Sorted(maps.Keys(l.strange)), l.gaps()...),
	}
	notSampled, dropped := l.total(shadow.EntryNotSampled), l.total(shadow.EntryDropped)
	b.Inside = b.Sampled - b.Published - dropped
	if b.Seen != b.Sampled+notSampled {
		b.Wrong = append(b.Wrong, fmt.Sprintf("seen %d is not sampled %d + not sampled %d", b.Seen, b.Sampled, notSampled))
	}
	if b.Inside < 0 {
		b.Wrong = append(b.Wrong, fmt.Sprintf("sampled %d is less than published %d + dropped %d", b.Sampled, b.Published, dropped))
	}
	b.Unbooked = int64(slices.Max(unbooked))
	for i := range arms {
		b.Wrong = append(b.Wrong, l.flight(&arms[i], int64(unbooked[i]), &b)...)
	}
	if b.Wrong == nil {
		b.Wrong = []string{}
	}
	b.Balanced = len(b.Wrong) == 0
	return b
}

// flight fills InFlight of an arm and says what does not add up. Late of b grows to
// what the arm with the most late samples has.
func (l *ledger) flight(a *ArmReport, unbooked int64, b *Balance) []string {
	known := int64(a.Samples) + int64(a.LeftOut)
	if l.entries == 0 {
		if known == 0 {
			return nil
		}
		return []string{fmt.Sprintf("arm %s: %s, but no books", a.Name, counted(int(known), "sample"))}
	}
	if enough := samplesFor(unbooked); known < enough {
		return []string{fmt.Sprintf("arm %s: %d of %s came after the last entry of their tap's books (at most %d %% may): "+
			"a tap that runs books them within a minute; if it was killed, the books balance again from %s samples on, or in a window without that day",
			a.Name, unbooked, counted(int(known), "sample"), unbookedPercent, number(enough))}
	}
	inFlight := b.Published + unbooked - known
	late := min(max(0, -inFlight), l.givenUp())
	b.Late = max(b.Late, late)
	inFlight += late
	a.InFlight = &inFlight
	if inFlight < 0 {
		return []string{fmt.Sprintf("arm %s: %s, but %d published", a.Name, counted(int(known), "sample"), b.Published)}
	}
	return nil
}

// samplesFor is how many samples make so many unbooked ones no more than may be.
func samplesFor(unbooked int64) int64 { return (100*unbooked + unbookedPercent - 1) / unbookedPercent }

func (l *ledger) givenUp() int64 {
	var sum int64
	for reason, n := range l.sums[shadow.EntryDropped] {
		if (shadow.Line{Entry: shadow.EntryDropped, Reason: reason}).GivenUp() {
			sum += n
		}
	}
	return sum
}
