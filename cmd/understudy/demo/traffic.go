package demo

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Traffic counts the users' requests while they are sent.
type Traffic struct {
	Total    int
	Sampled  int // how many of them the sampling rule picks
	sent     atomic.Int64
	failed   atomic.Int64
	sessions []conversation
}

// Sent is how many requests have their answer, Failed how many got none.
func (t *Traffic) Sent() int   { return int(t.sent.Load()) }
func (t *Traffic) Failed() int { return int(t.failed.Load()) }

// Send plays every conversation against a base URL ("http://host:port/v1"): turns
// one after the other, conversations at the same time, as their start times say.
// It returns when the last answer was read, or with the first failure.
func (t *Traffic) Send(ctx context.Context, baseURL string) error {
	transport := &http.Transport{MaxIdleConnsPerHost: 1000, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var (
		all   sync.WaitGroup
		mu    sync.Mutex
		first error
	)
	for _, c := range t.sessions {
		all.Go(func() {
			if err := t.converse(ctx, client, baseURL, c); err != nil {
				mu.Lock()
				defer mu.Unlock()
				first = cmp.Or(first, err)
			}
		})
	}
	all.Wait()
	return first
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// converse plays one conversation: each request carries what was said before.
func (t *Traffic) converse(ctx context.Context, client *http.Client, baseURL string, c conversation) error {
	select {
	case <-time.After(c.start):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	said := []message{{"system", "You help users of a video chat service. Be brief."}}
	for i, turn := range c.turns {
		said = append(said, message{"user", turn.text})
		if err := ask(ctx, client, baseURL, c.session, turn, said); err != nil {
			t.failed.Add(1)
			return fmt.Errorf("%s, turn %d: %w", c.session, i+1, err)
		}
		t.sent.Add(1)
		said = append(said, message{"assistant", turn.said(turn.live)})
	}
	return nil
}

// ask sends one request as a client library would, and reads the whole answer.
func ask(ctx context.Context, client *http.Client, baseURL, session string, turn turn, said []message) error {
	fields := map[string]any{"model": LiveModel, "messages": said, "stream": turn.stream}
	if turn.form {
		fields["response_format"] = form()
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, baseURL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+userKey)
	req.Header.Set(SessionHeader, session)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	read, err := io.Copy(io.Discard, resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || read == 0 {
		return fmt.Errorf("status %d, %d bytes", resp.StatusCode, read)
	}
	return nil
}
