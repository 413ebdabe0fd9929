package reports

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// piece is the rows of a row group as the collection keeps them, made without a look at other
// rows but for the numbers of patterns and origins. Its samples are runs of rows that have
// one id and are alike in all that a sample's rows share; further rows of a sample may
// come elsewhere.
type piece struct {
	ids      []shadow.SampleID
	samples  []sample // their sessions in the numbers of the piece
	arms     []pieceArm
	large    []largeNumber
	again    []repeatedGrade
	patterns []ownPattern
	sessions pieceTexts

	places  []uint32 // by the number of a pattern in the collection: 1 + that in the piece
	classes classes
	codes   [rowBlock]uint32
	own     []uint32         // by class of the batch: the pattern in the piece
	origins [256]knownOrigin // by some bits of its key
	now     run
}

// knownOrigin is the number of an origin whose route and tags the row group codes so.
type knownOrigin struct {
	key  [3]uint32 // route, tags, from
	code uint32    // 0: none yet
}

// pieceArm is an arm's rows, a place for each sample: the number of the pattern, and the
// numbers as they are stored.
type pieceArm struct {
	pattern []uint32
	numbers [quantities][]uint32
}

// largeNumber is one that does not fit.
type largeNumber struct {
	arm    int
	q      quantity
	sample int
	v      int64
}

// repeatedGrade is a further verdict on an answer.
type repeatedGrade struct {
	repeated
	again
}

// ownPattern is a pattern in a piece, with its rows there.
type ownPattern struct {
	sightings
	code   uint32
	arm    int // -1: its rows are kept for no arm
	counts bool
	again  *ruled // of further grades that are kept, else nil
}

// run is the sample that rows are added to.
type run struct {
	session, route, tags uint32 // as the row group codes them
	from                 uint32 // see origin
}

// pieceTexts are the texts of sessions, with their hashes.
type pieceTexts struct {
	all    []byte
	ends   []uint32
	hashes []uint64
	codes  []uint32 // in the collection
}

func (t *pieceTexts) at(code int) []byte { return t.all[t.ends[code]:t.ends[code+1]] }

// pieces keeps those that nobody uses for the next batches.
type pieces struct {
	sync.Mutex
	free []*piece
}

func (p *pieces) get(arms int) *piece {
	p.Lock()
	defer p.Unlock()
	if n := len(p.free); n > 0 {
		out := p.free[n-1]
		p.free = p.free[:n-1]
		return out
	}
	return &piece{arms: make([]pieceArm, arms)}
}

func (p *pieces) put(q *piece) {
	p.Lock()
	defer p.Unlock()
	p.free = append(p.free, q)
}

// begin makes an empty piece for a row group.
func (c *collection) begin(g *sinks.Group) (*piece, error) {
	c.skip(g)
	return c.newPiece(g.Rows), nil
}

// newPiece has room for the samples of so many rows, if they lie beside each other.
func (c *collection) newPiece(rows int) *piece {
	p := c.pieces.get(len(c.arms))
	p.large, p.again, p.patterns, p.now = p.large[:0], p.again[:0], p.patterns[:0], run{}
	samples := rows/len(c.arms) + 1
	p.ids, p.samples = room(p.ids, samples), room(p.samples, samples)
	for a := range p.arms {
		arm := &p.arms[a]
		arm.pattern = room(arm.pattern, samples)
		for _, q := range c.wants.kept {
			arm.numbers[q] = room(arm.numbers[q], samples)
		}
	}
	clear(p.places)
	clear(p.origins[:])
	t := &p.sessions
	t.all, t.ends, t.hashes = t.all[:0], append(t.ends[:0], 0), t.hashes[:0]
	return p
}

// room empties a slice and makes room for n elements.
func room[V any](s []V, n int) []V { return slices.Grow(s[:0], n) }

// add adds rows to a piece. Several pieces may be added to at the same time.
func (c *collection) add(p *piece, b *sinks.Batch) error {
	in := c.open(b)
	p.classes.start(in.rows, in.digits())
	p.own = p.own[:0]
	p.takeSessions(in.session, c.sessions.seed)
	for from := 0; from < in.rows; from += rowBlock {
		codes := p.codes[:min(rowBlock, in.rows-from)]
		p.classes.number(from, codes)
		for i, class := range codes {
			if int(class) == len(p.own) {
				p.own = append(p.own, p.patternOf(c, in, from+i))
			}
			p.addRow(c, in, from+i, &p.patterns[p.own[class]])
		}
	}
	p.end(c, in)
	return nil
}

// takeSessions takes over what the batches before did not have.
func (p *piece) takeSessions(v *sinks.Vector, seed maphash.Seed) {
	t := &p.sessions
	for code := len(t.hashes); code < v.Texts(); code++ {
		text := v.Text(uint32(code))
		t.all = append(t.all, text...)
		t.ends = append(t.ends, uint32(len(t.all)))
		t.hashes = append(t.hashes, maphash.Bytes(seed, text))
	}
}

// addRow takes a row in, of which the pattern is known.
func (p *piece) addRow(c *collection, in *batch, i int, own *ownPattern) {
	own.see(in.seen[i])
	if own.arm < 0 {
		return
	}
	if own.again != nil {
		p.again = append(p.again, repeatedGrade{repeated{in.ids[i], own.arm}, again{in.repeat[i], own.again.pinned, own.again.purpose, own.again.grade}})
		return
	}
	if !p.goesOn(in, i, own.arm) {
		p.end(c, in)
		p.start(c, in, i)
	}
	last := len(p.ids) - 1
	arm := &p.arms[own.arm]
	arm.pattern[last] = own.code
	if from := uint32(own.arm) + 1; own.counts && (p.now.from == 0 || from < p.now.from) {
		p.now.from = from
	}
	for _, q := range c.wants.kept {
		p.set(own.arm, q, last, in.numbers[q][i])
	}
}

// patternOf looks the pattern of a row up, and is its number in the piece.
func (p *piece) patternOf(c *collection, in *batch, i int) uint32 {
	c.numbering.Lock()
	defer c.numbering.Unlock()
	code, r := c.ruledOf(in.pattern(i, &c.words))
	if n := int(code) + 1 - len(p.places); n > 0 {
		p.places = append(p.places, make([]uint32, n)...)
	}
	if p.places[code] == 0 {
		own := ownPattern{sightings: newSightings(), code: code, arm: r.arm, counts: r.counts()}
		if r.again {
			own.again = new(*r)
		}
		p.patterns = append(p.patterns, own)
		p.places[code] = uint32(len(p.patterns))
	}
	return p.places[code] - 1
}

// goesOn says that a row belongs to the sample of the row before.
func (p *piece) goesOn(in *batch, i, arm int) bool {
	last := len(p.ids) - 1
	return last >= 0 && in.ids[i] == p.ids[last] && in.seen[i] == p.samples[last].seen && p.arms[arm].pattern[last] == 0 &&
		p.now.session == in.session.Codes[i] && p.now.route == in.route.Codes[i] && (in.tags == nil || p.now.tags == in.tags.Codes[i])
}

// start makes room for the sample of a row.
func (p *piece) start(c *collection, in *batch, i int) {
	p.now = run{session: in.session.Codes[i], route: in.route.Codes[i]}
	if in.tags != nil {
		p.now.tags = in.tags.Codes[i]
	}
	p.ids = append(p.ids, in.ids[i])
	p.samples = append(p.samples, sample{seen: in.seen[i], session: p.now.session})
	for a := range p.arms {
		arm := &p.arms[a]
		arm.pattern = append(arm.pattern, 0)
		for _, q := range c.wants.kept {
			arm.numbers[q] = append(arm.numbers[q], 0)
		}
	}
}

// end says what the sample at hand can be split by, unless no row of it counts; it may go
// on after that.
func (p *piece) end(c *collection, in *batch) {
	if len(p.samples) == 0 || p.now.from == 0 {
		return
	}
	key := [3]uint32{p.now.route, p.now.tags, p.now.from}
	known := &p.origins[(key[0]*31+key[1]*7+key[2])%uint32(len(p.origins))]
	if known.code == 0 || known.key != key {
		*known = knownOrigin{key, c.originOfRun(in, p.now)}
	}
	p.samples[len(p.samples)-1].origin = known.code
}

func (c *collection) originOfRun(in *batch, r run) uint32 {
	c.numbering.Lock()
	defer c.numbering.Unlock()
	o := in.split(r.route, r.tags, &c.codes)
	o.from = int32(r.from)
	return c.origins.code(o)
}

func (p *piece) set(arm int, q quantity, sample int, v int64) {
	switch {
	case v < 0:
	case v < isBig-1:
		p.arms[arm].numbers[q][sample] = uint32(v) + 1
	default:
		p.arms[arm].numbers[q][sample] = isBig
		p.large = append(p.large, largeNumber{arm, q, sample, v})
	}
}

// take adds a piece to the collection. Parts come in the order of their rows.
func (c *collection) take(p *piece) error {
	c.numbering.Lock()
	for i := range p.patterns {
		c.patterns.list[p.patterns[i].code].add(p.patterns[i].sightings)
	}
	c.numbering.Unlock()
	sessions := c.sessions.codesOf(&p.sessions)
	for i := range p.samples {
		p.samples[i].session = sessions[p.samples[i].session]
	}
	at := c.ids.n
	c.ids.add(p.ids)
	c.samples.add(p.samples)
	for a := range p.arms {
		c.arms[a].shape.add(p.arms[a].pattern)
		for _, q := range c.wants.kept {
			c.arms[a].numbers[q].add(at, p.arms[a].numbers[q])
		}
	}
	for _, l := range p.large {
		c.arms[l.arm].numbers[l.q].setBig(at+l.sample, l.v)
	}
	for _, r := range p.again {
		c.repeats[r.repeated] = append(c.repeats[r.repeated], r.again)
	}
	c.pieces.put(p)
	return nil
}
