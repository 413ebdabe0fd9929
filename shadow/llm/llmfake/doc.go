// Package llmfake plays a provider of language models on loopback or in memory:
// answers, latencies and failures come from a [Script], a function of the call.
//
// What enters: HTTP calls in all dialects of package llm, whole and streamed (of Gemini
// as events or as one list), and for the lists of models of OpenAI and Ollama. What
// leaves: answers as the script says, with really slept times, and counts of calls and
// connections. Times of an answer run from the moment its request was read whole.
//
// It is for the demo, tests and benchmarks. It never thinks, never calls anybody,
// checks no key and keeps no text.
package llmfake
