package main

import (
	"strings"
	"testing"
)

// TestInterrupted: an interrupt is no error, whatever the process is waiting for.
func TestInterrupted(t *testing.T) {
	const text = `models: {j: {provider: openai, base_url: http://127.0.0.1:9/v1, model: j-2026-01-02, digest: "sha256:0123456789abcdef"}}
tap: {upstream: http://127.0.0.1:9, listen: "127.0.0.1:0"}
judge: {primary: j}
`
	t.Run("while it runs", func(t *testing.T) {
		s := start(t, t.TempDir(), text)
		s.tapURL()
		s.stop()
		if log := s.log.String(); strings.Contains(log, "understudy:") || strings.Contains(log, "level=WARN") {
			t.Errorf("a clean end has nothing to complain about:\n%s", log)
		}
	})
	t.Run("while the bus is unreachable", func(t *testing.T) {
		s := start(t, t.TempDir(), text+"bus: {url: \"nats://127.0.0.1:9\"}\n")
		s.eventually("it waits for the bus", func() bool { return strings.Contains(s.log.String(), "bus not ready") })
		s.stop()
		if log := s.log.String(); strings.Contains(log, "understudy:") {
			t.Errorf("an interrupt is no error:\n%s", log)
		}
	})
}

// TestTakenPort: the message names the key, and nothing hides it.
func TestTakenPort(t *testing.T) {
	url, _ := fake(t, nil)
	s := start(t, t.TempDir(), `models: {j: {provider: openai, base_url: http://127.0.0.1:9/v1, model: j-2026-01-02, digest: "sha256:0123456789abcdef"}}
tap: {upstream: http://127.0.0.1:9, listen: "`+strings.TrimPrefix(url, "http://")+`"}
judge: {primary: j}
`)
	if status := <-s.done; status != exitError {
		t.Errorf("status %d", status)
	}
	log := s.log.String()
	if !strings.Contains(log, "understudy.yaml:2:45: tap.listen: listen tcp") || strings.Contains(log, "level=WARN") {
		t.Errorf("the log should name tap.listen and show no warning that the end of the process caused:\n%s", log)
	}
}
