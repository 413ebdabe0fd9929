package rubric

import (
	"crypto/rand"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// System is the text for the judge's system role: the template "system" of
// prompt.tmpl. It is the same for every case, and empty if there is none.
func (r *Rubric) System() string { return r.system }

// Prompt writes the question to the judge about one case. Conversation and answer
// stand in blocks between marker lines with a random code that occurs nowhere in
// the data, so that no data can end its block:
//
//	BEGIN ANSWER <code>
//	the answer, byte for byte
//	END ANSWER <code>
//
// Exactly one line feed separates the answer from each of its markers; the marker
// lines occur once each. Turns stand likewise in a block of their own, each after a
// line with the code. Nothing in the data is expanded. When turns were left out,
// the block says how many.
//
// It writes once, and fails only if w does.
func (r *Rubric) Prompt(w io.Writer, c Case) error {
	code := freshCode(c, rand.Text)
	text, err := r.rendered(code, c.TurnsLeftOut)
	if err != nil {
		return err
	}
	p, err := splitBlocks(text, code)
	if err != nil {
		return fmt.Errorf("%s: %w", PromptFile, err)
	}
	first, second := conversationBlock(c, code), answerBlock(c, code)
	if p.answerFirst {
		first, second = second, first
	}
	if _, err := io.WriteString(w, p.before+first+p.between+second+p.after); err != nil {
		return fmt.Errorf("write prompt: %w", err)
	}
	return nil
}

// freshCode draws codes until one occurs nowhere in the case. Whoever wrote the
// data cannot know it, so the first one is nearly always it.
func freshCode(c Case, draw func() string) string {
	for {
		code := draw()
		used := strings.Contains(c.Answer, code)
		for _, t := range c.Turns {
			used = used || strings.Contains(t.Text, code) || strings.Contains(t.Role, code)
		}
		if !used {
			return code
		}
	}
}

func answerBlock(c Case, code string) string {
	return "BEGIN ANSWER " + code + "\n" + c.Answer + "\nEND ANSWER " + code
}

func conversationBlock(c Case, code string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "BEGIN CONVERSATION %s\n", code)
	cut := leadingSystem(c.Turns)
	for i, t := range c.Turns {
		if i == cut {
			leftOut(&b, c.TurnsLeftOut, code)
		}
		fmt.Fprintf(&b, "[%s] %s:\n%s\n", code, roleText(t.Role), t.Text)
	}
	if cut == len(c.Turns) {
		leftOut(&b, c.TurnsLeftOut, code)
	}
	if len(c.Turns) == 0 && c.TurnsLeftOut == 0 {
		fmt.Fprintf(&b, "[%s] there are no turns before the answer\n", code)
	}
	fmt.Fprintf(&b, "END CONVERSATION %s", code)
	return b.String()
}

// leadingSystem counts the system turns at the start: they are never left out.
func leadingSystem(turns []Turn) int {
	for i, t := range turns {
		if t.Role != "system" && t.Role != "developer" {
			return i
		}
	}
	return len(turns)
}

func leftOut(b *strings.Builder, n int, code string) {
	switch {
	case n == 1:
		fmt.Fprintf(b, "[%s] 1 earlier turn was left out here\n", code)
	case n > 1:
		fmt.Fprintf(b, "[%s] %d earlier turns were left out here\n", code, n)
	}
}

var plainRole = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,30}$`)

// roleText quotes a role that is more than a plain word: it is data too.
func roleText(role string) string {
	if plainRole.MatchString(role) {
		return role
	}
	return fmt.Sprintf("%.60q", role)
}
