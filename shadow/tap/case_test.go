package tap_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/understudy-eval/understudy/shadow"
)

// through sends a request through proxy and tap, and gives the sample and what the client got.
func through(t *testing.T, ask string, status int, answer string, headers ...string) (shadow.Sample, string) {
	t.Helper()
	upstream := serve(t, answering(status, answer, headers...))
	r := start(t, options(), &store{})
	front := r.proxied(t, upstream.URL)
	_, got := post(t, front.URL, ask, "Accept-Encoding", "gzip")
	return r.one(t), got
}

func TestCaseGzipCapture(t *testing.T) {
	var c struct {
		Status  int
		Headers map[string]string
		Body    string `json:"body_base64"`
	}
	readCase(t, "http-gzip-capture.json", &c)
	answer, err := base64.StdEncoding.DecodeString(c.Body)
	if err != nil {
		t.Fatal(err)
	}
	s, got := through(t, question, c.Status, string(answer), "Content-Encoding", c.Headers["Content-Encoding"], "Content-Type", c.Headers["Content-Type"])
	if got != string(answer) || s.Live.Text != "Gern." {
		t.Errorf("client got %q, sample %+v", got, s.Live)
	}
}

func TestCaseErrorIn200(t *testing.T) {
	var c struct{ Body json.RawMessage }
	readCase(t, "http-200-error-body.json", &c)
	if s, _ := through(t, question, 200, string(c.Body)); s.Live.Failure != "error_in_200" || s.Live.Status != 200 {
		t.Errorf("%+v", s.Live)
	}
}

func TestCaseConversationWithTools(t *testing.T) {
	var ask json.RawMessage
	readCase(t, "content-null-toolcalls.json", &ask)
	if s, _ := through(t, string(ask), 200, wholeAnswer); string(s.Request) != string(ask) {
		t.Errorf("the request became %s", s.Request)
	}
}

func TestCaseReasoningTookAllTokens(t *testing.T) {
	var answer json.RawMessage
	readCase(t, "length-empty-reasoning.json", &answer)
	s, _ := through(t, question, 200, string(answer))
	if s.Live.Failure != "truncated" || s.Live.Text != "" || s.Live.Usage.Reasoning == nil || *s.Live.Usage.Reasoning != 199 {
		t.Errorf("%+v", s.Live)
	}
}

func TestCaseNUL(t *testing.T) {
	var c struct{ Answer string }
	readCase(t, "nul-byte.json", &c)
	content, _ := json.Marshal(c.Answer)
	s, _ := through(t, question, 200, `{"choices":[{"message":{"content":`+string(content)+`},"finish_reason":"stop"}]}`)
	data, err := shadow.EncodeSample(s)
	if err != nil {
		t.Fatal(err)
	}
	back, err := shadow.DecodeSample(data)
	if err != nil || back.Live.Text != c.Answer {
		t.Errorf("%q, %v", back.Live.Text, err)
	}
}
