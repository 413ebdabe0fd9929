// Package policy joins models into one: a chain of reserves, a race, models by turns,
// a choice by rule.
//
// What enters: [llm.Model] values. What leaves: an [llm.Model] again, so that a policy
// can be a candidate, a judge, a stage of another policy, or what users are served
// from. Each answer carries its trace: every call with its model, status, reason,
// times and tokens, and what became of it.
//
// A [Design] is a policy on paper: what it would do with a request, computed from what
// each model was measured to do with it. Tests hold designs to the policies.
//
// All state of a request belongs to that request. What outlives it (a refusal that is
// remembered, a breaker, a retry budget, whose turn it is) is in [Health],
// [RetryBudget] and [RoundRobin], each safe for concurrent use.
//
// A policy never lets a call outlive its request, never spends more than its Budget of
// time, never asks another model after a request that is the caller's own fault, and
// never passes a stream on after another model's content has begun.
package policy
