package tap_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Each event comes before the next one is sent, whatever the type, sampled or not.
func TestFlushPerEvent(t *testing.T) {
	var c struct {
		Events int
		Types  []string `json:"content_types"`
	}
	readCase(t, "tap-flush.json", &c)
	for _, kind := range append(c.Types, "application/json") {
		for _, rate := range []float64{0, 1} {
			t.Run(fmt.Sprint(kind, " ", rate), func(t *testing.T) {
				next := make(chan bool)
				upstream := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					w.Header().Set("Content-Type", kind)
					for i := range c.Events {
						_, _ = fmt.Fprintf(w, "data: %d\n", i)
						_ = http.NewResponseController(w).Flush()
						<-next
					}
				}))
				o := options()
				o.Rate = rate
				r := start(t, o, &store{})
				front := r.proxied(t, upstream.URL)
				resp, err := http.Post(front.URL+chatPath, "application/json", strings.NewReader(streamed))
				if err != nil {
					t.Fatal(err)
				}
				defer http.DefaultClient.CloseIdleConnections()
				defer resp.Body.Close()
				lines := bufio.NewReader(resp.Body)
				for i := range c.Events {
					line, err := lines.ReadString('\n') // hangs if it is not flushed
					if err != nil || line != fmt.Sprintf("data: %d\n", i) {
						t.Fatalf("%q, %v", line, err)
					}
					next <- true
				}
			})
		}
	}
}

func TestCutUpstreamIsCutForTheClient(t *testing.T) {
	upstream := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, roleChunk+chunk("Ger"))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	r := start(t, options(), &store{})
	front := r.proxied(t, upstream.URL)
	resp, err := http.Post(front.URL+chatPath, "application/json", strings.NewReader(streamed))
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err == nil || !bytes.HasPrefix(body, []byte(roleChunk)) {
		t.Errorf("the client read %q, %v", body, err)
	}
	live := r.one(t).Live
	if live.Failure != "reset" || live.Text != "Ger" || live.Censored || live.FirstToken == 0 {
		t.Errorf("%+v", live)
	}
}
