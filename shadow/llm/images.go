package llm

// Images are the images of a client's request, in the order of the conversation.
type Images struct {
	// Data are those that stand in the request; of them, those from Last on belong to its
	// last message. Elsewhere counts those that are only named, by an address or an id.
	Data      []Media
	Last      int
	Elsewhere int
}

// Count is the number of all images.
func (i Images) Count() int { return len(i.Data) + i.Elsewhere }

// RequestImages reads the images of a client's request, those in the results of tools
// too; none where the request cannot be read as [ReadQuestion] does.
func RequestImages(d Dialect, body []byte) Images {
	q, _, err := ReadQuestion(d, body)
	if err != nil {
		return Images{}
	}
	var out Images
	for _, m := range q.Messages {
		out.Last = len(out.Data)
		for _, p := range m.Parts {
			out.add(p)
		}
	}
	return out
}

func (i *Images) add(p Part) {
	switch {
	case p.Result != nil:
		for _, inner := range p.Result.Parts {
			i.add(inner)
		}
	case p.Media == nil || !p.Media.Image():
	case p.Media.Data == "":
		i.Elsewhere++
	default:
		i.Data = append(i.Data, *p.Media)
	}
}
