// Package llmfake plays a provider of language models on loopback or in memory:
// answers, latencies and failures come from a [Script], a function of the call.
//
// What enters: HTTP calls in the dialects of OpenAI (chat completions, whole and
// streamed, and the list of models), Anthropic (messages), Gemini
// (generateContent) and Ollama (chat, tags). What leaves: answers as the script says,
// with really slept times, and counts of calls and connections. Times of an answer
// run from the moment its request was read whole.
//
// It is for the demo, tests and benchmarks. It never thinks, never calls anybody,
// checks no key and keeps no text.
package llmfake
