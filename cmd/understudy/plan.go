package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/reports"
)

func newPlan() *cobra.Command {
	var format, name string
	var fromRows bool
	var v reports.Volume
	var in, out float64
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Say before the start what the gate can show, and when",
		Long: `plan needs no rows and no network. From the graded pairs that you expect a day it
prints the smallest difference of mean grades that shows week by week, looked at
once and looked at every day; the pairs and days until "no worse" and "better" show;
and when burn-in, latency limits and quantiles can be decided. It warns of what
cannot be decided by the stop date. With a configuration it also says what a week
costs, candidates and judge apart, at the prices given or in the catalogue.

Pairs a day are about the requests a day × tap.rate × the shares of the candidate
and of the judge. Gate and dates come from the configuration; without the file
understudy.yaml the gate's defaults are used. A start that is not configured is today.

Sessions are taken to have one pair each, unless --per-session says how many they
have on average: then variances grow by 1 + (per-session - 1) × icc.

After a pilot, --from-rows takes pairs a day, standard deviation, sessions and tokens from
the rows in sinks.dir, and gate and dates from the experiment record there.`,
		Example: `  understudy plan --pairs-per-day 30
  understudy plan --pairs-per-day 200 --per-session 4 --icc 0.2 --format markdown
  understudy plan --from-rows`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkPlanFlags(cmd, fromRows, format, in, out); err != nil {
				return usageError{err}
			}
			what, each := toPlan, assumedTokens(in, out)
			if fromRows {
				what = func(cmd *cobra.Command) (reports.Experiment, error) { return measured(cmd, name, &v, &each) }
			}
			e, err := what(cmd)
			if err != nil {
				return err
			}
			p, err := reports.NewPlan(startToday(e, time.Now()), v)
			if errors.Is(err, reports.ErrVolume) {
				return usageError{err}
			}
			if err != nil {
				return err
			}
			if p.Week, err = planCost(cmd, v.PairsPerDay, each); err != nil {
				return err
			}
			return writePlan(cmd.OutOrStdout(), format, p)
		},
	}
	flags := cmd.Flags()
	flags.Float64Var(&v.PairsPerDay, "pairs-per-day", 0, "`N` samples a day get a grade for live's and the candidate's answer")
	flags.Float64Var(&v.SD, "sd", reports.DefaultSD, "standard deviation of candidate - live over pairs, in `GRADES`")
	flags.Float64Var(&v.PairsPerSession, "per-session", 1, "`N` pairs a session on average")
	flags.Float64Var(&v.ICC, "icc", reports.DefaultICC, "`CORRELATION` of the differences within a session, with --per-session")
	flags.Float64Var(&in, "tokens-in", assumedIn, "tokens of a request, for what a week costs, as `N`")
	flags.Float64Var(&out, "tokens-out", assumedOut, "tokens of an answer, for what a week costs, as `N`")
	flags.BoolVar(&fromRows, "from-rows", false, "measure on the rows so far instead of assuming; --pairs-per-day still counts")
	flags.StringVar(&name, "candidate", "", "with --from-rows: measure on this `NAME` (default: the only candidate)")
	flags.StringVar(&format, "format", "text", "text, markdown or json")
	return cmd
}

func checkPlanFlags(cmd *cobra.Command, fromRows bool, format string, in, out float64) error {
	flags := cmd.Flags()
	for _, name := range []string{"sd", "per-session", "icc", "tokens-in", "tokens-out"} {
		if fromRows && flags.Changed(name) {
			return fmt.Errorf("--%s is measured with --from-rows: give one of them", name)
		}
	}
	switch {
	case !flags.Changed("pairs-per-day") && !fromRows:
		return errors.New("--pairs-per-day: how many graded pairs do you expect a day?")
	case flags.Changed("candidate") && !fromRows:
		return errors.New("--candidate has no meaning without --from-rows")
	case in <= 0 || out <= 0:
		return errors.New("--tokens-in and --tokens-out: want more than 0")
	case flags.Changed("icc") && !flags.Changed("per-session"):
		return errors.New("--icc has no meaning without --per-session")
	case !slices.Contains([]string{"text", "markdown", "json"}, format):
		return fmt.Errorf("--format %q: want text, markdown or json", format)
	}
	return nil
}

// measured reads the rows so far: what was fixed before them, and into v their volume.
func measured(cmd *cobra.Command, name string, v *reports.Volume, each *tokenCounts) (reports.Experiment, error) {
	r, err := readReport(cmd, reports.Window{})
	if err != nil {
		return reports.Experiment{}, err
	}
	arm, err := pickCandidate(r.Experiment, name)
	if err != nil {
		return reports.Experiment{}, usageError{err}
	}
	seen, err := reports.Measure(r, arm)
	switch {
	case err != nil:
		return reports.Experiment{}, err
	case cmd.Flags().Changed("pairs-per-day"):
		seen.PairsPerDay = v.PairsPerDay
	case seen.PairsPerDay == 0:
		return reports.Experiment{}, usageError{errors.New("--from-rows: the samples lie less than a day apart, so there is no rate yet; say --pairs-per-day, too")}
	}
	*v = seen
	each.counted(r)
	return r.Experiment, nil
}

// noConfig says that there is no configuration, and none was named.
func noConfig(cmd *cobra.Command) bool {
	_, err := os.Stat(configFile)
	return errors.Is(err, fs.ErrNotExist) && !cmd.Flags().Changed("config")
}

// toPlan is what the configuration fixes, or the default gate where there is no
// configuration and none was named.
func toPlan(cmd *cobra.Command) (reports.Experiment, error) {
	if noConfig(cmd) {
		fmt.Fprintf(cmd.ErrOrStderr(), "no %s here: the gate's defaults are planned with, and no dates\n", configFile)
		return reports.Experiment{Gate: gateOf(config.DefaultGate()), Level: config.DefaultLevel}, nil
	}
	cfg, err := loadConfig(cmd)
	if err != nil {
		return reports.Experiment{}, err
	}
	return reports.Experiment{
		Name: cfg.Experiment.Name, Gate: gateOf(cfg.Gate), Level: cfg.Report.Level,
		Start: cfg.Experiment.Start, Stop: cfg.Experiment.Stop, Candidates: armsOf(cfg),
	}, nil
}

// startToday sets the first day of an experiment that is to stop but has no start.
func startToday(e reports.Experiment, now time.Time) reports.Experiment {
	if e.Start.IsZero() && !e.Stop.IsZero() {
		e.Start = now.UTC().Truncate(24 * time.Hour)
	}
	return e
}

func writePlan(w io.Writer, format string, p reports.Plan) error {
	switch format {
	case "markdown":
		return p.Markdown(w)
	case "json":
		return p.JSON(w)
	}
	return p.Text(w, terminalWidth(w))
}
