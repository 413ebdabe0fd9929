package duckdb_test

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/rubric/standard"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

const (
	candidate = shadow.Arm("cand-a")
	digest    = "5f1c0d3a9be27846f09d11c2a4b85e6733cf0a92d8417be5601f2c9d3ea47b80"
	// perSession is the mean number of samples of a session; their sizes are geometric.
	perSession = 5
	days       = 10
)

var monday = time.Date(2026, 10, 5, 0, 0, 0, 0, time.UTC)

// dataset says what to deal. The same values give the same trials.
type dataset struct {
	seed  uint64
	pairs int // samples that live and one candidate answered; a multiple of 50
	// failed is the share of the candidate's calls that fail; live fails 0.6 times as often.
	failed float64
}

// experiment is what the rows belong to: one candidate, the standard rubric, two
// judges, no gate.
func experiment() reports.Experiment {
	r := standard.Rubric()
	return reports.Experiment{
		Name: "support-2026-10", Digest: digest, Start: monday, Stop: monday.AddDate(0, 0, days),
		Live: "api.openai.com", Candidates: []reports.Arm{{Name: candidate, Model: "gemini-4-flash", Timeout: 20 * time.Second}},
		Judge: reports.Judge{
			Primary: "judge-a", Pinned: "judge-mini-2026-03-01", Reserve: "judge-b", ReservePinned: "judge-b-2026-02-02",
		},
		Rubric: r.Name(), Digests: r.Digest(), Problems: r.Problems(),
		Limits: []time.Duration{3 * time.Second, 6 * time.Second, 10 * time.Second}, Level: 0.95,
	}
}

// write lets the sink write the rows below dir, one flush a day.
func (d dataset) write(ctx context.Context, dir string) error {
	w, err := sinks.Open(dir, sinks.Options{})
	if err != nil {
		return err
	}
	for day := range days {
		if err := w.Write(ctx, d.day(day)); err != nil {
			return fmt.Errorf("write day %d: %w", day, err)
		}
	}
	return nil
}

// day deals the trials of one day in the order of their arrival.
func (d dataset) day(n int) []judge.Graded {
	t := table{
		Rand: rand.New(rand.NewPCG(d.seed, uint64(n))), dataset: d, experiment: experiment(),
		midnight: monday.AddDate(0, 0, n), first: n * d.pairs / days,
	}
	visits := t.visits(d.pairs / days)
	gs := make([]judge.Graded, len(visits))
	for i, v := range visits {
		gs[i] = t.trial(i, v)
	}
	return gs
}

// table is where one day is dealt.
type table struct {
	*rand.Rand
	dataset
	experiment reports.Experiment
	midnight   time.Time
	first      int // number of the day's first sample
}

// visit is one request of a session. hard is the session's own difficulty, which
// makes its grades correlate.
type visit struct {
	session string
	at      time.Duration // since midnight
	hard    float64
}

// visits deals n requests to n / perSession sessions of unequal size.
func (t table) visits(n int) []visit {
	all := make([]visit, 0, n)
	for _, size := range t.sizes(n/perSession, n) {
		session, hard := hex.EncodeToString(t.id()), t.NormFloat64()
		at := time.Duration(t.Float64() * float64(23*time.Hour))
		for range size {
			all = append(all, visit{session, at.Truncate(time.Microsecond), hard})
			at = min(at+time.Duration(t.ExpFloat64()*float64(45*time.Second)), 24*time.Hour-time.Microsecond)
		}
	}
	slices.SortStableFunc(all, func(a, b visit) int { return int(a.at - b.at) })
	return all
}

// sizes are geometric with mean perSession, then made to add up to rows.
func (t table) sizes(sessions, rows int) []int {
	sizes, sum := make([]int, sessions), 0
	for i := range sizes {
		sizes[i] = 1 + int(math.Log(1-t.Float64())/math.Log(1-1./perSession))
		sum += sizes[i]
	}
	for sum != rows {
		i := t.IntN(sessions)
		switch {
		case sum < rows:
			sizes[i], sum = sizes[i]+1, sum+1
		case sizes[i] > 1:
			sizes[i], sum = sizes[i]-1, sum-1
		}
	}
	return sizes
}

func (t table) id() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, t.Uint64()), t.Uint64())
}

func (t table) chance(p float64) bool { return t.Float64() < p }

func (t table) trial(i int, v visit) judge.Graded {
	s := shadow.Sample{
		ID: shadow.SampleID(t.id()), Experiment: t.experiment.Name, Tap: "tap-1", Seq: uint64(t.first + i + 1),
		Seen: t.midnight.Add(v.at), Session: v.session, Rate: 0.01, Draw: 0.01 * t.Float64(),
		Route:   []string{"/v1/chat/completions", "/v1/responses", "/v1/embed"}[min(2, int(t.ExpFloat64()))],
		Dialect: llm.OpenAIChat, Stream: t.chance(0.6),
	}
	in := int64(50 + t.ExpFloat64()*900)
	s.Live = t.answer(s, in, manner{arm: shadow.Live, fail: 0.6 * t.failed, typical: 1.1, slow: 0.04, aborts: 0.1})
	cand := t.answer(s, in, manner{arm: candidate, fail: t.failed, typical: 1.5, slow: 0.12})
	g := judge.Graded{
		Trial:  shadow.Trial{Sample: s, Candidates: []shadow.Answer{cand}},
		Digest: digest, Share: 1, Rubric: t.experiment.Digests,
	}
	g.Rulings = t.rulings(g.Trial.Answers(), v.hard)
	return g
}

// manner is how an arm answers. Its times are log-normal around typical seconds,
// and around 4.5 s for the slow share of its calls.
type manner struct {
	arm           shadow.Arm
	fail          float64
	typical, slow float64
	aborts        float64 // share of the failures in which the user left
}

func (t table) answer(s shadow.Sample, in int64, m manner) shadow.Answer {
	seconds := m.typical * math.Exp(0.45*t.NormFloat64())
	if t.chance(m.slow) {
		seconds = 4.5 * math.Exp(0.6*t.NormFloat64())
	}
	const limit = 20 * time.Second
	a := shadow.Answer{
		Arm: m.arm, Share: 1, Snapshot: llm.Snapshot(m.arm) + "-2026", Finish: llm.FinishStop, Started: s.Seen,
		Took: time.Duration(seconds * float64(time.Second)), Attempts: 1, Status: 200,
	}
	if m.arm != shadow.Live {
		a.Queued = time.Duration(t.ExpFloat64() * float64(40*time.Millisecond))
	}
	switch {
	case t.chance(m.fail):
		t.fail(&a, m.aborts, limit)
		return a
	case a.Took > limit:
		a.Took, a.Censored, a.Failure, a.Status, a.Finish = limit, true, llm.Timeout, 0, ""
		return a
	}
	a.Usage = llm.Usage{In: &in, Out: new(int64(20 + seconds*70*t.Float64())), Reasoning: new(int64(0))}
	a.Text = text[:min(len(text), int(*a.Usage.Out)*4)]
	if s.Stream {
		a.FirstToken = time.Duration(float64(a.Took) * (0.1 + 0.2*t.Float64()))
	}
	return a
}

// text is what answers are cut from; only its length gets into a row.
var text = fmt.Sprintf("%08192d", 0)

func (t table) fail(a *shadow.Answer, aborts float64, limit time.Duration) {
	a.Finish, a.Status = "", 0
	switch p := t.Float64(); {
	case p < aborts:
		a.Failure, a.Censored = llm.ClientAbort, true
	case p < 0.5:
		a.Failure, a.Censored, a.Took = llm.Timeout, true, limit
	case p < 0.8:
		a.Failure, a.Status = llm.Status5xx, 503
	case p < 0.95:
		a.Failure, a.Status = llm.RateLimited, 429
	default:
		a.Failure = llm.Connect
	}
}

// rulings grade every answer: mostly the primary judge, some trials the reserve,
// and a few (which the judge stage never makes) half of each, so that a join that
// forgets the judge is found out.
func (t table) rulings(answers []shadow.Answer, hard float64) []judge.Ruling {
	j := t.experiment.Judge
	reserve, mixed := t.chance(0.02), t.chance(0.003)
	quality := 1.9 + 0.6*hard + 0.9*t.NormFloat64()
	out := make([]judge.Ruling, 0, len(answers))
	for i, a := range answers {
		if !a.Answered() {
			continue
		}
		u := judge.Ruling{
			Arm: a.Arm, State: judge.StateGraded, Judge: j.Primary, Pinned: j.Pinned, Echo: j.Pinned, Calls: 1,
			Took: time.Duration((0.4 + 0.5*t.ExpFloat64()) * float64(time.Second)),
		}
		if reserve || mixed && i > 0 {
			u.Judge, u.Pinned, u.Echo = j.Reserve, j.ReservePinned, j.ReservePinned
		}
		if t.chance(0.004) {
			u.State, u.Reason = judge.StateNotGraded, judge.NoMalformed
		} else {
			u.Verdict = t.verdict(quality + 0.8*t.NormFloat64() + 0.02*float64(i))
		}
		out = append(out, u)
	}
	return out
}

func (t table) verdict(quality float64) *rubric.Verdict {
	v := rubric.Verdict{Grade: rubric.Grade(min(6, max(1, math.Round(quality)))), Problem: rubric.None}
	if list := t.experiment.Problems; v.Grade > 2 || t.chance(0.05) {
		v.Problem = list[1+min(len(list)-2, int(3*t.ExpFloat64()))]
	}
	return &v
}
