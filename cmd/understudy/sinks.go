package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/bus"
	"github.com/understudy-eval/understudy/sinks"
)

// sinks writes rows and books.
func (p *process) sinks(ctx context.Context) (func(context.Context) error, error) {
	w, err := openSinks(p.cfg, p.log)
	if err != nil {
		return nil, err
	}
	if n := w.Leftovers(); n > 0 {
		p.log.InfoContext(ctx, "temporary files of killed writers removed", "files", n)
	}
	if err := p.keepRecord(); err != nil {
		return nil, err
	}
	booked, err := readReach(p.cfg.Sinks.Dir, p.experiment.Name)
	if err != nil {
		return nil, err
	}
	flush := p.cfg.Sinks
	trials := max(1, flush.FlushRows/(1+len(p.cfg.Candidates)))
	return func(ctx context.Context) error {
		all, ctx := errgroup.WithContext(ctx)
		all.Go(func() error {
			return p.bus.EachGraded(ctx, func(ctx context.Context, batch [][]byte) error {
				graded, err := decodeAll(batch)
				if err != nil {
					return bus.Lasting(err)
				}
				if err := booked.await(ctx, graded, flush.FlushEvery+2*booksEvery); err != nil {
					return err
				}
				return w.Write(ctx, graded)
			}, bus.Batch(trials, 0, flush.FlushEvery), bus.Grace(workGrace))
		})
		all.Go(func() error {
			return p.bus.EachBooks(ctx, func(ctx context.Context, entries []shadow.Books) error {
				if err := w.WriteBooks(ctx, entries); err != nil {
					return err
				}
				booked.add(entries)
				return nil
			}, bus.Batch(0, 0, flush.FlushEvery), bus.Grace(workGrace))
		})
		return all.Wait()
	}, nil
}

func decodeAll(batch [][]byte) ([]judge.Graded, error) {
	all := make([]judge.Graded, len(batch))
	for i, data := range batch {
		var err error
		if all[i], err = judge.DecodeGraded(data); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// reach is how many samples each tap has booked as handed to the bus. Rows wait for
// it, so that whoever reads the files never finds rows that no books account for.
type reach struct {
	mu      sync.Mutex
	samples map[string]int64
	counted map[string]map[uint64]bool // entries by source and number
	grown   chan struct{}              // closed when samples grows
}

func newReach() *reach {
	return &reach{samples: map[string]int64{}, counted: map[string]map[uint64]bool{}, grown: make(chan struct{})}
}

// readReach starts from the books that were written before.
func readReach(dir, experiment string) (*reach, error) {
	r := newReach()
	for entry, err := range sinks.ScanBooks(os.DirFS(dir)) {
		if err != nil {
			return nil, fmt.Errorf("books in %s: %w", dir, err)
		}
		if entry.Experiment == experiment {
			r.add([]shadow.Books{entry})
		}
	}
	return r, nil
}

// add counts entries, each once.
func (r *reach) add(entries []shadow.Books) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range entries {
		if r.counted[e.Source] == nil {
			r.counted[e.Source] = map[uint64]bool{}
		}
		if !r.counted[e.Source][e.Number] {
			r.counted[e.Source][e.Number] = true
			r.samples[e.Source] += e.HandedOver()
		}
	}
	close(r.grown)
	r.grown = make(chan struct{})
}

// await waits until the books cover the samples, but not for those whose live answer
// is over for longer than limit: a tap that was killed never books its last ones. The
// error is ctx's.
func (r *reach) await(ctx context.Context, graded []judge.Graded, limit time.Duration) error {
	for {
		r.mu.Lock()
		last, grown := r.lastUncovered(graded), r.grown
		r.mu.Unlock()
		wait := time.Until(last.Add(limit))
		if last.IsZero() || wait <= 0 {
			return nil
		}
		select {
		case <-grown:
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// lastUncovered is when the last live answer ended that the books do not cover yet;
// zero if they cover all.
func (r *reach) lastUncovered(graded []judge.Graded) time.Time {
	var last time.Time
	for _, g := range graded {
		s := g.Trial.Sample
		if ended := s.Seen.Add(s.Live.Took); int64(s.Seq) > r.samples[s.Tap] && ended.After(last) {
			last = ended
		}
	}
	return last
}

// keepRecord writes the experiment's record beside the rows, or checks that the one
// that is there is this experiment's.
func (p *process) keepRecord() error {
	path := filepath.Join(p.cfg.Sinks.Dir, experimentFile)
	data, err := record(p.experiment)
	if err != nil {
		return err
	}
	stored, err := os.ReadFile(path)
	if err == nil {
		return sameExperiment(stored, path, p.experiment)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return writeDurably(path, slices.Concat(data, []byte("\n")))
}

// writeDurably writes a file that is either whole or not there, whatever happens and
// whoever else writes the same.
func writeDurably(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), path)
}
