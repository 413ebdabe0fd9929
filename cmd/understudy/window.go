package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/reports"
)

// windowAsked are the flags that say which days a report is about.
type windowAsked struct{ week, from, to string }

func (a *windowAsked) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.week, "week", "", "ISO `WEEK` in UTC, e.g. 2026-W41, or last, the last whole one")
	cmd.Flags().StringVar(&a.from, "from", "", "first UTC `DAY` of the window, e.g. 2026-10-05 (default: all)")
	cmd.Flags().StringVar(&a.to, "to", "", "`DAY` after the last one of the window (default: all)")
}

// name is the window as it was asked for.
func (a *windowAsked) name() string {
	if a.week != "" {
		return "--week " + a.week
	}
	return "--from " + a.from
}

// window reads the flags; an empty side is open.
func (a *windowAsked) window(now time.Time) (reports.Window, error) {
	switch {
	case a.week == "":
		return days(a.from, a.to)
	case a.from != "" || a.to != "":
		return reports.Window{}, errors.New("--week is a window of its own: leave out --from and --to")
	case a.week == "last":
		return reports.WeekOf(now).Before(1).Window(), nil
	}
	week, err := reports.ParseWeek(a.week)
	if err != nil {
		return reports.Window{}, fmt.Errorf("--week %w (or last)", err)
	}
	return week.Window(), nil
}

// days reads two UTC days; an empty one leaves that side open.
func days(from, to string) (reports.Window, error) {
	var w reports.Window
	for _, side := range []struct {
		flag, text string
		day        *time.Time
	}{{"--from", from, &w.From}, {"--to", to, &w.To}} {
		if side.text == "" {
			continue
		}
		day, err := time.Parse(time.DateOnly, side.text)
		if err != nil {
			return w, fmt.Errorf("%s %q: want a day such as 2026-10-05", side.flag, side.text)
		}
		*side.day = day
	}
	if !w.From.IsZero() && !w.To.IsZero() && !w.From.Before(w.To) {
		return w, fmt.Errorf("--from %s is not before --to %s, which is exclusive", from, to)
	}
	return w, nil
}
