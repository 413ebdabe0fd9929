package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// shortestSecret keeps a host named "a" from being taken out of every word.
const shortestSecret = 3

// key reads the credential. Its error says nothing of the key itself.
func (c *Client) key() (string, error) {
	if c.end.Key == nil {
		return "", nil
	}
	key, err := c.end.Key()
	if err != nil {
		return "", fmt.Errorf("read key: %w", err)
	}
	key = strings.TrimSpace(key)
	if key == "" || strings.ContainsFunc(key, unicode.IsControl) {
		return "", errors.New("read key: it is empty or no header can carry it")
	}
	return key, nil
}

// request makes an HTTP request with the endpoint's own key.
func (c *Client) request(ctx context.Context, method, path string, body io.Reader, key string) (*http.Request, error) {
	u := *c.base
	path, query, _ := strings.Cut(path, "?")
	if u.RawQuery != "" && query != "" {
		query = "&" + query
	}
	u.RawQuery += query
	raw := strings.TrimRight(u.EscapedPath(), "/") + "/" + path
	plain, err := url.PathUnescape(raw)
	if err != nil {
		return nil, fmt.Errorf("ask model %s: its name fits no path", c.end.Name)
	}
	u.Path, u.RawPath = plain, raw
	req, err := http.NewRequestWithContext(ctx, method, "http://placeholder", body)
	if err != nil {
		return nil, fmt.Errorf("ask model %s: request cannot be made", c.end.Name)
	}
	req.URL, req.Host = &u, ""
	req.Header.Set("User-Agent", "understudy")
	req.Header.Set("Accept", "application/json, text/event-stream")
	switch {
	case key == "":
	case c.end.Provider == llm.ProviderAnthropic:
		req.Header.Set("X-Api-Key", key)
	case c.end.Provider == llm.ProviderGoogle:
		req.Header.Set("X-Goog-Api-Key", key)
	case strings.HasSuffix(u.Hostname(), ".openai.azure.com"):
		req.Header.Set("Api-Key", key)
	default:
		req.Header.Set("Authorization", "Bearer "+key)
	}
	return req, nil
}

// scrub takes the key and the host out of what the provider said: some servers echo both.
func (c *Client) scrub(f *llm.Failure, key string) *llm.Failure {
	clean := func(s string) string {
		for _, secret := range []struct{ word, mark string }{
			{key, "[key]"}, {c.base.Host, "[endpoint]"}, {c.base.Hostname(), "[endpoint]"},
		} {
			if len(secret.word) >= shortestSecret {
				s = strings.ReplaceAll(s, secret.word, secret.mark)
			}
		}
		return s
	}
	out := *f // it may be the cause of somebody else's context
	out.Code = clean(f.Code)
	if f.Err != nil {
		if text := f.Err.Error(); clean(text) != text {
			out.Err = errors.New(clean(text))
		}
	}
	return &out
}
