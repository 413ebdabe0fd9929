package reports_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/reports"
)

// known lists the members of a report that may be null and are not, by path.
func known(defs map[string]definition, p map[string]any, path string, value any, add func(string)) {
	if value == nil {
		return
	}
	if list, ok := value.([]any); ok {
		items, _ := p["items"].(map[string]any)
		for _, v := range list {
			known(defs, items, path+"[]", v, add)
		}
		return
	}
	either, _ := p["anyOf"].([]any)
	kinds, _ := p["type"].([]any)
	if len(either) > 0 || slices.Contains(kinds, any("null")) {
		add(path)
	}
	if len(either) > 0 {
		p = either[0].(map[string]any)
	}
	ref, _ := p["$ref"].(string)
	object, _ := value.(map[string]any)
	for name, member := range defs[strings.TrimPrefix(ref, "#/$defs/")].Properties {
		known(defs, member, strings.TrimPrefix(path+"."+name, "."), object[name], add)
	}
}

// TestUnknownIsNull: without a row no figure is known but counts and what the experiment
// says, and with a single pair no error of any: the JSON form has null for them, not 0.
func TestUnknownIsNull(t *testing.T) {
	var schema struct {
		Defs map[string]definition `json:"$defs"`
	}
	if err := json.Unmarshal(reports.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	for _, h := range hostiles() {
		if h.name != "nothing" && h.name != "one pair" {
			continue
		}
		var doc struct{ Report any }
		if err := json.Unmarshal([]byte(h.forms(t, h.build(t), "json")["json"]), &doc); err != nil {
			t.Fatal(err)
		}
		known(schema.Defs, map[string]any{"$ref": "#/$defs/Report"}, "", doc.Report, func(path string) {
			_, last, _ := strings.Cut(path[max(0, strings.LastIndex(path, ".")):], ".")
			spread := slices.Contains([]string{"se", "df", "in_se", "interval_anytime", "interval_if_only_look"}, last)
			if h.name == "nothing" && path != "arms[].in_flight" || spread {
				t.Errorf("%s: %s is not null", h.name, path)
			}
		})
	}
}
