package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/rubric/standard"
)

// What a configuration says about this machine: its folders and its addresses.

// loadRubric reads the configured rubric. What is wrong with it is placed at the key
// that names it, one fault a line.
func loadRubric(cfg *config.Config) (*rubric.Rubric, error) {
	dir := cfg.Judge.Rubric
	if dir == "" {
		return standard.Rubric(), nil
	}
	fault := func(problem, want string) error {
		return &config.Error{Position: cfg.At("judge.rubric"), Key: "judge.rubric", Problem: problem, Want: want}
	}
	const want = "standard, or a folder with rubric.yaml and prompt.tmpl"
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault("there is no folder "+dir, want)
	case err != nil:
		return nil, fault(err.Error(), want)
	case !info.IsDir():
		return nil, fault(dir+" is no folder", want)
	}
	r, err := rubric.Load(os.DirFS(dir))
	if err == nil {
		return r, nil
	}
	var faults []error
	for line := range strings.Lines(err.Error()) {
		faults = append(faults, fault(fmt.Sprintf("folder %s: %s", dir, strings.TrimSuffix(line, "\n")), ""))
	}
	return nil, errors.Join(faults...)
}

// checkFolders refuses folders that can never be made, because a file stands in
// their place or above it. Whether this user may write there is left to the run.
func checkFolders(cfg *config.Config) error {
	folders := map[string]string{"sinks.dir": cfg.Sinks.Dir}
	if cfg.Bus.Embedded() {
		folders["bus.dir"] = cfg.Bus.Dir
	}
	var faults []error
	for _, key := range []string{"bus.dir", "sinks.dir"} {
		if file := fileInPath(folders[key]); file != "" {
			faults = append(faults, &config.Error{Position: cfg.At(key), Key: key, Problem: file + " is a file", Want: "a folder"})
		}
	}
	if len(folders) == 2 && filepath.Clean(cfg.Bus.Dir) == filepath.Clean(cfg.Sinks.Dir) {
		faults = append(faults, &config.Error{Position: cfg.At("sinks.dir"), Key: "sinks.dir", Problem: "is bus.dir too", Want: "a folder for each"})
	}
	return errors.Join(faults...)
}

// fileInPath is the first thing on the way up from a path that exists and is no
// folder; empty if there is none.
func fileInPath(path string) string {
	for path != "" {
		info, err := os.Stat(path)
		if err == nil {
			if info.IsDir() {
				return ""
			}
			return path
		}
		up := filepath.Dir(path)
		if up == path {
			return ""
		}
		path = up
	}
	return ""
}

// ownNames are the names and addresses by which this machine reaches itself.
func ownNames() []string {
	var own []string
	if name, err := os.Hostname(); err == nil {
		own = append(own, name)
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return own // loopback is known without
	}
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok {
			own = append(own, ip.IP.String())
		}
	}
	return own
}
