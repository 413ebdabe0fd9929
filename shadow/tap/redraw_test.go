package tap_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/shadow"
)

// A stream that is open while rate and salt change goes on, and each sample keeps the
// rate under which it was drawn.
func TestRedrawWhileAStreamIsOpen(t *testing.T) {
	next := make(chan bool)
	upstream := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{chunk("Ja"), stopChunk + doneEvent} {
			_, _ = io.WriteString(w, event)
			_ = http.NewResponseController(w).Flush()
			<-next
		}
	}))
	o := options()
	o.Rate = 0.5
	r := start(t, o, &store{})
	front := r.proxied(t, upstream.URL)
	var inside, outside string
	for n := 0; inside == "" || outside == ""; n++ {
		key := "s-" + strings.Repeat("x", n)
		if shadow.Keep(key, "salt", 0.5) {
			inside = key
		} else if shadow.Keep(key, "other", 0.9) {
			outside = key
		}
	}
	ask := func(session string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front.URL+chatPath, strings.NewReader(streamed))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Session-Id", session)
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	open := ask(inside)
	if _, err := open.Body.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	if err := r.Redraw(0.9, "other"); err != nil {
		t.Fatal(err)
	}
	if r.Redraw(1.5, "other") == nil || r.Redraw(-1, "other") == nil {
		t.Error("a rate out of range is taken")
	}
	next <- true
	next <- true
	if rest, err := io.ReadAll(open.Body); err != nil || !strings.HasSuffix(string(rest), doneEvent) {
		t.Errorf("the open stream ended with %q, %v", rest, err)
	}
	_ = open.Body.Close()
	after := ask(outside)
	next <- true
	next <- true
	_, _ = io.Copy(io.Discard, after.Body)
	_ = after.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	all := r.drained(t)
	slices.SortFunc(all, func(a, b shadow.Sample) int { return a.Seen.Compare(b.Seen) })
	if len(all) != 2 || all[0].Rate != 0.5 || all[1].Rate != 0.9 || all[1].Draw != shadow.Draw(outside, "other") {
		t.Fatalf("%+v", all)
	}
}
