package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// TestImageIsNotForTerminals: an image would only garble it.
func TestImageIsNotForTerminals(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0) // one that nobody sees
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	defer terminal.Close()
	var stderr bytes.Buffer
	args := []string{"report", "--format", "png"}
	if status := run(context.Background(), args, nil, terminal, &stderr); status != exitUsage || !strings.Contains(stderr.String(), "name a file with --out") {
		t.Errorf("status %d, %s", status, &stderr)
	}
}
