package main

import (
	"encoding/json"
	"fmt"
)

// booked is what the tests below read of a report.
type booked struct {
	Report struct {
		Books struct {
			Balanced                 bool
			Seen, Sampled, Published int
			Inside, Unbooked, Late   int
			NotSampled               counted `json:"not_sampled"`
			Dropped, Dead            counted
		}
		Rows struct{ Used, Duplicates, Conflicts int }
		Arms []bookedArm
	}
}

type bookedArm struct {
	Name                              string
	Samples, Answered, Failed, Graded int
	Pending                           int
	NotDrawn                          int     `json:"not_drawn"`
	LeftOut                           int     `json:"left_out"`
	InFlight                          *int    `json:"in_flight"`
	FailedBy                          counted `json:"failed_by"`
	NotAskedBy                        counted `json:"not_asked_by"`
}

// counted is a list of counts by reason.
type counted []struct {
	Name string
	N    int
}

// of gives the count of a reason.
func (c counted) of(reason string) int {
	for _, one := range c {
		if one.Name == reason {
			return one.N
		}
	}
	return 0
}

// sum is over all reasons.
func (c counted) sum() (n int) {
	for _, one := range c {
		n += one.N
	}
	return n
}

// awaitBooks waits until the books know of seen requests, balance, and nothing is
// under way any more.
func (s *stage) awaitBooks(seen int) booked {
	s.t.Helper()
	var last string
	var r booked
	s.t.Cleanup(func() {
		if s.t.Failed() {
			s.t.Logf("last report: %s", last)
		}
	})
	s.eventually(fmt.Sprintf("books over %d requests", seen), func() bool {
		status, out, errs := s.command("report", "--format", "json")
		if last = out + errs; status != exitOK {
			return false
		}
		r = booked{}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			s.t.Fatal(err)
		}
		b := r.Report.Books
		if b.Seen != seen || !b.Balanced || b.Inside != 0 || b.Unbooked != 0 {
			return false
		}
		for _, a := range r.Report.Arms {
			if a.InFlight == nil || *a.InFlight != 0 || a.Pending != 0 {
				return false
			}
		}
		return true
	})
	return r
}

// booked is how many requests the books know of by now; they need not balance yet.
func (s *stage) booked() int {
	var r booked
	status, out, _ := s.command("report", "--format", "json")
	if status != exitOK || json.Unmarshal([]byte(out), &r) != nil {
		return 0
	}
	return r.Report.Books.Seen
}
