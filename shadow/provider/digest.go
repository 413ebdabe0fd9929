package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// Digest asks an Ollama server for the digest of the configured tag, as the server
// writes it (hexadecimal digits). A tag without a colon is ":latest".
//
// Errors: [ErrNoDigest] for other providers and for a tag that is not there,
// [*llm.Failure] for a call that failed.
func (c *Client) Digest(ctx context.Context) (string, error) {
	if c.end.Provider != llm.ProviderOllama {
		return "", fmt.Errorf("model %s: %w: provider %s lists none", c.end.Name, ErrNoDigest, c.end.Provider)
	}
	key, err := c.key()
	if err != nil {
		return "", fmt.Errorf("model %s: %w", c.end.Name, err)
	}
	body, err := c.tags(ctx, key)
	if err != nil {
		return "", err
	}
	var list struct {
		Models []struct{ Name, Model, Digest string }
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return "", &llm.Failure{Class: llm.Malformed, Reason: llm.MalformedReason, Status: http.StatusOK, Err: err}
	}
	tag := c.end.Model
	if !strings.Contains(tag, ":") {
		tag += ":latest"
	}
	for _, m := range list.Models {
		if (m.Name == tag || m.Model == tag || m.Name == c.end.Model) && m.Digest != "" {
			return m.Digest, nil
		}
	}
	return "", fmt.Errorf("model %s: %w: the server does not list %s", c.end.Name, ErrNoDigest, tag)
}

func (c *Client) tags(ctx context.Context, key string) ([]byte, error) {
	req, err := c.request(ctx, http.MethodGet, "api/tags", nil, key)
	if err != nil {
		return nil, err
	}
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return nil, c.failed(ctx, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.end.MaxReply))
	if err != nil {
		return nil, c.failed(ctx, err)
	}
	if f := llm.FailureFromStatus(llm.OllamaChat, resp.StatusCode, resp.Header, body, time.Now()); f != nil {
		return nil, c.scrub(f, key)
	}
	return body, nil
}
