package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// tryVerdicts has each judge grade a made-up answer, and says whether all did.
func tryVerdicts(ctx context.Context, w io.Writer, s *setup) bool {
	fit := true
	for _, seat := range []struct {
		role, name string
		reply      llm.ReplyForm
	}{{"primary", s.cfg.Judge.Primary, s.cfg.Judge.PrimaryReply}, {"reserve", s.cfg.Judge.Reserve, s.cfg.Judge.ReserveReply}} {
		if m, ok := s.cfg.Model(seat.name); ok {
			fit = tryVerdict(ctx, w, s, m, seat.role, seat.reply) && fit
		}
	}
	return fit
}

// tryVerdict has one judge grade a made-up answer. If its reply is no verdict, the other
// mechanisms are tried too, and the one that works is named as it is to be written.
func tryVerdict(ctx context.Context, w io.Writer, s *setup, m config.Model, role string, reply llm.ReplyForm) bool {
	r, err := verdictBy(ctx, s, m, reply)
	switch {
	case err != nil:
		fmt.Fprintf(w, "judge %s: no verdict: %v\n", m.Name, err)
		return false
	case r.State == judge.StateGraded:
		fmt.Fprintf(w, "judge %s: grade %d, problem %s, in %s, proven by %s\n", m.Name, r.Verdict.Grade, r.Verdict.Problem, r.Took.Round(time.Millisecond), r.Echo)
		if reply != llm.ReplyPrompt && r.Form == judge.FormWrapped || reply == llm.ReplyTool && r.Form == judge.FormBare {
			fmt.Fprintf(w, "  warning: asked by %s, it wrote the verdict into its text: nothing holds it to the schema\n", reply)
		}
		return true
	}
	fmt.Fprintf(w, "judge %s: no verdict by %s (%s) %s\n", m.Name, reply, r.Reason, r.Detail)
	if slices.Contains([]judge.NotGraded{judge.NoTransport, judge.NoSnapshotMismatch, judge.NoSnapshotUnproven}, r.Reason) {
		return false // another mechanism changes nothing
	}
	for _, other := range llm.ReplyForms() {
		if other == reply {
			continue
		}
		if r, err := verdictBy(ctx, s, m, other); err == nil && r.State == judge.StateGraded {
			fmt.Fprintf(w, "  by %s it gives one: write  judge: {reply: {%s: %s}}\n", other, role, other)
			return false
		}
	}
	return false
}

// verdictBy has one judge grade the example, held to the verdict's form by one mechanism.
func verdictBy(ctx context.Context, s *setup, m config.Model, reply llm.ReplyForm) (judge.Ruling, error) {
	only := *s.cfg
	only.Judge.Primary, only.Judge.Reserve, only.Judge.Share = m.Name, "", 1
	only.Judge.PrimaryReply = reply
	only.Judge.Repeat, only.Judge.Injection = 0, 0
	client, err := openModel(m)
	if err != nil {
		return judge.Ruling{}, err
	}
	if err := proveDigest(ctx, client, m); err != nil { // the judge itself would wait for the right weights
		return judge.Ruling{}, err
	}
	j, err := openJudge(&setup{cfg: &only, rubric: s.rubric, experiment: s.experiment}, nil, nil, nil)
	if err != nil {
		return judge.Ruling{}, err
	}
	graded, err := j.Grade(ctx, exampleTrial())
	if err != nil {
		return judge.Ruling{}, err
	}
	return graded.Rulings[0], nil
}

// exampleTrial is a question that every judge can grade.
func exampleTrial() shadow.Trial {
	return shadow.Trial{Sample: shadow.Sample{
		ID: shadow.SampleID{1}, Session: "check", Rate: 1, Dialect: llm.OpenAIChat,
		Request: []byte(`{"messages":[{"role":"user","content":"What is the capital of France?"}]}`),
		Live:    shadow.Answer{Arm: shadow.Live, Share: 1, Text: "Paris.", Finish: llm.FinishStop, Attempts: 1},
	}}
}
