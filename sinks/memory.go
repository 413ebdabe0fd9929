package sinks

import (
	"slices"

	"github.com/apache/arrow/go/v17/parquet"

	"github.com/understudy-eval/understudy/shadow"
)

// BatchOf is some columns of rows in memory as a batch, like one that [EachGroup] reads
// from a file; but rows that no sink writes are not refused.
func BatchOf(rows []Row, columns []string) *Batch {
	b := newBatch(columns)
	b.Rows = len(rows)
	for _, f := range rowTable().fields {
		if i := slices.Index(columns, f.Name); i >= 0 {
			b.vectors[i].reset()
			f.put(&b.vectors[i], rows)
		}
	}
	return b
}

// putAll appends a column of rows to a vector.
func putAll[R any, V physical](v *Vector, rs []R, get func(*R) (V, bool), nullable bool) {
	texts := map[string]uint32{"": 0}
	var value V
	for i := range rs {
		got, there := get(&rs[i])
		value, there = got, there || !nullable
		switch x := any(&value).(type) {
		case *parquet.FixedLenByteArray:
			v.IDs = append(v.IDs, shadow.SampleID(*x))
		case *parquet.ByteArray:
			v.Codes = append(v.Codes, v.textCode(texts, string(*x)))
		case *int64:
			v.Ints = append(v.Ints, orNull(*x, there))
		case *int32:
			v.Ints = append(v.Ints, orNull(int64(*x), there))
		case *float64:
			v.Floats = append(v.Floats, *x)
		case *bool:
			v.Flags = append(v.Flags, flagOf(*x, there))
		}
	}
}

func orNull(n int64, there bool) int64 {
	if !there {
		return Null
	}
	return n
}

func flagOf(set, there bool) Flag {
	switch {
	case !there:
		return FlagUnknown
	case set:
		return FlagTrue
	}
	return FlagFalse
}

// textCode is the number of a text, which is added if it is new.
func (v *Vector) textCode(known map[string]uint32, text string) uint32 {
	code, ok := known[text]
	if !ok {
		code = v.add([]byte(text))
		known[text] = code
	}
	return code
}

func putLists[R any](v *Vector, rs []R, at func(*R) *[]string) {
	texts := map[string]uint32{}
	for i := range rs {
		v.list = v.list[:0]
		for _, text := range *at(&rs[i]) {
			v.list = append(v.list, v.textCode(texts, text))
		}
		v.Codes = append(v.Codes, v.number(v.list))
	}
}
