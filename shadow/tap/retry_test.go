package tap_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// reply is one answer of a scripted live service.
type reply struct {
	after  time.Duration
	status int // 0 cuts the connection
	body   string
	header http.Header
}

// script answers with the next reply at each call, and repeats the last one.
func script(replies ...reply) http.RoundTripper {
	var calls atomic.Int64
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		one := replies[min(int(calls.Add(1)), len(replies))-1]
		if r.Body != nil {
			_, _ = io.Copy(io.Discard, r.Body)
			_ = r.Body.Close()
		}
		select {
		case <-time.After(one.after):
		case <-r.Context().Done():
			return nil, context.Cause(r.Context())
		}
		if one.status == 0 {
			return nil, errors.New("connection reset by peer")
		}
		h := one.header.Clone()
		if h == nil {
			h = http.Header{}
		}
		h.Set("Content-Type", "application/json")
		return &http.Response{StatusCode: one.status, Header: h, Request: r, ContentLength: int64(len(one.body)),
			Body: io.NopCloser(strings.NewReader(one.body))}, nil
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// retrying asks as the SDKs do: up to three times, with a number at each attempt, after
// a pause of half a second that doubles or the one that the answer names.
type retrying struct {
	transport http.RoundTripper
	session   string
	timeout   time.Duration // of one attempt
}

func (c retrying) ask(t *testing.T, base string) (status int) {
	t.Helper()
	pause := 500 * time.Millisecond
	for n := range 3 {
		var wait time.Duration
		var again bool
		if status, wait, again = c.attempt(t, base, n); !again || n == 2 {
			break
		}
		time.Sleep(cmp.Or(wait, pause))
		pause *= 2
	}
	return status
}

func (c retrying) attempt(t *testing.T, base string, n int) (status int, wait time.Duration, again bool) {
	t.Helper()
	ctx := t.Context()
	if c.timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, c.timeout)
		defer cancel()
		ctx = limited
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+chatPath, strings.NewReader(question))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Stainless-Retry-Count", strconv.Itoa(n))
	if c.session != "" {
		req.Header.Set("X-Session-Id", c.session)
	}
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return 0, 0, true
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, 0, true
	}
	ms, _ := strconv.Atoi(resp.Header.Get("Retry-After-Ms"))
	s, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	wait = time.Duration(ms)*time.Millisecond + time.Duration(s)*time.Second
	return resp.StatusCode, wait, resp.StatusCode == 429 || resp.StatusCode >= 500 || resp.Header.Get("X-Should-Retry") == "true"
}

func TestRetriesAreOneTurn(t *testing.T) {
	for _, c := range []struct {
		name, why string
		replies   []reply
		client    retrying
		rate      float64
		attempts  int
		failure   llm.Reason
		least     time.Duration // of the latency of record
		books     map[string]int64
	}{
		{name: "no failure", why: "the plain case", rate: 1, client: retrying{session: "s-1"},
			replies: []reply{{status: 200, body: wholeAnswer}}, attempts: 1,
			books: want("seen", 1, "sampled", 1, "published", 1)},
		{name: "503, 429, 200", why: "two retries by default", rate: 1, client: retrying{session: "s-1"},
			replies:  []reply{{status: 503, after: time.Second}, {status: 429, after: time.Second}, {status: 200, body: wholeAnswer, after: time.Second}},
			attempts: 3, least: 4 * time.Second, books: want("seen", 3, "sampled", 1, "published", 1, "not_sampled[retry]", 2)},
		{name: "without a session", why: "the draw of the first attempt holds for all", rate: 1,
			replies: []reply{{status: 500}, {status: 200, body: wholeAnswer}}, attempts: 2,
			books: want("seen", 2, "sampled", 1, "published", 1, "not_sampled[retry]", 1)},
		{name: "all fail", why: "a turn that failed is one sample that failed", rate: 1, client: retrying{session: "s-1"},
			replies: []reply{{status: 502, after: time.Second}}, attempts: 3, failure: llm.Status5xx, least: 3 * time.Second,
			books: want("seen", 3, "sampled", 1, "published", 1, "not_sampled[retry]", 2)},
		{name: "connection cut", why: "no status at all", rate: 1, client: retrying{session: "s-1"},
			replies: []reply{{}, {status: 200, body: wholeAnswer}}, attempts: 2,
			books: want("seen", 2, "sampled", 1, "published", 1, "not_sampled[retry]", 1)},
		{name: "time-out of the client", why: "the client leaves and asks again", rate: 1, client: retrying{session: "s-1", timeout: 5 * time.Second},
			replies: []reply{{status: 200, after: time.Minute}, {status: 200, body: wholeAnswer}}, attempts: 2, least: 5 * time.Second,
			books: want("seen", 2, "sampled", 1, "published", 1, "not_sampled[retry]", 1)},
		{name: "a long pause is named", why: "it is obeyed up to a minute", rate: 1, client: retrying{session: "s-1"},
			replies:  []reply{{status: 429, header: http.Header{"Retry-After": {"50"}}}, {status: 200, body: wholeAnswer}},
			attempts: 2, least: 50 * time.Second, books: want("seen", 2, "sampled", 1, "published", 1, "not_sampled[retry]", 1)},
		{name: "asked for by the answer", why: "x-should-retry counts more than the status", rate: 1, client: retrying{session: "s-1"},
			replies:  []reply{{status: 400, header: http.Header{"X-Should-Retry": {"true"}}}, {status: 200, body: wholeAnswer}},
			attempts: 2, books: want("seen", 2, "sampled", 1, "published", 1, "not_sampled[retry]", 1)},
		{name: "outside the sample", why: "a retry is no further chance", client: retrying{session: "s-1"},
			replies: []reply{{status: 503}, {status: 200, body: wholeAnswer}},
			books:   want("seen", 2, "not_sampled[rate]", 1, "not_sampled[retry]", 1)},
		{name: "too large in the end", why: "the last attempt says what became of the turn", rate: 1, client: retrying{session: "s-1"},
			replies: []reply{{status: 503}, {status: 200, body: strings.Repeat("x", 20<<10)}},
			books:   want("seen", 2, "not_sampled[too_large]", 1, "not_sampled[retry]", 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := options()
				o.Rate, o.MaxBody = c.rate, 16<<10
				r := start(t, o, &store{})
				c.client.transport = r.RoundTripper(script(c.replies...))
				status := c.client.ask(t, "http://live")
				all := r.drained(t)
				sameCounts(t, r.counts(), c.books)
				r.balanced(t)
				if c.attempts == 0 {
					if len(all) > 0 {
						t.Errorf("%s: %d samples", c.why, len(all))
					}
					return
				}
				live := all[0].Live
				if live.Attempts != c.attempts || live.Failure != c.failure || live.Took < c.least || live.Took > c.least+20*time.Second {
					t.Errorf("%s: %d attempts, failure %q, took %v", c.why, live.Attempts, live.Failure, live.Took)
				}
				if (status != 200) != (c.failure != "") || !live.Started.Equal(all[0].Seen) || all[0].Seq != 1 {
					t.Errorf("%s: the client got %d; %+v", c.why, status, all[0])
				}
			})
		})
	}
}

// The same through the proxy, over sockets.
func TestRetriesThroughTheProxy(t *testing.T) {
	var calls atomic.Int64
	upstream := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch calls.Add(1) {
		case 1:
			panic(http.ErrAbortHandler)
		case 2:
			w.Header().Set("Retry-After-Ms", "20")
			http.Error(w, "later", http.StatusServiceUnavailable)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, wholeAnswer)
		}
	}))
	r := start(t, options(), &store{})
	front := r.proxied(t, upstream.URL)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	if status := (retrying{transport: transport}).ask(t, front.URL); status != 200 {
		t.Fatalf("status %d", status)
	}
	s := r.one(t)
	if s.Live.Attempts != 3 || s.Live.Failure != "" || s.Live.Text != "Gern." || s.Live.Took < 20*time.Millisecond {
		t.Errorf("%+v", s.Live)
	}
	sameCounts(t, r.counts(), want("seen", 3, "sampled", 1, "published", 1, "not_sampled[retry]", 2))
}

func TestCaseRetriesInLatency(t *testing.T) {
	var c struct {
		Responses []struct {
			Status  int
			Delay   int64 `json:"delay_ms"`
			Headers map[string]string
		}
	}
	readCase(t, "http-retries-in-latency.json", &c)
	synctest.Test(t, func(t *testing.T) {
		var replies []reply
		for _, one := range c.Responses {
			h := http.Header{}
			for name, value := range one.Headers {
				h.Set(name, value)
			}
			replies = append(replies, reply{status: one.Status, after: time.Duration(one.Delay) * time.Millisecond, header: h, body: wholeAnswer})
		}
		r := start(t, options(), &store{})
		if status := (retrying{transport: r.RoundTripper(script(replies...))}).ask(t, "http://live"); status != 200 {
			t.Fatalf("status %d", status)
		}
		live := r.one(t).Live
		if off := (live.Took - 5200*time.Millisecond).Abs(); off > 200*time.Millisecond || live.Attempts != 2 {
			t.Errorf("took %v in %d attempts, want 5.2 s in 2", live.Took, live.Attempts)
		}
	})
}

// attempt is one call of a client that marks its attempts in some way.
type attempt struct {
	body   string
	header http.Header
	pause  time.Duration // before it
	status int
}

func TestWhatIsNoRetry(t *testing.T) {
	marked := func(n string) http.Header {
		return http.Header{"X-Stainless-Retry-Count": {n}, "X-Session-Id": {"s-1"}}
	}
	keyed := func(k string) http.Header { return http.Header{"Idempotency-Key": {k}} }
	other := strings.Replace(question, "Hallo", "Hello", 1) // as long as the question
	for _, c := range []struct {
		name, why string
		attempts  []attempt
		samples   int
		books     map[string]int64
	}{
		{"another body", "the same length is not the same request", []attempt{{question, marked("0"), 0, 503}, {other, marked("1"), 0, 200}}, 1,
			want("seen", 2, "sampled", 1, "published", 1, "not_sampled[retry]", 1)},
		{"another session", "people ask the same", []attempt{{question, marked("0"), 0, 503},
			{question, http.Header{"X-Stainless-Retry-Count": {"1"}, "X-Session-Id": {"s-2"}}, 0, 200}}, 1,
			want("seen", 2, "sampled", 1, "published", 1, "not_sampled[retry]", 1)},
		{"nothing to repeat", "its first attempt went by another way", []attempt{{question, marked("2"), 0, 200}}, 0,
			want("seen", 1, "not_sampled[retry]", 1)},
		{"after a success", "the client did not get it", []attempt{{question, marked("0"), 0, 200}, {question, marked("1"), 0, 200}}, 1,
			want("seen", 2, "sampled", 1, "published", 1, "not_sampled[retry]", 1)},
		{"much later", "the turn is over", []attempt{{question, marked("0"), 0, 503}, {question, marked("1"), time.Minute, 200}}, 1,
			want("seen", 2, "sampled", 1, "published", 1, "not_sampled[retry]", 1)},
		{"a number that is none", "who says nothing of attempts makes two requests",
			[]attempt{{question, marked("x"), 0, 503}, {question, marked("-1"), 0, 200}}, 2, want("seen", 2, "sampled", 2, "published", 2)},
		{"not marked", "the same question twice is two questions", []attempt{{question, nil, 0, 503}, {question, nil, 0, 200}}, 2,
			want("seen", 2, "sampled", 2, "published", 2)},
		{"same key", "an idempotency key marks a turn", []attempt{{question, keyed("k"), 0, 503}, {question, keyed("k"), 0, 200}}, 1,
			want("seen", 2, "sampled", 1, "published", 1, "not_sampled[retry]", 1)},
		{"same key, another body", "a key used twice by mistake loses nothing", []attempt{{question, keyed("k"), 0, 503}, {other, keyed("k"), 0, 200}}, 2,
			want("seen", 2, "sampled", 2, "published", 2)},
		{"another key", "so they say", []attempt{{question, keyed("k"), 0, 503}, {question, keyed("l"), 0, 200}}, 2,
			want("seen", 2, "sampled", 2, "published", 2)},
		{"lasting", "a bad key is not tried again", []attempt{{question, marked("0"), 0, 401}, {question, marked("0"), 0, 200}}, 2,
			want("seen", 2, "sampled", 2, "published", 2)},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, options(), &store{})
				for _, a := range c.attempts {
					time.Sleep(a.pause)
					call(t, r.RoundTripper(script(reply{status: a.status, body: wholeAnswer})), a)
				}
				all := r.drained(t)
				sameCounts(t, r.counts(), c.books)
				r.balanced(t)
				if len(all) != c.samples {
					t.Errorf("%s: %d samples, want %d", c.why, len(all), c.samples)
				}
			})
		})
	}
}

func call(t *testing.T, transport http.RoundTripper, a attempt) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://live"+chatPath, bytes.NewReader([]byte(a.body)))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range a.header {
		req.Header[name] = values
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	synctest.Wait()
}

// A failed attempt is no sample before its time is over, and one then.
func TestFailedAttemptWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, options(), &store{})
		first := http.Header{"X-Stainless-Retry-Count": {"0"}}
		call(t, r.RoundTripper(script(reply{status: 503})), attempt{body: question, header: first})
		time.Sleep(9 * time.Second)
		synctest.Wait()
		before := r.published()
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if after := r.published(); len(before) != 0 || len(after) != 1 || after[0].Live.Failure != llm.Status5xx {
			t.Errorf("%d samples after 9 s, then %+v", len(before), after)
		}
		r.drained(t)
	})
}

// In an outage far more turns fail than the table holds: the rest are samples at once,
// and none is lost.
func TestManyFailuresAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options()
		o.Queue.Items = 4000
		r := start(t, o, &store{})
		live := r.RoundTripper(script(reply{status: 503}))
		for i := range 2500 {
			ask := attempt{body: question, header: http.Header{"X-Stainless-Retry-Count": {"0"}, "X-Session-Id": {"s-" + string(rune('a'+i%26)) + strings.Repeat("x", i/26)}}}
			call(t, live, ask)
		}
		if n := len(r.published()); n != 1500 {
			t.Errorf("%d of 2500 failed attempts are samples at once, want 1500", n)
		}
		r.drained(t)
		sameCounts(t, r.counts(), want("seen", 2500, "sampled", 2500, "published", 2500))
	})
}
