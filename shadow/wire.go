package shadow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Version is the wire format that this code writes. It reads this version only;
// what comes from a newer process waits as a dead letter until this one is updated.
const Version = 1

// Errors of decoding. ErrVersion is a whole message of another version,
// ErrMalformed anything else that is not a message of ours.
var (
	ErrVersion   = errors.New("unknown wire version")
	ErrMalformed = errors.New("malformed message")
	// ErrTooLarge is a message that the bus cannot carry: larger than its max_payload.
	ErrTooLarge = errors.New("message larger than the bus carries")
)

type envelope struct {
	V      *int    `json:"v"`
	Sample *Sample `json:"sample,omitempty"`
	Trial  *Trial  `json:"trial,omitempty"`
	Books  *Books  `json:"books,omitempty"`
}

// EncodeSample writes a sample as a versioned message. Bodies travel as base64, so
// that not a byte of them changes. It fails if a text is no JSON string, never silently.
func EncodeSample(s Sample) ([]byte, error) { return encode(envelope{Sample: &s}) }

// EncodeTrial writes a trial as a versioned message.
func EncodeTrial(t Trial) ([]byte, error) { return encode(envelope{Trial: &t}) }

// EncodeBooks writes an entry of the books as a versioned message.
func EncodeBooks(b Books) ([]byte, error) { return encode(envelope{Books: &b}) }

func encode(e envelope) ([]byte, error) {
	v := Version
	e.V = &v
	data, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode message: %w", err)
	}
	return data, nil
}

// DecodeSample reads what EncodeSample wrote. Errors: ErrVersion, ErrMalformed.
func DecodeSample(data []byte) (Sample, error) {
	e, err := decode(data)
	if err != nil {
		return Sample{}, err
	}
	if e.Sample == nil {
		return Sample{}, fmt.Errorf("%w: no sample in it", ErrMalformed)
	}
	return *e.Sample, e.Sample.check()
}

// DecodeTrial reads what EncodeTrial wrote. Errors: ErrVersion, ErrMalformed.
func DecodeTrial(data []byte) (Trial, error) {
	e, err := decode(data)
	if err != nil {
		return Trial{}, err
	}
	if e.Trial == nil {
		return Trial{}, fmt.Errorf("%w: no trial in it", ErrMalformed)
	}
	return *e.Trial, e.Trial.check()
}

// DecodeBooks reads what EncodeBooks wrote. Errors: ErrVersion, ErrMalformed.
func DecodeBooks(data []byte) (Books, error) {
	e, err := decode(data)
	if err != nil {
		return Books{}, err
	}
	if e.Books == nil || e.Books.Source == "" || e.Books.Number == 0 {
		return Books{}, fmt.Errorf("%w: no entry of the books in it", ErrMalformed)
	}
	return *e.Books, nil
}

// decode reads the version first: a message of another version may have any shape.
func decode(data []byte) (envelope, error) {
	var head struct {
		V *int `json:"v"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return envelope{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if head.V == nil {
		return envelope{}, fmt.Errorf("%w: no version", ErrMalformed)
	}
	if *head.V != Version {
		return envelope{}, fmt.Errorf("%w: %d, this process reads %d", ErrVersion, *head.V, Version)
	}
	var e envelope
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		return envelope{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return e, nil
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
