package config

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

var addressLike = regexp.MustCompile(`^(?:[0-9.]+|0[xX][0-9a-fA-F.xX]*)$`)

// httpURL reads an http or https address. Credentials in it are refused unseen.
func httpURL(dst *string, want string) reader {
	return func(d *decoder, path string, n *node) {
		var raw string
		before := len(d.faults)
		if text(&raw, want)(d, path, n); len(d.faults) > before {
			return
		}
		if problem := urlProblem(raw, "http", "https"); problem != "" {
			d.fail(n.pos, path, problem, want)
			return
		}
		*dst = strings.TrimRight(raw, "/")
	}
}

// urlProblem says what is wrong with an address, "" if nothing is. It does not
// quote an address that may have a credential in it.
func urlProblem(raw string, schemes ...string) string {
	if strings.Contains(raw, "@") {
		return "the address has a user or a password in it (it is not shown here)"
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || strings.ContainsAny(raw, " \t\n\\"):
		return quote(raw) + " is no address"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(raw, "#"):
		return "the address has a ? or # part (it is not shown here)"
	}
	known := false
	for _, s := range schemes {
		known = known || u.Scheme == s
	}
	host := u.Hostname()
	switch {
	case !known || u.Opaque != "":
		return quote(raw) + " does not begin with " + strings.Join(schemes, ":// or ") + "://"
	case host == "":
		return quote(raw) + " has no host"
	case strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }):
		return quote(raw) + " has a host in other letters than ASCII: write it as the network does (xn--…)"
	case !goodPort(u.Port(), 1) && u.Port() != "" || strings.HasSuffix(u.Host, ":"):
		return quote(raw) + " has no port that can be used"
	case addressLike.MatchString(host) && !isIP(host):
		return quote(raw) + " has a number for a host that is no IP address"
	}
	return ""
}

func isIP(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

func goodPort(port string, low int) bool {
	n, err := strconv.Atoi(port)
	return err == nil && n >= low && n <= 65535
}

// listenAddress reads host:port; an empty host is every interface, port 0 a free port.
func listenAddress(dst *string) reader {
	const want = "host:port, such as 127.0.0.1:8080"
	return func(d *decoder, path string, n *node) {
		var raw string
		before := len(d.faults)
		if text(&raw, want)(d, path, n); len(d.faults) > before {
			return
		}
		host, port, err := net.SplitHostPort(raw)
		if err != nil || !goodPort(port, 0) || strings.ContainsAny(host, " /@") || addressLike.MatchString(host) && !isIP(host) {
			d.fail(n.pos, path, quote(raw)+" is no address to listen at", want)
			return
		}
		*dst = raw
	}
}

func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// server is host and port of an address, with the scheme's own port filled in and
// the host in one spelling.
func server(raw string) (host, port string) {
	u, err := url.Parse(raw)
	if err != nil {
		return "", ""
	}
	port = u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "nats": "4222", "tls": "4222"}[u.Scheme]
	}
	return spelling(u.Hostname()), plainPort(port)
}

// plainPort writes a port without zeros before it; what is no number stays as it is.
func plainPort(port string) string {
	if n, err := strconv.Atoi(port); err == nil {
		return strconv.Itoa(n)
	}
	return port
}

// spelling writes a host in one way: lower case, no dot at the end, IP addresses
// in their short form.
func spelling(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().WithZone("").String()
	}
	return host
}

// onLoopback says whether a host is this machine for sure: localhost, a loopback
// address, or the unspecified address, which connects to this machine too.
func onLoopback(host string) bool {
	host = spelling(host)
	switch host {
	case "", "localhost", "localhost.localdomain", "localhost4", "localhost6", "ip6-localhost", "ip6-loopback": // as hosts files have them
		return true
	}
	if strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && (addr.IsLoopback() || addr.IsUnspecified())
}

// unspecified says whether a host to listen at means every interface.
func unspecified(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsUnspecified()
}

// isTap says whether an address leads to the tap that listens at listen. A name or
// address of this machine that is not a loopback one is only known if it is
// spelled in both places.
func isTap(listen, address string) bool {
	host, port, err := net.SplitHostPort(listen)
	if err != nil || plainPort(port) == "0" {
		return false
	}
	h, p := server(address)
	if p != plainPort(port) {
		return false
	}
	return h == spelling(host) || onLoopback(h) && onLoopback(host)
}
