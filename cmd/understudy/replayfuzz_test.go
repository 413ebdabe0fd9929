package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// FuzzBatch looks for lines of an OpenAI batch that end a replay otherwise than with an
// error that names a line, or that become neither a sample nor a counted loss.
func FuzzBatch(f *testing.F) {
	const ask = `{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"x"}]}}`
	for _, answer := range []string{
		`{"id":"b","custom_id":"a","response":{"status_code":200,"body":{"created":1761955200,"choices":[{"message":{"content":"y"},"finish_reason":"stop"}]}},"error":null}`,
		`{"custom_id":"a","response":null,"error":{"code":"batch_expired","message":"x"}}`,
		`{"custom_id":"a","response":{"status_code":500,"body":null}}`, `{"custom_id":"other","error":{}}`, `{"custom_id":"a"}`, `[`,
	} {
		f.Add([]byte(ask), []byte(answer))
	}
	f.Add([]byte(`{"custom_id":"a","url":"/v1/embeddings","body":{}}`), []byte(`{"custom_id":"a","response":{"status_code":-1,"body":"x"}}`))
	tp, err := tap.New(tap.Options{Experiment: "fuzz", Rate: 1}, &kept{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, asks, answers []byte) {
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
		if os.WriteFile(in, asks, 0o600) != nil || os.WriteFile(out, answers, 0o600) != nil {
			t.Skip("no room for files")
		}
		joined, err := readAnswers(out)
		if err != nil {
			return
		}
		for r, err := range readBatch(in, joined) {
			if err != nil {
				return
			}
			if r.id == (shadow.SampleID{}) || (r.err == nil) != (r.lost == "") {
				t.Fatalf("recording %+v", r)
			}
			if r.err != nil {
				continue
			}
			s, fate := tp.Sample(r.doc)
			if fate != (tap.Fate{}) {
				continue
			}
			if _, err := shadow.EncodeSample(s); err != nil || !s.Live.Untimed || s.ID != r.id {
				t.Fatalf("sample %+v, %v", s, err)
			}
		}
	})
}
