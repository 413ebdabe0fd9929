package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/policy"
	"github.com/understudy-eval/understudy/sinks"
)

func newSimulate() *cobra.Command {
	var names []string
	var sweep, compare, format, out string
	var then float64
	var asked windowAsked
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Say what a policy would have done with the samples so far",
		Long: `simulate plays a policy on the samples that were measured: each has the time, the
grade and the cost of every arm's answer to the same request. It prints what the policy
would have made of latency, failures, grades and cost next to live and to each arm by
itself, on the same samples, with intervals from draws of the sessions, and what that
rests on. Nothing is asked.

--policy names a policy of the configuration, whose models have to be the live model
(the control arm's) or a candidate's; or a file of policies over arms:

  policies:
    with-reserve: {race: {primary: live, reserve: cand-a, reserve_may_win_after: 2.5s}}

--sweep KEY=FROM..TO plays the policy with ten values of one of its times, so that what
it buys can be seen: reserve_may_win_after, reserve_after, timeout, first_token_timeout
or budget. --compare sequential,delayed,parallel plays two models of a race in each way:
the reserve only after the time limit with the primary given up, after it with both
running, and from the beginning.`,
		Example: `  understudy simulate --policy race-25
  understudy simulate --policy policies.yaml --sweep reserve_may_win_after=0.5s..5s
  understudy simulate --policy race-25 --compare sequential,delayed,parallel --then 0.004`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			window, err := asked.window(time.Now().UTC())
			switch {
			case err != nil:
				return usageError{err}
			case len(names) == 0:
				return usageError{errors.New("--policy: name a policy of the configuration, or a file of policies over arms")}
			case sweep != "" && compare != "":
				return usageError{errors.New("--sweep and --compare: one of them")}
			case cmd.Flags().Changed("compare") && compare == "", cmd.Flags().Changed("sweep") && sweep == "":
				return usageError{errors.New("--sweep and --compare: empty; leave the flag out or say what to vary")}
			case !(then >= 0) || math.IsInf(then, 1):
				return usageError{errors.New("--then: want a price in USD, 0 or more")}
			case !slices.Contains([]string{"text", "markdown", "json", "png"}, format):
				return usageError{fmt.Errorf("--format %q: want text, markdown, json or png", format)}
			case format == "png" && out == "" && isTerminal(cmd.OutOrStdout()):
				return usageError{errors.New("--format png: an image is no text for a terminal; name a file with --out")}
			}
			s, err := simulate(cmd, names, sweep, compare, window, reports.SimulateOptions{ThenUSD: then})
			if err != nil {
				return err
			}
			return toFile(out, cmd.OutOrStdout(), func(w io.Writer) error { return writeSimulation(w, format, s) })
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&names, "policy", nil, "`NAME` of a policy of the configuration, or FILE of policies over arms")
	flags.StringVar(&sweep, "sweep", "", "`KEY=FROM..TO`: ten values of one of the policy's times, e.g. reserve_may_win_after=0.5s..5s")
	flags.StringVar(&compare, "compare", "", "`WAYS` to join two models, with commas: sequential, delayed, parallel")
	flags.Float64Var(&then, "then", 0, "`USD` for what follows each answer, e.g. speech")
	flags.StringVar(&format, "format", "text", "text, markdown, json, or png (tail against grade and cost, e.g. of a sweep)")
	flags.StringVar(&out, "out", "", "write to `FILE` instead of standard output")
	asked.flags(cmd)
	return cmd
}

func writeSimulation(w io.Writer, format string, s reports.Simulation) error {
	switch format {
	case "markdown":
		return s.Markdown(w)
	case "json":
		return s.JSON(w)
	case "png":
		return s.PNG(w)
	}
	return s.Text(w, terminalWidth(w))
}

// simulate plays what was asked for on the rows of the configuration.
func simulate(cmd *cobra.Command, names []string, sweep, compare string, w reports.Window, o reports.SimulateOptions) (reports.Simulation, error) {
	cfg, e, err := loadRecorded(cmd)
	if err != nil {
		return reports.Simulation{}, err
	}
	var designs []policy.Design
	for _, name := range names {
		some, err := designsOf(cfg, e, name)
		if err != nil {
			return reports.Simulation{}, err
		}
		designs = append(designs, some...)
	}
	if designs, err = varied(designs, sweep, compare); err != nil {
		return reports.Simulation{}, usageError{err}
	}
	fsys := os.DirFS(cfg.Sinks.Dir)
	if err := sinks.Verify(fsys); err != nil {
		return reports.Simulation{}, fmt.Errorf("rows in %s: %w%s", cfg.Sinks.Dir, err, mending(err))
	}
	s, err := reports.Simulate(sinks.Scan(fsys), e, w, designs, o)
	if err != nil {
		return s, fmt.Errorf("rows in %s: %w%s", cfg.Sinks.Dir, err, leftOut(s))
	}
	return s, nil
}

// leftOut says why no sample is left.
func leftOut(s reports.Simulation) string {
	var parts []string
	for why, n := range s.LeftOut {
		parts = append(parts, fmt.Sprintf("%s: %d", why, n))
	}
	if len(parts) == 0 {
		return "; the window has no row of these arms"
	}
	slices.Sort(parts)
	return "; left out: " + strings.Join(parts, "; ")
}

// designsOf are the policies that a name or a file stands for, over arms.
func designsOf(cfg *config.Config, e reports.Experiment, name string) ([]policy.Design, error) {
	if p, ok := cfg.Policy(name); ok {
		d, err := design(p, cfg.Policy, func(model string) (string, error) { return armOf(cfg, model) })
		return []policy.Design{d}, err
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usageError{fmt.Errorf("--policy %s: no policy of the configuration and no file has this name", name)}
	}
	if err != nil {
		return nil, fmt.Errorf("--policy: %w", err)
	}
	arms := []string{string(shadow.Live)}
	for _, a := range e.Candidates {
		arms = append(arms, string(a.Name))
	}
	all, err := config.ParsePolicies(name, data, arms)
	if err != nil {
		return nil, err
	}
	find := func(name string) (config.Policy, bool) {
		i := slices.IndexFunc(all, func(p config.Policy) bool { return p.Name == name })
		if i < 0 {
			return config.Policy{}, false
		}
		return all[i], true
	}
	var out []policy.Design
	for _, p := range all {
		if slices.ContainsFunc(all, func(o config.Policy) bool { return slices.Contains(o.Stages, p.Name) }) {
			continue // a part of another one
		}
		d, err := design(p, find, func(arm string) (string, error) { return arm, nil })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, d)
	}
	return out, nil
}

// armOf is the arm that measured a model.
func armOf(cfg *config.Config, model string) (string, error) {
	for _, c := range cfg.Candidates {
		switch {
		case c.Model == model && c.Control:
			return string(shadow.Live), nil
		case c.Model == model:
			return c.Name, nil
		}
	}
	return "", fmt.Errorf("no arm measures the model %s: it is no candidate's, and the live one is known by the candidate with control: true; a file of policies can name arms", model)
}

// design is a configured policy on paper.
func design(p config.Policy, find func(string) (config.Policy, bool), arm func(string) (string, error)) (policy.Design, error) {
	d := policy.Design{
		Name: p.Name, Limits: policy.Limits{Timeout: p.Timeout, FirstToken: p.FirstToken}, On: triggers(p.On), Weights: p.Weights,
		ReserveAfter: p.ReserveAfter, MayWinAfter: max(p.MayWinAfter, 1), Attempts: p.Attempts, Budget: p.Budget,
	}
	switch p.Kind {
	case config.Race:
		d.Kind = policy.KindRace
	case config.RoundRobin:
		d.Kind = policy.KindRobin
	case config.Failover:
		d.Kind = policy.KindFailover
	default:
		return d, fmt.Errorf("policies.%s: a route looks at what rows do not keep, so it cannot be simulated; simulate what it sends to", p.Name)
	}
	for _, name := range p.Stages {
		inner, ok := find(name)
		if ok {
			stage, err := design(inner, find, arm)
			if err != nil {
				return d, err
			}
			d.Stages = append(d.Stages, stage)
			continue
		}
		of, err := arm(name)
		if err != nil {
			return d, err
		}
		d.Stages = append(d.Stages, policy.Design{Name: of})
	}
	if d.Kind == policy.KindRace && d.Stages[0].Kind == policy.KindModel && d.Stages[0].Name == d.Stages[1].Name {
		return d, fmt.Errorf("policies.%s: both sides of the race are the arm %s, of which each sample has one call; name two arms", p.Name, d.Stages[0].Name)
	}
	return d, nil
}

// sweepSteps is how many values a sweep plays.
const sweepSteps = 10

// varied are the designs that a sweep or a comparison makes of one.
func varied(designs []policy.Design, sweep, compare string) ([]policy.Design, error) {
	if sweep == "" && compare == "" {
		return designs, nil
	}
	flag := "--sweep"
	if compare != "" {
		flag = "--compare"
	}
	if len(designs) != 1 {
		return nil, fmt.Errorf("%s varies one policy, and there are %d", flag, len(designs))
	}
	if compare != "" {
		return compared(designs[0], strings.Split(compare, ","))
	}
	return swept(designs[0], sweep)
}

func swept(d policy.Design, sweep string) ([]policy.Design, error) {
	key, span, _ := strings.Cut(sweep, "=")
	low, high, ok := strings.Cut(span, "..")
	from, err := time.ParseDuration(low)
	to, errTo := time.ParseDuration(high)
	if !ok || err != nil || errTo != nil || from < 0 || from >= to {
		return nil, fmt.Errorf("--sweep %q: want KEY=FROM..TO, times with their unit, FROM below TO, e.g. reserve_may_win_after=0.5s..5s", sweep)
	}
	var out []policy.Design
	for i := range sweepSteps {
		v := (from + (to-from)*time.Duration(i)/(sweepSteps-1)).Round(time.Millisecond)
		one := d
		one.Name = fmt.Sprintf("%s %s", key, v)
		race, chain := d.Kind == policy.KindRace, d.Kind != policy.KindRace
		switch {
		case key == "reserve_may_win_after" && race:
			one.MayWinAfter = max(v, 1)
		case key == "reserve_after" && race:
			one.ReserveAfter = v
		case key == "timeout" && chain:
			one.Timeout = max(v, 1)
		case key == "first_token_timeout" && chain:
			one.FirstToken = max(v, 1)
		case key == "budget":
			one.Budget = max(v, 1)
		default:
			return nil, fmt.Errorf("--sweep %s: a policy such as %s has no such time; a race has reserve_may_win_after, reserve_after and budget, a chain timeout, first_token_timeout and budget", key, d.Name)
		}
		out = append(out, one)
	}
	return out, nil
}

// compared joins the two models of a race in several ways.
func compared(d policy.Design, ways []string) ([]policy.Design, error) {
	if d.Kind != policy.KindRace {
		return nil, fmt.Errorf("--compare needs a race, whose two models it joins in other ways; %s is none", d.Name)
	}
	var out []policy.Design
	for i, way := range ways {
		if slices.Contains(ways[:i], way) {
			return nil, fmt.Errorf("--compare: %s is there twice", way)
		}
		one := d
		switch one.Name = strings.TrimSpace(way); one.Name {
		case "sequential":
			one.Kind, one.Each = policy.KindFailover, []policy.Limits{{Timeout: d.MayWinAfter}}
		case "delayed":
			one.ReserveAfter = d.MayWinAfter
		case "parallel":
			one.ReserveAfter = 0
		default:
			return nil, fmt.Errorf("--compare %q: want sequential, delayed or parallel", way)
		}
		out = append(out, one)
	}
	return out, nil
}
