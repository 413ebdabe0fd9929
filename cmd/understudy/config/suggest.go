package config

import (
	"maps"
	"slices"
	"strings"
)

// suggest says which key was probably meant, or which there are.
func suggest[V any](key string, known map[string]V) string {
	names := slices.Sorted(maps.Keys(known))
	best, least := "", 3
	for _, name := range names {
		if d := distance(strings.ToLower(key), name); d < least && d <= max(1, len(name)/3) && d < len(name) {
			best, least = name, d
		}
	}
	if best != "" {
		return "did you mean " + printable(best) + "?"
	}
	if len(names) == 0 {
		return "there are none to choose from"
	}
	for i, name := range names {
		names[i] = printable(name)
	}
	return "known are " + strings.Join(names, ", ")
}

// distance counts the letters to insert, delete, exchange or swap with their
// neighbour to get from a to b (optimal string alignment). Long texts are far from everything.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 40 || len(y) > 40 {
		return max(len(x), len(y))
	}
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
