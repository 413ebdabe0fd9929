package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
)

// writePair writes a certificate and its key, as an operator would hand them out.
func writePair(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The files that reach an external bus are read from the configuration's folder, and
// one that cannot serve is named, with its key, before anything is tried.
func TestBusCredentials(t *testing.T) {
	dir := t.TempDir()
	writePair(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "prose.txt"), []byte("CANARY no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, section, says string }{
		{"all three", "creds: file:user.creds, tls: {ca: cert.pem, cert: cert.pem, key: file:key.pem}", ""},
		{"authority alone", "tls: {ca: cert.pem}", ""},
		{"credentials alone", "creds: file:user.creds", ""},
		{"no such authority", "tls: {ca: none.pem}", "bus.tls.ca"},
		{"authority in another form", "tls: {ca: prose.txt}", "bus.tls.ca"},
		{"certificate in another form", "tls: {cert: prose.txt, key: file:key.pem}", "bus.tls.cert"},
		{"key of another form", "tls: {cert: cert.pem, key: file:prose.txt}", "bus.tls.cert"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, configFile)
			text := "experiment: {name: e}\nmodels:\n  judge: {provider: openai, base_url: http://127.0.0.1:1/v1, model: judge-mini-2026-03-01, digest: 'sha256:0123456789abcdef'}\n" +
				"tap: {upstream: http://127.0.0.1:2}\njudge: {primary: judge}\nbus: {url: nats://127.0.0.1:3, " + c.section + "}\n"
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg, err := config.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			creds, secure, err := credentials(cfg.Bus)
			switch {
			case c.says != "":
				if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "CANARY") {
					t.Errorf("error %v, want one that names %s", err, c.says)
				}
			case err != nil:
				t.Error(err)
			case strings.Contains(c.section, "creds") != (creds == filepath.Join(dir, "user.creds")):
				t.Errorf("credentials at %q", creds)
			case strings.Contains(c.section, "tls") != (secure != nil):
				t.Errorf("TLS %v", secure)
			case secure != nil && (secure.RootCAs == nil || secure.InsecureSkipVerify || strings.Contains(c.section, "key") != (len(secure.Certificates) == 1)):
				t.Errorf("TLS with authority %v and %d certificates", secure.RootCAs != nil, len(secure.Certificates))
			}
		})
	}
}
