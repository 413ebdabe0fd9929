package tap_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// document is a chat document with further members.
func document(more string) string {
	return `{"endpoint":"` + chatPath + `","request":` + question + `,"took_ms":1500` + more + `}`
}

const answered = `,"response":` + wholeAnswer

// send posts documents to the intake and gives the receipt.
func send(t *testing.T, base, kind, body string) tap.Receipt {
	t.Helper()
	resp, err := http.Post(base, kind, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var r tap.Receipt
	if err := json.Unmarshal(data, &r); err != nil || r.Status != resp.StatusCode {
		t.Fatalf("status %d, receipt %s: %v", resp.StatusCode, data, err)
	}
	return r
}

// What a document tells becomes the sample that the tap would have taken.
func TestIntakeTakesWhatTheTapWould(t *testing.T) {
	seen := time.Now().UTC().Add(-time.Hour).Truncate(time.Millisecond)
	stream := roleChunk + chunk("Ger") + chunk("n.") + stopChunk + doneEvent
	text, err := json.Marshal(stream)
	if err != nil {
		t.Fatal(err)
	}
	type live struct {
		Text, Failure, Snapshot string
		Status                  int
		Took, First             time.Duration
		Censored, Untimed       bool
	}
	ms := time.Millisecond
	for _, tt := range []struct {
		name, more string
		want       live
	}{
		{"whole", answered, live{Text: "Gern.", Snapshot: "live-1-2026-01-01", Took: 1500 * ms}},
		{"stream", `,"response":` + string(text) + `,"first_token_ms":200`, live{Text: "Gern.", Snapshot: "live-1", Took: 1500 * ms, First: 200 * ms}},
		{"cut stream", `,"response":"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Ge\"}}]}\n\n"`, live{Text: "Ge", Failure: "reset", Took: 1500 * ms}},
		{"read already", `,"answer":{"text":"Gern.","model":"m"}`, live{Text: "Gern.", Snapshot: "m", Took: 1500 * ms}},
		{"empty", `,"answer":{"text":" "}`, live{Text: " ", Failure: "empty", Took: 1500 * ms}},
		{"status", `,"status":429,"response":{"error":{"code":"rate_limit_exceeded"}}`, live{Failure: "rate_limited", Status: 429, Took: 1500 * ms}},
		{"error in 200", `,"status":200,"response":{"error":{"message":"x","code":502}}`, live{Failure: "error_in_200", Status: 200, Took: 1500 * ms}},
		{"time-out", `,"failure":"timeout"`, live{Failure: "timeout", Censored: true, Took: 1500 * ms}},
		{"left half-way", `,"failure":"client_abort","answer":{"text":"Ge"}`, live{Text: "Ge", Failure: "client_abort", Censored: true, Took: 1500 * ms}},
		{"no JSON", `,"response":"<html>"`, live{Failure: "malformed", Took: 1500 * ms}},
		{"no time", `,"took_ms":null` + answered, live{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t, options(), &store{})
			body := document(tt.more + `,"id":"a","seen":"` + seen.Format(time.RFC3339Nano) + `","session":"s","route":"help","tags":{"lang":"de"},"attempts":2`)
			if tt.name == "no time" {
				body = strings.Replace(body, `"took_ms":1500,`, "", 1)
				tt.want = live{Text: "Gern.", Snapshot: "live-1-2026-01-01", Untimed: true}
			}
			if got := send(t, r.serve(t, r.Intake()).URL, "application/json", body); got.Status != http.StatusAccepted || got.Accepted != 1 {
				t.Fatalf("receipt %+v", got)
			}
			s := r.one(t)
			a := s.Live
			got := live{a.Text, string(a.Failure), string(a.Snapshot), a.Status, a.Took, a.FirstToken, a.Censored, a.Untimed}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("live (-want +got):\n%s", diff)
			}
			d := tap.Document{ID: "a"}
			if s.ID != d.SampleID() || s.Session != "s" || s.Route != "help" || !s.Seen.Equal(seen) || string(s.Request) != question ||
				s.Dialect != llm.OpenAIChat || s.Live.Attempts != 2 || !cmp.Equal(s.Tags, map[string]string{"lang": "de", "vantage": "service"}) {
				t.Errorf("sample %+v", s)
			}
			sameCounts(t, r.countsOf(chatPath), want("seen", 1, "sampled", 1, "published", 1))
		})
	}
}

// Each line of a batch has its own fate, and the receipt says which and where.
func TestIntakeOfABatch(t *testing.T) {
	o := options()
	o.MaxBody = 2000
	r := start(t, o, &store{})
	long := strings.Repeat("x", 3000)
	body := strings.Join([]string{
		document(answered),
		"",
		`{"endpoint":"` + chatPath + `"}`,
		document(answered + `,"latency":1`),
		`{"endpoint":"/v1/embeddings","request":{},"response":{}}`,
		document(`,"answer":{"text":"` + long + `"}`),
		`{"long":"` + strings.Repeat("x", 4*2000+70<<10) + `"}`,
		`{"endpoint":"` + chatPath + `","request":{"messages":[]},"failure":"timeout"}`,
		`not JSON`,
		document(answered + `,"seen":"2020-01-01T00:00:00Z"`),
		document(answered),
	}, "\r\n")
	got := send(t, r.serve(t, r.Intake()).URL, "application/x-ndjson; charset=utf-8", body)
	line := func(n int, at, problem, want string) tap.LineFault {
		return tap.LineFault{Line: n, Fault: tap.Fault{At: at, Problem: problem, Want: want}}
	}
	wanted := tap.Receipt{
		Status: http.StatusBadRequest, Accepted: 2, Refused: 5,
		NotSampled: map[shadow.NotSampled]int{shadow.NotSampledUnsupported: 1, shadow.NotSampledTooLarge: 2},
		Faults: []tap.LineFault{
			line(3, "/request", "is missing", "the body as it was sent: an object, or a string that holds it"),
			line(3, "", "says nothing of an answer", "response, answer or failure"),
			line(4, "/latency", "is not known here", "one of answer, attempts, endpoint, failure, first_token_ms, header, id, rate, redacted, request, response, route, seen, session, status, tags, took_ms"),
			line(8, "/request", "holds no conversation", "a whole request of openai-chat"),
			line(9, "", "is no JSON, at byte 0", "one JSON object"),
			line(10, "/seen", "is too far from now", "the time of the request; files of the past are for understudy replay"),
		},
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}
	r.drained(t)
	sameCounts(t, r.counts(), want("seen", 10, "sampled", 7, "published", 2, "dropped[malformed]", 5,
		"not_sampled[unsupported_endpoint]", 1, "not_sampled[too_large]", 2))
	r.balanced(t)
}

// A service that sends everything is drawn by the same rule as the tap's own traffic;
// what it has drawn itself is taken, with the chance that it names.
func TestIntakeDraws(t *testing.T) {
	o := options()
	o.Rate = 0.2
	r := start(t, o, &store{})
	const sessions = 400
	wantKept := 0
	for i := range sessions {
		session := fmt.Sprintf("s-%d", i)
		if shadow.Keep(session, o.Salt, o.Rate) {
			wantKept++
		}
		if got := r.Receive([]byte(document(answered + `,"session":"` + session + `"`))); got.Status != http.StatusAccepted {
			t.Fatalf("receipt %+v", got)
		}
		if got := r.Receive([]byte(document(answered + `,"rate":0.1,"session":"own ` + session + `"`))); got.Accepted != 1 {
			t.Fatalf("receipt of what was drawn already %+v", got)
		}
	}
	kept, drawn, inHalf := 0, 0, 0
	for _, s := range r.drained(t) {
		switch {
		case strings.HasPrefix(s.Session, "own "):
			drawn++
			if s.Rate != 0.1 || !(s.Draw < 0.1) {
				t.Errorf("drawn elsewhere: rate %v, draw %v", s.Rate, s.Draw)
			}
			if s.InShare(0.5) {
				inHalf++
			}
		default:
			kept++
			if s.Rate != 0.2 || s.Draw != shadow.Draw(s.Session, o.Salt) {
				t.Errorf("session %s: rate %v, draw %v", s.Session, s.Rate, s.Draw)
			}
		}
	}
	if kept != wantKept || drawn != sessions {
		t.Errorf("%d kept and %d taken, want %d and %d", kept, drawn, wantKept, sessions)
	}
	if inHalf < 160 || inHalf > 240 { // 200 ± 4 SE
		t.Errorf("%d of %d are in a share of one half", inHalf, sessions)
	}
	sameCounts(t, r.countsOf(chatPath), want("seen", 2*sessions, "sampled", kept+drawn, "published", kept+drawn, "not_sampled[rate]", sessions-kept))
}

// A full queue, a tap at its end and memory that is used up are said at once and counted.
func TestIntakeWithoutRoom(t *testing.T) {
	o := options()
	o.Queue.Items = 1
	tp, err := tap.New(o, &store{}) // does not run: its queue fills
	if err != nil {
		t.Fatal(err)
	}
	if got := tp.Receive([]byte(document(answered))); got.Accepted != 1 {
		t.Errorf("first: %+v", got)
	}
	got := tp.Receive([]byte(document(answered) + "\n" + document(answered)))
	if got.Status != http.StatusTooManyRequests || got.Dropped[shadow.DroppedQueueFull] != 2 {
		t.Errorf("full queue: %+v", got)
	}
	o.Queue.Bytes = 100
	if tp, err = tap.New(o, &store{}); err != nil {
		t.Fatal(err)
	}
	if got := tp.Receive([]byte(document(answered))); got.Status != http.StatusTooManyRequests {
		t.Errorf("no memory: %+v", got)
	}
	r := start(t, options(), &store{})
	r.drained(t)
	if got := r.Receive([]byte(document(answered))); got.Status != http.StatusServiceUnavailable || got.Dropped[shadow.DroppedStopped] != 1 {
		t.Errorf("stopped: %+v", got)
	}
}

func TestIntakeRefusesOtherCalls(t *testing.T) {
	r := start(t, options(), &store{})
	base := r.serve(t, r.Intake()).URL
	for kind, status := range map[string]int{"text/plain": 415, "": 415, "application/json": 400, "application/jsonl": 400} {
		if got := send(t, base, kind, " \n"); got.Status != status || len(got.Faults) != 1 {
			t.Errorf("%q: %+v", kind, got)
		}
	}
	resp, err := http.Get(base)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") != "POST" {
		t.Errorf("GET: status %d, Allow %q", resp.StatusCode, resp.Header.Get("Allow"))
	}
	http.DefaultClient.CloseIdleConnections()
	r.drained(t)
	sameCounts(t, r.counts(), want())
}

// A document on several lines is one; a message with one a line is several.
func TestReceiveTellsLinesFromOneDocument(t *testing.T) {
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(document(answered)), "", "  "); err != nil {
		t.Fatal(err)
	}
	r := start(t, options(), &store{})
	for body, n := range map[string]int{pretty.String(): 1, document(answered) + "\n" + document(answered): 2} {
		if got := r.Receive([]byte(body)); got.Accepted != n {
			t.Errorf("%d taken, want %d: %+v", got.Accepted, n, got)
		}
	}
}

// Recorded documents of any age become samples that nobody counts.
func TestSampleOfAnOldDocument(t *testing.T) {
	o := options()
	o.Rate = 0.5
	tp, err := tap.New(o, &store{})
	if err != nil {
		t.Fatal(err)
	}
	var kept int
	for i := range 200 {
		d, err := tap.ReadDocument([]byte(document(answered + fmt.Sprintf(`,"rate":0.1,"session":"s-%d","seen":"2020-01-02T00:00:00Z"`, i))))
		if err != nil {
			t.Fatal(err)
		}
		s, f := tp.Sample(d)
		switch {
		case f == tap.Fate{}:
			kept++
			if s.Rate != 0.05 || !(s.Draw < 0.05) || s.Seen.Year() != 2020 || s.Tags["vantage"] != "recorded" || s.Live.Text != "Gern." {
				t.Fatalf("sample %+v", s)
			}
		case f.NotSampled != shadow.NotSampledRate:
			t.Fatalf("fate %+v", f)
		}
	}
	if kept < 72 || kept > 128 { // 100 ± 4 SE
		t.Errorf("%d of 200 kept at one half", kept)
	}
	if _, f := tp.Sample(tap.Document{Endpoint: chatPath, Request: []byte(`{}`), Failure: llm.Timeout, Rate: 1, Session: "x"}); f.Dropped != shadow.DroppedMalformed && f.NotSampled != shadow.NotSampledRate {
		t.Errorf("no conversation: %+v", f)
	}
}

// FuzzReceive looks for a message that is not counted, or counted twice.
func FuzzReceive(f *testing.F) {
	f.Add([]byte(document(answered)))
	f.Add([]byte(document(answered) + "\n\n{}\n" + `{"endpoint":"/x"}`))
	for _, tt := range documents {
		f.Add([]byte(tt.doc))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &store{}
		tp, err := tap.New(options(), s)
		if err != nil {
			t.Fatal(err)
		}
		r := tp.Receive(data)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := tp.Run(ctx); err != nil {
			t.Fatal(err)
		}
		n := int64(r.Accepted + r.Refused)
		for _, k := range r.NotSampled {
			n += int64(k)
		}
		for _, k := range r.Dropped {
			n += int64(k)
		}
		if len(bytes.TrimSpace(data)) == 0 {
			n-- // an empty message is refused, and is no document
		}
		if seen := s.counts()["seen"]; seen != n {
			t.Fatalf("%d seen, the receipt tells of %d: %+v", seen, n, r)
		}
		s.balanced(t)
	})
}
