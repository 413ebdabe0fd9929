package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/mattn/go-runewidth"

	"github.com/understudy-eval/understudy/shadow"
)

// printer shows samples as they come, one a line: aligned on a terminal, as key=value
// elsewhere. What clients say, such as paths and sessions, cannot write to the terminal.
type printer struct {
	w       io.Writer
	aligned bool
	plain   *slog.Logger

	mu     sync.Mutex
	headed bool
	counts map[string]map[string]int64 // per endpoint: of entries with their reasons
}

func newPrinter(w io.Writer, aligned bool) *printer {
	noLevel := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.LevelKey || a.Key == slog.TimeKey || a.Key == slog.MessageKey {
			return slog.Attr{}
		}
		return a
	}
	return &printer{
		w: w, aligned: aligned, counts: map[string]map[string]int64{},
		plain: slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: noLevel})),
	}
}

// columns of the aligned form: names and widths; the last is as wide as it is.
var columns = []struct {
	name  string
	width int
}{
	{"time (UTC)", 10}, {"dialect", 18}, {"endpoint", 26}, {"session", 16},
	{"in", 7}, {"out", 7}, {"first", 8}, {"total", 8}, {"state", 0},
}

// PublishSample prints a sample.
func (p *printer) PublishSample(_ context.Context, s shadow.Sample) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := "-"
	if s.Live.FirstToken > 0 {
		first = seconds(s.Live.FirstToken)
	}
	if !p.aligned {
		p.plain.Info("", "seen", s.Seen.Format(time.RFC3339Nano), "dialect", string(s.Dialect), "endpoint", s.Route, "session", s.Session,
			"in", tokens(s.Live.Usage.In), "out", tokens(s.Live.Usage.Out), "first", first, "total", seconds(s.Live.Took), "state", state(s.Live))
		return nil
	}
	if !p.headed {
		p.headed = true
		var names []string
		for _, c := range columns {
			names = append(names, c.name)
		}
		p.row(names)
	}
	p.row([]string{
		s.Seen.Format(time.TimeOnly), string(s.Dialect), s.Route, s.Session,
		tokens(s.Live.Usage.In), tokens(s.Live.Usage.Out), first, seconds(s.Live.Took), state(s.Live),
	})
	return nil
}

func (p *printer) row(cells []string) {
	var line strings.Builder
	for i, c := range columns {
		text := harmless(cells[i])
		switch {
		case c.width == 0:
			line.WriteString(text)
		case c.name == "in" || c.name == "out" || c.name == "first" || c.name == "total":
			line.WriteString(runewidth.FillLeft(text, c.width) + "  ")
		default:
			line.WriteString(runewidth.FillRight(runewidth.Truncate(text, c.width, "…"), c.width) + "  ")
		}
	}
	fmt.Fprintln(p.w, line.String())
}

// state says what became of the live answer.
func state(a shadow.Answer) string {
	out := "answered"
	switch {
	case a.Failure != "":
		out = "failed: " + string(a.Failure)
	case a.Refusal != "":
		out = "answered (refusal)"
	case a.Finish != "":
		out = "answered (" + string(a.Finish) + ")"
	}
	if a.Attempts > 1 {
		out += fmt.Sprintf(", attempt %d", a.Attempts)
	}
	return out
}

func tokens(n *int64) string {
	if n == nil {
		return "?"
	}
	return strconv.FormatInt(*n, 10)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3fs", d.Seconds()) }

// harmless shows what cannot be printed as an escape, so that no text can move the
// cursor or turn the direction of what follows.
func harmless(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return text
	}
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

// PublishBooks adds up what was counted. It says once per endpoint and reason what is
// passed on without being shown, but not what the rate leaves out.
func (p *printer) PublishBooks(_ context.Context, b shadow.Books) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range b.Lines {
		of := p.counts[l.Endpoint]
		if of == nil {
			of = map[string]int64{}
			p.counts[l.Endpoint] = of
		}
		name := entryName(l)
		if of[name] += l.Count; of[name] == l.Count && l.Reason != "" && l.Reason != string(shadow.NotSampledRate) {
			p.note(l.Endpoint, name)
		}
	}
	return nil
}

func entryName(l shadow.Line) string {
	name := strings.ReplaceAll(string(l.Entry), "_", " ")
	if l.Reason != "" {
		name += " (" + l.Reason + ")"
	}
	return name
}

func (p *printer) note(endpoint, what string) {
	if p.aligned {
		fmt.Fprintf(p.w, "%s: %s\n", harmless(endpoint), what)
		return
	}
	p.plain.Info("", "endpoint", endpoint, "counted", what)
}

// totals prints the counts per endpoint.
func (p *printer) totals() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.counts) == 0 {
		fmt.Fprintln(p.w, "no request came")
	}
	for _, endpoint := range slices.Sorted(maps.Keys(p.counts)) {
		of := p.counts[endpoint]
		var parts []string
		for _, first := range []string{string(shadow.Seen), string(shadow.EntrySampled)} {
			parts = append(parts, fmt.Sprintf("%s %d", first, of[first]))
		}
		for _, name := range slices.Sorted(maps.Keys(of)) {
			if strings.Contains(name, "(") {
				parts = append(parts, fmt.Sprintf("%s %d", name, of[name]))
			}
		}
		fmt.Fprintf(p.w, "%s: %s\n", harmless(endpoint), strings.Join(parts, ", "))
	}
	return nil
}
