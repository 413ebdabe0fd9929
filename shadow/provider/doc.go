// Package provider turns an endpoint into a model: one HTTP call for each
// question, without a retry, a redirect or a cookie.
//
// What enters: an [Endpoint], and questions as [llm.Request]: a client's own body,
// which is asked again with the model's name exchanged, or a prompt of ours, which is
// put into the provider's dialect. What leaves: [llm.Reply] with times on the
// monotonic clock, or a [*llm.Failure].
//
// Only the endpoint's own key is sent, read anew for each call, and none of the
// caller's headers but the dialect's own. Errors name neither the key nor the
// address. It never calls a tool that a model asks for.
//
// A [Price] turns the tokens of a reply into its cost, in whole 1e-9 USD; a
// [Catalogue] has the list prices of public providers. An unknown price or count gives
// an unknown cost, never 0.
package provider
