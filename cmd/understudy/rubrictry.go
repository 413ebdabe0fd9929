package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/rubric"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/sinks"
)

func newRubricTry() *cobra.Command {
	var requests int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "try DIR",
		Short: "Grade some kept answers with an edited rubric, and say what changes",
		Long: `try draws a few of the requests whose texts are kept (sinks.keep_text) and of which
live's answer and a candidate's were graded. It has the primary judge grade these answers
with the rubric in a folder, and prints each grade and problem before and now. It asks and
pays the judge once for each answer, and writes nothing.

The same seed draws the same requests, so that one edit can be held against the next.`,
		Example: `  understudy rubric try rubric.d
  understudy rubric try rubric.d --requests 20 --seed 2`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if requests < 1 {
				return usageError{errors.New("--requests: want at least 1")}
			}
			edited, err := loadFolder(args[0])
			if err != nil {
				return err
			}
			s, err := loadSetup(cmd)
			if err != nil {
				return err
			}
			e, err := recorded(cmd, s.cfg)
			if err != nil {
				return err
			}
			if missing := s.cfg.Secrets(os.LookupEnv); len(missing) > 0 {
				return errors.Join(missing...)
			}
			tries, err := drawTries(s.cfg.Sinks.Dir, e, requests, seed)
			if err != nil {
				return err
			}
			return tryRubric(cmd.Context(), cmd.OutOrStdout(), s, edited, tries)
		},
	}
	cmd.Flags().IntVar(&requests, "requests", 5, "`N` requests, with two or more answers each")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "`SEED` of the draw")
	return cmd
}

// loadFolder reads a rubric that is not the experiment's.
func loadFolder(dir string) (*rubric.Rubric, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder; want one with %s and %s", dir, rubric.RulesFile, rubric.PromptFile)
	}
	r, err := rubric.Load(os.DirFS(dir))
	if err != nil {
		return nil, fmt.Errorf("folder %s: %w", dir, err)
	}
	return r, nil
}

// verdictKey is whose answer to which request.
type verdictKey struct {
	sample shadow.SampleID
	arm    shadow.Arm
}

// try is a request whose answers are graded again, with the verdicts so far.
type try struct {
	trial  shadow.Trial
	before map[shadow.Arm]rubric.Verdict
}

// drawTries draws requests as label export does, with their kept texts and verdicts.
func drawTries(dir string, e reports.Experiment, n int, seed uint64) ([]try, error) {
	d, err := drawLabels(dir, e, n, seed)
	if err != nil {
		return nil, err
	}
	drawn := map[verdictKey]bool{}
	for _, i := range d.items {
		drawn[verdictKey{i.Sample, i.Arm}] = true
	}
	var order []shadow.SampleID
	all := map[shadow.SampleID]*try{}
	for r, err := range sinks.Scan(os.DirFS(dir)) {
		if err != nil {
			return nil, fmt.Errorf("rows in %s: %w%s", dir, err, mending(err))
		}
		if !drawn[verdictKey{r.Sample, r.Arm}] || r.Repeat != 0 || r.Grade == nil {
			continue
		}
		t := all[r.Sample]
		if t == nil {
			order = append(order, r.Sample)
			t = &try{before: map[shadow.Arm]rubric.Verdict{}}
			t.trial.Sample = shadow.Sample{ID: r.Sample, Experiment: e.Name, Session: r.Session, Seen: r.Seen, Rate: 1, Dialect: r.Dialect}
			all[r.Sample] = t
		}
		t.before[r.Arm] = rubric.Verdict{Grade: *r.Grade, Problem: r.Problem}
	}
	if err := fillTries(dir, all, drawn); err != nil {
		return nil, err
	}
	tries := make([]try, len(order))
	for i, id := range order {
		tries[i] = *all[id]
	}
	return tries, nil
}

// fillTries puts the kept texts into trials, each once.
func fillTries(dir string, all map[shadow.SampleID]*try, drawn map[verdictKey]bool) error {
	var broken error
	err := eachText(dir, func(text sinks.Text) {
		key := verdictKey{text.Sample, text.Arm}
		t := all[text.Sample]
		if t == nil || !drawn[key] {
			return
		}
		delete(drawn, key)
		a := shadow.Answer{Arm: text.Arm, Share: 1, Text: text.Answer, Refusal: text.Refusal, Finish: llm.FinishStop, Attempts: 1}
		if text.ToolCalls != "" {
			if err := json.Unmarshal([]byte(text.ToolCalls), &a.ToolCalls); err != nil {
				broken = fmt.Errorf("texts in %s: tool calls of sample %s, arm %s: %w", dir, text.Sample, text.Arm, err)
			}
		}
		t.trial.Sample.Request = []byte(text.Conversation)
		if text.Arm == shadow.Live {
			t.trial.Sample.Live = a
			return
		}
		t.trial.Candidates = append(t.trial.Candidates, a)
	})
	return errors.Join(err, broken)
}

// tryRubric grades with an edited rubric and says what changed.
func tryRubric(ctx context.Context, w io.Writer, s *setup, edited *rubric.Rubric, tries []try) error {
	j, err := openTry(ctx, s, edited)
	if err != nil {
		return err
	}
	sum := trySum{}
	for _, t := range tries {
		n := time.Duration(1 + len(t.trial.Candidates))
		limit, cancel := context.WithTimeoutCause(ctx, n*s.cfg.Judge.Budget, errors.New("the judge gives no verdicts now"))
		graded, err := j.Grade(limit, t.trial)
		cancel()
		if err != nil {
			return fmt.Errorf("judge %s: %w", s.cfg.Judge.Primary, err)
		}
		for _, r := range graded.Rulings {
			if before, ok := t.before[r.Arm]; ok {
				fmt.Fprintf(w, "%.8s  %-12s  %s\n", t.trial.Sample.ID, r.Arm, sum.add(before, r))
			}
		}
	}
	_, err = fmt.Fprintf(w, "%s with rubric %s, digest %.12s\n", sum, edited.Name(), edited.Digest())
	return err
}

// openTry is the primary judge alone, with another rubric.
func openTry(ctx context.Context, s *setup, edited *rubric.Rubric) (*judge.Judge, error) {
	only := *s.cfg
	only.Judge.Reserve, only.Judge.Share = "", 1
	only.Judge.Repeat, only.Judge.Agreement, only.Judge.Injection = 0, 0, 0
	m, _ := only.Model(only.Judge.Primary)
	client, err := openModel(m)
	if err != nil {
		return nil, err
	}
	if err := proveDigest(ctx, client, m); err != nil {
		return nil, err
	}
	return openJudge(&setup{cfg: &only, rubric: edited, experiment: s.experiment}, nil, nil, slog.New(slog.DiscardHandler))
}

// trySum sums up verdicts before and now.
type trySum struct {
	graded, alike, better, worse, moved, without int
	before, now                                  int // sums of grades
}

// add counts an answer and says what became of it.
func (s *trySum) add(before rubric.Verdict, r judge.Ruling) string {
	if r.State != judge.StateGraded {
		s.without++
		return fmt.Sprintf("%d %-20s now not graded: %s %s", before.Grade, before.Problem, r.Reason, r.Detail)
	}
	now := r.Verdict
	s.graded++
	s.before, s.now = s.before+int(before.Grade), s.now+int(now.Grade)
	change := "as before"
	switch {
	case now.Grade < before.Grade:
		s.better++
		change = fmt.Sprintf("%d better", before.Grade-now.Grade)
	case now.Grade > before.Grade:
		s.worse++
		change = fmt.Sprintf("%d worse", now.Grade-before.Grade)
	case now.Problem != before.Problem:
		s.moved++
		change = "another problem"
	default:
		s.alike++
	}
	return fmt.Sprintf("%d %-20s now %d %-20s %s", before.Grade, before.Problem, now.Grade, now.Problem, change)
}

func (s trySum) String() string {
	text := fmt.Sprintf("%d answers: %d as before, %d better, %d worse, %d of the same grade with another problem", s.graded+s.without, s.alike, s.better, s.worse, s.moved)
	if s.without > 0 {
		text += fmt.Sprintf(", %d not graded", s.without)
	}
	if s.graded == 0 {
		return text + "; no mean grade,"
	}
	n := float64(s.graded)
	return text + fmt.Sprintf("; mean grade %.2f, was %.2f,", float64(s.now)/n, float64(s.before)/n)
}
