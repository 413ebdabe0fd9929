// Package llm holds what is said to and by language models: requests, replies,
// failures, and lenient decoders of the wire formats.
//
// What enters: bytes that a client sent to a model, bytes that a model sent back.
// What leaves: values ([Request], [Question], [Reply], [Failure], [Turn]) that name text, tool
// calls, tokens and times in one vocabulary for all dialects. Durations are
// [time.Duration]; token counts are pointers, nil where the provider did not say.
//
// It never calls a model, never changes a body that it was given, and imports
// nothing but the standard library, so that a service which only taps its
// traffic compiles no provider's client.
package llm
