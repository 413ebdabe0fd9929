package main

import (
	"context"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// TestMain makes this program the command "understudy" of the scripts, and gives them
// "sixteen-days CONFIG", which makes rows.
func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){
		"understudy": func() {
			os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
		"overlap": func() {
			if err := addProblem(os.Args[1], "too_long_intro"); err != nil {
				os.Stderr.WriteString(err.Error() + "\n")
				os.Exit(1)
			}
		},
		"fill-in": func() {
			if err := fillIn(os.Args[1], os.Args[2], os.Args[3]); err != nil {
				os.Stderr.WriteString(err.Error() + "\n")
				os.Exit(1)
			}
		},
		"sixteen-days": func() {
			if err := sixteenDays(os.Args[1]); err != nil {
				os.Stderr.WriteString(err.Error() + "\n")
				os.Exit(1)
			}
		},
	})
}

// leakChecked runs the tests and then looks for goroutines that nobody waits for.
type leakChecked struct{ m *testing.M }

func (l leakChecked) Run() int {
	status := l.m.Run()
	if err := goleak.Find(); err != nil && status == 0 {
		os.Stderr.WriteString("goroutines left: " + err.Error() + "\n")
		return 1
	}
	return status
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true})
}
