package judge

import (
	"fmt"
	"slices"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
)

// Version is the wire format of a graded trial that this code writes and reads.
const Version = 2

// kindGraded is what a message holds, beside the request as its body.
const kindGraded = "graded"

// EncodeGraded writes a graded trial as a versioned message, see
// [shadow.EncodeMessage]; its body is the request. It refuses one that DecodeGraded
// would not read, with [shadow.ErrMalformed].
func EncodeGraded(g Graded) ([]byte, error) {
	if err := g.check(); err != nil {
		return nil, fmt.Errorf("encode graded: %w", err)
	}
	request := g.Trial.Sample.Request
	g.Trial.Sample.Request = nil
	return shadow.EncodeMessage(Version, kindGraded, &g, request)
}

// DecodeGraded reads what EncodeGraded wrote and checks it: rulings only for arms
// that answered, none twice for a repeat, each with a verdict or a reason as its
// state says, grades 1 to 6. The request shares data's memory. Errors:
// [shadow.ErrVersion] for a message of another version, [shadow.ErrMalformed] for
// anything else.
func DecodeGraded(data []byte) (Graded, error) {
	var g Graded
	request, err := shadow.DecodeMessage(data, Version, kindGraded, &g)
	if err == nil {
		err = g.Trial.Sample.SetRequest(request)
	}
	if err == nil {
		err = g.check()
	}
	if err != nil {
		return Graded{}, err
	}
	return g, nil
}

// check refuses what later steps could not rely on.
func (g Graded) check() error {
	bad := func(format string, args ...any) error {
		args = append([]any{shadow.ErrMalformed, g.Trial.Sample.ID}, args...)
		return fmt.Errorf("%w: graded %s: "+format, args...)
	}
	s := g.Trial.Sample
	switch {
	case s.ID == shadow.SampleID{}:
		return bad("sample without id")
	case s.Seen.IsZero() || s.Session == "":
		return bad("sample without arrival time or session")
	case !(s.Rate > 0 && s.Rate <= 1) || !(s.Draw >= 0 && s.Draw < 1):
		return bad("rate %v or draw %v is out of range", s.Rate, s.Draw)
	case !(g.Share > 0 && g.Share <= 1):
		return bad("share %v is not in (0, 1]", g.Share)
	case s.Live.Arm != shadow.Live:
		return bad("live answer of arm %q", s.Live.Arm)
	}
	answered := map[shadow.Arm]bool{}
	for _, a := range g.Trial.Answers() {
		if _, twice := answered[a.Arm]; twice || a.Arm == "" {
			return bad("arm %q is empty or there twice", a.Arm)
		}
		answered[a.Arm] = a.Answered()
	}
	for _, list := range [][]Ruling{g.Rulings, g.Unused} {
		if err := checkRulings(list, answered); err != nil {
			return bad("%w", err)
		}
	}
	return nil
}

func checkRulings(list []Ruling, answered map[shadow.Arm]bool) error {
	type key struct {
		arm    shadow.Arm
		repeat int
	}
	seen := map[key]bool{}
	for _, r := range list {
		k := key{r.Arm, r.Repeat}
		switch {
		case !answered[r.Arm]:
			return fmt.Errorf("a ruling for arm %q, which gave no answer", r.Arm)
		case seen[k]:
			return fmt.Errorf("two rulings for arm %q, repeat %d", r.Arm, r.Repeat)
		}
		seen[k] = true
		if err := r.check(); err != nil {
			return fmt.Errorf("arm %q: %w", r.Arm, err)
		}
	}
	return nil
}

func (r Ruling) check() error {
	if r.Took < 0 || r.Calls < 0 || r.Repeat < 0 {
		return fmt.Errorf("negative time, calls or repeat")
	}
	if known := []Purpose{PurposeRepeat, PurposeAgreement, PurposeInjection}; r.Repeat == 0 && r.Purpose != "" || r.Purpose != "" && !slices.Contains(known, r.Purpose) {
		return fmt.Errorf("repeat %d for the purpose %q", r.Repeat, r.Purpose)
	}
	switch r.State {
	case StateGraded:
		if r.Verdict == nil || r.Verdict.Grade < rubric.Best || r.Verdict.Grade > rubric.Worst || r.Verdict.Problem == "" {
			return fmt.Errorf("graded without a whole verdict")
		}
		if r.Reason != "" {
			return fmt.Errorf("graded, and not graded for %q", r.Reason)
		}
	case StateNotGraded:
		if !slices.Contains(NotGradedReasons(), r.Reason) {
			return fmt.Errorf("not graded for the unknown reason %q", r.Reason)
		}
		if r.Verdict != nil {
			return fmt.Errorf("not graded, and yet a verdict")
		}
	case StateNotDrawn:
		if r.Verdict != nil || r.Reason != "" {
			return fmt.Errorf("not drawn, and yet a verdict or a reason")
		}
	default:
		return fmt.Errorf("unknown state %q", r.State)
	}
	return nil
}
