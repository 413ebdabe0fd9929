package contract

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

// Bounds of what is decoded. No answer of a service comes near them; they keep the
// library's recursion and exact numbers small.
const (
	maxDepth  = 1000
	maxDigits = 400
)

// Errors of decoding: the first two say that a text is not what was asked for, the
// others that it cannot be told.
var (
	errNotJSON   = errors.New("not exactly one JSON value")
	errEqualName = errors.New("an object has two equal names")
	errDepth     = errors.New("over 1000 levels deep")
	errNumber    = errors.New("a number of over 400 digits")
)

// decode reads exactly one JSON value: objects as map[string]any, numbers as
// json.Number. objects counts the objects in it.
func decode(text string) (v any, objects int, err error) {
	d := decoder{Decoder: json.NewDecoder(strings.NewReader(text))}
	d.UseNumber()
	if v, err = d.value(0); err != nil {
		return nil, 0, err
	}
	if _, err = d.Token(); !errors.Is(err, io.EOF) {
		return nil, 0, errNotJSON
	}
	return v, d.objects, nil
}

type decoder struct {
	*json.Decoder
	objects int
}

func (d *decoder) value(depth int) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, errNotJSON
	}
	switch t := token.(type) {
	case json.Delim:
		if depth == maxDepth {
			return nil, errDepth
		}
		if t == '{' {
			return d.object(depth + 1)
		}
		return d.list(depth + 1)
	case json.Number:
		if huge(string(t)) {
			return nil, errNumber
		}
	}
	return token, nil
}

func (d *decoder) object(depth int) (any, error) {
	d.objects++
	object := map[string]any{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, errNotJSON
		}
		v, err := d.value(depth)
		if err != nil {
			return nil, err
		}
		key, _ := name.(string)
		if _, there := object[key]; there {
			return nil, errEqualName
		}
		object[key] = v
	}
	return object, d.end()
}

func (d *decoder) list(depth int) (any, error) {
	list := []any{}
	for d.More() {
		v, err := d.value(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, d.end()
}

func (d *decoder) end() error {
	if _, err := d.Token(); err != nil {
		return errNotJSON
	}
	return nil
}

// huge says whether a number takes too many digits to be written out.
func huge(number string) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	if exponent == "" {
		return len(mantissa) > maxDigits
	}
	e, err := strconv.Atoi(exponent)
	return err != nil || len(mantissa)+max(e, -e) > maxDigits
}
