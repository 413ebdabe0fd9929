package shadow

// NotSampled says why a request that was seen is no sample.
type NotSampled string

// The reasons why a request is not sampled. All but rate are decided before or
// after the draw from what can be seen of the request and its answer.
const (
	NotSampledRate        NotSampled = "rate"
	NotSampledUnsupported NotSampled = "unsupported_endpoint"
	NotSampledTooLarge    NotSampled = "too_large"
	NotSampledEncoding    NotSampled = "encoding"
	// NotSampledRetry is an attempt of a turn that is counted once, as another of its
	// attempts: a client that repeats a failed call by itself.
	NotSampledRetry NotSampled = "retry"
	// NotSampledDuplicate is a document whose id a sample has already: it was sent twice.
	NotSampledDuplicate NotSampled = "duplicate"
)

// Dropped says why a sampled request did not reach the bus.
type Dropped string

// The reasons why a sample is dropped in the tap.
const (
	DroppedQueueFull          Dropped = "queue_full"
	DroppedBusDown            Dropped = "bus_down"
	DroppedEncode             Dropped = "encode"
	DroppedStopped            Dropped = "stopped"
	DroppedIncompleteRequest  Dropped = "incomplete_request"
	DroppedIncompleteResponse Dropped = "incomplete_response" // our capture was cut, not the answer
	DroppedMalformed          Dropped = "malformed"
)

// NotAsked says why an arm was not asked.
type NotAsked string

// The reasons why a candidate is not asked.
const (
	NotAskedShare       NotAsked = "share"
	NotAskedBudget      NotAsked = "budget"
	NotAskedUnsupported NotAsked = "unsupported"
	NotAskedResidency   NotAsked = "residency"
)

// NotSampledReasons, DroppedReasons and NotAskedReasons list the closed lists in
// the order in which tables show them.
func NotSampledReasons() []NotSampled {
	return []NotSampled{NotSampledRate, NotSampledUnsupported, NotSampledTooLarge, NotSampledEncoding, NotSampledRetry, NotSampledDuplicate}
}

// DroppedReasons lists why samples are dropped.
func DroppedReasons() []Dropped {
	return []Dropped{
		DroppedQueueFull, DroppedBusDown, DroppedEncode, DroppedStopped,
		DroppedIncompleteRequest, DroppedIncompleteResponse, DroppedMalformed,
	}
}

// NotAskedReasons lists why candidates are not asked.
func NotAskedReasons() []NotAsked {
	return []NotAsked{NotAskedShare, NotAskedBudget, NotAskedUnsupported, NotAskedResidency}
}
