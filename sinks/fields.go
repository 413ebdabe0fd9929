package sinks

import (
	"bytes"
	"math"
	"time"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/understudy-eval/understudy/shadow"
)

func repetition(nullable bool) parquet.Repetition {
	if nullable {
		return parquet.Repetitions.Optional
	}
	return parquet.Repetitions.Required
}

// leaf builds a column's node. A combination that Parquet does not have is a bug
// in the tables of this package, which every test would meet.
func leaf(c Column, logical schema.LogicalType, physical parquet.Type, size int) schema.Node {
	return schema.Must(schema.NewPrimitiveNodeLogical(c.Name, repetition(c.Nullable), logical, physical, size, -1))
}

func always[R, V any](set func(*R, V)) func() func(*R, V) {
	return func() func(*R, V) { return set }
}

func equal[V comparable](a, b V) bool { return a == b }

// id is 16 bytes that are always there.
func id[R any](c Column, at func(*R) *shadow.SampleID) field[R] {
	c.Type = "uuid"
	f := scalar(c, leaf(c, schema.UUIDLogicalType{}, parquet.Types.FixedLenByteArray, len(shadow.SampleID{})),
		access[R, parquet.FixedLenByteArray]{
			get:  func(r *R) (parquet.FixedLenByteArray, bool) { return at(r)[:], true },
			set:  always(func(r *R, v parquet.FixedLenByteArray) { copy(at(r)[:], v) }),
			same: func(a, b parquet.FixedLenByteArray) bool { return bytes.Equal(a, b) },
		})
	f.dictionary = false
	return f
}

// text is a string; where the column is nullable, the empty string is null.
func text[R any, S ~string](c Column, at func(*R) *S) field[R] {
	c.Type = "string"
	return scalar(c, leaf(c, schema.StringLogicalType{}, parquet.Types.ByteArray, -1),
		access[R, parquet.ByteArray]{
			get: func(r *R) (parquet.ByteArray, bool) { s := *at(r); return parquet.ByteArray(s), s != "" },
			set: func() func(*R, parquet.ByteArray) {
				known := interner{}
				return func(r *R, v parquet.ByteArray) { *at(r) = S(known.string(v)) }
			},
			same: func(a, b parquet.ByteArray) bool { return bytes.Equal(a, b) },
		})
}

// interner gives equal short strings of a column one copy, as long as there are few of them.
type interner map[string]string

const internAtMost, internLength = 4096, 128

func (in interner) string(v []byte) string {
	if s, ok := in[string(v)]; ok {
		return s
	}
	s := string(v)
	if len(in) < internAtMost && len(s) <= internLength {
		in[s] = s
	}
	return s
}

// flag is a truth value that is always there.
func flag[R any](c Column, at func(*R) *bool) field[R] {
	c.Type = "boolean"
	f := scalar(c, leaf(c, nil, parquet.Types.Boolean, -1), access[R, bool]{
		get:  func(r *R) (bool, bool) { return *at(r), true },
		set:  always(func(r *R, v bool) { *at(r) = v }),
		same: equal[bool],
	})
	f.dictionary = false
	return f
}

// maybe is a truth value, null for nil.
func maybe[R any](c Column, at func(*R) **bool) field[R] {
	c.Type, c.Nullable = "boolean", true
	f := scalar(c, leaf(c, nil, parquet.Types.Boolean, -1), access[R, bool]{
		get: func(r *R) (bool, bool) {
			b := *at(r)
			return b != nil && *b, b != nil
		},
		set:  always(func(r *R, v bool) { *at(r) = &v }),
		same: equal[bool],
	})
	f.dictionary = false
	return f
}

// share is a double that is always there; it comes back bit for bit, also a NaN.
func share[R any](c Column, at func(*R) *float64) field[R] {
	c.Type = "double"
	return scalar(c, leaf(c, nil, parquet.Types.Double, -1), access[R, float64]{
		get:  func(r *R) (float64, bool) { return *at(r), true },
		set:  always(func(r *R, v float64) { *at(r) = v }),
		same: func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) },
	})
}

// instant is a time in UTC, in whole microseconds; where the column is nullable,
// the zero time is null.
func instant[R any](c Column, at func(*R) *time.Time) field[R] {
	c.Type, c.Unit = "timestamp[us, UTC]", "us"
	f := scalar(c, leaf(c, schema.NewTimestampLogicalType(true, schema.TimeUnitMicros), parquet.Types.Int64, -1),
		access[R, int64]{
			get:  func(r *R) (int64, bool) { return at(r).UnixMicro(), !at(r).IsZero() },
			set:  always(func(r *R, v int64) { *at(r) = time.UnixMicro(v).UTC() }),
			same: equal[int64],
		})
	f.dictionary = false
	return f
}

// micros is a duration in whole microseconds, null for nil.
func micros[R any](c Column, at func(*R) **time.Duration) field[R] {
	c.Type, c.Unit, c.Nullable = "int64", "us", true
	f := scalar(c, leaf(c, nil, parquet.Types.Int64, -1), access[R, int64]{
		get: func(r *R) (int64, bool) {
			d := *at(r)
			if d == nil {
				return 0, false
			}
			if *d < 0 {
				return min(-1, d.Microseconds()), true // negative also below a microsecond
			}
			return d.Microseconds(), true
		},
		set:  always(func(r *R, v int64) { d := time.Duration(v) * time.Microsecond; *at(r) = &d }),
		same: equal[int64],
	})
	f.dictionary = false
	return f
}

// small is a whole number of at most 32 bits, null for nil.
func small[R any, N ~int8 | ~int32](c Column, at func(*R) **N) field[R] {
	c.Type, c.Nullable = "int32", true
	return scalar(c, leaf(c, nil, parquet.Types.Int32, -1), access[R, int32]{
		get: func(r *R) (int32, bool) {
			n := *at(r)
			if n == nil {
				return 0, false
			}
			return int32(*n), true
		},
		set: always(func(r *R, v int32) {
			n := N(v)
			if int32(n) != v { // does not fit: no value of ours, and never another number that is one
				n = 0
			}
			*at(r) = &n
		}),
		same: equal[int32],
	})
}

// ordinal is a whole number of 32 bits that is always there.
func ordinal[R any](c Column, at func(*R) *int32) field[R] {
	c.Type = "int32"
	return scalar(c, leaf(c, nil, parquet.Types.Int32, -1), access[R, int32]{
		get:  func(r *R) (int32, bool) { return *at(r), true },
		set:  always(func(r *R, v int32) { *at(r) = v }),
		same: equal[int32],
	})
}

// count is a whole number, null for nil.
func count[R any](c Column, at func(*R) **int64) field[R] {
	c.Type, c.Nullable = "int64", true
	return scalar(c, leaf(c, nil, parquet.Types.Int64, -1), access[R, int64]{
		get: func(r *R) (int64, bool) {
			n := *at(r)
			if n == nil {
				return 0, false
			}
			return *n, true
		},
		set:  always(func(r *R, v int64) { *at(r) = &v }),
		same: equal[int64],
	})
}

// number is a whole number without sign; 0 is null.
func number[R any](c Column, at func(*R) *uint64) field[R] {
	c.Type, c.Nullable = "uint64", true
	return scalar(c, leaf(c, schema.NewIntLogicalType(64, false), parquet.Types.Int64, -1), access[R, int64]{
		get:  func(r *R) (int64, bool) { return int64(*at(r)), *at(r) != 0 },
		set:  always(func(r *R, v int64) { *at(r) = uint64(v) }),
		same: equal[int64],
	})
}
