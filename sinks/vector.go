package sinks

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/understudy-eval/understudy/shadow"
)

// Null stands for a whole number that is not there.
const Null = math.MinInt64

// Vector is one column of a batch, an entry per row, in the slice of its type. The
// others are empty.
type Vector struct {
	IDs    []shadow.SampleID // uuid
	Ints   []int64           // int32, int64, timestamp in microseconds; Null where there is none
	Floats []float64         // double
	Flags  []Flag            // boolean
	// Codes are numbers of strings, or of lists of strings: see Text and List. 0 is
	// null and the empty one. Equal texts may have several numbers.
	Codes []uint32

	texts    []byte   // all texts, one after the other
	ends     []uint32 // of text number i in texts
	lists    [][]uint32
	words    []uint32          // of lists: the entries of a page; indices of numbers
	ints     []int64           // the dictionary
	group    []uint32          // lists of the whole row group
	from     int               // the next row's in group
	numbered map[string]uint32 // lists by their entries
	list     []uint32          // the list at hand
	key      []byte            // its entries
}

// Flag is a truth value that may be unknown.
type Flag int8

// The flags.
const (
	FlagUnknown Flag = iota - 1
	FlagFalse
	FlagTrue
)

// Texts is how many numbers of strings there are.
func (v *Vector) Texts() int { return len(v.ends) }

// Lists is how many numbers of lists there are.
func (v *Vector) Lists() int { return len(v.lists) }

// Text is the string with a number. It is valid as long as the batch; do not change it.
func (v *Vector) Text(code uint32) []byte {
	if code == 0 {
		return nil
	}
	return v.texts[v.ends[code-1]:v.ends[code]]
}

// List is the list of strings with a number.
func (v *Vector) List(code uint32) []string {
	var list []string
	for _, entry := range v.lists[code] {
		list = append(list, string(v.Text(entry)))
	}
	return list
}

// nulls makes a column of n rows of which none has a value.
func (v *Vector) nulls(kind string, n int) {
	switch kind {
	case "int64", "int32", "timestamp[us, UTC]", "uint64":
		v.Ints = filled(v.Ints, n, Null)
	case "boolean":
		v.Flags = filled(v.Flags, n, FlagUnknown)
	default:
		v.Codes = filled(v.Codes, n, 0)
	}
}

func filled[V any](s []V, n int, value V) []V {
	s = resized(s, n)
	for i := range s {
		s[i] = value
	}
	return s
}

// reset forgets the texts; number 0 is the empty one.
func (v *Vector) reset() {
	v.texts, v.ends = v.texts[:0], append(v.ends[:0], 0)
	v.lists = append(v.lists[:0], nil)
	clear(v.numbered)
}

// start forgets what an earlier row group held.
func (v *Vector) start() {
	v.reset()
	v.ints, v.group = v.ints[:0], v.group[:0]
	v.IDs, v.Ints, v.Floats, v.Flags, v.Codes = v.IDs[:0], v.Ints[:0], v.Floats[:0], v.Flags[:0], v.Codes[:0]
}

// read decodes the next n rows of a row group that has so many.
func (v *Vector) read(c *chunk, kind string, n, rows int) error {
	if kind == "list<string>" {
		return v.nextLists(c, n, rows)
	}
	part, err := v.decoder(kind, n)
	if err != nil {
		return err
	}
	for at := 0; at < n; at += c.n {
		more, err := c.next(n - at)
		if err != nil {
			return err
		}
		if !more {
			return fmt.Errorf("%w: too few values", ErrDamaged)
		}
		if err = part(c, at); err != nil {
			return err
		}
	}
	return nil
}

// decoder makes room for n rows and gives the function that decodes a part into the
// rows from at on.
func (v *Vector) decoder(kind string, n int) (func(c *chunk, at int) error, error) {
	switch kind {
	case "uuid":
		v.IDs = resized(v.IDs, n)
		return func(c *chunk, at int) error { return readIDs(c, v.IDs[at:at+c.n]) }, nil
	case "int64", "timestamp[us, UTC]":
		v.Ints = resized(v.Ints, n)
		return func(c *chunk, at int) error { return v.readInts(c, v.Ints[at:at+c.n], 8) }, nil
	case "int32":
		v.Ints = resized(v.Ints, n)
		return func(c *chunk, at int) error { return v.readInts(c, v.Ints[at:at+c.n], 4) }, nil
	case "double":
		v.Floats = resized(v.Floats, n)
		return func(c *chunk, at int) error { return v.readFloats(c, v.Floats[at:at+c.n]) }, nil
	case "boolean":
		v.Flags = resized(v.Flags, n)
		return func(c *chunk, at int) error { return readFlags(c, v.Flags[at:at+c.n]) }, nil
	case "string":
		v.Codes = resized(v.Codes, n)
		return func(c *chunk, at int) error { return v.readCodes(c, v.Codes[at:at+c.n]) }, nil
	}
	return nil, fmt.Errorf("column of type %s cannot be read by batches", kind)
}

func readIDs(c *chunk, dst []shadow.SampleID) error {
	const size = len(shadow.SampleID{})
	if !c.isPlain || c.present != len(dst) {
		return fmt.Errorf("%w: ids that are not plain", ErrDamaged)
	}
	data, err := c.take(size * len(dst))
	if err != nil {
		return err
	}
	for i := range dst {
		dst[i] = shadow.SampleID(data[size*i:])
	}
	return nil
}

// readInts reads whole numbers of size bytes.
func (v *Vector) readInts(c *chunk, dst []int64, size int) error {
	present := dst[:c.present]
	if c.isPlain {
		data, err := c.take(size * len(present))
		if err != nil {
			return err
		}
		putInts(present, data, size)
	} else if err := v.lookUpInts(c, present, size); err != nil {
		return err
	}
	spreadOut(dst, c.defs, uint32(c.maxDef), c.present, Null)
	return nil
}

func putInts(dst []int64, data []byte, size int) {
	if size == 4 {
		for i := range dst {
			dst[i] = int64(int32(binary.LittleEndian.Uint32(data[4*i:])))
		}
		return
	}
	for i := range dst {
		dst[i] = int64(binary.LittleEndian.Uint64(data[8*i:]))
	}
}

func (v *Vector) lookUpInts(c *chunk, dst []int64, size int) error {
	if len(dst) == 0 {
		return nil
	}
	if c.entries*size > len(c.dictionary) {
		return fmt.Errorf("%w: dictionary of %d entries in %d bytes", ErrDamaged, c.entries, len(c.dictionary))
	}
	if len(v.ints) == 0 {
		v.ints = resized(v.ints, max(0, c.entries))
		putInts(v.ints, c.dictionary, size)
	}
	v.words = resized(v.words, len(dst))
	if err := c.index(v.words); err != nil {
		return err
	}
	for i, at := range v.words {
		dst[i] = v.ints[at]
	}
	return nil
}

func (v *Vector) readFloats(c *chunk, dst []float64) error {
	if c.present != len(dst) {
		return fmt.Errorf("%w: null in a column that has none", ErrDamaged)
	}
	v.Ints = resized(v.Ints, len(dst))
	if err := v.readInts(c, v.Ints, 8); err != nil {
		return err
	}
	for i, bits := range v.Ints {
		dst[i] = math.Float64frombits(uint64(bits))
	}
	v.Ints = v.Ints[:0]
	return nil
}

func readFlags(c *chunk, dst []Flag) error {
	if !c.isPlain {
		return fmt.Errorf("%w: flags that are not plain", ErrDamaged)
	}
	if c.bit+c.present > 8*len(c.plain) {
		return fmt.Errorf("%w: page with too few values", ErrDamaged)
	}
	for i := range dst[:c.present] {
		bit := c.bit + i
		dst[i] = Flag(c.plain[bit>>3] >> (bit & 7) & 1)
	}
	c.bit += c.present
	spreadOut(dst, c.defs, uint32(c.maxDef), c.present, FlagUnknown)
	return nil
}
