package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/provider"
)

// showEndpoints says what is tapped, and for which of it a candidate cannot be asked.
func showEndpoints(w io.Writer, cfg *config.Config) {
	fmt.Fprintf(w, "endpoints   POST %s\n", strings.Join(suffixes(llm.Surfaces()), ", "))
	for _, c := range cfg.Candidates {
		if lacking := notAsked(cfg, c); len(lacking) > 0 {
			fmt.Fprintf(w, "%-11s %s: cannot be asked for %s (counted: not asked, unsupported)\n", "", c.Name, strings.Join(lacking, ", "))
		}
	}
}

// logEndpoints says at the start for which endpoints a candidate is not asked.
func logEndpoints(ctx context.Context, log *slog.Logger, cfg *config.Config) {
	for _, c := range cfg.Candidates {
		if lacking := notAsked(cfg, c); len(lacking) > 0 {
			log.InfoContext(ctx, "candidate cannot be asked for all that is tapped", "arm", c.Name, "not_asked", lacking)
		}
	}
}

// notAsked lists the tapped endpoints whose dialect a candidate's provider does not take.
func notAsked(cfg *config.Config, c config.Candidate) []string {
	models := cfg.Asked(c.Model)
	return suffixes(slices.DeleteFunc(llm.Surfaces(), func(s llm.Surface) bool {
		return !slices.ContainsFunc(models, func(m config.Model) bool { return !slices.Contains(provider.Dialects(m.Provider), s.Dialect) })
	}))
}

func suffixes(surfaces []llm.Surface) []string {
	var all []string
	for _, s := range surfaces {
		all = append(all, "…"+s.Suffix)
	}
	return all
}
