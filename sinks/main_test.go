package sinks_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "rewrite golden files")

// The library that reads and writes files starts goroutines in some of its ways of
// doing so; ours must not.
func TestMain(m *testing.M) {
	flag.Parse()
	goleak.VerifyTestMain(m)
}
