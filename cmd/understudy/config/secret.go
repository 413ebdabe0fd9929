package config

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"unicode"
)

// maxSecret bounds the file that a reference may name.
const maxSecret = 64 << 10

var (
	envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// keyText finds what looks like a key: the beginnings that vendors give theirs, and
	// a long run of letters and digits.
	keyText = regexp.MustCompile(`(?:^|[^A-Za-z0-9])(?:(?:sk|pk|rk|xai|pplx|nvapi|csk)-|(?:sk|gsk|hf|ghp|gho|github_pat|r8|fw)_|AIza|AKIA|xox[a-z]-|eyJ)[A-Za-z0-9_.-]{8,}|^Bearer |-----BEGIN`)
	longRun = regexp.MustCompile(`^[A-Za-z0-9+/_=]{32,}$`)
)

// looksLikeKey says whether a text that stands in a wrong place may be a key, so that
// no message shows it.
func looksLikeKey(text string) bool {
	return keyText.MatchString(text) || longRun.MatchString(text) && strings.ContainsAny(text, "0123456789")
}

// Secret is a reference to a key: env:NAME or file:PATH. It never holds the key
// itself; whatever prints it prints the reference. The zero value refers to nothing.
type Secret struct {
	env  string
	file string
}

// IsZero says that no key was configured.
func (s Secret) IsZero() bool { return s == Secret{} }

// String prints the reference, never the key.
func (s Secret) String() string {
	switch {
	case s.env != "":
		return "env:" + s.env
	case s.file != "":
		return "file:" + s.file
	default:
		return ""
	}
}

// MarshalText gives the reference, never the key; JSON shows the same.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue shows the reference, never the key.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// File gives the path of a file: reference.
func (s Secret) File() (path string, ok bool) { return s.file, s.file != "" }

// Value reads the key anew at each call, so that a rotated one is used without a
// restart. From a file, one line end after the key is dropped. A key that is unset,
// empty, larger than 64 KiB or has control characters in it is an error, which
// names the reference only. The zero Secret gives "".
func (s Secret) Value() (string, error) { return s.value(os.LookupEnv) }

func (s Secret) value(lookup func(string) (string, bool)) (string, error) {
	if s.IsZero() {
		return "", nil
	}
	if s.env != "" {
		v, ok := lookup(s.env)
		if !ok {
			return "", fmt.Errorf("%s is not set", s)
		}
		return s.checked(v)
	}
	f, err := os.Open(s.file)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", s, cause(err))
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", s, cause(err))
	}
	return s.checked(strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r"))
}

// present says why there is no key now; nil if there is one, or none was configured.
func (s Secret) present(lookup func(string) (string, bool)) error {
	_, err := s.value(lookup)
	return err
}

func (s Secret) checked(v string) (string, error) {
	switch {
	case v == "":
		return "", fmt.Errorf("%s is empty", s)
	case len(v) > maxSecret:
		return "", fmt.Errorf("%s is larger than %d KiB", s, maxSecret>>10)
	case strings.ContainsFunc(v, unicode.IsControl):
		return "", fmt.Errorf("%s has a line end or another control character inside", s)
	}
	return v, nil
}

// cause takes the path out of a file error: the reference names it already.
func cause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// parseSecret reads a reference. Its errors never show the text: it may be a key.
func parseSecret(text string) (Secret, error) {
	if name, ok := strings.CutPrefix(text, "env:"); ok {
		if !envName.MatchString(name) {
			return Secret{}, errors.New("what follows env: is not the name of an environment variable (it is not shown here)")
		}
		if keyText.MatchString(name) {
			return Secret{}, errors.New("what follows env: looks like a key itself (it is not shown here)")
		}
		return Secret{env: name}, nil
	}
	if path, ok := strings.CutPrefix(text, "file:"); ok {
		if strings.TrimSpace(path) == "" {
			return Secret{}, errors.New("file: is followed by no path")
		}
		if keyText.MatchString(path) && !strings.Contains(path, "/") {
			return Secret{}, errors.New("what follows file: looks like a key itself (it is not shown here)")
		}
		return Secret{file: path}, nil
	}
	return Secret{}, errors.New("a key stands here where a reference belongs (it is not shown here)")
}
