package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/sync/errgroup"

	"github.com/understudy-eval/understudy/cmd/understudy/demo"
	"github.com/understudy-eval/understudy/shadow/bus"
)

const (
	barEvery  = 500 * time.Millisecond // on a terminal
	lineEvery = 10 * time.Second       // elsewhere
)

// progress shows how far the demo is: a bar on a terminal, plain lines elsewhere.
type progress struct {
	w       io.Writer
	bus     *bus.Bus
	traffic *demo.Traffic
	began   time.Time
	bar     *progressbar.ProgressBar
	told    time.Time
}

func newProgress(w io.Writer, b *bus.Bus, traffic *demo.Traffic) *progress {
	p := &progress{w: w, bus: b, traffic: traffic, began: time.Now()}
	fmt.Fprintf(w, "%d requests are sent through the tap, %d of them are sampled; this takes about a minute\n", traffic.Total, traffic.Sampled)
	if isTerminal(w) {
		p.bar = progressbar.NewOptions(traffic.Total, progressbar.OptionSetWriter(w), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString("requests"), progressbar.OptionFullWidth(),
			progressbar.OptionSetElapsedTime(true), progressbar.OptionSetPredictTime(false))
	}
	return p
}

// during shows progress while work runs.
func (p *progress) during(ctx context.Context, work func(context.Context) error) error {
	all, ctx := errgroup.WithContext(ctx)
	watching, end := context.WithCancel(ctx)
	all.Go(func() error {
		defer end()
		return work(ctx)
	})
	all.Go(func() error {
		tick := time.NewTicker(barEvery)
		defer tick.Stop()
		for {
			select {
			case <-watching.Done():
				p.finish()
				return nil
			case <-tick.C:
				p.show(watching)
			}
		}
	})
	return all.Wait()
}

func (p *progress) show(ctx context.Context) {
	if p.bar == nil && time.Since(p.told) < lineEvery {
		return
	}
	p.told = time.Now()
	left, err := p.bus.Backlog(ctx)
	if err != nil {
		return // the next tick asks again
	}
	stages := fmt.Sprintf("waiting: %d for candidates, %d for the judge, %d for files",
		left.Samples.Left(), left.Trials.Left(), left.Graded.Left())
	if p.bar != nil {
		p.bar.Describe(stages)
		_ = p.bar.Set(p.traffic.Sent())
		return
	}
	took := time.Since(p.began)
	fmt.Fprintf(p.w, "%3.0f s  %d of %d requests, %.0f/s; %s\n", took.Seconds(), p.traffic.Sent(), p.traffic.Total,
		float64(p.traffic.Sent())/took.Seconds(), stages)
}

func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
		fmt.Fprintln(p.w)
	}
	fmt.Fprintf(p.w, "%d requests answered, %d failed, in %.0f s\n\n", p.traffic.Sent(), p.traffic.Failed(), time.Since(p.began).Seconds())
}
