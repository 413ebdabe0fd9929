package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
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
	probeUpstream(ctx, w, s.cfg)
	for _, m := range s.cfg.Models {
		client, err := openModel(m)
		if err != nil {
			fmt.Fprintf(w, "model %s: %v\n", m.Name, err)
			fit = false
			continue
		}
		defer client.CloseIdleConnections()
		answered := probe(ctx, w, client, m)
		if answered && isCandidate(s.cfg, m.Name) {
			probeDialects(ctx, w, client)
		}
		same := compareDigest(ctx, w, client, m)
		fit = fit && answered && same
	}
	if !tryVerdicts(ctx, w, s) || !fit {
		return errLive
	}
	fmt.Fprintln(w, "ok: every model answered, every judge gave a proven verdict")
	return nil
}

// probeUpstream asks the live service for its list of models without a key: any
// answer but "not found" shows that clients reach it through the tap. What it finds is
// said and makes no model unfit: a service may be down for the moment.
func probeUpstream(ctx context.Context, w io.Writer, cfg *config.Config) {
	ctx, cancel := context.WithTimeoutCause(ctx, probeLimit, fmt.Errorf("no answer within %s", probeLimit))
	defer cancel()
	host := upstreamHost(cfg.Tap.Upstream)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, cfg.Tap.Upstream+"/v1/models", nil)
	if err != nil {
		fmt.Fprintf(w, "warning: upstream %s: no address\n", host)
		return
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		fmt.Fprintf(w, "warning: upstream %s is not reached: %v\n", host, llm.FailureFromError(ctx, err))
		return
	}
	defer resp.Body.Close()
	fmt.Fprintf(w, "upstream %s: reached, status %d for its list of models\n", host, resp.StatusCode)
	if resp.StatusCode == http.StatusNotFound {
		fmt.Fprintln(w, "  no /v1/models there: see that a client whose base_url ends in /v1 gets its answers through the tap")
	}
}

// isCandidate says whether a candidate asks this model, itself or through its policy.
func isCandidate(cfg *config.Config, model string) bool {
	return slices.ContainsFunc(cfg.Candidates, func(c config.Candidate) bool {
		return slices.ContainsFunc(cfg.Asked(c.Model), func(m config.Model) bool { return m.Name == model })
	})
}

// fewTokens are questions for as few tokens as each dialect allows.
var fewTokens = map[llm.Dialect]string{
	llm.OpenAIChat:      `{"messages":[{"role":"user","content":"Say ok."}],"max_tokens":1}`,
	llm.OpenAIResponses: `{"input":"Say ok.","max_output_tokens":16}`,
	llm.OllamaGenerate:  `{"prompt":"Say ok.","stream":false,"options":{"num_predict":1}}`,
}

// probeDialects asks a candidate in the further dialects in which clients' requests are
// passed on to it. A server that lacks one makes the model no less fit: it matters only
// where clients speak that dialect, so it is said.
func probeDialects(ctx context.Context, w io.Writer, client *provider.Client) {
	for _, d := range slices.Sorted(maps.Keys(fewTokens)) {
		if d == client.Dialect() || !client.Speaks(d) {
			continue
		}
		ctx, cancel := context.WithTimeoutCause(ctx, probeLimit, fmt.Errorf("no answer within %s", probeLimit))
		reply, err := client.Complete(ctx, llm.Request{Dialect: d, Body: []byte(fewTokens[d])})
		cancel()
		if err == nil || onlyThought(reply, err) {
			fmt.Fprintf(w, "  in %s too, in %s\n", d, reply.Took.Round(time.Millisecond))
			continue
		}
		fmt.Fprintf(w, "  warning: samples in %s would fail there: %v\n", d, err)
	}
}

// onlyThought says whether a reasoning model spent its few tokens on thought.
func onlyThought(reply llm.Reply, err error) bool {
	var failure *llm.Failure
	return errors.As(err, &failure) && failure.Status == http.StatusOK && reply.Finish == llm.FinishLength
}

// probe asks a model for one token: that proves address, key, credit and model at once.
func probe(ctx context.Context, w io.Writer, client *provider.Client, m config.Model) bool {
	ctx, cancel := context.WithTimeoutCause(ctx, probeLimit, fmt.Errorf("no answer within %s", probeLimit))
	defer cancel()
	reply, err := client.Complete(ctx, llm.Request{Prompt: &llm.Prompt{User: "Say ok.", MaxTokens: 1}})
	if err != nil && !onlyThought(reply, err) {
		fmt.Fprintf(w, "model %s (%s): %v\n", m.Name, m.Model, err)
		return false
	}
	echo := "names no version"
	if reply.Model != "" {
		echo = "answered as " + string(reply.Model)
	}
	fmt.Fprintf(w, "model %s (%s): %s in %s\n", m.Name, m.Model, echo, reply.Took.Round(time.Millisecond))
	if otherDate(m, string(reply.Model)) {
		fmt.Fprintln(w, "  that is another version than the one that is configured")
		return false
	}
	return true
}

// otherDate says whether a dated id was answered by an id of another date.
func otherDate(m config.Model, echo string) bool {
	return llm.Dated(m.Model) && llm.Dated(echo) && !strings.Contains(echo, m.Model)
}

// compareDigest compares the weights behind a tag with the configured digest, and
// says whether they are the same as far as the server tells. Where none is configured
// it shows the one that the server lists, ready for copying.
func compareDigest(ctx context.Context, w io.Writer, client *provider.Client, m config.Model) bool {
	if !m.SelfHosted || m.Provider != llm.ProviderOpenAI && m.Provider != llm.ProviderOllama {
		return true
	}
	ctx, cancel := context.WithTimeoutCause(ctx, probeLimit, fmt.Errorf("no answer within %s", probeLimit))
	defer cancel()
	if m.Digest == "" {
		if m.Provider == llm.ProviderOllama {
			showDigest(ctx, w, client, m)
		}
		return true
	}
	if m.Provider != llm.ProviderOllama {
		fmt.Fprintln(w, "  its digest cannot be compared, the server lists none: that its weights are these is your word")
		return true
	}
	if err := proveDigest(ctx, client, m); err != nil {
		fmt.Fprintf(w, "  %v\n", err)
		return false
	}
	fmt.Fprintln(w, "  its digest is the configured one")
	return true
}

// showDigest prints what a self-hosted model can be pinned by: the digest of its
// weights, or where a server lists none, one of what it says of the model.
func showDigest(ctx context.Context, w io.Writer, client *provider.Client, m config.Model) {
	find, note := client.Digest, ""
	if m.Provider != llm.ProviderOllama {
		find, note = client.ListingDigest, "   # of what the server lists about it; its weights' own SHA-256 is better"
	}
	found, err := find(ctx)
	if err != nil {
		fmt.Fprintf(w, "  no digest was found to copy (%v): give the SHA-256 of its weights as digest:\n", err)
		return
	}
	fmt.Fprintf(w, "  to pin it:  digest: \"sha256:%s\"%s\n", found, note)
}

// showUnpinned looks up the digests that a configuration was refused for, so that
// they can be copied into it. err is the refusal.
func showUnpinned(ctx context.Context, w io.Writer, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, part := range joined.Unwrap() {
			showUnpinned(ctx, w, part)
		}
		return
	}
	var fault *config.Error
	if !errors.As(err, &fault) || fault.Unpinned == nil {
		return
	}
	m := *fault.Unpinned
	client, err := openModel(m)
	if err != nil {
		fmt.Fprintln(w, err)
		return
	}
	defer client.CloseIdleConnections()
	fmt.Fprintf(w, "model %s (%s):\n", m.Name, m.Model)
	ctx, cancel := context.WithTimeoutCause(ctx, probeLimit, fmt.Errorf("no answer within %s", probeLimit))
	defer cancel()
	showDigest(ctx, w, client, m)
}
