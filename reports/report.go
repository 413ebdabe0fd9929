package reports

import (
	"time"

	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
)

// Format is the version of a report's JSON form.
const Format = 1

// Report is everything that the rows of a window say about an experiment. It is a
// value without NaN or infinities: what is undefined is nil, and null in JSON.
type Report struct {
	Format     int        `json:"format"`
	Window     Window     `json:"window"`
	Experiment Experiment `json:"experiment"`
	// First and Last are when the first and the last sample in the window arrived;
	// zero without rows.
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`
	Rows  RowCounts `json:"rows"`
	Books Balance   `json:"books"`
	// Arms has live first, then the candidates in the experiment's order.
	Arms []ArmReport `json:"arms"`
	// Comparisons has one entry per candidate, control arms too.
	Comparisons []Comparison `json:"comparisons"`
	// Slices are the comparisons by route, live snapshot, week and tag, where there
	// are several.
	Slices []Slice `json:"slices"`
	// LiveChanges says when another version of the model began to answer live.
	LiveChanges []LiveChange `json:"live_changes,omitempty"`
	// Marks are what changed in the window and, for a week, in the weeks of Trend: found
	// in the rows, or written down by people.
	Marks []Mark `json:"marks"`
	// Judge is how the judge did, over the answers of all arms.
	Judge JudgeHealth `json:"judge"`
	// People is the judge held against people; nil without labels.
	People *People `json:"people,omitempty"`
	// OtherSeries are the judge snapshots and rubrics beside the experiment's own under
	// which rows were judged, up to the window's end: they enter no figure.
	OtherSeries []Series `json:"other_series,omitempty"`
	// Trend is by ISO week, in order of time: up to eight weeks that end with the
	// window's. It reaches back before the window only if that is one week.
	Trend []TrendWeek `json:"trend,omitempty"`
	// Changes compare the last week of Trend with the one before; nil if there is none.
	Changes *Changes `json:"changes,omitempty"`
	// Whole is the report from the experiment's start to the window's end: decisions
	// rest on it, since pairs may not be picked by their days. Nil if the window has no
	// first day and so is the whole; else the report itself has no anytime figures. Its
	// slices are left out.
	Whole *Report `json:"whole,omitempty"`
	// DecisionOnly: what no decision rests on is not there; see [ForDecision].
	DecisionOnly bool `json:"-"`
}

// RowCounts says which rows of the window were used. A row is left out for the
// first of the reasons that applies, in the order of the fields.
type RowCounts struct {
	Read int `json:"read"`
	Used int `json:"used"`
	// OtherExperiment, OtherArm: of another experiment, of an arm that it does not have.
	OtherExperiment int `json:"other_experiment"`
	OtherArm        int `json:"other_arm"`
	// Repeats are second verdicts on the same answer; they measure the judge.
	Repeats int `json:"repeats"`
	// OtherDigest, OtherRubric, OtherJudge: the experiment, rubric or judge snapshot
	// was not the one of this experiment.
	OtherDigest int `json:"other_digest"`
	OtherRubric int `json:"other_rubric"`
	OtherJudge  int `json:"other_judge"`
	// Invalid rows contradict themselves, e.g. graded without a grade from 1 to 6.
	Invalid int `json:"invalid"`
	// Duplicates came again for the same sample and arm; Conflicts are those of them
	// that say something else. The first one counts.
	Duplicates int `json:"duplicates"`
	Conflicts  int `json:"conflicts"`
}

// ArmReport is what one arm did.
type ArmReport struct {
	Name    shadow.Arm `json:"name"`
	Model   string     `json:"model"`
	Control bool       `json:"control,omitempty"`

	// Samples = NotAsked + Asked and Asked = Answered + Failed.
	// Answered = NotDrawn + Graded + NotGraded + Pending.
	Samples     int     `json:"samples"`
	NotAsked    int     `json:"not_asked"`
	NotAskedBy  []Count `json:"not_asked_by"`
	Asked       int     `json:"asked"`
	Answered    int     `json:"answered"`
	Failed      int     `json:"failed"`
	FailedBy    []Count `json:"failed_by"`
	NotDrawn    int     `json:"not_drawn"`
	Graded      int     `json:"graded"`
	NotGraded   int     `json:"not_graded"`
	NotGradedBy []Count `json:"not_graded_by"`
	Pending     int     `json:"pending"`
	// Coverage is Graded / (Asked − NotDrawn).
	Coverage *float64 `json:"coverage"`
	// LeftOut counts samples of which every row was left out. InFlight is what the
	// books say was published and no row tells of yet; negative means that they do
	// not balance, nil that there are no books.
	LeftOut  int    `json:"left_out"`
	InFlight *int64 `json:"in_flight"`

	// Snapshots counts the model versions that answered; "" said none.
	Snapshots []Count `json:"snapshots"`
	// Mean is the mean grade, its standard error clustered by session; weighted by
	// 1/rate where Weighted is set. Grades counts the grades 1..6.
	Mean     Estimate `json:"mean"`
	Weighted bool     `json:"weighted,omitempty"`
	Grades   [6]int   `json:"grades"`
	// Poor is the share of grades 5 and 6.
	Poor     Share          `json:"poor"`
	Problems []ProblemShare `json:"problems"`
	// Discipline is the share of answers outside the contract that their request itself
	// sets, of those of which it can be told; less is better.
	Discipline Share `json:"outside_contract"`

	// Vantage is where times were measured: at the tap for live, from the worker that
	// asked for candidates.
	Vantage Vantage `json:"vantage"`
	Latency Tail    `json:"latency"`
	// Survival is the share of calls that take longer than a time, over the times
	// of Latency, at about a hundred points at most.
	Survival []SurvivalPoint `json:"survival"`
	// FirstToken is over streamed calls only, nil if there was none.
	FirstToken *Tail `json:"first_token"`
	// TokensOut is the median number of output tokens of answers that say it.
	TokensOut Tokens    `json:"tokens_out"`
	Reasoning Reasoning `json:"reasoning"`
	Speed     Speed     `json:"speed"`
	// GradeLength is the correlation of grade and output tokens; negative: longer
	// answers have better grades. Nil where it does not exist.
	GradeLength *float64 `json:"grade_length_correlation"`
	// Slowest and Fastest are calls to look up.
	Slowest []Call `json:"slowest"`
	Fastest []Call `json:"fastest"`

	Cost ArmCost `json:"cost"`
}

// ProblemShare is how often an arm's graded answers had a problem as their main one.
type ProblemShare struct {
	Problem rubric.Problem `json:"problem"`
	Share   Share          `json:"share"`
}

// Tokens is a median over N answers; nil if none of them told their tokens.
type Tokens struct {
	N      int      `json:"n"`
	Median *float64 `json:"median"`
}

// restOn sets the report that decisions rest on.
func (r *Report) restOn(whole Report) {
	r.Whole = &whole
	for i := range r.Comparisons {
		r.Comparisons[i].Quality.Anytime, r.Comparisons[i].Quality.Tests = nil, AnytimeTests{}
	}
	for _, s := range r.Slices {
		for k := range s.Candidates {
			s.Candidates[k].Anytime = nil
		}
	}
}

// basis is the report that decisions rest on.
func (r Report) basis() Report {
	if r.Whole != nil {
		return *r.Whole
	}
	return r
}

// arm finds an arm's report.
func (r Report) arm(name shadow.Arm) (ArmReport, bool) {
	for _, a := range r.Arms {
		if a.Name == name {
			return a, true
		}
	}
	return ArmReport{}, false
}

// comparison finds a candidate's comparison.
func (r Report) comparison(name shadow.Arm) (Comparison, bool) {
	for _, c := range r.Comparisons {
		if c.Arm == name {
			return c, true
		}
	}
	return Comparison{}, false
}
