// Package tap stands between a live service and its model, takes a small sample of
// the requests with the answers that the users got, and lets nobody notice.
//
// What enters: HTTP requests, through [Tap.Middleware] around a handler, through
// [Tap.RoundTripper] inside a client, or through [ReverseProxy] in front of any
// server that speaks a dialect of package llm. What leaves: samples and books, through a [Publisher],
// from [Tap.Run] only. Durations are measured on the monotonic clock from the arrival
// of the request; times are UTC.
//
// Whether a request is sampled is decided when it arrives. The request's own
// goroutine copies bytes and puts them on a bounded queue, or counts why it did not;
// decoding and publishing happen elsewhere, after the user has the last byte.
//
// It never changes a byte of a request or an answer, never waits for the bus, never
// keeps a header but the dialect's own (anthropic-version, anthropic-beta,
// openai-beta), and never logs what users or models said, headers, or addresses.
//
// # Books
//
// Each request is counted once its fate is certain, not before: a request outside the
// sample at once (for which no clock is read: it belongs to the day of the entry that
// it is in), a sampled one when it is published, or is found to be lost. So
//
//	seen    = sampled + Σ not_sampled
//	sampled = published + Σ dropped
//
// hold in what the books say at any time (the second but for counts of the same
// instant); what is inside the tap, at most Queue.Items and a few, is not in them yet.
// What turns out too large, or compressed in an unknown way, after it was drawn is
// not_sampled, with that reason.
package tap
