package tap

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/understudy-eval/understudy/shadow"
)

// Receipt says what became of the documents of one message.
type Receipt struct {
	// Status is the HTTP status: 202 if all were counted as they should be, 400 if some
	// were refused, 429 if some were dropped because the queue is full, 503 if the tap is
	// about to stop. In each case the others were taken.
	Status int `json:"status"`
	// Accepted are on their way to the bus. NotSampled and Dropped are counted in the
	// books under their reasons, Refused as dropped[malformed]: none is to be sent again.
	Accepted   int                       `json:"accepted"`
	NotSampled map[shadow.NotSampled]int `json:"not_sampled,omitempty"`
	Dropped    map[shadow.Dropped]int    `json:"dropped,omitempty"`
	Refused    int                       `json:"refused,omitempty"`
	// Faults are the first ten.
	Faults []LineFault `json:"faults,omitempty"`
}

// LineFault is a fault of the document on a line, from 1 on.
type LineFault struct {
	Line int `json:"line"`
	Fault
}

// Receive takes a message that is one document, or several, one a line.
func (t *Tap) Receive(data []byte) Receipt {
	first, _, more := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	return t.receive(bytes.NewReader(data), !more || !json.Valid(first))
}

// Intake serves POST of documents, see [ReadDocument]: one as application/json, several
// as application/x-ndjson, one a line. The answer is a [Receipt]. It holds one document
// of a call at a time, in the memory that Queue.Bytes bounds, and never waits for the bus.
//
// It asks for no credential, so it belongs on loopback; the content type keeps pages in
// a browser from posting to it.
func (t *Tap) Intake() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		lines := kind == "application/x-ndjson" || kind == "application/ndjson" || kind == "application/jsonl"
		var receipt Receipt
		switch {
		case r.Method != http.MethodPost:
			w.Header().Set("Allow", http.MethodPost)
			receipt = refusal(http.StatusMethodNotAllowed, "is a "+r.Method, "POST")
		case kind != "application/json" && !lines:
			receipt = refusal(http.StatusUnsupportedMediaType, "has another Content-Type", "application/json for one document, application/x-ndjson for one a line")
		case r.Header.Get("Content-Encoding") != "":
			receipt = refusal(http.StatusUnsupportedMediaType, "is compressed", "documents as they are")
		default:
			receipt = t.receive(r.Body, !lines)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(receipt.Status)
		_ = json.NewEncoder(w).Encode(receipt) // who has left needs no receipt
	})
}

// refusal is the receipt of a call in which no document was looked for.
func refusal(status int, problem, want string) Receipt {
	return Receipt{Status: status, Faults: []LineFault{{Fault: Fault{"", "the call " + problem, want}}}}
}

// A body may grow to so many times its size as a JSON string, and a document has
// spareBytes beside its bodies.
const (
	escapedFactor = 4
	spareBytes    = 64 << 10
)

func (t *Tap) receive(body io.Reader, whole bool) Receipt {
	lines := newLineReader(body, t.budget, escapedFactor*t.o.MaxBody+spareBytes, whole)
	defer lines.close()
	receipt := Receipt{Status: http.StatusAccepted}
	for {
		line, err := lines.next()
		switch {
		case errors.Is(err, errLong):
			t.ledger.Count(time.Now(), shadow.OtherEndpoint, shadow.EntryNotSampled, string(shadow.NotSampledTooLarge))
			receipt.count(Fate{NotSampled: shadow.NotSampledTooLarge})
		case errors.Is(err, errRoom):
			t.dropOther(shadow.DroppedQueueFull)
			receipt.count(Fate{Dropped: shadow.DroppedQueueFull})
		case err == nil:
			t.receiveOne(&receipt, lines.number, line)
		case !errors.Is(err, io.EOF):
			t.dropOther(shadow.DroppedMalformed)
			receipt.refuse(lines.number, Faults{{"", "was cut off", ""}})
			return receipt
		default:
			if lines.number == 0 {
				receipt.refuse(1, Faults{{"", "is empty", "a document"}})
			}
			return receipt
		}
	}
}

func (t *Tap) receiveOne(receipt *Receipt, number int, line []byte) {
	d, err := ReadDocument(line)
	if err != nil {
		t.dropOther(shadow.DroppedMalformed)
	} else {
		var f Fate
		if f, err = t.Offer(d); err == nil {
			receipt.count(f)
			return
		}
	}
	var faults Faults
	errors.As(err, &faults)
	receipt.refuse(number, faults)
}

// dropOther counts a document that was not read far enough to know its endpoint.
func (t *Tap) dropOther(why shadow.Dropped) {
	now := time.Now()
	t.ledger.Count(now, shadow.OtherEndpoint, shadow.EntrySampled, "")
	t.ledger.Count(now, shadow.OtherEndpoint, shadow.EntryDropped, string(why))
}

func (r *Receipt) count(f Fate) {
	switch {
	case f.NotSampled != "":
		if r.NotSampled == nil {
			r.NotSampled = map[shadow.NotSampled]int{}
		}
		r.NotSampled[f.NotSampled]++
	case f.Dropped != "":
		if r.Dropped == nil {
			r.Dropped = map[shadow.Dropped]int{}
		}
		r.Dropped[f.Dropped]++
		status := http.StatusTooManyRequests
		if f.Dropped == shadow.DroppedStopped {
			status = http.StatusServiceUnavailable
		}
		r.Status = max(r.Status, status)
	default:
		r.Accepted++
	}
}

func (r *Receipt) refuse(line int, faults Faults) {
	r.Refused++
	r.Status = max(r.Status, http.StatusBadRequest)
	for _, f := range faults {
		if len(r.Faults) < maxFaults {
			r.Faults = append(r.Faults, LineFault{line, f})
		}
	}
}
