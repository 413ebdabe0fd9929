package config

import (
	"fmt"
	"io"
	"os"
)

// Load reads and checks the file at path. A file that cannot be read is an error
// that wraps the cause; a faulty one gives what [Parse] gives.
func Load(path string) (*Config, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open configuration: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return Parse(path, data)
}

// Parse reads and checks the bytes of a configuration; name is how messages call
// the file, and relative paths are taken from its folder. Any fault gives a nil
// Config and an error that joins all of them ([*Error], in the order of the file,
// at most 100). Bytes that are no YAML give one fault: the first.
func Parse(name string, data []byte) (*Config, error) {
	root, fault := parseTree(name, data)
	if fault != nil {
		return nil, join([]*Error{fault})
	}
	d := &decoder{file: name, places: make(map[string]Position)}
	r := d.read(root)
	r.check()
	if len(d.faults) > 0 {
		return nil, join(d.faults)
	}
	r.Warnings, r.source = r.warnings(), data
	return &r.Config, nil
}

// draft is a configuration while it is checked.
type draft struct {
	*decoder
	Config
	serves   string // the policy that the tap is to serve through, named at servesAt
	servesAt string
	broken   map[string]bool // models of which not enough is known to check them further
}

// read fills a draft from the tree: types and ranges of single values.
func (d *decoder) read(root *node) *draft {
	r := &draft{
		decoder: d, Config: defaults(d.resolve),
		broken: map[string]bool{},
	}
	r.File, r.Config.places = d.file, d.places
	if root.kind != isMap {
		d.fail(root.pos, "", describe(root)+" where sections belong", "sections such as models:, tap: and judge:")
		return r
	}
	section(fields{
		"experiment": r.experiment(), "models": r.models, "policies": r.policies, "tap": r.tap(), "bus": r.bus(),
		"candidates": r.candidates, "judge": r.judge(), "spend": r.spend(), "sinks": r.sinks(), "report": r.report(),
		"gate": r.gate(), "probe": notYet, "alerts": notYet, "metrics": notYet,
	})(d, "", root)
	if r.Tap.Salt == "" {
		r.Tap.Salt = r.Experiment.Name
	}
	return r
}

func (r *draft) experiment() reader {
	e := &r.Experiment
	return section(fields{"name": name(&e.Name), "start": day(&e.Start), "stop": day(&e.Stop)})
}

func (r *draft) sinks() reader {
	s := &r.Sinks
	return section(fields{
		"dir":       path(&s.Dir),
		"keep_text": durationOrZero(&s.KeepText),
		"flush":     section(fields{"rows": count(&s.FlushRows, 1), "every": duration(&s.FlushEvery)}),
	})
}
