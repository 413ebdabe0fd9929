package tap_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// readInSteps reads an answer of three flushes, lets the upstream go on after each,
// and gives the times that bound the second one, counted from before the request:
// the client has the first flush at before, and the second at after.
func readInSteps(t *testing.T, base string, next chan<- bool) (before, after time.Duration) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+chatPath, strings.NewReader(streamed))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "gzip")
	began := time.Now()
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer resp.Body.Close()
	buffer := make([]byte, 4096)
	for step := range 3 {
		if _, err := resp.Body.Read(buffer); err != nil {
			t.Fatal(err)
		}
		switch step {
		case 0:
			// The request arrived at the tap after began, so that any time of it is
			// smaller than one counted from began; what remains is half of the wait.
			time.Sleep(20 * time.Millisecond)
			before = 10 * time.Millisecond
		case 1:
			after = time.Since(began)
		}
		next <- true
	}
	return before, after
}
