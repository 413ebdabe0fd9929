package config

import (
	"net"
	"slices"
)

// CheckSelf refuses addresses of models and of the upstream that lead to the tap by
// one of this machine's own names, where the tap listens on all of them. own are
// those names and IP addresses. nil if there are none, else faults joined as by [Parse].
func (c *Config) CheckSelf(own []string) error {
	host, port, err := net.SplitHostPort(c.Tap.Listen)
	if err != nil || host != "" && !unspecified(host) {
		return nil
	}
	var faults []*Error
	check := func(key, address, want string) {
		h, p := server(address)
		if p == plainPort(port) && slices.ContainsFunc(own, func(name string) bool { return spelling(name) == h }) {
			faults = append(faults, &Error{Position: c.At(key), Key: key, Problem: toTap(c.Tap.Listen), Want: want})
		}
	}
	for _, m := range c.Models {
		check(under("models", m.Name)+".base_url", m.BaseURL, wantServer)
	}
	check("tap.upstream", c.Tap.Upstream, wantUpstream)
	return join(faults)
}
