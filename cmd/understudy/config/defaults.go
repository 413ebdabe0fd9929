package config

import (
	"time"

	"github.com/understudy-eval/understudy/shadow/llm"
)

// Defaults of the keys that a file leaves out. What says PRACTICE has its figure
// from services in production; the others are judgements of ours.
const (
	DefaultExperiment = "understudy"

	DefaultListen        = "127.0.0.1:8080"
	DefaultClientTimeout = 30 * time.Second // PRACTICE: the load balancer's own limit
	DefaultRate          = 0.01             // PRACTICE: 1 % of the answers
	DefaultSessionHeader = "X-Session-Id"
	DefaultMaxBody       = 1 << 20
	DefaultQueueItems    = 1000
	DefaultQueueBytes    = 64 << 20

	DefaultBusDir     = "data/bus"
	DefaultMaxPayload = 8 << 20 // request, answer and several candidates' answers in one message
	DefaultKeepTrials = 30 * 24 * time.Hour

	// DefaultTimeout lies far above the largest latency limit, so that slow answers
	// are measured and not only counted.
	DefaultTimeout = 60 * time.Second

	DefaultHedgeAfter       = 1500 * time.Millisecond // PRACTICE: a judge's 90th percentile is 1.6 s
	DefaultBudget           = 20 * time.Second        // PRACTICE: one hard budget
	DefaultFailures         = 3                       // PRACTICE: three transport errors in a row
	DefaultCool             = 5 * time.Minute         // PRACTICE: second place for five minutes
	DefaultJudgeConcurrency = 4
	DefaultRepeat           = 0.05
	DefaultAgreement        = 0.05
	DefaultInjection        = 0.01
	DefaultMaxPrompt        = 96_000          // characters, roughly 25,000 tokens
	DefaultReply            = llm.ReplySchema // PRACTICE: with a schema 1 reply of 30,679 is off the list, without one 294 of 57,043

	DefaultSinksDir   = "data/rows"
	DefaultKeepText   = 30 * 24 * time.Hour
	DefaultFlushRows  = 10_000
	DefaultFlushEvery = time.Minute

	DefaultLevel = 0.95

	DefaultMargin           = 0.10
	DefaultAlpha            = 0.05
	DefaultPlannedPairs     = 900 // PRACTICE: one month at the founding case's volume
	DefaultBurnInPairs      = 50
	DefaultBurnInSessions   = 30
	DefaultP95Increase      = 500 * time.Millisecond
	DefaultFailuresIncrease = 0.01
	DefaultCostIncrease     = 0.5
)

// DefaultLimits are the latency limits of the tables.
func DefaultLimits() []time.Duration {
	return []time.Duration{3 * time.Second, 6 * time.Second, 10 * time.Second}
}

// DefaultOver are the shares of calls that may take longer than a time.
func DefaultOver() []ShareLimit {
	return []ShareLimit{{Limit: 3 * time.Second, Share: 0.05}, {Limit: 10 * time.Second, Share: 0.01}}
}

// DefaultFirstTokenOver is the share of streamed calls whose first token may come later.
func DefaultFirstTokenOver() []ShareLimit {
	return []ShareLimit{{Limit: time.Second, Share: 0.10}}
}

// DefaultGate is the gate of a configuration that says nothing of it.
func DefaultGate() Gate {
	p95, failures, cost := DefaultP95Increase, DefaultFailuresIncrease, DefaultCostIncrease
	return Gate{
		Margin: DefaultMargin, Alpha: DefaultAlpha, PlannedPairs: DefaultPlannedPairs,
		BurnIn: BurnIn{Pairs: DefaultBurnInPairs, Sessions: DefaultBurnInSessions},
		Over:   DefaultOver(), FirstTokenOver: DefaultFirstTokenOver(),
		P95Increase: &p95, FailuresIncrease: &failures, CostIncrease: &cost,
	}
}

// DefaultTap is the tap of a configuration that says nothing of it but the upstream.
func DefaultTap() Tap {
	return Tap{
		Listen: DefaultListen, ClientTimeout: DefaultClientTimeout, Rate: DefaultRate, BySession: true,
		Session: []Source{{Kind: FromHeader, Name: DefaultSessionHeader}},
		MaxBody: DefaultMaxBody, QueueItems: DefaultQueueItems, QueueBytes: DefaultQueueBytes,
		Route: Source{Kind: FromPath},
	}
}

// defaults is a configuration in which nothing was given. Paths are taken from dir.
func defaults(resolve func(string) string) Config {
	return Config{
		Experiment: Experiment{Name: DefaultExperiment},
		Tap:        DefaultTap(),
		Bus:        Bus{Dir: resolve(DefaultBusDir), MaxPayload: DefaultMaxPayload, KeepTrials: DefaultKeepTrials},
		Judge: Judge{
			HedgeAfter: DefaultHedgeAfter, Budget: DefaultBudget, Share: 1, Failures: DefaultFailures,
			Cool: DefaultCool, Concurrency: DefaultJudgeConcurrency,
			Repeat: DefaultRepeat, Agreement: DefaultAgreement, Injection: DefaultInjection,
			MaxPrompt: DefaultMaxPrompt, PrimaryReply: DefaultReply, ReserveReply: DefaultReply,
		},
		Sinks:  Sinks{Dir: resolve(DefaultSinksDir), KeepText: DefaultKeepText, FlushRows: DefaultFlushRows, FlushEvery: DefaultFlushEvery},
		Report: Report{Limits: DefaultLimits(), Level: DefaultLevel},
		Gate:   DefaultGate(),
	}
}
