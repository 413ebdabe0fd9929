package reports_test

import (
	"math/rand/v2"
	"testing"

	"github.com/understudy-eval/understudy/reports"
)

// TestClasses: two rows have one number exactly if they agree in every column, also where
// the columns have more combinations than a key has values.
func TestClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for _, c := range []struct {
		name     string
		columns  int
		largest  uint32
		distinct uint32 // values that occur
	}{
		{"one key", 4, 8, 8}, {"columns of one value", 3, 1, 1}, {"two keys", 5, 1 << 20, 3}, {"a key for each column", 3, 1<<32 - 1, 20},
		{"rows that are all different", 2, 1 << 16, 1 << 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			columns := make([][]uint32, c.columns)
			for i := range columns {
				columns[i] = make([]uint32, 5000)
				for row := range columns[i] {
					columns[i][row] = (c.largest - 1) - rng.Uint32N(c.distinct)
				}
			}
			got, want := reports.Classes(uint64(c.largest), columns), map[string]uint32{}
			for row, code := range got {
				key := ""
				for _, column := range columns {
					key += string(rune(column[row]&0xfff)) + string(rune(column[row]>>12&0xfff)) + "/"
				}
				if _, ok := want[key]; !ok {
					want[key] = uint32(len(want))
				}
				if code != want[key] {
					t.Fatalf("row %d has number %d, want %d", row, code, want[key])
				}
			}
		})
	}
}
