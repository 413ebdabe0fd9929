package config_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
)

func withKey(t *testing.T, ref string) config.Secret {
	t.Helper()
	c := parse(t, strings.Replace(smallest, "env:OPENAI_API_KEY", ref, 1))
	m, _ := c.Model("luna")
	return m.Key
}

func TestSecretValue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	tests := []struct{ name, why, content, want, says string }{
		{"plain", "no line end", "CANARY", "CANARY", ""},
		{"line end", "editors write one", "CANARY\n", "CANARY", ""},
		{"CRLF", "other editors too", "CANARY\r\n", "CANARY", ""},
		{"two lines", "one is dropped, the other is a mistake", "CANARY\n\n", "", "control character"},
		{"header injection", "a line end inside would start a new header", "CANARY\nX: y", "", "control character"},
		{"empty", "no key is no key", "\n", "", "is empty"},
		{"large", "not a key", strings.Repeat("CANARY", 20_000), "", "larger than"},
	}
	s := withKey(t, "file:"+path)
	for _, test := range tests {
		if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := s.Value()
		if got != test.want || (err == nil) != (test.says == "") {
			t.Errorf("%s: %q, %v: %s (the file is read anew each time)", test.name, got, err, test.why)
		}
		if err != nil && (strings.Contains(err.Error(), "CANARY") || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if _, err := withKey(t, "file:/no/such/file").Value(); err == nil {
		t.Error("a key from an absent file")
	}
	t.Setenv("UNDERSTUDY_TEST_KEY", "CANARY")
	if got, err := withKey(t, "env:UNDERSTUDY_TEST_KEY").Value(); got != "CANARY" || err != nil {
		t.Errorf("environment: %q, %v", got, err)
	}
	if got, err := (config.Secret{}).Value(); got != "" || err != nil {
		t.Errorf("no reference: %q, %v", got, err)
	}
}

// TestSecretPrints: whatever prints a configuration prints references.
func TestSecretPrints(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "CANARY")
	c := parse(t, smallest)
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "config", c, "key", c.Models[0].Key)
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	all := log.String() + string(data) + fmt.Sprintf("%v %+v %#v %s", *c, *c, *c, c.Models[0].Key)
	if strings.Contains(all, "CANARY") || !strings.Contains(string(data), `"Key":"env:OPENAI_API_KEY"`) {
		t.Errorf("%s", all)
	}
}

func TestSecrets(t *testing.T) {
	c := parse(t, strings.Replace(smallest, "env:OPENAI_API_KEY", "file:/no/such/file", 1)+"bus: {url: nats://h:1, creds: file:/no/creds}\n")
	set := func(name string) (string, bool) { return "", name == "OPENAI_API_KEY" }
	var got []string
	for _, err := range c.Secrets(set) {
		got = append(got, err.Error())
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{
		"understudy.yaml:2:54: models.luna.key: read file:/no/such/file: no such file",
		"understudy.yaml:3:67: models.judge.key: env:OPENAI_API_KEY is empty",
		"understudy.yaml:6:31: bus.creds: read file:/no/creds",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in:\n%s", want, all)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"lines": "-----BEGIN\nCANARY\n", "none": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := config.Parse(filepath.Join(dir, "u.yaml"), []byte(smallest+"bus: {url: nats://h:1, creds: file:lines, tls: {ca: gone, cert: none, key: file:lines}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, err := range files.Secrets(func(string) (string, bool) { return "x", true }) {
		got = append(got, strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	}
	if diff := cmp.Diff([]string{
		"u.yaml:6:53: bus.tls.ca: read file:gone: no such file or directory; put it there before understudy run",
		"u.yaml:6:65: bus.tls.cert: file:none is empty; put it there before understudy run",
	}, got); diff != "" {
		t.Errorf("files of several lines are what credentials are (-want +got):\n%s", diff)
	}
	full := parse(t, smallest)
	if w := full.Secrets(func(string) (string, bool) { return "CANARY", true }); len(w) != 0 {
		t.Errorf("all are set: %v", w)
	}
}
