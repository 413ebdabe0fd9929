package sinks

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// maxListEntries bounds a list in a batch: far more than a sample has tags.
const maxListEntries = 4096

// nextLists gives the next n rows of a row group that has so many. All lists of the group
// are decoded with its first rows: a list may go on in the next page.
func (v *Vector) nextLists(c *chunk, n, rows int) error {
	if len(v.group) == 0 {
		if err := v.groupLists(c, rows); err != nil {
			return err
		}
		v.from = 0
	}
	v.Codes = v.group[v.from : v.from+n]
	v.from += n
	return nil
}

func (v *Vector) groupLists(c *chunk, rows int) error {
	v.group = resized(v.group, rows)
	at := 0
	for {
		more, err := c.next(maxDecodeRows)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if at, err = v.readLists(c, v.group, at); err != nil {
			return err
		}
	}
	if at != rows {
		return fmt.Errorf("%w: %d of %d lists", ErrDamaged, at, rows)
	}
	return nil
}

// readLists reads a page of lists into the rows from at on, and says where the next page
// goes.
func (v *Vector) readLists(c *chunk, codes []uint32, at int) (int, error) {
	none, err := v.onlyNull(c)
	if err != nil {
		return at, err
	}
	if none {
		if c.n > len(codes)-at {
			return at, fmt.Errorf("%w: more lists than rows", ErrDamaged)
		}
		clear(codes[at : at+c.n])
		return at + c.n, nil
	}
	c.reps = resized(c.reps, c.n)
	if err := c.rep.read(c.reps); err != nil {
		return at, err
	}
	v.words = resized(v.words, c.present)
	if err := v.readPresent(c, v.words); err != nil {
		return at, err
	}
	words := v.words
	for i, rep := range c.reps {
		entry := c.maxDef
		if len(c.defs) > 0 {
			entry = int16(c.defs[i])
		}
		if rep > 1 || (rep == 1 && (at == 0 || entry != listEntry)) || (rep == 0 && at == len(codes)) {
			return at, fmt.Errorf("%w: list without a start, or more lists than rows", ErrDamaged)
		}
		var list []uint32
		if rep == 1 {
			if list = v.lists[codes[at-1]]; len(list) == maxListEntries {
				return at, fmt.Errorf("%w: list of more than %d entries", ErrDamaged, maxListEntries)
			}
		} else {
			at++
		}
		if entry == listEntry {
			v.list = append(append(v.list[:0], list...), words[0])
			list = v.list
			words = words[1:]
		}
		codes[at-1] = v.number(list)
	}
	return at, nil
}

// onlyNull takes the levels of a page in which every list is null.
func (v *Vector) onlyNull(c *chunk) (bool, error) {
	if c.n == 0 {
		return true, nil
	}
	if c.present > 0 || len(c.defs) == 0 {
		return false, nil
	}
	return c.rep.allEqual(c.n, 0)
}

// number gives a list of entries a number.
func (v *Vector) number(list []uint32) uint32 {
	if len(list) == 0 {
		return 0
	}
	v.key = v.key[:0]
	for _, entry := range list {
		v.key = binary.LittleEndian.AppendUint32(v.key, entry)
	}
	code, ok := v.numbered[string(v.key)]
	if !ok {
		if v.numbered == nil {
			v.numbered = map[string]uint32{}
		}
		code = uint32(len(v.lists))
		v.lists = append(v.lists, slices.Clone(list))
		v.numbered[string(v.key)] = code
	}
	return code
}
