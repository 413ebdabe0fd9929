// Package provider turns an endpoint into a model: one HTTP call for each
// question, without a retry, a redirect or a cookie.
//
// What enters: an [Endpoint], and questions as [llm.Request]: a client's own body, or a
// prompt of ours. A body in a dialect that the provider speaks is passed on byte for
// byte but for the model's name and what this model would refuse; any other is
// translated, and a prompt is put into the provider's dialect by the same encoders.
// What leaves: [llm.Reply] with times on the monotonic clock and with what could not be
// asked as it was ([llm.Loss]), or a [*llm.Failure]; what cannot be asked faithfully is
// [llm.ErrUnsupported], and nothing is sent.
//
// Only the endpoint's own key is sent, read anew for each call, and none of the
// caller's headers but the dialect's own. Errors name neither the key nor the
// address. It never calls a tool that a model asks for.
//
// A [Price] turns the tokens of a reply into its cost, in whole 1e-9 USD; a
// [Catalogue] has the list prices of public providers. An unknown price or count gives
// an unknown cost, never 0.
package provider
