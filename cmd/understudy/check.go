package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow/llm"
)

func newCheck() *cobra.Command {
	var live bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Validate the configuration, offline or against the models",
		Long: `check reads the configuration and the rubric and refuses what cannot work, each
fault with file, line and column. Nothing is called.

With --live it also asks the live service for its list of models, every model for
one token (candidates in each dialect in which requests are passed on to them) and every
judge for one verdict, and says what it found, one by one. That costs a few tokens.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			s, err := loadSetup(cmd)
			if err != nil {
				if live {
					showUnpinned(cmd.Context(), out, err)
				}
				return err
			}
			summarize(out, s)
			prices := openPrices(s.cfg)
			prices.show(out)
			for _, warning := range slices.Concat(s.warnings, unlikely(s), prices.warnings(), s.cfg.Secrets(os.LookupEnv)) {
				fmt.Fprintln(out, "warning:", warning)
			}
			if err := checkRows(s); err != nil {
				fmt.Fprintln(out, "warning: run would refuse this:", err)
			}
			if !live {
				fmt.Fprintln(out, "ok: nothing was called; check --live asks the models")
				return nil
			}
			return checkLive(cmd.Context(), out, s)
		},
	}
	cmd.Flags().BoolVar(&live, "live", false, "ask every model for one token and every judge for one verdict")
	return cmd
}

// summarize says in a few lines what a run would do.
func summarize(w io.Writer, s *setup) {
	e, c := s.experiment, s.cfg
	unit := "request"
	if c.Tap.BySession {
		unit = "session"
	}
	fmt.Fprintf(w, "experiment  %s, digest %.12s\n", e.Name, e.Digest)
	fmt.Fprintf(w, "tap         %s → %s, %g %% by %s\n", c.Tap.Listen, e.Live, 100*c.Tap.Rate, unit)
	for _, arm := range c.Candidates {
		kind := "candidate"
		if arm.Control {
			kind = "control"
		}
		fmt.Fprintf(w, "%-11s %s: %s, %g %% of the samples, time-out %s\n", kind, arm.Name, idOf(c, arm.Model), 100*arm.Share, arm.Timeout)
	}
	if len(c.Candidates) == 0 {
		fmt.Fprintln(w, "candidates  none: served answers are graded all the same")
	}
	showPolicies(w, c)
	showEndpoints(w, c)
	fmt.Fprintf(w, "judge       %s, pinned to %s; reserve %s\n", e.Judge.Primary, e.Judge.Pinned, cmp.Or(e.Judge.Reserve, "none"))
	for _, name := range []string{e.Judge.Primary, e.Judge.Reserve} {
		if m, ok := c.Model(name); ok {
			fmt.Fprintf(w, "            %s is held to its verdict by %s, %s\n", name, map[bool]llm.ReplyForm{true: c.Judge.PrimaryReply, false: c.Judge.ReserveReply}[name == e.Judge.Primary], sight(openPrices(c).sees(m)))
		}
	}
	fmt.Fprintf(w, "            of the graded answers %g %% again, %g %% by the reserve too, %g %% with a planted instruction: they measure the judge\n",
		100*c.Judge.Repeat, 100*c.Judge.Agreement*one(e.Judge.Reserve != ""), 100*c.Judge.Injection)
	for _, limit := range limits(c) {
		fmt.Fprintf(w, "spend       a UTC day at most, %s\n", limit)
	}
	fmt.Fprintf(w, "rubric      %s, digest %.12s, %d problems\n", e.Rubric, e.Digests, len(e.Problems))
	fmt.Fprintf(w, "gate        margin %g grades, %d planned pairs%s\n", e.Gate.Margin, e.Gate.PlannedPairs, visible(e.Gate))
	for _, guard := range guards(e.Gate) {
		fmt.Fprintf(w, "            %s\n", guard)
	}
	bus := "embedded, " + c.Bus.Dir
	if !c.Bus.Embedded() {
		bus = "external"
	}
	fmt.Fprintf(w, "bus         %s\nrows        %s\n", bus, c.Sinks.Dir)
}

// visible says what difference the planned pairs show.
func visible(g reports.Gate) string {
	shows, err := g.Shows(reports.DefaultSD, g.PlannedPairs)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (they show a difference of about %.2f, looked at every day, where pairs differ by a standard deviation of %g)", shows, reports.DefaultSD)
}

// unlikely warns of a gate that a candidate as good as live will hardly pass: dates
// and pairs a day are the plan's matter.
func unlikely(s *setup) []error {
	e := s.experiment
	e.Start, e.Stop = time.Time{}, time.Time{}
	p, err := reports.NewPlan(e, reports.Volume{PairsPerDay: 1, SD: reports.DefaultSD, PairsPerSession: 1})
	if err != nil || len(candidates(e)) == 0 {
		return nil
	}
	var out []error
	for _, warning := range p.Warnings {
		out = append(out, &config.Error{
			Position: s.cfg.At("gate.planned_pairs"), Key: "gate.planned_pairs", Problem: warning,
			Want: "more planned pairs or a wider gate.margin; \"understudy plan\" says what that takes",
		})
	}
	return out
}

// guards says what else must hold for a go, defaults included.
func guards(g reports.Gate) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, l := range g.Over {
		add("at most %g %% of the answers over %s", 100*l.Share, l.Limit)
	}
	for _, l := range g.FirstTokenOver {
		add("at most %g %% of the first tokens after %s", 100*l.Share, l.Limit)
	}
	if g.P95Increase != nil {
		add("p95 at most %s higher", *g.P95Increase)
	}
	if g.FailuresIncrease != nil {
		add("failures at most %g points more", 100**g.FailuresIncrease)
	}
	for _, p := range g.ProblemIncrease {
		add("problem %s at most %g points more", p.Problem, 100*p.Increase)
	}
	if g.CostIncrease != nil {
		where := ""
		if g.CostIfKnown {
			where = ", where costs are known"
		}
		add("cost per answer at most %g %% higher%s", 100**g.CostIncrease, where)
	}
	return out
}

// sight says what a judge is shown of images.
func sight(sees bool) string {
	if sees {
		return "and sees the images of conversations"
	}
	return "and is shown placeholders for images (images: true for a model that can see)"
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
