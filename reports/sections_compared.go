package reports

import "fmt"

// problemDeltaSections compare the main problems of each candidate with live's: only
// problems that occur on the pairs have a row. The last one says what p is.
func problemDeltaSections(r Report) []section {
	var out []section
	clustered, list := false, 0
	for _, c := range r.Comparisons {
		s := section{
			title: fmt.Sprintf("Main problem: %s - live on the same requests, in points; negative is rarer", c.Arm),
			table: table{head: []string{"problem", "live", string(c.Arm), "difference", "interval", "p", "p by Holm"}},
		}
		for _, p := range c.Quality.Problems {
			d := p.Delta
			if d.Both+d.OtherOnly+d.CandOnly == 0 {
				continue
			}
			clustered = clustered || d.Clustered
			s.table.rows = append(s.table.rows, []string{
				string(p.Problem), percent(ratio(d.Both+d.OtherOnly, d.Pairs)), percent(ratio(d.Both+d.CandOnly, d.Pairs)),
				or(d.Delta, points), d.Interval.text(points), or(d.P, pValue), or(p.PHolm, pValue),
			})
		}
		if list = max(list, len(c.Quality.Problems)); len(s.table.rows) > 0 {
			out = append(out, s)
		}
	}
	if len(out) > 0 {
		out[len(out)-1].notes = []string{problemTestNote(clustered, list)}
	}
	return out
}

func problemTestNote(clustered bool, list int) string {
	test := "McNemar's mid-p over pairs"
	if clustered {
		test = "the larger of McNemar's mid-p and a t test clustered by session, for sessions have several pairs"
	}
	return fmt.Sprintf("p is %s, each problem against all else; Holm is over all %d of the closed list, with none", test, list)
}
