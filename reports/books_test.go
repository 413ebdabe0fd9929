package reports_test

import (
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// TestBooks: whatever does not add up is named, and there is no decision.
func TestBooks(t *testing.T) {
	for _, c := range []struct {
		name, why string
		change    func([]shadow.Books) []shadow.Books
		want      string // part of a line; empty: balanced
	}{
		{"balanced", "", func(b []shadow.Books) []shadow.Books { return b }, ""},
		{"twice", "entries are counted once", func(b []shadow.Books) []shadow.Books { return append(b, b[0]) }, ""},
		{"others", "another experiment's books", func(b []shadow.Books) []shadow.Books {
			other := booksFor(7)[0]
			other.Experiment, other.Source = "x", "tap-9"
			return append(b, other)
		}, ""},
		{"none", "rows alone prove nothing", func([]shadow.Books) []shadow.Books { return nil }, "no books"},
		{"few published", "more rows than samples", func(b []shadow.Books) []shadow.Books { return booksFor(599) }, "600 samples, but 599 published"},
		{"in flight", "samples on their way are no mistake", func(b []shadow.Books) []shadow.Books { return booksFor(610) }, ""},
		{"seen", "one request is unaccounted for", func(b []shadow.Books) []shadow.Books {
			b[0].Lines[0].Count++
			return b
		}, "seen 60603 is not"},
		{"sampled", "more left the tap than came in", func(b []shadow.Books) []shadow.Books {
			b[0].Lines[0].Count--
			b[0].Lines[2].Count--
			return b
		}, "less than published"},
		{"gap", "an entry is missing", func(b []shadow.Books) []shadow.Books {
			b[0].Number = 2
			return b
		}, "1 of 2 entries is missing"},
		{"negative", "a count cannot be", func(b []shadow.Books) []shadow.Books {
			b[0].Lines[1].Count = -1
			return b
		}, "counts -1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := build(t, experiment(), foundingRows(t), c.change(booksFor(600)))
			if r.Books.Balanced != (c.want == "") || !strings.Contains(strings.Join(r.Books.Wrong, "\n"), c.want) {
				t.Errorf("%s: %+v", c.why, r.Books)
			}
			d := decide(t, r)
			if want := map[bool]int{true: 3, false: 1}[r.Books.Balanced]; d.ExitCode() != want {
				t.Errorf("exit %d, want %d: %s", d.ExitCode(), want, d.Sentence)
			}
			if !r.Books.Balanced && (d.Outcome != reports.NoDecision || !strings.Contains(d.Sentence, c.want)) {
				t.Errorf("%s", d.Sentence)
			}
		})
	}
}

// TestBooksBehindTheRows: samples that came after a tap's last entry, and samples
// that a tap gave up although the bus had them, are shown and do not stop a
// decision; many of the former do.
func TestBooksBehindTheRows(t *testing.T) {
	numbered := func(rows []sinks.Row) []sinks.Row {
		for i := range rows {
			rows[i].Tap = "tap-1"
			rows[i].TapSeq = new(int64(binary.BigEndian.Uint64(rows[i].Sample[8:])))
		}
		return rows
	}
	for _, c := range []struct {
		name, why      string
		published      int
		givenUp        string
		unbooked, late int64
		want           string
	}{
		{"whole", "", 600, "", 0, 0, ""},
		{"a little behind", "six of 600: the tap runs, or was killed", 594, "", 6, 0, ""},
		{"far behind", "over one percent is no delay", 590, "", 10, 0, "10 of 600 samples came after the last entry of their tap's books (at most 1 % may): a tap that runs books them within a minute; " +
			"if it was killed, the books balance again from 1,000 samples on, or in a window without that day"},
		{"one too many", "the limit itself is allowed: see above", 593, "", 7, 0, "7 of 600 samples came after the last entry"},
		{"gave up", "the bus had what the tap counted as bus_down", 598, "bus_down", 0, 2, ""},
		{"stopped", "the same at the tap's end", 598, "stopped", 0, 2, ""},
		{"queue full", "those never reached the bus", 600, "queue_full", 0, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			books := booksFor(c.published)
			if c.givenUp != "" {
				books[0].Lines[4].Reason = c.givenUp
			}
			r := build(t, experiment(), numbered(foundingRows(t)), books)
			b := r.Books
			if b.Unbooked != c.unbooked || b.Late != c.late || b.Balanced != (c.want == "") ||
				!strings.Contains(strings.Join(b.Wrong, "\n"), c.want) {
				t.Errorf("%s: %+v", c.why, b)
			}
			for _, a := range r.Arms {
				if b.Balanced && *a.InFlight != 0 {
					t.Errorf("arm %s: %d in flight", a.Name, *a.InFlight)
				}
			}
		})
	}
}

// TestJSON: the report survives a round trip, and no figure is NaN or infinite.
func TestJSON(t *testing.T) {
	r := build(t, experiment(), foundingRows(t), booksFor(600))
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back reports.Report
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Error(diff)
	}
	again, err := back.Experiment.Gate.Decide(back, "cand-a", time.Time{})
	if err != nil || again.Sentence != decide(t, r).Sentence {
		t.Errorf("a stored report is decided differently: %v, %v", again.Sentence, err)
	}
}
