package config

import (
	"strings"
	"time"
)

func (r *draft) bus() reader {
	b := &r.Bus
	return section(fields{
		"url":         busURL(&b.URL),
		"dir":         path(&b.Dir),
		"sync":        syncEvery(&b.SyncEvery),
		"max_payload": size(&b.MaxPayload),
		"keep_trials": duration(&b.KeepTrials),
		"creds":       secretFile(&b.Creds),
		"tls":         section(fields{"ca": path(&b.TLS.CA), "cert": path(&b.TLS.Cert), "key": secretFile(&b.TLS.Key)}),
	})
}

// busURL reads embedded, or one or more addresses of an external server.
func busURL(dst *string) reader {
	const want = "embedded, or an address such as nats://host:4222 (several with commas; credentials in bus.creds)"
	return func(d *decoder, path string, n *node) {
		var raw string
		before := len(d.faults)
		if text(&raw, want)(d, path, n); len(d.faults) > before {
			return
		}
		if raw == "embedded" {
			*dst = ""
			return
		}
		servers := strings.Split(raw, ",")
		for i := range servers {
			servers[i] = strings.TrimSpace(servers[i])
			if problem := urlProblem(servers[i], "nats", "tls"); problem != "" {
				d.fail(n.pos, path, problem, want)
				return
			}
		}
		*dst = strings.Join(servers, ",")
	}
}

// syncEvery reads always as 0, else an interval.
func syncEvery(dst *time.Duration) reader {
	return func(d *decoder, path string, n *node) {
		if n.kind == isText && n.text == "always" {
			*dst = 0
			return
		}
		parsed(dst, parseDuration, func(v time.Duration) bool { return v > 0 }, "always, or an interval such as 10s, after which acked samples are safe")(d, path, n)
	}
}

// secretFile reads a file: reference.
func secretFile(dst *Secret) reader {
	return func(d *decoder, path string, n *node) {
		var s Secret
		before := len(d.faults)
		if secret(&s)(d, path, n); len(d.faults) > before {
			return
		}
		if _, ok := s.File(); !ok {
			d.fail(n.pos, path, s.String()+" is no file", "file:PATH")
			return
		}
		*dst = s
	}
}
