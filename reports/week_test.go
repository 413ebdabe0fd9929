package reports_test

import (
	"errors"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/reports"
)

// TestParseWeek: the days were read off a calendar.
func TestParseWeek(t *testing.T) {
	for _, c := range []struct {
		text, monday, why string
	}{
		{"2026-W41", "2026-10-05", "a plain one"},
		{"2026-W01", "2025-12-29", "it starts in the year before"},
		{"2026-W53", "2026-12-28", "2026 starts on a Thursday, so it has 53"},
		{"2027-W01", "2027-01-04", "the week after W53"},
		{"2020-W53", "2020-12-28", "a leap year that starts on a Wednesday"},
		{"2028-W52", "2028-12-25", "a leap year without W53"},
		{"2024-W09", "2024-02-26", "it holds 29 February"},
	} {
		w, err := reports.ParseWeek(c.text)
		if err != nil {
			t.Errorf("%s (%s): %v", c.text, c.why, err)
			continue
		}
		window := w.Window()
		if got := window.From.Format(time.DateOnly); got != c.monday || window.To.Sub(window.From) != 7*24*time.Hour || w.String() != c.text {
			t.Errorf("%s (%s) is %v from %s", c.text, c.why, w, got)
		}
		for _, at := range []time.Time{window.From, window.To.Add(-time.Nanosecond)} {
			if reports.WeekOf(at) != w {
				t.Errorf("%v lies in %v, want %v", at, reports.WeekOf(at), w)
			}
		}
	}
	for _, text := range []string{"", "last", "2026-41", "2026-W1", "2026-W00", "2026-W54", "2027-W53", "2025-W53", "0000-W01", "2026-W41 ", "2026-w41", "+026-W41"} {
		if w, err := reports.ParseWeek(text); !errors.Is(err, reports.ErrWeek) {
			t.Errorf("%q is %v, %v", text, w, err)
		}
	}
}

// TestWeekIsUTC: an hour that is Monday at home is Sunday in UTC.
func TestWeekIsUTC(t *testing.T) {
	east := time.FixedZone("UTC+2", 2*60*60)
	if got := reports.WeekOf(time.Date(2026, 10, 5, 1, 0, 0, 0, east)).String(); got != "2026-W40" {
		t.Errorf("it lies in %s", got)
	}
}

// TestWeeksInARow: each week is the one before the next, for forty years.
func TestWeeksInARow(t *testing.T) {
	w := reports.Week{Year: 2000, Number: 1}
	for range 40 * 52 {
		next := reports.WeekOf(w.Monday().AddDate(0, 0, 7))
		if parsed, err := reports.ParseWeek(next.String()); err != nil || parsed != next || next.Before(1) != w {
			t.Fatalf("after %v comes %v (%v), before which is %v", w, next, err, next.Before(1))
		}
		w = next
	}
}
