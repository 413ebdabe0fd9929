package tap_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Each event comes before the next one is sent, whatever the type, sampled or not.
func TestFlushPerEvent(t *testing.T) {
	for _, kind := range []string{"text/event-stream", "text/event-stream; charset=utf-8", "application/x-ndjson", "application/json"} {
		for _, rate := range []float64{0, 1} {
			t.Run(fmt.Sprint(kind, " ", rate), func(t *testing.T) {
				next := make(chan bool)
				upstream := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					w.Header().Set("Content-Type", kind)
					for i := range 20 {
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
				for i := range 20 {
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

func TestClientThatLeavesEndsTheCall(t *testing.T) {
	for _, after := range []string{"nothing", "a byte"} {
		t.Run("after "+after, func(t *testing.T) {
			ended, arrived := make(chan bool, 1), make(chan bool, 1)
			upstream := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if after != "nothing" {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, roleChunk)
					_ = http.NewResponseController(w).Flush()
				}
				arrived <- true
				<-r.Context().Done()
				ended <- true
			}))
			r := start(t, options(), &store{})
			front := r.proxied(t, upstream.URL)
			conn, err := net.Dial("tcp", front.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", chatPath, len(streamed), streamed)
			if after != "nothing" {
				_, _ = bufio.NewReader(conn).ReadString('}')
			}
			<-arrived
			conn.Close()
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
				t.Fatal("the upstream's call goes on")
			}
			live := r.one(t).Live
			if live.Failure != "client_abort" || !live.Censored || live.Took <= 0 {
				t.Errorf("%+v", live)
			}
		})
	}
}
