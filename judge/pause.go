package judge

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// When grading pauses, and when it is tried again; judgements of ours.
const (
	// pauseUnheard is how many answers in a row nobody could be asked about: an outage
	// of every judge, or a lasting refusal.
	pauseUnheard = 3
	// pauseStorm is how many replies in a row have no verdict that counts: with one bad
	// reply in 20 that happens by chance once in 3 million answers.
	pauseStorm = 5
	// A probe comes after probeFirst, and each later one after twice the time, up to probeMost.
	probeFirst = 30 * time.Second
	probeMost  = 10 * time.Minute
)

// Cause says why grading pauses: a closed list.
type Cause string

// The causes of a pause.
const (
	CauseSnapshot  Cause = "snapshot_mismatch" // another snapshot answers than the pinned one
	CauseMoney     Cause = "no_money"          // credit or quota is used up
	CauseGone      Cause = "model_gone"        // the provider does not have the model
	CauseRefused   Cause = "refused"           // bad key, no permission
	CauseTransport Cause = "transport"         // no judge is reached
	CauseOutOfList Cause = "out_of_list"       // replies outside the scale or the list
	CauseNoVerdict Cause = "no_verdict"        // replies without exactly one valid verdict
)

// Pause is a time in which nobody grades: what is to be graded waits, so that an
// outage, an empty account or another snapshot costs no grades.
type Pause struct {
	Cause Cause
	// Judge is the configured name of the judge that gave the cause.
	Judge  string
	Detail string // for a reader
	Since  time.Time
}

// pauser holds grading up while there is a cause, and finds out when it is over.
type pauser struct {
	mu      sync.Mutex
	now     *Pause
	seat    int // that is probed; anySeat if whoever answers will do
	wait    time.Duration
	next    time.Time     // of the next probe
	probing bool          // by one of those who wait
	changed chan struct{} // closed when any of this changes
	unheard int
	storms  []map[NotGraded]int // by seat: replies without a verdict since the last one with
}

const anySeat = -1

func newPauser(seats int) *pauser {
	return &pauser{changed: make(chan struct{}), storms: make([]map[NotGraded]int, seats)}
}

// Paused says whether grading pauses now, and why.
func (j *Judge) Paused() (Pause, bool) {
	j.pauser.mu.Lock()
	defer j.pauser.mu.Unlock()
	if j.pauser.now == nil {
		return Pause{}, false
	}
	return *j.pauser.now, true
}

// ready returns once grading may go on, or with the cause of ctx's end. While it
// pauses, one of those who wait sends the probes.
func (j *Judge) ready(ctx context.Context) error {
	p := j.pauser
	for {
		p.mu.Lock()
		if p.now == nil {
			p.mu.Unlock()
			return nil
		}
		if !p.probing && !time.Now().Before(p.next) {
			p.probing = true
			seat := p.seat
			p.mu.Unlock()
			j.probed(ctx, j.probe(ctx, seat))
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			continue
		}
		until := time.NewTimer(time.Until(p.next))
		if p.probing {
			until.Stop()
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-until.C:
		case <-ctx.Done():
			until.Stop()
			return context.Cause(ctx)
		}
		until.Stop()
	}
}

// probed takes in how a probe went: "" is well, else what was wrong. One that ctx's
// end broke off says nothing; whoever else waits sends the next.
func (j *Judge) probed(ctx context.Context, wrong string) {
	p := j.pauser
	p.mu.Lock()
	defer p.mu.Unlock()
	p.probing = false
	over := *p.now
	switch {
	case wrong == "":
		p.now, p.unheard = nil, 0
		clear(p.storms)
	case ctx.Err() == nil:
		p.wait = min(2*p.wait, probeMost)
		p.next = time.Now().Add(p.wait)
	}
	close(p.changed)
	p.changed = make(chan struct{})
	if wrong == "" {
		j.o.Log.InfoContext(ctx, "judge goes on: a probe was graded", "cause", string(over.Cause), "judge", over.Judge, "paused", time.Since(over.Since))
	} else if ctx.Err() == nil {
		j.o.Log.WarnContext(ctx, "judge stays paused", "cause", string(over.Cause), "judge", over.Judge, "probe", wrong, "next", p.wait)
	}
}

// pause holds grading up, unless it is already.
func (j *Judge) pause(ctx context.Context, cause Cause, seat int, detail string) {
	p := j.pauser
	p.mu.Lock()
	if p.now != nil {
		p.mu.Unlock()
		return
	}
	now := Pause{Cause: cause, Judge: j.seats[max(seat, 0)].Model.Name, Detail: clip(detail, maxDetail), Since: time.Now().UTC()}
	p.now, p.seat, p.wait, p.next = &now, seat, probeFirst, time.Now().Add(probeFirst)
	close(p.changed)
	p.changed = make(chan struct{})
	p.mu.Unlock()
	j.o.Log.ErrorContext(ctx, "alarm: judge paused, what is to be graded waits",
		"cause", string(cause), "judge", now.Judge, "detail", now.Detail)
	if j.o.OnPause != nil {
		j.o.OnPause(now)
	}
}

// heard feeds the pauser with what came of asking about an answer: why is empty for
// a verdict that counts.
func (j *Judge) heard(ctx context.Context, s said, why NotGraded, detail string) {
	p := j.pauser
	p.mu.Lock()
	p.unheard = 0
	storm := p.storms[s.seat]
	switch {
	case why == "":
		p.storms[s.seat] = nil
	case why != NoSnapshotUnproven && why != NoSnapshotMismatch:
		if storm == nil {
			storm = map[NotGraded]int{}
			p.storms[s.seat] = storm
		}
		storm[why]++
	}
	total, outside := 0, storm[NoOutOfList]+storm[NoOutOfScale]
	for _, n := range storm {
		total += n
	}
	text := stormText(storm)
	p.mu.Unlock()
	switch {
	case why == NoSnapshotMismatch:
		j.pause(ctx, CauseSnapshot, s.seat, detail)
	case why == "" || why == NoSnapshotUnproven || total < pauseStorm:
	case 2*outside > total:
		j.pause(ctx, CauseOutOfList, s.seat, text+"; the last: "+detail)
	default:
		j.pause(ctx, CauseNoVerdict, s.seat, text+"; the last: "+detail)
	}
}

func stormText(storm map[NotGraded]int) string {
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(storm)) {
		parts = append(parts, fmt.Sprintf("%s %d", why, storm[why]))
	}
	return "replies in a row without a verdict: " + strings.Join(parts, ", ")
}

// unheard feeds the pauser with an answer that no judge could be asked about.
func (j *Judge) unheard(ctx context.Context, s said) {
	p := j.pauser
	p.mu.Lock()
	p.unheard++
	n := p.unheard
	p.mu.Unlock()
	if n >= pauseUnheard {
		j.pause(ctx, causeOf(s.lasting), anySeat, strings.Join(s.failures, "; "))
	}
}

// causeOf names a lasting refusal; nil is a failure that may pass.
func causeOf(f *llm.Failure) Cause {
	money := []string{
		"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "billing_error", "enforced_spend_limit_reached", "RESOURCE_EXHAUSTED",
	}
	switch {
	case f == nil:
		return CauseTransport
	case f.Status == 402 || slices.Contains(money, f.Code):
		return CauseMoney
	case f.Status == 404 || f.Code == "model_not_found" || f.Code == "not_found_error" || f.Code == "NOT_FOUND":
		return CauseGone
	}
	return CauseRefused
}

// probe asks about an answer that every judge can grade, and says what was wrong with
// the reply; empty if a verdict came that counts.
func (j *Judge) probe(ctx context.Context, seat int) string {
	ctx, cancel := context.WithTimeoutCause(ctx, j.o.Budget, errBudget)
	defer cancel()
	seats := []int{seat}
	if seat == anySeat {
		seats = j.order.seats(time.Now())
	}
	var wrong []string
	for _, s := range seats {
		text := j.probeOne(ctx, s)
		if text == "" {
			return ""
		}
		wrong = append(wrong, j.seats[s].Model.Name+": "+text)
	}
	return strings.Join(wrong, "; ")
}

func (j *Judge) probeOne(ctx context.Context, seat int) string {
	s := j.seats[seat]
	if s.Verify != nil {
		if err := s.Verify(ctx); err != nil {
			return err.Error()
		}
	}
	paid, ok, err := j.pay(ctx, 1)
	switch {
	case err != nil:
		return err.Error()
	case !ok:
		return spentText
	}
	r := j.call(ctx, seat, shown{Case: rubric.Case{Turns: []rubric.Turn{{Role: "user", Text: "What is the capital of France?"}}, Answer: "Paris."}}, paid.paid[0])
	failure, err := transportFailure(ctx, r.err)
	switch {
	case err != nil:
		return err.Error()
	case failure != nil:
		return failure.Error()
	}
	if _, why, detail := j.verdict(s, nil, r.reply, r.err); why != "" {
		return string(why) + ": " + detail
	}
	return ""
}
