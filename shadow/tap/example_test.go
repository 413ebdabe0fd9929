package tap_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// printer publishes to the terminal.
type printer struct{}

func (printer) PublishSample(_ context.Context, s shadow.Sample) error {
	fmt.Printf("%s said %q after %s\n", s.Live.Snapshot, s.Live.Text, s.Request)
	return nil
}

func (printer) PublishBooks(_ context.Context, b shadow.Books) error {
	for _, l := range b.Lines {
		fmt.Println(l.Endpoint, l.Entry, l.Count)
	}
	return nil
}

func ExampleTap_Middleware() {
	service := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"model":"m-1","choices":[{"message":{"content":"Gern."},"finish_reason":"stop"}]}`)
	})
	tapped, err := tap.New(tap.Options{Experiment: "support-2026-10", Rate: 1}, printer{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tapped.Tapped()[0])
	r := httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(`{"messages":[{"role":"user","content":"Hallo"}]}`))
	tapped.Middleware(service).ServeHTTP(httptest.NewRecorder(), r)

	ctx, stop := context.WithCancel(context.Background())
	stop() // Run publishes what waits, and returns
	if err := tapped.Run(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// POST …/chat/completions
	// m-1 said "Gern." after {"messages":[{"role":"user","content":"Hallo"}]}
	// /v1/chat/completions seen 1
	// /v1/chat/completions sampled 1
	// /v1/chat/completions published 1
}
