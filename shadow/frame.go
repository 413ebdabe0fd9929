package shadow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// EncodeMessage writes a value as a message of a version: one line of JSON, and after
// it a body as it is, so that not a byte of it changes and nobody has to look for its
// end:
//
//	{"v":2,"body":1234,"<kind>":<value>}\n<1234 bytes>
//
// It fails if the value is no JSON, never silently.
func EncodeMessage(version int, kind string, value any, body []byte) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode message: %w", err)
	}
	data := make([]byte, 0, len(text)+len(body)+len(kind)+48)
	data = strconv.AppendInt(append(data, versionKey...), int64(version), 10)
	data = strconv.AppendInt(append(data, bodyKey...), int64(len(body)), 10)
	data = append(append(append(data, `,"`...), kind...), `":`...)
	data = append(append(data, text...), "}\n"...)
	return append(data, body...), nil
}

// DecodeMessage reads what EncodeMessage wrote of the same version and kind: the value
// into a pointer, and the body, which shares data's memory (nil if empty). Fields that the value does
// not have are refused. Errors: [ErrVersion] for a message of another version,
// [ErrMalformed] for anything else.
func DecodeMessage(data []byte, version int, kind string, value any) (body []byte, err error) {
	head, body, whole := bytes.Cut(data, []byte("\n"))
	prefix := append(strconv.AppendInt([]byte(versionKey), int64(version), 10), bodyKey...)
	rest, ok := bytes.CutPrefix(head, prefix)
	if !ok {
		return nil, foreign(head, version)
	}
	size, text, ok := bytes.Cut(rest, []byte(`,"`+kind+`":`))
	if n, err := strconv.Atoi(string(size)); !ok || err != nil || n != len(body) {
		return nil, fmt.Errorf("%w: no %s in it, or a body of another length", ErrMalformed, kind)
	}
	text, ok = bytes.CutSuffix(text, []byte("}"))
	if !ok || !whole {
		return nil, fmt.Errorf("%w: no end", ErrMalformed)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(value); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if dec.InputOffset() != int64(len(text)) {
		return nil, fmt.Errorf("%w: more than one value", ErrMalformed)
	}
	if len(body) == 0 {
		return nil, nil
	}
	return slices.Clip(body), nil
}

const (
	versionKey = `{"v":`
	bodyKey    = `,"body":`
)

// foreign says why a message does not start as one of a version does.
func foreign(head []byte, version int) error {
	var told struct {
		V *int `json:"v"`
	}
	err := json.Unmarshal(head, &told)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	case told.V == nil:
		return fmt.Errorf("%w: no version", ErrMalformed)
	case *told.V != version:
		return fmt.Errorf("%w: %d, this process reads %d", ErrVersion, *told.V, version)
	}
	return fmt.Errorf("%w: not in the form of version %d", ErrMalformed, version)
}
