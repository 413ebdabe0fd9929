package reports_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// broken is a script that lists words of the chosen cells of tables that do not stand on
// one line, but for names with hyphens.
func broken(cells string) string {
	return fmt.Sprintf(`(() => {
	const out = []
	for (const cell of document.querySelectorAll("table:not(.facts) %s")) {
		const text = cell.firstChild
		for (const word of text ? text.data.matchAll(/\S+/g) : []) {
			const range = document.createRange()
			range.setStart(text, word.index)
			range.setEnd(text, word.index + word[0].length)
			if (range.getClientRects().length > 1 && !/\w-\w/.test(word[0])) out.push(word[0])
		}
	}
	return out
})()`, cells)
}

// TestHostilePages: names without an end and ten candidates do not widen the page on a
// phone, and on paper no table is wider than it, and no figure is broken.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	b := newTab(t)
	for _, h := range []hostile{names("long names", unbreakable), manyArms()} {
		url := serve(t, htmlOf(t, h.build(t)))
		for _, paper := range []struct {
			medium string
			width  int64
		}{{"screen", 390}, {"print", 680}} { // A4 without its margins
			if paper.medium == "screen" && len(h.e.Candidates) > 2 { // tables are scrolled there
				continue
			}
			b.do(chromedp.EmulateViewport(paper.width, 844))
			b.emulate(paper.medium, "light")
			if wrong, _ := b.open(url); len(wrong) > 0 {
				t.Errorf("%s: heard %q", h.name, wrong)
			}
			if got := evaluate[int64](b, `document.documentElement.scrollWidth`); got > paper.width {
				t.Errorf("%s, %s: %d px wide, there are %d", h.name, paper.medium, got, paper.width)
			}
			if cut := evaluate[[]string](b, `[...document.querySelectorAll("h1, h2, p, li, dd")].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 40))`); len(cut) > 0 {
				t.Errorf("%s, %s: cut: %q", h.name, paper.medium, cut)
			}
			if words := evaluate[[]string](b, broken("td")); len(words) > 0 {
				t.Errorf("%s, %s: figures on several lines: %q", h.name, paper.medium, words)
			}
		}
	}
}
