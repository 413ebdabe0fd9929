package reports

import "github.com/understudy-eval/understudy/stats"

// bySession adds up whole numbers over the sessions of a list of rows, which come
// session after session; see stats.ClusterSizes.
type bySession struct {
	sizes   stats.ClusterSizes
	totals  []stats.ClusterTotals
	now     []int64 // sums of the session at hand
	session uint32
	n       int // its rows
	rows    int
	// clusters counts the sessions; keyless rows have none.
	clusters int
	keyless  bool
}

// sums starts with so many columns.
func sums(columns int) *bySession {
	return &bySession{totals: make([]stats.ClusterTotals, columns), now: make([]int64, columns)}
}

// row starts a row of a session and gives the sums to add its numbers to.
func (b *bySession) row(session uint32) []int64 {
	if b.n > 0 && session != b.session {
		b.close()
	}
	b.session = session
	b.n++
	return b.now
}

// close ends a session.
func (b *bySession) close() {
	b.sizes.Add(b.n)
	for i, sum := range b.now {
		if sum != 0 {
			b.totals[i].Add(b.n, sum)
			b.now[i] = 0
		}
	}
	b.rows += b.n
	b.clusters++
	b.keyless = b.keyless || b.session == 0
	b.n = 0
}

// done ends the last session.
func (b *bySession) done() *bySession {
	if b.n > 0 {
		b.close()
	}
	return b
}

// clustered says that a session has several rows.
func (b *bySession) clustered() bool { return b.clusters < b.rows }

// mean estimates the mean of a column; a column below 0 is one of zeros.
func (b *bySession) mean(column int) (stats.Estimate, error) {
	if b.keyless {
		return stats.Estimate{}, stats.ErrNoCluster
	}
	if column < 0 {
		return b.sizes.Mean(&stats.ClusterTotals{})
	}
	return b.sizes.Mean(&b.totals[column])
}
