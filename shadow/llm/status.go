package llm

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// FailureFromStatus classifies a response that is no success, by its status and the
// codes in its body, never by its message; nil for a status of 2xx. now is the time
// at which the response came; a wait given as a date is counted from it.
//
// Denied: 401, 402, 403, a 404 with an error body (the model is gone), a bad key
// under any 4xx, and a 429 that says that money or a daily quota is used up. Rate
// limits, 408, 409, 425 and 5xx (529 among them) are Unavailable, other 4xx Invalid.
// A content filter's refusal is Filtered, whatever its status. Anything else, such as
// a redirect, is Malformed.
//
// The error bodies of all dialects are understood under any dialect, since gateways
// mix them; a body that is none is ignored. Source: the vendors' error tables, November 2026.
func FailureFromStatus(_ Dialect, status int, header http.Header, body []byte, now time.Time) *Failure {
	if status >= 200 && status <= 299 {
		return nil
	}
	v, _ := parse(body)
	b, found := errorOf(v)
	class, reason := b.classify(status)
	if status == http.StatusNotFound && !found {
		reason = Status4xx // a wrong path, perhaps: lasting all the same
	}
	f := &Failure{Class: class, Reason: reason, Status: status, Code: b.code, RetryAfter: retryAfter(header, now)}
	if f.RetryAfter == 0 {
		f.RetryAfter = b.wait
	}
	if b.message != "" {
		f.Err = b.err("")
	}
	return f
}

// classify is the table of section "Errors" of the wire formats.
func (b bodyError) classify(status int) (Class, Reason) {
	switch {
	case b.has("content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"):
		return Invalid, Filtered
	case b.denied(status):
		return Denied, DeniedReason
	case status == http.StatusTooManyRequests, status < 500 && b.has("rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED"):
		return Unavailable, RateLimited
	case status >= 500 && status <= 599:
		return Unavailable, Status5xx
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly:
		return Unavailable, Status4xx
	case status >= 400 && status <= 499, status == 0:
		return Invalid, Status4xx
	}
	return Malformed, MalformedReason
}

// denied says whether the refusal is lasting at this provider.
func (b bodyError) denied(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound:
		return true
	case http.StatusTooManyRequests:
		if b.lasting {
			return true
		}
	}
	if status >= 500 {
		return false
	}
	return b.has("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "account_deactivated",
		"access_terminated", "invalid_api_key", "model_not_found", "API_KEY_INVALID", "API_KEY_EXPIRED", "authentication_error",
		"billing_error", "permission_error", "PERMISSION_DENIED", "UNAUTHENTICATED", "enforced_spend_limit_reached")
}

// retryAfter reads how long the provider asks to wait, rounded up; what cannot be
// read, lies in the past or is longer than a year is 0.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if w := scaled(h.Get("Retry-After-Ms"), time.Millisecond); w > 0 {
		return w
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if w := scaled(text, time.Second); w > 0 {
		return w
	}
	at, err := http.ParseTime(text)
	if err != nil || !at.After(now) || at.Sub(now) > maxWait {
		return 0
	}
	return (at.Sub(now) + time.Second - 1).Truncate(time.Second)
}

const maxWait = 365 * 24 * time.Hour

func scaled(text string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(n > 0) || n > float64(maxWait)/float64(unit) {
		return 0
	}
	return time.Duration(math.Ceil(n * float64(unit)))
}

// protoDuration reads "46s" or {"seconds": 46}.
func protoDuration(v value) time.Duration {
	if s, ok := v.text(); ok {
		digits, _ := strings.CutSuffix(s, "s")
		return scaled(digits, time.Second)
	}
	return scaled(strings.Trim(string(v.get("seconds")), `"`), time.Second)
}
