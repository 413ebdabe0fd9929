package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// showEndpoints says what is tapped, and which of it each candidate is asked as the
// client sent it and which as a translation; of a policy, each model that it joins.
func showEndpoints(w io.Writer, cfg *config.Config) {
	fmt.Fprintf(w, "endpoints   POST %s\n", strings.Join(suffixes(llm.Surfaces()), ", "))
	for _, c := range cfg.Candidates {
		for _, m := range cfg.Asked(c.Model) {
			name := c.Name
			if _, policy := cfg.Policy(c.Model); policy {
				name += "/" + m.Name
			}
			same, translated, to := asked(m)
			if len(same) > 0 {
				fmt.Fprintf(w, "%-11s %s: passed on as sent from %s\n", "", name, strings.Join(suffixes(same), ", "))
			}
			if len(translated) > 0 {
				fmt.Fprintf(w, "%-11s %s: translated to %s from %s\n", "", name, to, strings.Join(suffixes(translated), ", "))
			}
			if lost := losses(m); len(lost) > 0 {
				fmt.Fprintf(w, "%-11s %s: left out or changed where a request has it: %s\n", "", name, strings.Join(lost, ", "))
			}
		}
	}
}

// logEndpoints says at the start for which endpoints a candidate's models are asked a
// translation.
func logEndpoints(ctx context.Context, log *slog.Logger, cfg *config.Config) {
	for _, c := range cfg.Candidates {
		for _, m := range cfg.Asked(c.Model) {
			if _, translated, to := asked(m); len(translated) > 0 {
				log.InfoContext(ctx, "candidate is asked a translation", "arm", c.Name, "model", m.Name, "from", suffixes(translated), "to", to)
			}
		}
	}
}

// asked divides the tapped endpoints into those whose requests a model's provider takes
// as they are and those that are translated to its own dialect.
func asked(m config.Model) (same, translated []llm.Surface, to llm.Dialect) {
	client, err := openModel(m)
	if err != nil {
		return nil, nil, "" // said where the model is opened to be asked
	}
	for _, s := range llm.Surfaces() {
		if client.Speaks(s.Dialect) {
			same = append(same, s)
		} else {
			translated = append(translated, s)
		}
	}
	return same, translated, client.Dialect()
}

// losses are what a model cannot be asked as the clients of some tapped endpoint may ask it.
func losses(m config.Model) []string {
	client, err := openModel(m)
	if err != nil {
		return nil
	}
	found := map[llm.Loss]bool{}
	for _, s := range llm.Surfaces() {
		for _, l := range client.Losses(s.Dialect) {
			found[l] = true
		}
	}
	var all []string
	for _, l := range llm.Losses() {
		if found[l] {
			all = append(all, string(l))
		}
	}
	return all
}

func suffixes(surfaces []llm.Surface) []string {
	var all []string
	for _, s := range surfaces {
		all = append(all, "…"+s.Suffix)
	}
	return all
}
