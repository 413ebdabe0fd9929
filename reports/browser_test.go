package reports_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
)

// chromium is the browser that is found by PATH. Without one the tests are skipped,
// but fail where CI is set.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("no Chromium on PATH, and CI is set: .ci/run installs it")
	}
	t.Skip("no Chromium on PATH: the HTML form was not opened")
	return ""
}

// tab is a page in a browser, with what went wrong in it.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu     sync.Mutex
	wrong  []string // errors and warnings of the console, refused by the policy
	loaded []string // addresses that were asked for
}

func newTab(t *testing.T) *tab {
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(chromium(t)), chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	return b
}

func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		b.wrong = append(b.wrong, fmt.Sprintf("%s: %s", e.Entry.Source, e.Entry.Text))
	case *runtime.EventConsoleAPICalled:
		b.wrong = append(b.wrong, "console: "+string(e.Type))
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, "exception: "+e.ExceptionDetails.Text)
	case *network.EventRequestWillBeSent:
		b.loaded = append(b.loaded, e.Request.URL)
	}
}

// open loads an address and returns what went wrong and what was loaded.
func (b *tab) open(url string) (wrong, loaded []string) {
	b.t.Helper()
	b.mu.Lock()
	b.wrong, b.loaded = nil, nil
	b.mu.Unlock()
	b.do(chromedp.Navigate(url))
	evaluate[bool](b, `document.readyState === "complete"`) // what was said before is heard now
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.wrong), slices.Clone(b.loaded)
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func evaluate[T any](b *tab, script string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	if err != nil {
		b.t.Fatal(err)
	}
	return value
}

// emulate sets the medium (empty for a screen) and the scheme of colours.
func (b *tab) emulate(medium, scheme string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// serve puts a page on loopback.
func serve(t *testing.T, page string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// wideReport has many arms, and names that nothing can break.
func wideReport(t *testing.T) reports.Report {
	e, rows := experiment(), foundingRows(t)
	for i := range 5 {
		arm := reports.Arm{Name: shadow.Arm(fmt.Sprintf("candidate-with-a-long-name-%d", i))}
		e.Candidates = append(e.Candidates, arm)
		for _, row := range foundingRows(t) {
			if row.Arm == "cand-a" {
				row.Arm = arm.Name
				rows = append(rows, row)
			}
		}
	}
	return build(t, e, rows, booksFor(600))
}

// TestBrowserOpens: nothing goes wrong, nothing is loaded but the page, every plot
// is seen, no page is wider than its window, and no word of a table is broken, on a desk
// and on a phone.
func TestBrowserOpens(t *testing.T) {
	b := newTab(t)
	for name, r := range map[string]reports.Report{
		"founding": build(t, experiment(), foundingRows(t), booksFor(600)), "nothing": build(t, experiment(), nil, nil), "wide": wideReport(t),
	} {
		for _, width := range []int64{320, 390, 1180} {
			b.do(chromedp.EmulateViewport(width, 844))
			url := serve(t, htmlOf(t, r))
			if wrong, loaded := b.open(url); len(wrong) > 0 || !slices.Equal(loaded, []string{url}) {
				t.Errorf("%s, %d px: heard %q, loaded %q", name, width, wrong, loaded)
			}
			if got := evaluate[int64](b, `document.documentElement.scrollWidth`); got > width {
				t.Errorf("%s is %d px wide in a window of %d px", name, got, width)
			}
			small := evaluate[[]string](b, `[...document.querySelectorAll("svg")].filter(s => {
				const box = s.getBoundingClientRect(), plot = s.getAttribute("role") === "img"
				return !(box.width >= (plot ? 250 : 10) && box.height >= (plot ? 50 : 5))
			}).map(s => s.outerHTML.slice(0, 120))`)
			if len(small) > 0 {
				t.Errorf("%s, %d px: plots that are not seen: %q", name, width, small)
			}
			if words := evaluate[[]string](b, broken(":is(td, th:not(.long))")); len(words) > 0 {
				t.Errorf("%s, %d px: words on several lines: %q", name, width, words)
			}
		}
	}
}

// TestBrowserHears: the test above hears what a policy refuses and what is loaded.
func TestBrowserHears(t *testing.T) {
	b := newTab(t)
	page := htmlOf(t, build(t, experiment(), nil, nil))
	for _, c := range []struct{ name, old, new, hears string }{
		{"inline style", "<h1>", `<h1 style="color:red">`, "Content Security Policy"},
		{"script", "</h1>", `</h1><script>document.title = "x"</script>`, "Content Security Policy"},
		{"image", "</h1>", `</h1><img src="/x.png" alt="">`, "Content Security Policy"},
		{"changed style", "<style>", `<style>p{color:red}`, "Content Security Policy"},
	} {
		wrong, _ := b.open(serve(t, strings.Replace(page, c.old, c.new, 1)))
		if !strings.Contains(strings.Join(wrong, "\n"), c.hears) {
			t.Errorf("%s: heard %q", c.name, wrong)
		}
	}
}

// contrasts lists texts whose contrast to what lies behind them is under 4.5:1.
const contrasts = `(() => {
	const rgb = s => s.match(/[\d.]+/g).map(Number)
	const luminance = c => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0)
	const behind = e => {
		for (; e; e = e.parentElement) {
			const c = rgb(getComputedStyle(e).backgroundColor)
			if (c.length < 4 || c[3] > 0) return c
		}
	}
	const low = []
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
	for (let n; n = texts.nextNode();) {
		const e = n.parentElement
		if (!n.data.trim() || ["title", "desc"].includes(e.tagName)) continue
		const style = getComputedStyle(e)
		const [a, b] = [luminance(rgb(e.tagName === "text" ? style.fill : style.color)), luminance(behind(e))]
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
		if (!(ratio >= 4.5)) low.push(ratio.toFixed(2) + " " + n.data.trim())
	}
	return low
})()`

// TestBrowserDark: light and dark have other papers, and every text can be read on
// both; on paper the page is light.
func TestBrowserDark(t *testing.T) {
	b := newTab(t)
	url := serve(t, htmlOf(t, wideReport(t)))
	papers := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		b.emulate("", scheme)
		b.open(url)
		papers[scheme] = evaluate[string](b, `getComputedStyle(document.documentElement).backgroundColor`)
		if low := evaluate[[]string](b, contrasts); len(low) > 0 {
			t.Errorf("%s: too little contrast: %q", scheme, low)
		}
	}
	if papers["light"] == papers["dark"] {
		t.Errorf("light and dark are the same: %v", papers)
	}
	if n := evaluate[int](b, `document.querySelectorAll("svg text").length`); n < 50 {
		t.Errorf("only %d texts in plots were looked at", n)
	}
}

// TestBrowserPrints: a PDF of some pages comes out, also with many arms.
func TestBrowserPrints(t *testing.T) {
	b := newTab(t)
	b.open(serve(t, htmlOf(t, wideReport(t))))
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	pdf, err := chromedp.Run(ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4)))
	if err != nil {
		t.Fatal(err)
	}
	pages := bytes.Count(pdf, []byte("/Type /Page\n"))
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) || pages < 2 || pages > 20 {
		t.Errorf("%d pages, starts with %q", pages, pdf[:min(len(pdf), 8)])
	}
	b.emulate("print", "dark")
	b.do(chromedp.EmulateViewport(680, 1000)) // A4 without its margins
	if paper := evaluate[string](b, `getComputedStyle(document.body).color`); paper != "rgb(27, 31, 36)" {
		t.Errorf("in dark, text on paper is %s", paper)
	}
	if cut := evaluate[[]string](b, `[...document.querySelectorAll(".scroll")].filter(e => e.scrollWidth > document.documentElement.clientWidth)
		.map(e => e.scrollWidth + " " + e.getAttribute("aria-labelledby"))`); len(cut) > 0 {
		t.Errorf("tables that are cut on paper: %q", cut)
	}
}
