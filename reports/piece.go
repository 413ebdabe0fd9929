package reports

import (
	"hash/maphash"
	"sync"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/sinks"
)

// piece is the rows of a batch as the collection keeps them, made without a look at other
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

	classes classes
	codes   [rowBlock]uint32
	origins [256]knownOrigin // by some bits of its key
	now     run
}

// knownOrigin is the number of an origin whose route and tags the batch codes so.
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
	row                  int    // the first
	session, route, tags uint32 // as the batch codes them
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

// piece makes one of a batch. Several may be made at the same time.
func (c *collection) piece(b *sinks.Batch) (*piece, error) {
	in, p := c.open(b), c.pieces.get(len(c.arms))
	p.reset()
	p.classes.start(in.rows, in.digits())
	p.takeSessions(in.session, c.sessions.seed)
	for from := 0; from < in.rows; from += rowBlock {
		codes := p.codes[:min(rowBlock, in.rows-from)]
		p.classes.number(from, codes)
		for i, code := range codes {
			p.add(c, in, from+i, int(code))
		}
	}
	p.end(c, in)
	return p, nil
}

func (p *piece) reset() {
	p.ids, p.samples, p.large, p.again, p.patterns = p.ids[:0], p.samples[:0], p.large[:0], p.again[:0], p.patterns[:0]
	for a := range p.arms {
		arm := &p.arms[a]
		arm.pattern = arm.pattern[:0]
		for q := range arm.numbers {
			arm.numbers[q] = arm.numbers[q][:0]
		}
	}
	clear(p.origins[:])
}

func (p *piece) takeSessions(v *sinks.Vector, seed maphash.Seed) {
	t := &p.sessions
	t.all, t.ends, t.hashes = t.all[:0], append(t.ends[:0], 0), t.hashes[:0]
	for code := range v.Texts() {
		text := v.Text(uint32(code))
		t.all = append(t.all, text...)
		t.ends = append(t.ends, uint32(len(t.all)))
		t.hashes = append(t.hashes, maphash.Bytes(seed, text))
	}
}

// add takes a row in, of which the pattern has a number in the piece.
func (p *piece) add(c *collection, in *batch, i, code int) {
	if code == len(p.patterns) {
		p.patterns = append(p.patterns, c.ownPattern(in, i))
	}
	own := &p.patterns[code]
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
		p.begin(c, in, i)
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

// ownPattern looks the pattern of a row up.
func (c *collection) ownPattern(in *batch, i int) ownPattern {
	c.numbering.Lock()
	defer c.numbering.Unlock()
	code, r := c.ruledOf(in.pattern(i, &c.words))
	own := ownPattern{sightings: newSightings(), code: code, arm: r.arm, counts: r.counts()}
	if r.again {
		own.again = new(*r)
	}
	return own
}

// goesOn says that a row belongs to the sample of the row before.
func (p *piece) goesOn(in *batch, i, arm int) bool {
	last := len(p.ids) - 1
	return last >= 0 && in.ids[i] == p.ids[last] && in.seen[i] == p.samples[last].seen && p.arms[arm].pattern[last] == 0 &&
		p.now.session == in.session.Codes[i] && p.now.route == in.route.Codes[i] && (in.tags == nil || p.now.tags == in.tags.Codes[i])
}

// begin makes room for the sample of a row.
func (p *piece) begin(c *collection, in *batch, i int) {
	p.now = run{row: i, session: in.session.Codes[i], route: in.route.Codes[i]}
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

// end says what the sample at hand can be split by, unless no row of it counts.
func (p *piece) end(c *collection, in *batch) {
	if len(p.samples) == 0 || p.now.from == 0 {
		return
	}
	key := [3]uint32{p.now.route, p.now.tags, p.now.from}
	known := &p.origins[(key[0]*31+key[1]*7+key[2])%uint32(len(p.origins))]
	if known.code == 0 || known.key != key {
		*known = knownOrigin{key, c.originOfRow(in, p.now.row, p.now.from)}
	}
	p.samples[len(p.samples)-1].origin = known.code
}

func (c *collection) originOfRow(in *batch, i int, from uint32) uint32 {
	c.numbering.Lock()
	defer c.numbering.Unlock()
	o := in.split(i, &c.codes)
	o.from = int32(from)
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
