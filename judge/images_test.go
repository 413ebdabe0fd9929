package judge_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/judge"
	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
)

// picture is a message's part with an image of so many bytes of base64.
func picture(media string, size int) map[string]any {
	data := base64.StdEncoding.EncodeToString(make([]byte, size/4*3))
	return map[string]any{"type": "image_url", "image_url": map[string]string{"url": "data:" + media + ";base64," + data}}
}

// pictures is a trial of a conversation, one message a list.
func pictures(t *testing.T, messages ...[]map[string]any) shadow.Trial {
	t.Helper()
	var all []any
	for i, parts := range messages {
		all = append(all, map[string]any{"role": "user", "content": append(parts, map[string]any{"type": "text", "text": fmt.Sprintf("question %d %s", i, strings.Repeat("x", 500))})})
	}
	tr := trial(1, "answer one", "answer two")
	tr.Sample.Request = mustJSON(t, map[string]any{"messages": all})
	return tr
}

// TestImages: a judge that can see gets the images of the conversation, the same ones for
// every answer, within documented bounds; one that cannot gets placeholders. What is not
// shown is flagged.
func TestImages(t *testing.T) {
	png := picture("image/png", 400)
	byAddress := map[string]any{"type": "image_url", "image_url": map[string]string{"url": "https://x.example/a.png"}}
	many := make([]map[string]any, 11)
	for i := range many {
		many[i] = picture("image/png", 4*(i+1))
	}
	tests := []struct {
		name, why string
		trial     shadow.Trial
		blind     bool
		limit     int
		seen      int
		cut       bool
	}{
		{name: "none", why: "nothing is added to a prompt", trial: trial(1, "a", "b")},
		{name: "seen", why: "all of them", trial: pictures(t, []map[string]any{png}, []map[string]any{png, png}), seen: 3},
		{name: "blind", why: "placeholders only, which is flagged", trial: pictures(t, []map[string]any{png}), blind: true, cut: true},
		{name: "too many", why: "the last eight", trial: pictures(t, many), seen: 8, cut: true},
		{name: "too large", why: "no provider takes it", trial: pictures(t, []map[string]any{picture("image/png", 6<<20), png}), seen: 1, cut: true},
		{name: "another type", why: "not all providers take it", trial: pictures(t, []map[string]any{picture("image/tiff", 400)}), cut: true},
		{name: "by address", why: "it is not fetched", trial: pictures(t, []map[string]any{byAddress}), cut: true},
		{name: "turns left out", why: "those of the last message, which is always shown", trial: pictures(t, []map[string]any{png}, []map[string]any{png}, []map[string]any{png, png}), limit: 2200, seen: 2, cut: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := judgeA(says(0, verdict(1, "none")))
			j := bench(t, a, nil, func(o *judge.Options) {
				o.Primary.Images, o.MaxPromptChars, o.Further.Injection = !tt.blind, tt.limit, 1
			})
			g := grade(t, j, tt.trial)
			if len(a.calls) != 4 {
				t.Fatalf("%d calls for two answers, each again with a planted instruction", len(a.calls))
			}
			for _, c := range a.calls {
				if len(c.prompt.Images) != tt.seen || (tt.seen > 0) != strings.HasPrefix(c.prompt.ImagesNote, fmt.Sprintf("%d of the ", tt.seen)) && tt.seen > 0 {
					t.Errorf("%d images, %q, want %d: %s", len(c.prompt.Images), c.prompt.ImagesNote, tt.seen, tt.why)
				}
				if strings.Contains(c.prompt.User, "base64") {
					t.Error("an image stands in the text")
				}
			}
			for _, r := range g.Rulings {
				if r.ContextCut != tt.cut {
					t.Errorf("%s: cut %v, want %v: %s", r.Arm, r.ContextCut, tt.cut, tt.why)
				}
			}
			if tt.name == "too many" && a.calls[0].prompt.Images[7].Data != base64.StdEncoding.EncodeToString(make([]byte, 33)) {
				t.Error("not the last ones in their order")
			}
		})
	}
	q := llm.Prompt{User: "u", Images: []llm.Media{{Type: "image/png", Data: "AAAA"}}, ImagesNote: "n"}.Question()
	if parts := q.Messages[0].Parts; len(parts) != 3 || parts[1].Text != "n" || parts[2].Media == nil || parts[2].Media.Data != "AAAA" {
		t.Errorf("%+v", parts)
	}
}
