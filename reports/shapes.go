package reports

// shapes lists the different observations. The first two have no row: nothing came,
// or everything that came was left out.
type shapes struct {
	list  []obs
	slots []uint32 // 1 + number, by hash
}

const (
	shapeAbsent uint32 = iota
	shapeRejected
)

func newShapes() shapes { return shapes{list: make([]obs, 2), slots: make([]uint32, 256)} }

// code gives the number of an observation.
func (s *shapes) code(o *obs) uint32 {
	mask := uint32(len(s.slots) - 1)
	i := o.hash() & mask
	for ; s.slots[i] != 0; i = (i + 1) & mask {
		if code := s.slots[i] - 1; s.list[code] == *o {
			return code
		}
	}
	code := uint32(len(s.list))
	s.list = append(s.list, *o)
	s.slots[i] = code + 1
	if 2*len(s.list) > len(s.slots) {
		s.widen()
	}
	return code
}

func (s *shapes) widen() {
	s.slots = make([]uint32, 2*len(s.slots))
	mask := uint32(len(s.slots) - 1)
	for code := shapeRejected + 1; code < uint32(len(s.list)); code++ {
		i := s.list[code].hash() & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = code + 1
	}
}

// hash mixes the fields by multiplication with odd constants.
func (o *obs) hash() uint32 {
	const k = 0x9e3779b97f4a7c15
	h := uint64(o.rate)<<32 | uint64(o.model)
	h = h*k ^ (uint64(o.reason)<<32 | uint64(o.why))
	h = (h^h>>29)*k ^ (uint64(o.problem)<<32 | uint64(o.judge))
	h = (h^h>>29)*k ^ uint64(o.pinned)
	h = (h^h>>29)*k ^ (uint64(o.state) | uint64(o.judged)<<8 | uint64(o.grade)<<16 |
		uint64(o.latency)<<24 | uint64(o.first)<<32 | uint64(o.flags)<<40)
	h = (h ^ h>>29) * k
	return uint32(h >> 32)
}
