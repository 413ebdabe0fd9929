package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/stats"
)

func readme(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestReadmeIsShort(t *testing.T) {
	if n := strings.Count(readme(t), "\n"); n > 300 {
		t.Errorf("README has %d lines, want at most 300", n)
	}
}

// Every configuration that the README shows is one that a run would take.
func TestReadmeConfigurations(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(readme(t), -1)
	if len(blocks) < 2 {
		t.Fatalf("%d yaml blocks in the README", len(blocks))
	}
	for i, block := range blocks {
		cfg, err := config.Parse(fmt.Sprintf("README block %d", i+1), []byte(block[1]))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := newSetup(cfg); err != nil {
			t.Error(err)
		}
	}
}

// The README's full configuration shows the defaults.
func TestReadmeShowsTheDefaults(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```yaml\n(experiment:.*?)```").FindStringSubmatch(readme(t))
	shown, err := config.Parse("README.md", []byte(blocks[1]))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := config.Parse("README.md", []byte("models: {judge: {provider: openai, model: j-2026-01-02, key: env:K}}\ntap: {upstream: 'http://127.0.0.1:9'}\njudge: {primary: judge}\n"))
	if err != nil {
		t.Fatal(err)
	}
	shown.Gate.CostGiven = false // the one default that means something else when it is given
	for _, pair := range [][2]any{
		{shown.Gate, plain.Gate}, {shown.Report, plain.Report}, {shown.Sinks, plain.Sinks}, {shown.Bus, plain.Bus},
		{shown.Tap.Rate, plain.Tap.Rate}, {shown.Tap.QueueBytes, plain.Tap.QueueBytes}, {shown.Judge.HedgeAfter, plain.Judge.HedgeAfter},
		{shown.Judge.Budget, plain.Judge.Budget}, {shown.Judge.Concurrency, plain.Judge.Concurrency}, {shown.Tap.Salt, plain.Tap.Salt},
	} {
		if a, b := fmt.Sprintf("%+v", pair[0]), fmt.Sprintf("%+v", pair[1]); strip(a) != strip(b) {
			t.Errorf("README shows %s, the default is %s", a, b)
		}
	}
}

// strip takes out addresses of pointers, which differ by nature.
func strip(s string) string { return regexp.MustCompile(`0x[0-9a-f]+`).ReplaceAllString(s, "") }

// The numbers of pairs in the README are what the statistics say.
func TestReadmePairs(t *testing.T) {
	rows := regexp.MustCompile(`(?m)^\| (0\.\d) \| ([\d,]+) \| ([\d,]+) \|$`).FindAllStringSubmatch(readme(t), -1)
	if len(rows) != 4 {
		t.Fatalf("%d rows in the table of pairs", len(rows))
	}
	for _, row := range rows {
		difference, _ := strconv.ParseFloat(row[1], 64)
		once, _ := strconv.Atoi(strings.ReplaceAll(row[2], ",", ""))
		daily, _ := strconv.Atoi(strings.ReplaceAll(row[3], ",", ""))
		want, err := stats.PairsNeeded(1.2, difference, 0.05, 0.8)
		if err != nil {
			t.Fatal(err)
		}
		if once != int(math.Ceil(want)) {
			t.Errorf("difference %v: %d pairs shown, %.1f needed", difference, once, want)
		}
		sequence, err := stats.NewSequence(0.05, float64(daily))
		if err != nil {
			t.Fatal(err)
		}
		m, err := sequence.Multiplier(float64(daily))
		if err != nil {
			t.Fatal(err)
		}
		// n grows with the square of (multiplier + z of the power) over (1.96 + z)
		peek := want * math.Pow((m+0.8416)/(1.9600+0.8416), 2)
		if math.Abs(float64(daily)-peek) > 0.02*peek {
			t.Errorf("difference %v: %d pairs shown under daily looks, about %.0f needed", difference, daily, peek)
		}
	}
}

// The folders of the README's map are there.
func TestReadmeFolders(t *testing.T) {
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|").FindAllStringSubmatch(readme(t), -1) {
		if info, err := os.Stat(filepath.Join("../..", row[1])); err != nil || !info.IsDir() {
			t.Errorf("the map names %s: %v", row[1], err)
		}
	}
}

// What the README says of a plan is what the command prints.
func TestReadmePlan(t *testing.T) {
	e := reports.Experiment{Gate: gateOf(config.DefaultGate()), Level: config.DefaultLevel}
	p, err := reports.NewPlan(e, reports.Volume{PairsPerDay: 30, SD: reports.DefaultSD, PairsPerSession: 1})
	if err != nil {
		t.Fatal(err)
	}
	day := map[reports.Code]int{}
	for _, step := range p.Steps {
		day[step.Code] = *step.First.Day
	}
	visible := map[int]float64{}
	for _, v := range p.Visible {
		visible[v.Week] = *v.Daily
	}
	want := fmt.Sprintf("%.2f grades show after week 1 and %.2f after week 4; \"no worse\" within %.2f on day %d; a limit of 5 %% over 3 s can pass from day %d, and p99 has an upper bound from day %d.",
		visible[1], visible[4], e.Gate.Margin, *p.Needed[0].Daily.Day, day["tail_over_3s"], day["p99"])
	if text := strings.Join(strings.Fields(readme(t)), " "); !strings.Contains(text, want) {
		t.Errorf("README does not say %q", want)
	}
}
