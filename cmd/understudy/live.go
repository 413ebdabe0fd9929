package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/provider"
)

// probeLimit is how long a model may take for one token: cold starts included.
const probeLimit = time.Minute

// errLive says that some model did not do what a run needs of it.
var errLive = errors.New("not every model is fit for a run")

// checkLive asks every model for one token and every judge for one verdict, and
// writes what it found, a line or two for each.
func checkLive(ctx context.Context, w io.Writer, s *setup) error {
	fit := true
	for _, m := range s.cfg.Models {
		client, err := openModel(m)
		if err != nil {
			fmt.Fprintf(w, "model %s: %v\n", m.Name, err)
			fit = false
			continue
		}
		defer client.CloseIdleConnections()
		answered := probe(ctx, w, client, m)
		showDigest(ctx, w, client, m)
		fit = fit && answered
	}
	for _, name := range []string{s.cfg.Judge.Primary, s.cfg.Judge.Reserve} {
		if m, ok := s.cfg.Model(name); ok {
			fit = tryVerdict(ctx, w, s, m) && fit
		}
	}
	if !fit {
		return errLive
	}
	fmt.Fprintln(w, "ok: every model answered, every judge gave a proven verdict")
	return nil
}

// probe asks a model for one token: that proves address, key, credit and model at once.
func probe(ctx context.Context, w io.Writer, client *provider.Client, m config.Model) bool {
	ctx, cancel := context.WithTimeoutCause(ctx, probeLimit, fmt.Errorf("no answer within %s", probeLimit))
	defer cancel()
	reply, err := client.Complete(ctx, llm.Request{Prompt: &llm.Prompt{User: "Say ok.", MaxTokens: 1}})
	var failure *llm.Failure
	if errors.As(err, &failure) && failure.Status == 200 && reply.Finish == llm.FinishLength {
		err = nil // a reasoning model spends its one token on thought
	}
	if err != nil {
		fmt.Fprintf(w, "model %s (%s): %v\n", m.Name, m.Model, err)
		return false
	}
	echo := "names no version"
	if reply.Model != "" {
		echo = "answered as " + string(reply.Model)
	}
	fmt.Fprintf(w, "model %s (%s): %s in %s\n", m.Name, m.Model, echo, reply.Took.Round(time.Millisecond))
	return true
}

// showDigest prints what a self-hosted model can be pinned by, ready for copying.
func showDigest(ctx context.Context, w io.Writer, client *provider.Client, m config.Model) {
	if !m.SelfHosted || m.Digest != "" {
		return
	}
	found, err := client.Digest(ctx)
	switch {
	case err == nil:
		fmt.Fprintf(w, "  to pin it:  digest: \"sha256:%s\"\n", found)
	case errors.Is(err, provider.ErrNoDigest):
		fmt.Fprintln(w, "  the server shows no digest; to pin it, give the SHA-256 of its weights as digest:")
	default:
		fmt.Fprintf(w, "  its digest was not found: %v\n", err)
	}
}

// tryVerdict has one judge grade a made-up answer.
func tryVerdict(ctx context.Context, w io.Writer, s *setup, m config.Model) bool {
	only := *s.cfg
	only.Judge.Primary, only.Judge.Reserve, only.Judge.Share = m.Name, "", 1
	j, err := openJudge(ctx, &setup{cfg: &only, rubric: s.rubric, experiment: s.experiment}, nil)
	if err != nil {
		fmt.Fprintf(w, "judge %s: %v\n", m.Name, err)
		return false
	}
	graded, err := j.Grade(ctx, exampleTrial())
	if err != nil {
		fmt.Fprintf(w, "judge %s: %v\n", m.Name, err)
		return false
	}
	r := graded.Rulings[0]
	if r.State != judge.StateGraded {
		fmt.Fprintf(w, "judge %s: no verdict (%s) %s\n", m.Name, r.Reason, r.Detail)
		return false
	}
	fmt.Fprintf(w, "judge %s: grade %d, problem %s, in %s, proven by %s\n", m.Name, r.Verdict.Grade, r.Verdict.Problem, r.Took.Round(time.Millisecond), r.Echo)
	return true
}

// exampleTrial is a question that every judge can grade.
func exampleTrial() shadow.Trial {
	return shadow.Trial{Sample: shadow.Sample{
		ID: shadow.SampleID{1}, Session: "check", Rate: 1, Dialect: llm.OpenAIChat,
		Request: []byte(`{"messages":[{"role":"user","content":"What is the capital of France?"}]}`),
		Live:    shadow.Answer{Arm: shadow.Live, Share: 1, Text: "Paris.", Finish: llm.FinishStop, Attempts: 1},
	}}
}
