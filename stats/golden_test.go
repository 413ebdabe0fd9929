package stats_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/understudy-eval/understudy/stats"
)

// fields is what our code gives for one golden case. A nil value says
// "undefined" or "no such bound"; a skipped value names the reason why the field
// is not ours to compute.
type fields map[string]any

type skipped string

// input reads the input of a golden case.
type input struct {
	t      *testing.T
	raw    map[string]json.RawMessage
	expect json.RawMessage
}

// expectInto reads the questions that only the expectation lists, such as the
// times at which a curve is asked for.
func (in input) expectInto(v any) {
	in.t.Helper()
	if err := json.Unmarshal(in.expect, v); err != nil {
		in.t.Fatal(err)
	}
}

func (in input) has(key string) bool { _, ok := in.raw[key]; return ok }

func (in input) into(key string, v any) {
	in.t.Helper()
	if err := json.Unmarshal(in.raw[key], v); err != nil {
		in.t.Fatalf("input %q: %v", key, err)
	}
}

func (in input) num(key string) (v float64)            { in.t.Helper(); in.into(key, &v); return v }
func (in input) count(key string) (v int)              { in.t.Helper(); in.into(key, &v); return v }
func (in input) floats(key string) (v []float64)       { in.t.Helper(); in.into(key, &v); return v }
func (in input) floatLists(key string) (v [][]float64) { in.t.Helper(); in.into(key, &v); return v }
func (in input) text(key string) (v string)            { in.t.Helper(); in.into(key, &v); return v }
func (in input) sorted(key string) (v []float64)       { v = in.floats(key); slices.Sort(v); return v }
func (in input) keys(key string) (v []string) {
	in.t.Helper()
	if !in.has(key) {
		return nil
	}
	var anys []any
	in.into(key, &anys)
	for _, a := range anys {
		v = append(v, fmt.Sprint(a))
	}
	return v
}

// golden runs every case of a file, and fails for a field of the file that the
// test neither computes nor skips with a reason.
func golden(t *testing.T, name string, run func(t *testing.T, in input) fields) {
	t.Helper()
	file, err := readGolden(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range file.Cases {
		t.Run(c.ID, func(t *testing.T) {
			var want map[string]any
			if err := json.Unmarshal(c.Expect, &want); err != nil {
				t.Fatal(err)
			}
			got := run(t, input{t, c.Input, c.Expect})
			if compare(t, "", got, want, file.Tolerance.Rel, file.Tolerance.Abs) > 0 {
				checked[name+"/"+c.ID] = true
			}
		})
	}
}

// compare returns how many values it looked at.
func compare(t *testing.T, path string, got, want any, rel, abs float64) (values int) {
	t.Helper()
	if _, ok := got.(skipped); ok {
		return 0
	}
	switch want := want.(type) {
	case map[string]any:
		g, ok := got.(fields)
		if !ok {
			t.Errorf("%s: got %v, want an object", path, got)
			return 0
		}
		for k, w := range want {
			v, ok := g[k]
			if !ok {
				t.Errorf("%s.%s: not computed and not skipped", path, k)
				continue
			}
			values += compare(t, path+"."+k, v, w, rel, abs)
		}
		return values
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(want) {
			t.Errorf("%s: got %v, want %v", path, got, want)
			return 0
		}
		for i := range want {
			values += compare(t, fmt.Sprintf("%s[%d]", path, i), g[i], want[i], rel, abs)
		}
		return values
	case nil:
		if got != nil {
			t.Errorf("%s: got %v, want undefined", path, got)
		}
	case float64:
		g, ok := toFloat(got)
		if !ok || math.Abs(g-want) > abs+rel*math.Abs(want) {
			t.Errorf("%s: got %v, want %.15g", path, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
	return 1
}

func toFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	}
	return 0, false
}

func list(v []float64) []any {
	out := make([]any, len(v))
	for i := range v {
		out[i] = v[i]
	}
	return out
}

// val is v, or nil where the error says that it does not exist.
func val(t *testing.T, v float64, err error) any {
	t.Helper()
	if err == nil {
		return v
	}
	for _, s := range []error{stats.ErrTooFew, stats.ErrUndefined, stats.ErrBeyond} {
		if errors.Is(err, s) {
			return nil
		}
	}
	t.Fatalf("unexpected error: %v", err)
	return nil
}

// ok is v where there must be no error.
func ok[T any](t *testing.T, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	return v
}

// mean, se, df read an estimate that came with err.
func mean(t *testing.T, e stats.Estimate, err error) any {
	t.Helper()
	if e.N == 0 {
		return val(t, 0, err)
	}
	return e.Value
}
func se(t *testing.T, e stats.Estimate, err error) any { t.Helper(); return val(t, e.SE, err) }
func df(t *testing.T, e stats.Estimate, err error) any { t.Helper(); return val(t, e.DF, err) }

func bounds(t *testing.T, iv stats.Interval, err error) (lower, upper any) {
	t.Helper()
	lower, upper = val(t, iv.Lower, err), val(t, iv.Upper, err)
	if iv.LowerOpen {
		lower = nil
	}
	if iv.UpperOpen {
		upper = nil
	}
	return lower, upper
}

func ci(t *testing.T, e stats.Estimate, level float64) (lower, upper any) {
	t.Helper()
	iv, err := e.CI(level)
	return bounds(t, iv, err)
}

func inSE(t *testing.T, e stats.Estimate) any {
	t.Helper()
	v, err := e.InSE()
	return val(t, v, err)
}

func pValue(t *testing.T, e stats.Estimate) any {
	t.Helper()
	v, err := e.PValue(0)
	return val(t, v, err)
}
