package llm_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

func TestFailureFromStatus(t *testing.T) {
	tests := []struct {
		name, why string
		status    int
		body      string
		reason    llm.Reason
		class     llm.Class
		code      string
	}{
		{name: "bad key", why: "lasting", status: 401, body: `{"error":{"message":"x","type":"invalid_request_error","code":"invalid_api_key"}}`, reason: llm.DeniedReason, class: llm.Denied, code: "invalid_api_key"},
		{name: "no body", why: "the status alone decides", status: 401, reason: llm.DeniedReason, class: llm.Denied},
		{name: "payment", why: "lasting", status: 402, reason: llm.DeniedReason, class: llm.Denied},
		{name: "forbidden", why: "lasting", status: 403, reason: llm.DeniedReason, class: llm.Denied},
		{name: "quota", why: "looks like a rate limit, is permanent", status: 429, body: `{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}`, reason: llm.DeniedReason, class: llm.Denied, code: "insufficient_quota"},
		{name: "quota by type", why: "some gateways drop the code", status: 429, body: `{"error":{"type":"insufficient_quota","code":null}}`, reason: llm.DeniedReason, class: llm.Denied, code: "insufficient_quota"},
		{name: "rate", why: "passes", status: 429, body: `{"error":{"type":"tokens","code":"rate_limit_exceeded"}}`, reason: llm.RateLimited, class: llm.Unavailable, code: "rate_limit_exceeded"},
		{name: "rate, rubbish", why: "a page instead of a body", status: 429, body: "<html>", reason: llm.RateLimited, class: llm.Unavailable},
		{name: "message that lies", why: "never by the message", status: 429, body: `{"error":{"message":"insufficient_quota"}}`, reason: llm.RateLimited, class: llm.Unavailable},
		{name: "model gone", why: "lasting", status: 404, body: `{"error":{"code":"model_not_found"}}`, reason: llm.DeniedReason, class: llm.Denied, code: "model_not_found"},
		{name: "model gone under 400", why: "the code decides", status: 400, body: `{"error":{"code":"model_not_found"}}`, reason: llm.DeniedReason, class: llm.Denied, code: "model_not_found"},
		{name: "no such path", why: "a wrong base URL", status: 404, body: "404 page not found", reason: llm.Status4xx, class: llm.Denied},
		{name: "bad request", why: "the caller's fault", status: 400, body: `{"error":{"type":"invalid_request_error","code":"unsupported_parameter","param":"max_tokens"}}`, reason: llm.Status4xx, class: llm.Invalid, code: "unsupported_parameter"},
		{name: "too large", why: "the caller's fault", status: 413, reason: llm.Status4xx, class: llm.Invalid},
		{name: "unprocessable", why: "the caller's fault", status: 422, body: `{"detail":[]}`, reason: llm.Status4xx, class: llm.Invalid},
		{name: "filter", why: "no retry, no second judge", status: 400, body: innerBody(t, "judge-content-filter-400.json"), reason: llm.Filtered, class: llm.Invalid, code: "content_filter"},
		{name: "request timeout", why: "passes", status: 408, reason: llm.Status4xx, class: llm.Unavailable},
		{name: "server", why: "passes", status: 500, body: `{"error":{"type":"server_error"}}`, reason: llm.Status5xx, class: llm.Unavailable, code: "server_error"},
		{name: "overload", why: "Anthropic's own status", status: 529, body: `{"type":"error","error":{"type":"overloaded_error","message":"x"}}`, reason: llm.Status5xx, class: llm.Unavailable, code: "overloaded_error"},
		{name: "redirect", why: "never followed", status: 302, reason: llm.MalformedReason, class: llm.Malformed},
		{name: "anthropic spend limit", why: "permanent", status: 429, body: `{"type":"error","error":{"type":"rate_limit_error","details":{"error_code":"enforced_spend_limit_reached"}}}`, reason: llm.DeniedReason, class: llm.Denied, code: "enforced_spend_limit_reached"},
		{name: "anthropic limit of the customer", why: "permanent", status: 400, body: `{"type":"error","error":{"type":"billing_error"}}`, reason: llm.DeniedReason, class: llm.Denied, code: "billing_error"},
		{name: "gemini key", why: "a 400 that is no bad request", status: 400, body: `{"error":{"code":400,"status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}`, reason: llm.DeniedReason, class: llm.Denied, code: "API_KEY_INVALID"},
		{name: "gemini day quota", why: "no wait helps", status: 429, body: `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProject","quotaValue":"50"}]}]}}`, reason: llm.DeniedReason, class: llm.Denied, code: "RESOURCE_EXHAUSTED"},
		{name: "gemini limit 0", why: "no quota at all", status: 429, body: `{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"PerMinute","quotaValue":"0"}]}]}}`, reason: llm.DeniedReason, class: llm.Denied, code: "RESOURCE_EXHAUSTED"},
		{name: "gemini rate", why: "passes", status: 429, body: `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}`, reason: llm.RateLimited, class: llm.Unavailable, code: "RESOURCE_EXHAUSTED"},
		{name: "ollama model", why: "an error is a text", status: 404, body: `{"error":"model 'x' not found"}`, reason: llm.DeniedReason, class: llm.Denied},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := llm.FailureFromStatus(llm.OpenAIChat, tt.status, nil, []byte(tt.body), time.Now())
			if f.Reason != tt.reason || f.Class != tt.class || f.Code != tt.code || f.Status != tt.status {
				t.Errorf("%s: %v", tt.why, f)
			}
		})
	}
	if f := llm.FailureFromStatus(llm.OpenAIChat, 200, nil, nil, time.Now()); f != nil {
		t.Errorf("status 200: %v", f)
	}
}

func TestRetryAfter(t *testing.T) {
	var c struct {
		Now       time.Time
		Responses []struct{ Headers map[string]string }
	}
	if err := json.Unmarshal(caseFile(t, "retry-after-date.json"), &c); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, why, header, value, body string
		want                           time.Duration
	}{
		{name: "date", why: "rounded up, never 4 s", header: "Retry-After", value: c.Responses[0].Headers["Retry-After"], want: 5 * time.Second},
		{name: "seconds", why: "as they are", header: "Retry-After", value: c.Responses[1].Headers["Retry-After"], want: 2 * time.Second},
		{name: "milliseconds", why: "OpenAI's finer header", header: "retry-after-ms", value: "1250", want: 1250 * time.Millisecond},
		{name: "fraction", why: "seen from gateways", header: "Retry-After", value: "0.5", want: 500 * time.Millisecond},
		{name: "gemini", why: "in the body", body: `{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"46s"}]}}`, want: 46 * time.Second},
		{name: "gemini object", why: "the other form", body: `{"error":{"details":[{"retryDelay":{"seconds":"7"}}]}}`, want: 7 * time.Second},
		{name: "past date", why: "no wait is left", header: "Retry-After", value: "Tue, 03 Nov 2026 11:00:00 GMT"},
		{name: "rubbish", why: "ignored", header: "Retry-After", value: "soon"},
		{name: "negative", why: "ignored", header: "Retry-After", value: "-3"},
		{name: "nan", why: "parses as a float, is none", header: "Retry-After", value: "NaN"},
		{name: "for ever", why: "would overflow", header: "Retry-After", value: "1e300"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := http.Header{}
			if tt.header != "" {
				h.Set(tt.header, tt.value)
			}
			if got := llm.FailureFromStatus(llm.OpenAIChat, 429, h, []byte(tt.body), c.Now).RetryAfter; got != tt.want {
				t.Errorf("%s: %v, want %v", tt.why, got, tt.want)
			}
		})
	}
}

func TestFailureFromError(t *testing.T) {
	const secret = "canary.example"
	in := func(err error) error {
		return &url.Error{Op: "Post", URL: "https://" + secret + "/v1?key=CANARY", Err: err}
	}
	addr := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 443}
	tests := []struct {
		name   string
		err    error
		reason llm.Reason
		is     error
	}{
		{"refused", in(&net.OpError{Op: "dial", Net: "tcp", Addr: addr, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}), llm.Connect, syscall.ECONNREFUSED},
		{"dial timeout", in(&net.OpError{Op: "dial", Addr: addr, Err: os.ErrDeadlineExceeded}), llm.Connect, nil},
		{"no such host", in(&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: secret}}), llm.Connect, nil},
		{"certificate", in(&tls.CertificateVerificationError{Err: x509.HostnameError{Host: secret, Certificate: &x509.Certificate{}}}), llm.Connect, nil},
		{"no tls", in(tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}), llm.Connect, nil},
		{"reset", in(&net.OpError{Op: "read", Addr: addr, Err: os.NewSyscallError("read", syscall.ECONNRESET)}), llm.Reset, syscall.ECONNRESET},
		{"closed", in(io.EOF), llm.Reset, io.EOF},
		{"cut", io.ErrUnexpectedEOF, llm.Reset, io.ErrUnexpectedEOF},
		{"read timeout", in(&net.OpError{Op: "read", Addr: addr, Err: os.ErrDeadlineExceeded}), llm.Timeout, os.ErrDeadlineExceeded},
		{"too large", fmt.Errorf("read %s: %w", secret, &http.MaxBytesError{Limit: 7}), llm.TooLarge, nil},
		{"unknown", in(errors.New(secret)), llm.Reset, nil},
		{"a failure already", fmt.Errorf("x: %w", &llm.Failure{Class: llm.Unavailable, Reason: llm.RateLimited}), llm.RateLimited, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := llm.FailureFromError(t.Context(), tt.err)
			if f.Reason != tt.reason {
				t.Errorf("%v", f)
			}
			if tt.is != nil && !errors.Is(f, tt.is) {
				t.Errorf("%v is not %v", f, tt.is)
			}
			for _, word := range []string{secret, "CANARY", "192.0.2.7", "http"} {
				if strings.Contains(f.Error(), word) {
					t.Errorf("%q names %s", f.Error(), word)
				}
			}
		})
	}
}

func TestFailureFromErrorOfEndedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("budget"))
		defer cancel()
		idle, stop := context.WithCancelCause(t.Context())
		left, leave := context.WithCancel(t.Context())
		leave()
		stop(&llm.Failure{Class: llm.Unavailable, Reason: llm.Timeout, Err: errors.New("idle")})
		time.Sleep(2 * time.Second)
		for ctx, want := range map[context.Context]llm.Reason{late: llm.Timeout, idle: llm.Timeout, left: llm.ClientAbort} {
			if f := llm.FailureFromError(ctx, io.ErrUnexpectedEOF); f.Reason != want || f.Class != llm.Unavailable {
				t.Errorf("%v, want %s", f, want)
			}
		}
	})
}
