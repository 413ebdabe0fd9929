package reports

// codes are the dictionaries of a collection. words holds all names of which there
// are few.
type codes struct {
	words, tags names
	sessions    texts
	rates       dictionary[float64]
	tagLists    dictionary[string] // numbers of tags, see tagList
	origins     dictionary[origin]
}

func newCodes() codes {
	return codes{
		words: names{newDictionary[string]()}, sessions: newTexts(),
		tags: names{newDictionary[string]()}, rates: newDictionary[float64](), tagLists: newDictionary[string](),
		origins: newDictionary[origin](),
	}
}

func (c *codes) word(code uint32) string { return c.words.values[code] }

// tagList gives a list of tags a number; the list is kept as the bytes of the tags' numbers.
func (c *codes) tagList(tags []string) uint32 {
	if len(tags) == 0 {
		return 0
	}
	key := make([]byte, 0, 4*len(tags))
	for _, t := range tags {
		code := c.tags.code(t)
		key = append(key, byte(code), byte(code>>8), byte(code>>16), byte(code>>24))
	}
	return c.tagLists.code(string(key))
}

// tagsIn lists the numbers of the tags of a list.
func (c *codes) tagsIn(list uint32) []uint32 {
	key := c.tagLists.values[list]
	out := make([]uint32, 0, len(key)/4)
	for ; len(key) > 0; key = key[4:] {
		out = append(out, uint32(key[0])|uint32(key[1])<<8|uint32(key[2])<<16|uint32(key[3])<<24)
	}
	return out
}
