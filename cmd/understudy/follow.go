package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/shadow"
)

// followEvery is how often the configuration file is looked at.
const followEvery = 2 * time.Second

// changes tells the roles what of the configuration changed while they run.
type changes struct {
	mu    sync.Mutex
	now   *config.Config                        // nil until something changed
	apply map[string]func(*config.Config) error // by role
}

// each has f called with every later configuration, and at once if there was one since
// the role began with first. A role that is begun again takes its former self's place.
func (c *changes) each(role string, first *config.Config, f func(*config.Config) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.apply == nil {
		c.apply = map[string]func(*config.Config) error{}
	}
	c.apply[role] = f
	if c.now == nil || c.now == first {
		return nil
	}
	return f(c.now)
}

// to makes next the one that is in force.
func (c *changes) to(next *config.Config) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = next
	var errs []error
	for _, f := range c.apply {
		errs = append(errs, f(next))
	}
	return errors.Join(errs...)
}

// follow takes over what may change in the configuration, when its file does or the
// process gets SIGHUP, until ctx ends.
func (p *process) follow(ctx context.Context) {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	known, _ := os.ReadFile(p.cfg.File)
	if now, err := config.Load(p.cfg.File); err != nil || p.cfg.Fixed(now) != nil || !sameChoices(p.cfg, now) {
		known = nil // it changed since it was loaded
	}
	for {
		asked := false
		select {
		case <-ctx.Done():
			return
		case <-hup:
			asked = true
		case <-tick.C:
		}
		data, err := os.ReadFile(p.cfg.File)
		if !asked && (err != nil || bytes.Equal(data, known)) {
			continue // a file that is being replaced is there at the next look
		}
		known = data
		p.reload(ctx)
	}
}

// reload reads the file and takes it over, or says why not.
func (p *process) reload(ctx context.Context) {
	next, err := p.next()
	if err == nil {
		err = p.changes.to(next)
	}
	if err != nil {
		p.log.WarnContext(ctx, "the changed configuration is refused, the one before stays in force", "error", err)
		return
	}
	p.log.InfoContext(ctx, "configuration in force", "rate", next.Tap.Rate, "salt", next.Tap.Salt, "shares", fmt.Sprint(sharesOf(next)))
}

// next is the file's configuration if a running process can take it over.
func (p *process) next() (*config.Config, error) {
	cfg, err := config.Load(p.cfg.File)
	if err != nil {
		return nil, err
	}
	if err := p.cfg.Fixed(cfg); err != nil {
		return nil, err
	}
	s, err := newSetup(cfg)
	if err != nil {
		return nil, err
	}
	if s.experiment.Digest != p.experiment.Digest {
		return nil, fmt.Errorf("%s: judge.rubric: changed while the process runs; it needs a restart", cfg.At("judge.rubric"))
	}
	return cfg, nil
}

// sameChoices says whether nothing that may change differs.
func sameChoices(a, b *config.Config) bool {
	x, y := sharesOf(a), sharesOf(b)
	for name := range x {
		if x[name] != y[name] {
			return false
		}
	}
	return a.Tap.Rate == b.Tap.Rate && a.Tap.Salt == b.Tap.Salt
}

// sharesOf are the shares of the candidates.
func sharesOf(cfg *config.Config) map[shadow.Arm]float64 {
	out := map[shadow.Arm]float64{}
	for _, c := range cfg.Candidates {
		out[shadow.Arm(c.Name)] = c.Share
	}
	return out
}
