package reports

import (
	"cmp"
	"maps"
	"slices"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/stats"
)

// peopleBeside is from how many labelled pairs on the corrected delta stands beside the
// judge's own; below stats.FewLabels there is only the mean of the labels.
const peopleBeside = 50

// People holds the judge against people who graded some of its answers blind. A grade
// of several people for one answer is their mean, but in Judge and Among.
type People struct {
	// Labels are grades by Raters people for Answers answers; of NotFound labels the
	// answer has no grade of the experiment's judge in this window: they enter no figure.
	Labels   int `json:"labels"`
	Raters   int `json:"raters"`
	Answers  int `json:"answers"`
	NotFound int `json:"not_found"`
	// Judge is the judge against each label.
	Judge PeopleAgreement `json:"judge"`
	// Among is people among themselves; nil if no answer has two labels.
	Among *RatersAgreement `json:"among,omitempty"`
	// Corrected has an entry per candidate, control arms too.
	Corrected []Corrected `json:"corrected"`
}

// PeopleAgreement is how the judge's grades agree with those of people. Labels are taken as independent.
type PeopleAgreement struct {
	Exact   Share `json:"exact"`
	Within1 Share `json:"within_1"`
	// Kappa is Cohen's with quadratic weights, with its large-sample interval; nil if
	// all grades are one.
	Kappa         *float64  `json:"kappa_quadratic"`
	KappaInterval *Interval `json:"kappa_interval"`
	// Table[i][j] counts labels of grade i+1 for answers to which the judge gave j+1.
	Table [6][6]int `json:"table"`
	// Shift is the mean of the judge's − the person's grade: positive means that the
	// judge is harsher.
	Shift Estimate `json:"shift"`
}

// RatersAgreement is how people agree with each other.
type RatersAgreement struct {
	// Answers are those with at least two labels; Exact is the share of pairs of labels
	// of one answer that are the same, Within1 of those at most one apart.
	Answers int   `json:"answers"`
	Exact   Share `json:"exact"`
	Within1 Share `json:"within_1"`
	// Alpha is Krippendorff's, ordinal; nil if all grades are one.
	Alpha *float64 `json:"alpha_ordinal"`
}

// Corrected is a comparison as people see it, over the pairs that the judge graded:
// PPI++ of the grades of people for some of them and the judge's for all. Pairs are
// taken as independent.
type Corrected struct {
	Arm shadow.Arm `json:"arm"`
	// Pairs are those of which people graded both answers, of Of that the judge graded.
	Pairs int `json:"pairs"`
	Of    int `json:"of"`
	// Stratified: pairs had unequal chances to be sampled, so each chance is a stratum
	// with a correction of its own.
	Stratified    bool           `json:"stratified,omitempty"`
	MeanLive      CorrectedValue `json:"mean_live"`
	MeanCandidate CorrectedValue `json:"mean_candidate"`
	Delta         CorrectedValue `json:"delta"`
}

// CorrectedValue is a mean in grades.
type CorrectedValue struct {
	// Labels is from the grades of people alone.
	Labels Estimate `json:"labels"`
	// Corrected is PPI++; undefined below 20 labels. Interval is its, as if this were
	// the only look.
	Corrected Estimate  `json:"corrected"`
	Interval  *Interval `json:"interval"`
	// Trust is PPI's lambda, 0..1: how much the judge's grades count; nil if there is
	// more than one stratum or no correction.
	Trust *float64 `json:"trust"`
}

// labelled are the labels of answers.
type labelled map[repeated][]Label

// peopleOf is nil without labels.
func (v view) peopleOf(labels []Label, e Experiment) *People {
	if len(labels) == 0 {
		return nil
	}
	arms := map[shadow.Arm]int{shadow.Live: 0}
	for i, a := range e.Candidates {
		arms[a.Name] = i + 1
	}
	p := &People{Labels: len(labels), NotFound: len(labels), Corrected: []Corrected{}}
	of, raters := labelled{}, map[string]bool{}
	for _, l := range labels {
		raters[l.Rater] = true
		if arm, known := arms[l.Arm]; known {
			key := repeated{l.Sample, arm}
			of[key] = append(of[key], l)
		}
	}
	p.Raters = len(raters)
	table, found := gradeTable(), [][]float64{}
	var shift []float64
	for _, s := range v.index {
		for arm := range v.arms {
			given := of[repeated{*v.ids.at(int(s)), arm}]
			a := v.answer(arm, int(s))
			if len(given) == 0 || !a.graded() {
				continue
			}
			row := make([]float64, len(given))
			for i, l := range given {
				row[i] = float64(l.Grade)
				table[l.Grade-rubric.Best][int(a.grade)-int(rubric.Best)]++
				shift = append(shift, float64(a.grade)-row[i])
			}
			found = append(found, row)
		}
	}
	p.Answers, p.NotFound = len(found), len(labels)-len(shift)
	p.Judge = peopleAgreement(table, shift, e.Level)
	p.Among = among(found, e.Level)
	for i, c := range e.Candidates {
		graded := v.pairs(0, i+1).filter(pair.drawn).filter(pair.comparable)
		p.Corrected = append(p.Corrected, graded.corrected(c.Name, of, e.Level))
	}
	return p
}

func peopleAgreement(table [][]int, shift []float64, level float64) PeopleAgreement {
	var a PeopleAgreement
	a.Exact, a.Within1, a.Kappa, a.KappaInterval = agreed(table, level)
	for i, row := range table {
		copy(a.Table[i][:], row)
	}
	est, err := stats.Mean(shift)
	a.Shift = estimateOf(len(shift), est, err)
	return a
}

// among is nil unless an answer has two labels.
func among(answers [][]float64, level float64) *RatersAgreement {
	r := &RatersAgreement{}
	var same, near, n int
	for _, row := range answers {
		r.Answers += one(len(row) > 1)
		for i, x := range row {
			for _, y := range row[:i] {
				n, same, near = n+1, same+one(x == y), near+one(x-y <= 1 && y-x <= 1)
			}
		}
	}
	if n == 0 {
		return nil
	}
	r.Exact, r.Within1 = shareOf(same, n, level), shareOf(near, n, level)
	if alpha, _, err := stats.KrippendorffAlpha(answers, stats.Ordinal); err == nil {
		r.Alpha = new(alpha)
	}
	return r
}

// peopleStratum is pairs of one chance: grades of live, candidate and their difference.
type peopleStratum struct{ label, predicted, unlabelled [3][]float64 }

func add(to *[3][]float64, live, candidate float64) {
	for i, x := range [3]float64{live, candidate, candidate - live} {
		to[i] = append(to[i], x)
	}
}

// corrected estimates from graded pairs, some of them with labels.
func (p pairs) corrected(name shadow.Arm, labels labelled, level float64) Corrected {
	c := Corrected{Arm: name, Of: p.len()}
	strata := map[float64]*peopleStratum{}
	for _, x := range p.all() {
		chance := p.chance(x)
		s := strata[chance]
		if s == nil {
			s = &peopleStratum{}
			strata[chance] = s
		}
		id := *p.ids.at(x.base.sample)
		live, candidate := labels[repeated{id, p.base}], labels[repeated{id, p.cand}]
		if len(live) == 0 || len(candidate) == 0 {
			add(&s.unlabelled, float64(x.base.grade), float64(x.cand.grade))
			continue
		}
		c.Pairs++
		add(&s.label, meanGrade(live), meanGrade(candidate))
		add(&s.predicted, float64(x.base.grade), float64(x.cand.grade))
	}
	c.Stratified = len(strata) > 1
	for i, to := range []*CorrectedValue{&c.MeanLive, &c.MeanCandidate, &c.Delta} {
		*to = correctedValue(strata, i, c.Pairs, level)
	}
	return c
}

func meanGrade(labels []Label) float64 {
	sum := 0
	for _, l := range labels {
		sum += int(l.Grade)
	}
	return float64(sum) / float64(len(labels))
}

// correctedValue is of n labels; chances in order, so that sums come out the same.
func correctedValue(by map[float64]*peopleStratum, column, n int, level float64) CorrectedValue {
	var v CorrectedValue
	var labels, weight []float64
	var strata []stats.PPIStratum
	for _, chance := range slices.SortedFunc(maps.Keys(by), cmp.Compare) {
		s := by[chance]
		size := float64(len(s.label[column]) + len(s.unlabelled[column]))
		strata = append(strata, stats.PPIStratum{
			Weight: size / chance, Label: s.label[column], Predicted: s.predicted[column], Unlabelled: s.unlabelled[column],
		})
		for range s.label[column] {
			weight = append(weight, 1/chance)
		}
		labels = append(labels, s.label[column]...)
	}
	est, err := stats.Mean(labels)
	if len(strata) > 1 {
		est, err = stats.WeightedMean(labels, weight, nil, nil)
	}
	v.Labels = estimateOf(n, est, err)
	v.Labels.Sessions = 0
	if n < stats.FewLabels {
		v.Corrected = estimateOf(n, stats.Estimate{}, stats.ErrTooFew)
		return v
	}
	est, parts, err := stats.StratifiedPPI(strata) // with one stratum it is PPI++
	v.Corrected = estimateOf(n, est, err)
	if err != nil {
		return v
	}
	v.Interval = intervalOf(est.CI(level))
	if len(parts) == 1 {
		v.Trust = new(parts[0].Lambda)
	}
	return v
}
