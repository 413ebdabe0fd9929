package reports

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// ErrWeek is a text that names no ISO week.
var ErrWeek = errors.New("no ISO week, which looks like 2026-W41")

// Week is a week of ISO 8601 in UTC: seven days from a Monday on. Week 1 is the one
// with the year's first Thursday, so Year may differ from that of some of its days.
type Week struct{ Year, Number int }

var weekText = regexp.MustCompile(`^(\d{4})-W(\d{2})$`)

// ParseWeek reads a week such as 2026-W41. Error: ErrWeek, also for a week 53 of a
// year that has 52.
func ParseWeek(s string) (Week, error) {
	m := weekText.FindStringSubmatch(s)
	if m == nil {
		return Week{}, fmt.Errorf("%q: %w", s, ErrWeek)
	}
	year, errYear := strconv.Atoi(m[1])
	n, errWeek := strconv.Atoi(m[2])
	w := Week{year, n}
	switch {
	case errYear != nil || errWeek != nil || year == 0 || n == 0 || n > 53:
		return Week{}, fmt.Errorf("%q: %w", s, ErrWeek)
	case WeekOf(w.Monday()) != w:
		return Week{}, fmt.Errorf("%q, but %d has 52 weeks: %w", s, year, ErrWeek)
	}
	return w, nil
}

// WeekOf is the week in which t lies in UTC.
func WeekOf(t time.Time) Week {
	year, n := t.UTC().ISOWeek()
	return Week{year, n}
}

// Monday is the start of the week. 4 January always lies in week 1.
func (w Week) Monday() time.Time {
	t := time.Date(w.Year, 1, 4, 0, 0, 0, 0, time.UTC)
	sinceMonday := (int(t.Weekday()) + 6) % 7
	return t.AddDate(0, 0, 7*(w.Number-1)-sinceMonday)
}

// Before is the week n weeks earlier.
func (w Week) Before(n int) Week { return WeekOf(w.Monday().AddDate(0, 0, -7*n)) }

// Window is the week's seven days.
func (w Week) Window() Window {
	return Window{From: w.Monday(), To: w.Monday().AddDate(0, 0, 7)}
}

// String is the week as ParseWeek reads it.
func (w Week) String() string { return fmt.Sprintf("%04d-W%02d", w.Year, w.Number) }

// week is the ISO week that a window is, if it is one.
func (w Window) week() (Week, bool) {
	if w.From.IsZero() || w.To.IsZero() {
		return Week{}, false
	}
	week := WeekOf(w.From)
	own := week.Window()
	return week, own.From.Equal(w.From) && own.To.Equal(w.To)
}
