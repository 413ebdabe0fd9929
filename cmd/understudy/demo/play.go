package demo

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// What the models call themselves, and how users name their conversation.
const (
	LiveModel      = "chat-live-2026-03-01"
	CandidateModel = "chat-next-2026-09-15"
	JudgeModel     = "judge-a-2026-08-20"
	ReserveModel   = "judge-b-2026-07-02"
	SessionHeader  = "X-Session-Id"

	userKey = "demo-user"
	// opening is how long new sessions keep coming.
	opening = 30 * time.Second
)

// Play is the founding case on stage: one provider for each part, on loopback.
type Play struct {
	sessions []conversation
	verdicts map[string]verdict // by the answer's reference
	fakes    []*llmfake.Fake

	// Live, Candidate, Judge and Reserve are base URLs ("http://127.0.0.1:port").
	Live, Candidate, Judge, Reserve string
}

// Start deals the cards and starts the providers. Close ends them.
func Start() (*Play, error) {
	p := &Play{sessions: cast()}
	p.verdicts = verdicts(p.sessions)
	parts := []struct {
		url    *string
		script llmfake.Script
	}{
		{&p.Live, p.live},
		{&p.Candidate, p.candidate},
		{&p.Judge, p.judge(JudgeModel, 1)},
		{&p.Reserve, p.judge(ReserveModel, 2)},
	}
	for _, part := range parts {
		fake := llmfake.New(part.script)
		url, err := fake.Start()
		if err != nil {
			return nil, errors.Join(err, p.Close())
		}
		p.fakes = append(p.fakes, fake)
		*part.url = url
	}
	return p, nil
}

// Close ends the providers.
func (p *Play) Close() error {
	var errs []error
	for _, fake := range p.fakes {
		errs = append(errs, fake.Close())
	}
	return errors.Join(errs...)
}

// Traffic is the users' part.
func (p *Play) Traffic() *Traffic {
	t := &Traffic{sessions: p.sessions}
	for _, c := range p.sessions {
		t.Total += len(c.turns)
		if c.sampled {
			t.Sampled += len(c.turns)
		}
	}
	return t
}

// live answers users with the live card, and the control arm, which comes with
// another key than a user's, with the control card.
func (p *Play) live(call llmfake.Call) llmfake.Answer {
	turn, ok := p.find(call)
	if !ok {
		return noTicket()
	}
	if call.Header.Get("Authorization") == "Bearer "+userKey {
		return spoken(LiveModel, turn.live, turn.said)
	}
	return spoken(LiveModel, turn.control, turn.said)
}

func (p *Play) candidate(call llmfake.Call) llmfake.Answer {
	turn, ok := p.find(call)
	if !ok {
		return noTicket()
	}
	return spoken(CandidateModel, turn.cand, turn.fenced)
}

// judge gives the verdict that was dealt to the answer in its prompt. Its latency
// is drawn by chance: which of two judges answers first changes no verdict.
func (p *Play) judge(model string, stream uint64) llmfake.Script {
	latency := judgeLatency().deck(1000)
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(seed, stream))
	return func(call llmfake.Call) llmfake.Answer {
		v, ok := p.verdicts[lastMatch(reference(), call)]
		if !ok {
			return llmfake.Answer{Model: model, Text: "I see no answer that I know."}
		}
		a := llmfake.Verdict(v.grade, v.problem, v.reason)
		mu.Lock()
		defer mu.Unlock()
		a.Model, a.Took = model, latency[rng.IntN(len(latency))]
		a.In, a.Out = 1200, 40
		return a
	}
}

// find looks up the turn that a request's last ticket number names.
func (p *Play) find(call llmfake.Call) (turn, bool) {
	conversation, number, _ := strings.Cut(lastMatch(ticket(), call), "/")
	c, err1 := strconv.Atoi(conversation)
	n, err2 := strconv.Atoi(number)
	if err1 != nil || err2 != nil || c >= len(p.sessions) || n >= len(p.sessions[c].turns) {
		return turn{}, false
	}
	return p.sessions[c].turns[n], true
}

func ticket() *regexp.Regexp    { return regexp.MustCompile(`\(ticket (\d+/\d+)\)`) }
func reference() *regexp.Regexp { return regexp.MustCompile(`Ref\. ([0-9a-f]{8})`) }

// lastMatch is the last match in what was said last.
func lastMatch(pattern *regexp.Regexp, call llmfake.Call) string {
	if len(call.Turns) == 0 {
		return ""
	}
	found := pattern.FindAllStringSubmatch(call.Turns[len(call.Turns)-1].Text, -1)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1][1]
}

// spoken is a card as a provider's answer: in a stream, a third of the time passes
// before the first token.
func spoken(model string, c card, say func(card) string) llmfake.Answer {
	return llmfake.Answer{
		Model: model, Text: say(c), In: 180, Out: 60 + int64(c.took/(50*time.Millisecond)),
		First: c.took / 3, Took: c.took, Pieces: 12,
	}
}

func noTicket() llmfake.Answer {
	return llmfake.Answer{Status: http.StatusUnprocessableEntity, Text: "no ticket in the request"}
}
