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
// not_sampled, with that reason, and so is a document that was sent twice (duplicate).
//
// # Rates
//
// [Tap.Redraw] changes rate and salt while requests are under way. Each sample carries
// the rate under which it was drawn, so that those of several taps, or of one before and
// after a change, can be weighted by what they stand for.
//
// # Retries
//
// A client that repeats a failed call by itself makes several requests of one turn. The
// turn is counted once, as one sample: it says what the last attempt got, and how many
// there were, and its clock starts at the first. The other attempts are
// not_sampled[retry]. An attempt is a further one if its client says so (the SDKs of
// OpenAI and Anthropic number theirs in X-Stainless-Retry-Count) or names the call by
// the same Idempotency-Key, if session, endpoint and every byte of the body are the
// same, and if it comes in time: within 10 s of the failure, or 5 s after the pause of
// up to a minute that the answer asked for. So long a failed attempt of such a client
// waits; at most 1,000 do, and none while half of Queue.Bytes is taken.
//
// An attempt that says it is not the first is never drawn by itself, or turns that fail
// would have more chances than others. Attempts that reach different processes are not
// linked: the first is a failed sample then, the others not_sampled[retry].
//
// # Cost
//
// All in this package's benchmarks, each with its baseline in turns in the same run;
// measured on 2 cores under much other load, in which the lower quartiles of what is
// added to a bare handler are still steady:
//
//	go test ./shadow/tap -run '^$' -bench 'Unsampled|Sampled|Event' -benchtime 50000x
//	outside the sample      45 to 50 ns, no allocation
//	a whole answer of 2 KiB 380 to 410 ns, 1 allocation
//	a streamed event        38 to 53 ns, of which reading the clock is 29
//
// The clock is read for each event since the time of the first content and that of the
// last byte are known only afterwards.
//
//	go test ./shadow/tap -run '^$' -bench 'Sidecar|Served|Isolation' -benchtime 1x -v
//
// runs servers as processes of their own, on one core. The reverse proxy with 1 %
// sampled for a slow bus against plain nginx (it needs Debian's nginx-light): 2.6 to
// 2.9 × its CPU at 1,000 requests/s, 0.32 to 0.38 × its requests a second of one core,
// 1.2 to 1.4 × its added delay of an event, and 24 MiB resident. A handler with the tap
// serves 0.95 to 0.97 × the requests a second of CPU time of the same without it. The p99
// figures that these benchmarks report need a machine that has nothing else to do: at a
// load of 20 to 40 runnable processes they spread by more than what they compare.
package tap
