// Understudy lets candidate models answer a sample of live LLM requests in the
// shadow, has all answers graded by a pinned judge, and says with standard errors
// and latency tails whether a candidate may be promoted.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Exit statuses. A gate's three answers can be told apart in CI.
const (
	exitOK          = 0 // also: go
	exitError       = 1 // also: the books do not balance
	exitUsage       = 2
	exitNoGo        = 3
	exitKeepRunning = 4
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the whole program: it returns the exit status and touches the process
// nowhere else.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot(stdin, stdout, stderr)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	return status(cmd.CommandPath(), err, stderr)
}
