package reports

import (
	"errors"
	"fmt"
	"time"
)

// ErrWindow is a window that is not made of whole UTC days, or ends before it starts.
var ErrWindow = errors.New("not a window of whole UTC days")

const dayFormat = "2006-01-02"

// Window selects rows by the time at which their request arrived: whole UTC days,
// From included, To excluded. A zero time leaves that side open.
type Window struct {
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
}

// Contains reports whether t lies in the window.
func (w Window) Contains(t time.Time) bool {
	return (w.From.IsZero() || !t.Before(w.From)) && (w.To.IsZero() || t.Before(w.To))
}

// whole is the window from the experiment's start to the same end.
func (w Window) whole() Window { return Window{To: w.To} }

// until is t, but not after the window's end.
func (w Window) until(t time.Time) time.Time {
	if !w.To.IsZero() && t.After(w.To) {
		return w.To
	}
	return t
}

// containsDay reports whether a day of the books lies in the window. What is no
// day lies in the open window only.
func (w Window) containsDay(day string) bool {
	if w.From.IsZero() && w.To.IsZero() {
		return true
	}
	t, err := time.Parse(dayFormat, day)
	return err == nil && w.Contains(t)
}

func (w Window) check() error {
	for _, t := range []time.Time{w.From, w.To} {
		if !t.IsZero() && !t.Equal(t.UTC().Truncate(24*time.Hour)) {
			return fmt.Errorf("%s: %w", t.Format(time.RFC3339Nano), ErrWindow)
		}
	}
	if !w.From.IsZero() && !w.To.IsZero() && !w.From.Before(w.To) {
		return fmt.Errorf("from %s to %s: %w", w.From.Format(dayFormat), w.To.Format(dayFormat), ErrWindow)
	}
	return nil
}

// name is what a window is called.
func (w Window) name() string {
	if _, ok := w.week(); ok {
		return "this week"
	}
	return "these days"
}

// title is days, with the week if the window is one.
func (w Window) title(first, last time.Time) string {
	if week, ok := w.week(); ok {
		return "week " + week.String() + ", " + w.days(first, last)
	}
	return w.days(first, last)
}

// days prints the window with its last day included; an open side is taken from
// the rows.
func (w Window) days(first, last time.Time) string {
	from, to := w.From, w.To.AddDate(0, 0, -1)
	if w.From.IsZero() {
		from = first
	}
	if w.To.IsZero() {
		to = last
	}
	if from.IsZero() || to.IsZero() {
		return "no rows"
	}
	return fmt.Sprintf("%s to %s (UTC)", from.UTC().Format(dayFormat), to.UTC().Format(dayFormat))
}
