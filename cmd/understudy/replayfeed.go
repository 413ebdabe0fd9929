package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
	"github.com/understudy-eval/understudy/shadow/tap"
)

const (
	// replaySource names replays in samples and books. One journal, of one run at a time,
	// numbers both on, so that what a crash cut off is counted by the run that repeats it.
	replaySource = "replay"
	// replayChunk is after how many requests a replay writes down what it did: a crash
	// repeats at most so many.
	replayChunk = 500
	// replayRetry is the pause while the bus is down or full.
	replayRetry = 500 * time.Millisecond
	// replayFaults is how many faults are shown.
	replayFaults = 10
)

// chunkDone is an entry of the journal: the ids that were worked on, and the books of
// what became of them. Whoever finds the last entry publishes its books again.
type chunkDone struct {
	Books shadow.Books      `json:"books"`
	IDs   []shadow.SampleID `json:"ids"`
}

// feed brings recorded requests to the bus, each once.
type feed struct {
	experiment string
	tap        *tap.Tap
	bus        *bus.Bus
	known      map[shadow.SampleID]bool
	number     uint64 // of the last chunk
	handed     int64  // samples that all chunks handed over

	chunk  []shadow.SampleID
	ledger *shadow.Ledger
	lines  map[string]int // what became of the requests of this run
	total  int
	faults []string
	faulty int
}

// openFeed reads what earlier replays did.
func openFeed(ctx context.Context, p *process, rate float64) (*feed, error) {
	only := *p.cfg
	only.Tap.Rate = rate
	t, err := openTap(&setup{cfg: &only, rubric: p.rubric, experiment: p.experiment}, replaySource, p.bus, p.log)
	if err != nil {
		return nil, err
	}
	f := &feed{experiment: p.experiment.Name, tap: t, bus: p.bus, known: map[shadow.SampleID]bool{}, lines: map[string]int{}}
	f.begin()
	var last chunkDone
	for {
		data, err := p.bus.Replayed(ctx, f.number+1)
		if err != nil {
			return nil, err
		}
		if data == nil {
			break
		}
		if err := json.Unmarshal(data, &last); err != nil {
			return nil, fmt.Errorf("entry %d of the replay's journal is damaged: %w", f.number+1, err)
		}
		for _, id := range last.IDs {
			f.known[id] = true
		}
		f.number++
		f.handed += last.Books.HandedOver()
	}
	if f.number > 0 {
		return f, f.book(ctx, last.Books)
	}
	return f, nil
}

func (f *feed) begin() {
	f.chunk, f.ledger = nil, shadow.NewLedger(f.experiment, replaySource)
}

// all feeds every request. When ctx ends it writes down what is done and returns ctx's cause.
func (f *feed) all(ctx context.Context, requests iter.Seq2[recording, error]) error {
	for r, err := range requests {
		if err != nil {
			return errors.Join(err, f.commit(ctx))
		}
		if err := f.one(ctx, r); err != nil {
			return errors.Join(err, f.commit(ctx))
		}
		if len(f.chunk) == replayChunk {
			if err := f.commit(ctx); err != nil {
				return err
			}
		}
	}
	return f.commit(ctx)
}

func (f *feed) one(ctx context.Context, r recording) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f.total++
	if f.known[r.id] {
		f.lines["replayed before"]++
		return nil
	}
	fate := tap.Fate{Dropped: r.lost}
	if r.err == nil {
		var s shadow.Sample
		if s, fate = f.tap.Sample(r.doc); fate == (tap.Fate{}) {
			if fate, r.err = f.publish(ctx, s); r.err != nil {
				f.total--
				return r.err
			}
		}
		if fate.Dropped != "" {
			r.err = errors.New("no conversation that can be read")
		}
	}
	f.known[r.id] = true
	f.chunk = append(f.chunk, r.id)
	f.count(r, fate)
	return nil
}

// publish stores a sample, however long the bus takes to have room for it.
func (f *feed) publish(ctx context.Context, s shadow.Sample) (tap.Fate, error) {
	s.Seq = uint64(f.handed) + 1
	for {
		err := f.bus.PublishSample(ctx, s)
		switch {
		case err == nil, errors.Is(err, shadow.ErrDuplicate): // of a try that had no answer, or that nobody wrote down
			f.handed++
			return tap.Fate{}, nil
		case errors.Is(err, shadow.ErrTooLarge):
			return tap.Fate{NotSampled: shadow.NotSampledTooLarge}, nil
		case ctx.Err() != nil:
			return tap.Fate{}, context.Cause(ctx)
		}
		select {
		case <-ctx.Done():
		case <-time.After(replayRetry):
		}
	}
}

func (f *feed) count(r recording, fate tap.Fate) {
	at := r.doc.Seen
	if at.IsZero() {
		at = time.Now()
	}
	endpoint := r.doc.Endpoint
	if endpoint == "" {
		endpoint = shadow.OtherEndpoint
	}
	line := func(e shadow.Entry, why string) { f.ledger.Count(at, endpoint, e, why) }
	switch {
	case fate.NotSampled != "":
		line(shadow.EntryNotSampled, string(fate.NotSampled))
		f.lines["not sampled ("+string(fate.NotSampled)+")"]++
	case fate.Dropped != "":
		line(shadow.EntrySampled, "")
		line(shadow.EntryDropped, string(fate.Dropped))
		f.lines["dropped ("+string(fate.Dropped)+")"]++
		if f.faulty++; len(f.faults) < replayFaults {
			f.faults = append(f.faults, fmt.Sprintf("%s: %v", r.place, r.err))
		}
	default:
		line(shadow.EntrySampled, "")
		line(shadow.EntryPublished, "")
		f.lines["published"]++
	}
}

// commit writes down what was done, and then books it: after a crash between the two the
// next replay books it.
func (f *feed) commit(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	books, some := f.ledger.Take(time.Now())
	if !some {
		return nil
	}
	books.Number = f.number + 1
	data, err := json.Marshal(chunkDone{books, f.chunk})
	if err != nil {
		return err
	}
	if err := f.bus.AddReplayed(ctx, books.Number, data); err != nil {
		return err
	}
	f.number++
	f.begin()
	return f.book(ctx, books)
}

// book publishes an entry of the books; the same entry is counted once.
func (f *feed) book(ctx context.Context, books shadow.Books) error {
	limit, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := f.bus.PublishBooks(limit, books)
		if err == nil {
			return nil
		}
		select {
		case <-limit.Done():
			return fmt.Errorf("books of the replay: %w; replay the file again, nothing is counted twice", err)
		case <-time.After(replayRetry):
		}
	}
}

// say prints what became of the requests, and the first faults.
func (f *feed) say(w io.Writer, path string) {
	fmt.Fprintf(w, "%s: %d requests\n", path, f.total)
	for _, what := range slices.Sorted(maps.Keys(f.lines)) {
		fmt.Fprintf(w, "  %-40s %d\n", what, f.lines[what])
	}
	for _, fault := range f.faults {
		fmt.Fprintln(w, fault)
	}
	if more := f.faulty - len(f.faults); more > 0 {
		fmt.Fprintf(w, "… and %d more that were dropped\n", more)
	}
}
