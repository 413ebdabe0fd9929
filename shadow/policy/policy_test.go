package policy_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/llm/llmfake"
	"github.com/understudy-eval/understudy/shadow/provider"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const question = `{"model":"m","messages":[{"role":"user","content":"Where is my order?"}]}`

func ask(stream bool) llm.Request {
	body := question
	if stream {
		body = strings.Replace(body, "{", `{"stream":true,`, 1)
	}
	return llm.Request{Dialect: llm.OpenAIChat, Body: []byte(body), Stream: stream}
}

// served is a model that a fake provider plays in memory, so that a clock can be faked
// and every attempt is counted where it arrives.
type served struct {
	llm.Model
	fake *llmfake.Fake
}

func serve(t testing.TB, name string, script llmfake.Script) served {
	t.Helper()
	fake := llmfake.New(script, name)
	client, err := provider.Open(provider.Endpoint{
		Name: name, Provider: llm.ProviderOpenAI, BaseURL: "http://" + name + ".invalid/v1", Model: name,
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			return fake.Dial(ctx, network, address)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		if err := fake.Close(); err != nil {
			t.Error(err)
		}
	})
	return served{client.Model(), fake}
}

// always answers alike.
func always(a llmfake.Answer) llmfake.Script { return func(llmfake.Call) llmfake.Answer { return a } }

// each answers in order, the last for ever.
func each(all ...llmfake.Answer) llmfake.Script {
	return func(c llmfake.Call) llmfake.Answer { return all[min(c.N, len(all))-1] }
}

func after(d time.Duration, text string) llmfake.Answer { return llmfake.Answer{Text: text, Took: d} }

func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// fates writes a trace as "model fate[ reason]".
func fates(r llm.Reply) []string {
	var all []string
	for _, a := range r.Trace {
		text := a.Model + " " + string(a.Fate)
		if a.Reason != "" {
			text += " " + string(a.Reason)
		}
		all = append(all, text)
	}
	return all
}

func within(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if got < want || got > want+100*time.Millisecond {
		t.Errorf("%s after %s, want %s", what, got, want)
	}
}

const (
	first  = "Your order left our house on Monday."
	second = "It is on its way to you."
)
