package reports_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/reports"
)

// TestNumbered: equal texts have one number, others different ones, in the order in
// which they come; none is lost where blocks end or the table grows.
func TestNumbered(t *testing.T) {
	var many []string
	for i := range 100_000 {
		many = append(many, fmt.Sprintf("session-%025d", i))
	}
	long := strings.Repeat("x", 3<<20)
	for _, c := range []struct {
		name, why string
		list      []string
		numbers   []uint32 // of the last ones
	}{
		{"empty", "no session is number 0", []string{"", "a", ""}, []uint32{0, 1, 0}},
		{"again", "a text keeps its number", []string{"a", "b", "a"}, []uint32{1, 2, 1}},
		{"long", "longer than a block", []string{"a", long, "b", long + "y", long}, []uint32{1, 2, 3, 4, 2}},
		{"many", "several blocks and tables", append(many, many[0], many[99_999]), []uint32{99_999, 100_000, 1, 100_000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			numbers, back := reports.Numbered(c.list)
			if diff := cmp.Diff(c.numbers, numbers[len(numbers)-len(c.numbers):]); diff != "" {
				t.Errorf("%s: %s", c.why, diff)
			}
			for i := range back {
				if back[i] != c.list[i] {
					t.Fatalf("%s: text %d comes back as another one", c.why, i)
				}
			}
		})
	}
}
