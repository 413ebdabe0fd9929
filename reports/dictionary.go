package reports

import (
	"errors"
	"math"
)

// ErrTooMany is a window with more than 65,535 different models, reasons, problems,
// judges or sampling rates: no experiment has that many, and a table of them says
// nothing.
var ErrTooMany = errors.New("more than 65,535 different names or rates")

// dictionary gives values small numbers, in the order in which they come. The zero
// value has number 0.
type dictionary[K comparable] struct {
	codes  map[K]uint32
	values []K
}

func newDictionary[K comparable]() dictionary[K] {
	var zero K
	return dictionary[K]{codes: map[K]uint32{zero: 0}, values: []K{zero}}
}

func (d *dictionary[K]) code(v K) uint32 {
	code, ok := d.codes[v]
	if !ok {
		code = uint32(len(d.values))
		d.codes[v] = code
		d.values = append(d.values, v)
	}
	return code
}

// fits says whether every number so far has 16 bits.
func (d *dictionary[K]) fits() bool { return len(d.values) <= math.MaxUint16+1 }
