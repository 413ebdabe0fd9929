package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/understudy-eval/understudy/shadow/bus/embedded"
)

// intakeURL waits for the intake and gives where documents are posted to.
func (s *stage) intakeURL() string {
	s.t.Helper()
	pattern := regexp.MustCompile(`msg="intake listens" address=(\S+)`)
	var address string
	s.eventually("the intake listens", func() bool {
		found := pattern.FindStringSubmatch(s.log.String())
		if found != nil {
			address = found[1]
		}
		return found != nil
	})
	return "http://" + address + intakePath
}

const recordedChat = `{"endpoint":"/v1/chat/completions","request":{"model":"live","messages":[{"role":"user","content":"hello %d"}]},` +
	`"response":{"model":"live-2026-01-01","choices":[{"message":{"content":"Good day."},"finish_reason":"stop"}]},"took_ms":900,"session":"s-%d","id":"r-%[1]d"}`

// Services that do not stand behind the tap post what they recorded, over HTTP and over
// NATS: candidates answer it, the judge grades it, and the books balance.
func TestIntakeFromEndToEnd(t *testing.T) {
	server, err := embedded.Start(embedded.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0", Sync: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Shutdown() })
	cand, _ := fake(t, candScript)
	judges, _ := fake(t, judgeScript)
	configuration := fmt.Sprintf(pipelineConfiguration, cand, cand, judges, "url: "+server.URL())
	configuration = strings.Replace(configuration, "tap: {", "tap: {ingest: {listen: 127.0.0.1:0, nats: true}, ", 1)
	s := start(t, t.TempDir(), configuration)

	var batch strings.Builder
	for i := range 3 {
		fmt.Fprintf(&batch, recordedChat+"\n", i, i)
	}
	batch.WriteString("{}\n")
	resp, err := http.Post(s.intakeURL(), "application/x-ndjson", strings.NewReader(batch.String()))
	if err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(answer), `"accepted":3`) || !strings.Contains(string(answer), `"line":4,"at":"/endpoint"`) {
		t.Errorf("status %d: %s", resp.StatusCode, answer)
	}

	s.eventually("the bus knows the intake", func() bool { return strings.Contains(s.log.String(), `msg="intake listens" subject=`) })
	nc, err := nats.Connect(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	for i := 3; i < 5; i++ {
		reply, err := nc.Request("understudy.in.pipeline", fmt.Appendf(nil, recordedChat, i, i), 30*time.Second)
		if err != nil || !strings.Contains(string(reply.Data), `{"status":202,"accepted":1}`) {
			t.Errorf("over NATS: %v, %v", reply, err)
		}
	}
	for _, r := range s.awaitRows(5 * 4) {
		if r.Arm == "live" && (r.Took == nil || *r.Took != 900*time.Millisecond || r.JudgeState != "graded" || len(r.Tags) != 1 || r.Tags[0] != "vantage=service") {
			t.Errorf("live row %+v", r)
		}
	}
	s.stop()
	var r struct {
		Report struct {
			Books struct {
				Balanced                 bool
				Seen, Sampled, Published int
			}
		}
	}
	if s.report(&r); !r.Report.Books.Balanced || r.Report.Books.Seen != 6 || r.Report.Books.Published != 5 {
		t.Errorf("books %+v", r.Report.Books)
	}
}

// A listener that is taken ends the start, with the key that names it.
func TestIntakeNeedsItsAddress(t *testing.T) {
	taken := start(t, t.TempDir(), fmt.Sprintf(strings.Replace(pipelineConfiguration, "tap: {", "tap: {ingest: {listen: 127.0.0.1:0}, ", 1), "http://127.0.0.1:9", "http://127.0.0.1:9", "http://127.0.0.1:9", "dir: bus, sync: 10s"))
	address := strings.TrimSuffix(strings.TrimPrefix(taken.intakeURL(), "http://"), intakePath)
	second := start(t, t.TempDir(), fmt.Sprintf(strings.Replace(pipelineConfiguration, "tap: {", "tap: {ingest: {listen: \""+address+"\"}, ", 1), "http://127.0.0.1:9", "http://127.0.0.1:9", "http://127.0.0.1:9", "dir: bus, sync: 10s"))
	if status := <-second.done; status != exitError || !strings.Contains(second.log.String(), "tap.ingest.listen: listen tcp") {
		t.Errorf("status %d: %s", status, second.log)
	}
	taken.stop()
}

// The README's examples, as they are there, bring samples in.
func TestReadmeExamplesOfOtherLanguages(t *testing.T) {
	cand, _ := fake(t, candScript)
	judges, _ := fake(t, judgeScript)
	configuration := fmt.Sprintf(pipelineConfiguration, cand, cand, judges, "dir: bus, sync: 10s")
	s := start(t, t.TempDir(), strings.Replace(configuration, "tap: {", "tap: {ingest: {listen: 127.0.0.1:0}, ", 1))
	intake := s.intakeURL()
	ran := 0
	for _, language := range []struct{ name, program, file, after string }{
		{"python", "python3", "send.py", "\nprint(record({'model': 'live', 'messages': [{'role': 'user', 'content': 'hello'}]}, {'choices': [{'message': {'content': 'Hi.'}}]}, 812.5, 's-1'))\n"},
		{"typescript", "node", "send.mjs", "\nconsole.log(await record({model: 'live', messages: [{role: 'user', content: 'hello'}]}, {choices: [{message: {content: 'Hi.'}}]}, 812.5, 's-1'));\n"},
	} {
		block := regexp.MustCompile("(?s)```" + language.name + "\n(.*?)```").FindStringSubmatch(readme(t))
		if block == nil {
			t.Errorf("no %s in the README", language.name)
			continue
		}
		program, err := exec.LookPath(language.program)
		if err != nil {
			t.Logf("%s is not here: the README's example is not run", language.program)
			continue
		}
		code := strings.NewReplacer("http://127.0.0.1:8081/samples", intake,
			"timeout=1)", "timeout=60)", "timeout(1000)", "timeout(60000)").Replace(block[1]) // a busy machine is no fault of theirs
		if language.name == "typescript" {
			code = withoutTypes(code)
		}
		path := filepath.Join(t.TempDir(), language.file)
		if err := os.WriteFile(path, []byte(code+language.after), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		cmd := exec.CommandContext(t.Context(), program, path)
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil || !strings.Contains(out.String(), "202") {
			t.Errorf("%s: %v\n%s", language.name, err, out.String())
			continue
		}
		ran++
	}
	s.awaitRows(4 * ran)
	s.stop()
}

// withoutTypes makes JavaScript of the README's TypeScript, whose types stand between a
// parameter's name and the next comma or bracket.
func withoutTypes(code string) string {
	return regexp.MustCompile(`: (?:object|number|string|Promise<number>)`).ReplaceAllString(code, "")
}
