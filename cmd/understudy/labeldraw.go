package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

// labelItem is an answer to be graded by people.
type labelItem struct {
	labelKey
	turns  []llm.Turn
	answer string
}

// draw is what was drawn: requests of eligible ones, which are those of the graded
// ones whose texts are kept.
type draw struct {
	items                      []labelItem
	requests, eligible, graded int
}

// answered are the arms whose answers to a request were graded by one judge.
type answeredBy struct {
	dialect llm.Dialect
	pinned  map[shadow.Arm]llm.Snapshot
}

// pairs says that live and a candidate were graded by the same judge.
func (a answeredBy) pairs() bool {
	for arm, pinned := range a.pinned {
		if arm != shadow.Live && pinned == a.pinned[shadow.Live] {
			return true
		}
	}
	return false
}

// drawLabels draws n requests, the first by a hash of the seed and their id, and lists
// their graded answers by ids that say nothing of the arm.
func drawLabels(dir string, e reports.Experiment, n int, seed uint64) (draw, error) {
	graded, err := gradedRequests(dir, e)
	if err != nil {
		return draw{}, err
	}
	kept := map[shadow.SampleID]bool{}
	err = eachText(dir, func(t sinks.Text) {
		if _, ok := graded[t.Sample]; ok && t.Arm == shadow.Live {
			kept[t.Sample] = true
		}
	})
	if err != nil {
		return draw{}, err
	}
	d := draw{graded: len(graded), eligible: len(kept)}
	switch {
	case d.graded == 0:
		return d, fmt.Errorf("%s has no request yet of which live's answer and a candidate's are graded", dir)
	case d.eligible == 0:
		return d, fmt.Errorf("%s keeps no text of graded answers: set sinks.keep_text and let the run go on", dir)
	}
	type ranked struct {
		id   shadow.SampleID
		rank [sha256.Size]byte
	}
	var order []ranked
	for id := range kept {
		order = append(order, ranked{id, sha256.Sum256(fmt.Appendf(nil, "understudy label draw\x00%d\x00%s", seed, id))})
	}
	slices.SortFunc(order, func(a, b ranked) int { return bytes.Compare(a.rank[:], b.rank[:]) })
	drawn := map[shadow.SampleID]answeredBy{}
	for _, r := range order[:min(n, len(order))] {
		drawn[r.id] = graded[r.id]
	}
	d.requests = len(drawn)
	d.items, err = itemsOf(dir, drawn, seed)
	return d, err
}

// gradedRequests are those whose live answer and a candidate's the experiment's judge
// graded.
func gradedRequests(dir string, e reports.Experiment) (map[shadow.SampleID]answeredBy, error) {
	all := map[shadow.SampleID]answeredBy{}
	for r, err := range sinks.Scan(os.DirFS(dir)) {
		if err != nil {
			return nil, fmt.Errorf("rows in %s: %w%s", dir, err, mending(err))
		}
		pinned := r.JudgePinned == e.Judge.Pinned || (r.JudgePinned == e.Judge.ReservePinned && r.JudgePinned != "")
		if r.Experiment != e.Name || r.Digest != e.Digest || r.Rubric != e.Digests || r.Repeat != 0 || r.JudgeState != judge.StateGraded || !pinned {
			continue
		}
		a, ok := all[r.Sample]
		if !ok {
			a = answeredBy{r.Dialect, map[shadow.Arm]llm.Snapshot{}}
			all[r.Sample] = a
		}
		if _, ok := a.pinned[r.Arm]; !ok { // of rows that came twice the first counts
			a.pinned[r.Arm] = r.JudgePinned
		}
	}
	for id, a := range all {
		if !a.pairs() {
			delete(all, id)
		}
	}
	return all, nil
}

// itemsOf are the drawn answers, in the order of their ids, which is no order of theirs.
func itemsOf(dir string, drawn map[shadow.SampleID]answeredBy, seed uint64) ([]labelItem, error) {
	var items []labelItem
	seen := map[string]bool{}
	var broken error
	err := eachText(dir, func(t sinks.Text) {
		a, ok := drawn[t.Sample]
		if _, graded := a.pinned[t.Arm]; !ok || !graded {
			return
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "understudy label\x00%d\x00%s\x00%s", seed, t.Sample, t.Arm))
		i := labelItem{labelKey: labelKey{ID: hex.EncodeToString(sum[:8]), Sample: t.Sample, Arm: t.Arm}}
		if seen[i.ID] { // redelivered texts are stored twice
			return
		}
		seen[i.ID] = true
		var calls []llm.ToolCall
		if t.ToolCalls != "" {
			if err := json.Unmarshal([]byte(t.ToolCalls), &calls); err != nil {
				broken = cmp.Or(broken, fmt.Errorf("texts in %s: tool calls of sample %s, arm %s: %w", dir, t.Sample, t.Arm, err))
			}
		}
		i.answer = llm.AnswerText(t.Answer, t.Refusal, calls)
		turns, err := llm.Conversation(a.dialect, []byte(t.Conversation))
		if err != nil {
			broken = cmp.Or(broken, fmt.Errorf("texts in %s: conversation of sample %s: %w", dir, t.Sample, err))
		}
		i.turns = turns
		items = append(items, i)
	})
	slices.SortFunc(items, func(a, b labelItem) int { return cmp.Compare(a.ID, b.ID) })
	return items, errors.Join(err, broken)
}

func eachText(dir string, f func(sinks.Text)) error {
	for t, err := range sinks.ScanTexts(os.DirFS(dir)) {
		if err != nil {
			return fmt.Errorf("texts in %s: %w", dir, err)
		}
		f(t)
	}
	return nil
}
