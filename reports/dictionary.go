package reports

// dictionary gives values small numbers, in the order in which they come. The zero
// value has number 0.
type dictionary[K comparable] struct {
	codes  map[K]uint32
	values []K
	last   uint32 // what was asked for last: mostly the next is like it
}

func newDictionary[K comparable]() dictionary[K] {
	var zero K
	return dictionary[K]{codes: map[K]uint32{zero: 0}, values: []K{zero}}
}

func (d *dictionary[K]) code(v K) uint32 {
	if d.values[d.last] == v {
		return d.last
	}
	code, ok := d.codes[v]
	if !ok {
		code = uint32(len(d.values))
		d.codes[v] = code
		d.values = append(d.values, v)
	}
	d.last = code
	return code
}

// names is a dictionary of texts.
type names struct{ dictionary[string] }

// codeOf is the number of a text that is made a string only when it is new.
func (d *names) codeOf(text []byte) uint32 {
	if code, ok := d.codes[string(text)]; ok {
		return code
	}
	return d.code(string(text))
}
