package shadow_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow"
)

var noon = time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC)

func TestLedgerWritesEntries(t *testing.T) {
	l := shadow.NewLedger("e", "tap-1")
	if b, ok := l.Take(noon); ok {
		t.Errorf("an entry of nothing: %+v", b)
	}
	tomorrow := noon.Add(12 * time.Hour)
	l.Count(noon, "/a", shadow.EntryNotSampled, "rate")
	l.Count(noon, "/a", shadow.EntryNotSampled, "rate")
	l.Count(noon, "/a", shadow.EntrySampled, "")
	l.Count(noon, "/a", shadow.EntryDropped, "queue_full")
	l.Count(noon, "/a", shadow.Seen, "")
	l.Count(tomorrow.In(time.FixedZone("west", -8*3600)), "/a", shadow.EntryNotSampled, "rate")
	want := shadow.Books{Experiment: "e", Source: "tap-1", Number: 1, From: noon, To: tomorrow, Lines: []shadow.Line{
		{Day: "2026-10-05", Endpoint: "/a", Entry: shadow.Seen, Count: 3},
		{Day: "2026-10-05", Endpoint: "/a", Entry: shadow.EntryNotSampled, Reason: "rate", Count: 2},
		{Day: "2026-10-05", Endpoint: "/a", Entry: shadow.EntrySampled, Count: 1},
		{Day: "2026-10-05", Endpoint: "/a", Entry: shadow.EntryDropped, Reason: "queue_full", Count: 1},
		{Day: "2026-10-06", Endpoint: "/a", Entry: shadow.Seen, Count: 1},
		{Day: "2026-10-06", Endpoint: "/a", Entry: shadow.EntryNotSampled, Reason: "rate", Count: 1},
	}}
	got, ok := l.Take(tomorrow)
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Fatal(diff)
	}
	got.Lines[0].Count = 99 // the caller's own
	l.Count(noon, "/a", shadow.EntryNotSampled, "rate")
	l.Taken(2) // not the one that waits
	again, _ := l.Take(tomorrow.Add(time.Hour))
	if diff := cmp.Diff(want, again); diff != "" {
		t.Errorf("an entry that waits has changed: %s", diff)
	}
	l.Taken(1)
	next, _ := l.Take(tomorrow.Add(time.Hour))
	if next.Number != 2 || next.From != tomorrow || len(next.Lines) != 2 || next.Lines[1].Count != 1 {
		t.Errorf("next entry: %+v", next)
	}
	l.Taken(2)
	if b, ok := l.Take(tomorrow.Add(time.Hour)); ok {
		t.Errorf("counted twice: %+v", b)
	}
}

func TestLedgerIsBounded(t *testing.T) {
	l := shadow.NewLedger("e", "tap-1")
	for i := range 1000 {
		l.Count(noon, fmt.Sprint("/", i), shadow.EntrySampled, "")
	}
	l.Count(noon, "/1", shadow.EntrySampled, "")
	l.Count(noon, strings.Repeat("x", 1000), shadow.EntrySampled, "")
	l.Count(noon, "/\xff", shadow.EntrySampled, "")
	b, _ := l.Take(noon)
	count := map[string]int64{}
	for _, line := range b.Lines {
		if line.Entry == shadow.EntrySampled {
			count[line.Endpoint] = line.Count
		}
	}
	if len(count) != shadow.MaxEndpoints+1 || count["/1"] != 2 || count[shadow.OtherEndpoint] != 902 {
		t.Errorf("%d endpoints, /1 %d, other %d", len(count), count["/1"], count[shadow.OtherEndpoint])
	}
}

func TestLedgerSplitsLongEntries(t *testing.T) {
	l := shadow.NewLedger("e", "tap-1")
	const days = 40
	for day := range days {
		for i := range shadow.MaxEndpoints {
			l.Count(noon.AddDate(0, 0, day), fmt.Sprint("/", i), shadow.EntrySampled, "")
		}
	}
	sum, entries := int64(0), uint64(0)
	for {
		b, ok := l.Take(noon.AddDate(0, 0, days))
		if !ok {
			break
		}
		if entries++; b.Number != entries || len(b.Lines) > shadow.MaxLines+2 {
			t.Errorf("entry %d has %d lines", b.Number, len(b.Lines))
		}
		for _, line := range b.Lines {
			if line.Entry == shadow.Seen {
				sum += line.Count
			}
		}
		l.Taken(b.Number)
	}
	if sum != days*shadow.MaxEndpoints || entries < 4 {
		t.Errorf("%d seen in %d entries", sum, entries)
	}
}

// Counting, taking and giving up old days at once loses nothing, and no entry is out of balance.
func TestLedgerUnderLoad(t *testing.T) {
	l := shadow.NewLedger("e", "tap-1")
	const workers, each = 4, 20_000
	var counting sync.WaitGroup
	for w := range workers {
		counting.Go(func() {
			for i := range each {
				at := noon.AddDate(0, 0, i%3)
				l.Count(at, fmt.Sprint("/", (i+w)%5), shadow.EntrySampled, "")
				l.Count(at, fmt.Sprint("/", (i+w)%5), shadow.EntryPublished, "")
			}
		})
	}
	done := make(chan struct{})
	go func() { counting.Wait(); close(done) }()
	sum := map[shadow.Entry]int64{}
	take := func() {
		b, ok := l.Take(noon.AddDate(0, 0, 10)) // so that every day is old
		if !ok {
			return
		}
		for _, line := range b.Lines {
			sum[line.Entry] += line.Count
		}
		l.Taken(b.Number)
		if sum[shadow.Seen] != sum[shadow.EntrySampled] || sum[shadow.EntrySampled] < sum[shadow.EntryPublished] {
			t.Errorf("out of balance: %v", sum)
		}
	}
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		take()
	}
	take()
	if n := int64(workers * each); sum[shadow.EntrySampled] != n || sum[shadow.EntryPublished] != n {
		t.Errorf("%v, want %d of each", sum, n)
	}
}

// What a tally counts is in the next entry, on its day, whatever waits to be published.
func TestTally(t *testing.T) {
	l := shadow.NewLedger("e", "s")
	a := l.Tally(noon, "/a", shadow.EntryNotSampled, "rate")
	again := l.Tally(noon, "/a", shadow.EntryNotSampled, "rate")
	l.Tally(noon, "/a", shadow.Seen, "").Add() // a sum, never counted
	if _, more := l.Take(noon); more {
		t.Error("an entry of nothing")
	}
	a.Add()
	again.Add()
	l.Count(noon, "/a", shadow.EntrySampled, "")
	first, _ := l.Take(noon.Add(time.Minute))
	a.Add()
	waits, _ := l.Take(noon.Add(2 * time.Minute)) // the bus is down
	a.Add()
	_, _ = l.Take(noon.Add(24 * time.Hour)) // still, and a day later
	l.Taken(first.Number)
	second, _ := l.Take(noon.Add(25 * time.Hour))
	line := func(day string, e shadow.Entry, reason string, n int64) shadow.Line {
		return shadow.Line{Day: day, Endpoint: "/a", Entry: e, Reason: reason, Count: n}
	}
	today, tomorrow := noon.Format(time.DateOnly), noon.AddDate(0, 0, 1).Format(time.DateOnly)
	if diff := cmp.Diff([]shadow.Line{line(today, shadow.Seen, "", 3), line(today, shadow.EntryNotSampled, "rate", 2), line(today, shadow.EntrySampled, "", 1)}, first.Lines); diff != "" {
		t.Errorf("first entry (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(first, waits); diff != "" || !first.From.Equal(noon) {
		t.Errorf("an entry that waits has changed, or begins at %v\n%s", first.From, diff)
	}
	if diff := cmp.Diff([]shadow.Line{
		line(today, shadow.Seen, "", 1), line(today, shadow.EntryNotSampled, "rate", 1),
		line(tomorrow, shadow.Seen, "", 1), line(tomorrow, shadow.EntryNotSampled, "rate", 1),
	}, second.Lines); diff != "" {
		t.Errorf("second entry (-want +got)\n%s", diff)
	}
}

func ExampleLedger() {
	l := shadow.NewLedger("support-2026-10", "tap-1")
	at := time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)
	l.Count(at, "/v1/chat/completions", shadow.EntryNotSampled, string(shadow.NotSampledRate))
	l.Count(at, "/v1/chat/completions", shadow.EntrySampled, "")
	books, _ := l.Take(at.Add(time.Minute))
	for _, line := range books.Lines {
		fmt.Println(line.Day, line.Endpoint, line.Entry, line.Reason, line.Count)
	}
	l.Taken(books.Number) // once it is published
	// Output:
	// 2026-10-05 /v1/chat/completions seen  2
	// 2026-10-05 /v1/chat/completions not_sampled rate 1
	// 2026-10-05 /v1/chat/completions sampled  1
}

func BenchmarkDraw(b *testing.B) {
	lot := shadow.NewLot("support-2026-10")
	b.ReportAllocs()
	for b.Loop() {
		lot.Draw("0102030405060708090a0b0c0d0e0f10")
	}
}

func BenchmarkLedgerCount(b *testing.B) {
	l := shadow.NewLedger("e", "s")
	b.ReportAllocs()
	for b.Loop() {
		l.Count(noon, "/v1/chat/completions", shadow.EntryNotSampled, "rate")
	}
}
