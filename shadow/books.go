package shadow

import "time"

// Books is what one tap process counted since its last entry: an increment, so
// that entries of any number of processes add up. Entry Number of process Source
// is counted once, however often it is delivered.
type Books struct {
	Experiment string `json:"experiment"`
	// Source is the process, Number its entry from 1 on without gaps.
	Source string `json:"source"`
	Number uint64 `json:"number"`
	// From and To bound the time of counting, in UTC.
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Lines []Line    `json:"lines"`
}

// HandedOver is how many of its sample numbers ([Sample].Seq) the process had accounted
// for with the entry: those of samples that are published, that were given up without
// knowing whether they arrived, and numbers that are void.
func (b Books) HandedOver() int64 {
	var sum int64
	for _, line := range b.Lines {
		if line.Entry == EntryPublished || line.Entry == EntryVoid || line.GivenUp() {
			sum += line.Count
		}
	}
	return sum
}

// GivenUp says whether the line counts samples that may have reached the bus
// although their tap had no answer in time: dropped as bus_down or stopped.
func (l Line) GivenUp() bool {
	return l.Entry == EntryDropped && (l.Reason == string(DroppedBusDown) || l.Reason == string(DroppedStopped))
}

// Line is one count of the books.
type Line struct {
	// Day is the UTC day on which the request arrived ("2026-10-05"), so that any
	// window of whole days can be balanced.
	Day string `json:"day"`
	// Endpoint is the request's path as reports show it; "other" once a process has
	// seen too many different ones.
	Endpoint string `json:"endpoint"`
	Entry    Entry  `json:"entry"`
	// Reason is a value of the closed list that belongs to Entry; empty where it has none.
	Reason string `json:"reason,omitempty"`
	Count  int64  `json:"count"`
}

// Entry names what a line counts.
type Entry string

// What books count. seen = sampled + Σ not_sampled and sampled = published +
// Σ dropped + what is still inside the tap.
const (
	Seen            Entry = "seen"
	EntryNotSampled Entry = "not_sampled" // Reason: NotSampled
	EntrySampled    Entry = "sampled"
	EntryPublished  Entry = "published"
	EntryDropped    Entry = "dropped" // Reason: Dropped
	// EntryVoid counts numbers of samples that never were on the bus, beside the reason
	// why, such as too_large: without it they would look like samples not booked yet.
	EntryVoid   Entry = "void"
	EntryDead   Entry = "dead"   // Reason: "<stage>: <why>"; written by workers for dead letters
	EntryPaused Entry = "paused" // Reason: why; written by judge workers for each pause of grading
)
