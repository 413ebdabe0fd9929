package provider

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	body, err := c.list(ctx, llm.OllamaChat, "api/tags", key)
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

// ListingDigest is the SHA-256 of what an OpenAI-compatible server lists about the
// configured model (GET …/models), as 64 hexadecimal digits: the entry as JSON with
// sorted keys, without "created" and "permission", which change at each start. Where
// a server lists size, parameters or path of the weights, other weights give another
// digest; it is no digest of the weights themselves.
//
// Errors: [ErrNoDigest] for other providers and for a model that is not listed,
// [*llm.Failure] for a call that failed.
func (c *Client) ListingDigest(ctx context.Context) (string, error) {
	if c.end.Provider != llm.ProviderOpenAI {
		return "", fmt.Errorf("model %s: %w: provider %s has no such list", c.end.Name, ErrNoDigest, c.end.Provider)
	}
	key, err := c.key()
	if err != nil {
		return "", fmt.Errorf("model %s: %w", c.end.Name, err)
	}
	body, err := c.list(ctx, llm.OpenAIChat, "models", key)
	if err != nil {
		return "", err
	}
	var list struct {
		Data []map[string]any
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(&list); err != nil {
		return "", &llm.Failure{Class: llm.Malformed, Reason: llm.MalformedReason, Status: http.StatusOK, Err: err}
	}
	for _, entry := range list.Data {
		if entry["id"] != c.end.Model {
			continue
		}
		delete(entry, "created")
		delete(entry, "permission")
		text, err := json.Marshal(entry)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(text)
		return hex.EncodeToString(sum[:]), nil
	}
	return "", fmt.Errorf("model %s: %w: the server does not list %s", c.end.Name, ErrNoDigest, c.end.Model)
}

// list fetches a list of models in a dialect.
func (c *Client) list(ctx context.Context, d llm.Dialect, path, key string) ([]byte, error) {
	req, err := c.request(ctx, http.MethodGet, path, nil, key)
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
	if f := llm.FailureFromStatus(d, resp.StatusCode, resp.Header, body, time.Now()); f != nil {
		return nil, c.scrub(f, key)
	}
	return body, nil
}
