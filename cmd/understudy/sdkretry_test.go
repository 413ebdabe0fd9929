package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// kept is a publisher that keeps what it gets.
type kept struct {
	samples []shadow.Sample
	books   map[string]int64
}

func (k *kept) PublishSample(_ context.Context, s shadow.Sample) error {
	k.samples = append(k.samples, s)
	return nil
}

func (k *kept) PublishBooks(_ context.Context, b shadow.Books) error {
	for _, l := range b.Lines {
		k.books[string(l.Entry)+l.Reason] += l.Count
	}
	return nil
}

// OpenAI's own client with its retries on makes three attempts: one is cut off, one
// gets a 503, one an answer. That is one turn, and one sample.
func TestRetriesOfTheSDKAreOneTurn(t *testing.T) {
	const answer = `{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Gern."},"finish_reason":"stop"}]}`
	var calls atomic.Int64
	live := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch calls.Add(1) {
		case 1:
			panic(http.ErrAbortHandler)
		case 2:
			w.Header().Set("Retry-After-Ms", "20")
			http.Error(w, "later", http.StatusServiceUnavailable)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, answer)
		}
	}))
	defer live.Close()
	upstream, err := url.Parse(live.URL)
	if err != nil {
		t.Fatal(err)
	}
	got := &kept{books: map[string]int64{}}
	tp, err := tap.New(tap.Options{Experiment: "e", Rate: 1, Publishers: 1}, got)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- tp.Run(ctx) }()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	front := httptest.NewServer(tp.Middleware(tap.ReverseProxy(upstream, tap.ProxyOptions{Transport: transport})))
	client := openai.NewClient(option.WithBaseURL(front.URL+"/v1"), option.WithAPIKey("k"))
	reply, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
		Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hallo")},
	})
	front.Close()
	end()
	if runErr := <-done; err != nil || runErr != nil || reply.Choices[0].Message.Content != "Gern." {
		t.Fatal(err, runErr)
	}
	if len(got.samples) != 1 || got.books["seen"] != 3 || got.books["sampled"] != 1 || got.books["published"] != 1 || got.books["not_sampledretry"] != 2 {
		t.Fatalf("%d samples, books %v", len(got.samples), got.books)
	}
	if live := got.samples[0].Live; live.Attempts != 3 || live.Failure != "" || live.Text != "Gern." || live.Took < 375*time.Millisecond {
		t.Errorf("the turn became %+v", live) // the client's first pause alone is 375 ms or more
	}
}
