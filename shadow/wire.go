package shadow

import (
	"errors"
	"fmt"
)

// Version is the wire format that this code writes. It reads this version only;
// what comes from a newer process waits as a dead letter until this one is updated.
const Version = 2

// Errors of decoding. ErrVersion is a whole message of another version,
// ErrMalformed anything else that is not a message of ours.
var (
	ErrVersion   = errors.New("unknown wire version")
	ErrMalformed = errors.New("malformed message")
	// ErrTooLarge is a message that the bus cannot carry: larger than its max_payload.
	ErrTooLarge = errors.New("message larger than the bus carries")
	// ErrDuplicate is a sample whose id the bus has already.
	ErrDuplicate = errors.New("the bus has a sample of this id already")
)

// What a message holds, beside its body.
const (
	kindSample = "sample"
	kindTrial  = "trial"
	kindBooks  = "books"
)

// EncodeSample writes a sample as a versioned message, see [EncodeMessage]; its body is
// the request. It fails if a number is no JSON, never silently.
func EncodeSample(s Sample) ([]byte, error) {
	request := s.Request
	s.Request = nil
	return EncodeMessage(Version, kindSample, &s, request)
}

// EncodeTrial writes a trial as EncodeSample writes its sample.
func EncodeTrial(t Trial) ([]byte, error) {
	request := t.Sample.Request
	t.Sample.Request = nil
	return EncodeMessage(Version, kindTrial, &t, request)
}

// EncodeBooks writes an entry of the books as a versioned message.
func EncodeBooks(b Books) ([]byte, error) { return EncodeMessage(Version, kindBooks, &b, nil) }

// DecodeSample reads what EncodeSample wrote; the request shares data's memory.
// Errors: ErrVersion, ErrMalformed.
func DecodeSample(data []byte) (Sample, error) {
	var s Sample
	request, err := DecodeMessage(data, Version, kindSample, &s)
	if err != nil {
		return Sample{}, err
	}
	if err := s.SetRequest(request); err != nil {
		return Sample{}, err
	}
	return s, s.check()
}

// DecodeTrial reads what EncodeTrial wrote; the request shares data's memory.
// Errors: ErrVersion, ErrMalformed.
func DecodeTrial(data []byte) (Trial, error) {
	var t Trial
	request, err := DecodeMessage(data, Version, kindTrial, &t)
	if err != nil {
		return Trial{}, err
	}
	if err := t.Sample.SetRequest(request); err != nil {
		return Trial{}, err
	}
	return t, t.check()
}

// DecodeBooks reads what EncodeBooks wrote. Errors: ErrVersion, ErrMalformed.
func DecodeBooks(data []byte) (Books, error) {
	var b Books
	body, err := DecodeMessage(data, Version, kindBooks, &b)
	if err != nil {
		return Books{}, err
	}
	if len(body) > 0 || b.Source == "" || b.Number == 0 {
		return Books{}, fmt.Errorf("%w: no entry of the books in it", ErrMalformed)
	}
	return b, nil
}

// SetRequest puts a message's body in its place. Error: ErrMalformed for a sample that
// has a request already.
func (s *Sample) SetRequest(body []byte) error {
	if s.Request != nil {
		return fmt.Errorf("%w: sample %s has a request beside the body", ErrMalformed, s.ID)
	}
	s.Request = body
	return nil
}

// check refuses a sample that lacks what every later step relies on.
func (s Sample) check() error {
	switch {
	case s.ID == SampleID{}:
		return fmt.Errorf("%w: sample without id", ErrMalformed)
	case s.Seen.IsZero():
		return fmt.Errorf("%w: sample %s without arrival time", ErrMalformed, s.ID)
	case s.Session == "":
		return fmt.Errorf("%w: sample %s without session", ErrMalformed, s.ID)
	case !(s.Rate > 0 && s.Rate <= 1):
		return fmt.Errorf("%w: sample %s: rate %v is not in (0, 1]", ErrMalformed, s.ID, s.Rate)
	case !(s.Draw >= 0 && s.Draw < 1):
		return fmt.Errorf("%w: sample %s: draw %v is not in [0, 1)", ErrMalformed, s.ID, s.Draw)
	case s.Live.Arm != Live:
		return fmt.Errorf("%w: sample %s: live answer of arm %q", ErrMalformed, s.ID, s.Live.Arm)
	}
	return s.Live.check()
}

func (t Trial) check() error {
	if err := t.Sample.check(); err != nil {
		return err
	}
	seen := map[Arm]bool{Live: true}
	for _, a := range t.Candidates {
		if a.Arm == "" || seen[a.Arm] {
			return fmt.Errorf("%w: trial %s: arm %q is empty or there twice", ErrMalformed, t.Sample.ID, a.Arm)
		}
		seen[a.Arm] = true
		if err := a.check(); err != nil {
			return err
		}
	}
	return nil
}

func (a Answer) check() error {
	if a.Took < 0 || a.FirstToken < 0 || a.Queued < 0 {
		return fmt.Errorf("%w: arm %s: negative duration", ErrMalformed, a.Arm)
	}
	return nil
}
