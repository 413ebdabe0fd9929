package demo

import (
	"fmt"

	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
)

// Configuration is the experiment as a user would write it: the demo runs from
// this text, and --keep leaves it for the other commands.
func (p *Play) Configuration() string {
	return fmt.Sprintf(`# The demo's experiment. Its models were fakes on loopback that are gone now, so
# "run" and "check --live" find nobody; report, gate and check work on what was kept.

experiment:
  name: demo

models:                            # prices: USD per million tokens, as such models might cost
  live:    {provider: openai, base_url: %[1]s/v1, model: %[5]s, price: {in: 1, out: 6}}
  next:    {provider: openai, base_url: %[2]s/v1, model: %[6]s, price: {in: 0.5, out: 3}}
  judge-a: {provider: openai, base_url: %[3]s/v1, model: %[7]s, digest: "%[12]s", price: {in: 2.5, out: 15}}
  judge-b: {provider: openai, base_url: %[4]s/v1, model: %[8]s, digest: "%[13]s", price: {in: 2, out: 10}}

tap:
  listen: 127.0.0.1:0            # any free port
  upstream: %[1]s
  rate: %[9]g
  session: [header:%[10]s]
  salt: %[11]s

bus: {dir: bus, sync: 10s}         # a power failure may take the demo with it; the default is always

candidates:
  next:    {model: next, timeout: 30s}
  control: {model: live, control: true, timeout: 30s}   # the live model again: the noise floor

judge:
  primary: judge-a
  reserve: judge-b
  concurrency: 96                # the whole experiment in a minute, so nothing is graded twice
  repeat: none
  agreement: none
  injection: none

sinks: {dir: rows, flush: {every: 2s}}

gate: {planned_pairs: 600}
`, p.Live, p.Candidate, p.Judge, p.Reserve, LiveModel, CandidateModel, JudgeModel, ReserveModel, Rate, SessionHeader, Salt,
		llmfake.Digest(JudgeModel), llmfake.Digest(ReserveModel))
}
