package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/understudy-eval/understudy/"

// allowed is the import table: what each package may import of ours. A package
// that is not listed fails the test, so a new one needs a line and a reason here.
func allowed() map[string][]string {
	return map[string][]string{
		"rubric":                {},
		"rubric/standard":       {"rubric"},
		"stats":                 {},
		"shadow/llm":            {},
		"shadow/llm/llmfake":    {"shadow/llm"},
		"shadow":                {"shadow/llm"},
		"shadow/provider":       {"shadow/llm"},
		"shadow/contract":       {"shadow/llm"},                    // fences in the library of JSON Schema
		"shadow/policy":         {"shadow/contract", "shadow/llm"}, // an answer outside the request's own form is not plausible
		"shadow/tap":            {"shadow", "shadow/llm"},
		"shadow/candidate":      {"shadow", "shadow/llm"},
		"shadow/bus":            {"shadow"},
		"shadow/bus/embedded":   {},
		"judge":                 {"rubric", "shadow", "shadow/llm"},
		"sinks":                 {"judge", "rubric", "shadow", "shadow/contract", "shadow/llm"},
		"reports":               {"judge", "rubric", "shadow", "shadow/llm", "shadow/policy", "sinks", "stats"},
		"cmd/understudy/config": {"shadow/llm"},
		// the demo deals its decks to the requests that the sampling rule will pick
		"cmd/understudy/demo": {"shadow", "shadow/llm", "shadow/llm/llmfake"},
	}
}

// heavy names the modules that only one package may import, so that nobody who
// imports another one has to compile them.
func heavy() map[string][]string {
	return map[string][]string{
		"charm.land/catwalk":                {"shadow/provider"}, // model prices
		"gonum.org/v1/gonum/":               {"stats"},
		"gonum.org/v1/plot":                 {"reports"},
		"github.com/nats-io/nats.go":        {"shadow/bus"},
		"github.com/nats-io/nats-server/":   {"shadow/bus/embedded"},
		"github.com/apache/arrow/":          {"sinks"},
		"github.com/olekukonko/tablewriter": {"reports"},
		"github.com/goccy/go-yaml":          {"rubric", "cmd/understudy/config"},
		"github.com/spf13/cobra":            {"cmd/understudy"},
		"github.com/spf13/pflag":            {"cmd/understudy"},
		"github.com/schollz/progressbar/":   {"cmd/understudy"},
		"github.com/santhosh-tekuri/":       {"shadow/contract"},
		"github.com/andybalholm/brotli":     {"shadow/tap"},
		"github.com/cespare/xxhash/":        {"shadow"}, // the draw of samples
		"github.com/failsafe-go/":           {"shadow/policy"},
		// the vendors' clients: tests hold our decoders against them
		"github.com/openai/":      {},
		"github.com/anthropics/":  {},
		"google.golang.org/genai": {},
	}
}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func list(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Deps", "../../...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(p.ImportPath, module) {
			p.ImportPath = strings.TrimPrefix(p.ImportPath, module)
			all = append(all, p)
		}
	}
}

func TestImportTable(t *testing.T) {
	table, own := allowed(), list(t)
	for _, p := range own {
		may, known := table[p.ImportPath]
		if p.ImportPath == "cmd/understudy" {
			continue // wires everything
		}
		if !known {
			t.Errorf("package %s is not in the import table", p.ImportPath)
		}
		for _, i := range p.Imports {
			if ours, ok := strings.CutPrefix(i, module); ok && !slices.Contains(may, ours) {
				t.Errorf("%s imports %s; it may import %v", p.ImportPath, ours, may)
			}
		}
	}
	if len(own) < len(table) {
		t.Errorf("%d packages found, %d in the table: take out what is gone", len(own), len(table))
	}
}

func TestHeavyModulesStayFencedIn(t *testing.T) {
	for _, p := range list(t) {
		for _, i := range p.Imports {
			for prefix, where := range heavy() {
				if strings.HasPrefix(i, prefix) && !slices.Contains(where, p.ImportPath) {
					t.Errorf("%s imports %s; only %v may", p.ImportPath, i, where)
				}
			}
		}
	}
}

// A service that only taps its traffic compiles no message server, no Arrow and
// no provider's client.
func TestTapIsLight(t *testing.T) {
	for _, p := range list(t) {
		if p.ImportPath != "shadow/tap" {
			continue
		}
		for _, d := range p.Deps {
			foreign := strings.Contains(strings.SplitN(d, "/", 2)[0], ".") && !strings.HasPrefix(d, module) &&
				!strings.HasPrefix(d, "github.com/klauspost/compress") && !strings.HasPrefix(d, "github.com/andybalholm/brotli") &&
				!strings.HasPrefix(d, "github.com/cespare/xxhash")
			if foreign {
				t.Errorf("shadow/tap brings %s", d)
			}
		}
	}
}
