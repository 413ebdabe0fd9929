package sinks

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// readCodes reads texts.
func (v *Vector) readCodes(c *chunk, dst []uint32) error {
	if err := v.readPresent(c, dst[:c.present]); err != nil {
		return err
	}
	spreadOut(dst, c.defs, uint32(c.maxDef), c.present, 0)
	return nil
}

// readPresent reads the texts of a page without its nulls.
func (v *Vector) readPresent(c *chunk, dst []uint32) error {
	if c.isPlain {
		return v.plainTexts(c, dst)
	}
	if len(dst) == 0 {
		return nil
	}
	if len(v.ends) == 1 {
		if err := v.dictionaryTexts(c); err != nil {
			return err
		}
	}
	if err := c.index(dst); err != nil {
		return err
	}
	for i := range dst {
		dst[i]++
	}
	return nil
}

// dictionaryTexts takes the dictionary over: its entry i has number i + 1.
func (v *Vector) dictionaryTexts(c *chunk) error {
	rest := c.dictionary
	for range c.entries {
		text, after, err := cutText(rest)
		if err != nil {
			return err
		}
		v.add(text)
		rest = after
	}
	return nil
}

func (v *Vector) add(text []byte) uint32 {
	v.texts = append(v.texts, text...)
	v.ends = append(v.ends, uint32(len(v.texts)))
	return uint32(len(v.ends) - 1)
}

// plainTexts numbers texts that are in no dictionary; equal neighbours have one number.
func (v *Vector) plainTexts(c *chunk, dst []uint32) error {
	var last uint32
	for i := range dst {
		text, after, err := cutText(c.plain)
		if err != nil {
			return err
		}
		c.plain = after
		if last == 0 || !bytes.Equal(text, v.Text(last)) {
			last = v.add(text)
		}
		dst[i] = last
	}
	return nil
}

// cutText cuts a text with its length off the front.
func cutText(data []byte) (text, after []byte, err error) {
	if len(data) >= 4 {
		if n := int64(binary.LittleEndian.Uint32(data)); n <= int64(len(data)-4) {
			return data[4 : 4+n], data[4+n:], nil
		}
	}
	return nil, nil, fmt.Errorf("%w: text longer than its page", ErrDamaged)
}
