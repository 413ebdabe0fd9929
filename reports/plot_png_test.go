package reports_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
	"testing"
	"time"

	"github.com/understudy-eval/understudy/reports"
	"github.com/understudy-eval/understudy/shadow"
)

func pngOf(t *testing.T, r reports.Report) []byte {
	t.Helper()
	decisions, err := r.Experiment.Gate.DecideAll(r, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.PNG(&b, decisions); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPNG: an image on white with the decision in its colour above the intervals,
// the same bytes each time.
func TestPNG(t *testing.T) {
	r := build(t, experiment(), foundingRows(t), booksFor(600))
	data := pngOf(t, r)
	if again := pngOf(t, r); !bytes.Equal(data, again) {
		t.Error("the same report gives other bytes")
	}
	img := decoded(t, data)
	if width := img.Bounds().Dx(); width != 1120 {
		t.Errorf("%d pixels wide", width)
	}
	if height := img.Bounds().Dy(); height < 900 || height > 1800 {
		t.Errorf("%d pixels high", height)
	}
	rows := map[color.RGBA][]int{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			c := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
			rows[c] = append(rows[c], y)
		}
	}
	white, red, blue := color.RGBA{255, 255, 255, 255}, color.RGBA{0xb3, 0x26, 0x1e, 255}, color.RGBA{0, 0x60, 0xa8, 255}
	if n, all := len(rows[white]), img.Bounds().Dx()*img.Bounds().Dy(); n < all/2 {
		t.Errorf("%d of %d pixels are white", n, all)
	}
	if len(rows[red]) == 0 || len(rows[blue]) == 0 || slices.Min(rows[red]) > slices.Min(rows[blue]) {
		t.Errorf("%d red pixels, which say no-go, and below them %d blue ones, which are the intervals", len(rows[red]), len(rows[blue]))
	}
}

func decoded(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// TestPNGShowsWhy: only a no-go by latency has the curves below the forest plot.
func TestPNGShowsWhy(t *testing.T) {
	e, rows := experiment(), foundingRows(t)
	slow := decoded(t, pngOf(t, build(t, e, rows, booksFor(600)))).Bounds().Dy()
	for i := range rows {
		rows[i].Took = new(time.Second)
	}
	fast := decoded(t, pngOf(t, build(t, e, rows, booksFor(600)))).Bounds().Dy()
	if slow < fast+500 {
		t.Errorf("%d pixels high where it is too slow, %d where it is not", slow, fast)
	}
}

// TestPNGNames: a name without a glyph is a number instead of boxes, so that two
// such names give the same image, and others do not.
func TestPNGNames(t *testing.T) {
	image := func(name string, w reports.Window) []byte {
		e, rows := experiment(), hourly(t)
		e.Candidates[0].Name = shadow.Arm(name)
		for i := range rows {
			if rows[i].Arm != shadow.Live {
				rows[i].Arm = shadow.Arm(name)
			}
		}
		return pngOf(t, inWindow(t, e, rows, w))
	}
	all, oneWeek := reports.Window{}, week(t, "2026-W43")
	same, sameWeek := image("candidate 1", all), image("candidate 1", oneWeek)
	for _, c := range []struct {
		name, why string
		numbered  bool
	}{
		{"候选模型", "the font has no Chinese", true},
		{"مرشح", "it would stand in the wrong order", true},
		{"modèle-ю", "Latin and Cyrillic are there", false},
		{"cand-a", "plain", false},
	} {
		if got := bytes.Equal(image(c.name, all), same); got != c.numbered {
			t.Errorf("%s (%s): numbered %t", c.name, c.why, got)
		}
		if got := bytes.Equal(image(c.name, oneWeek), sameWeek); got != c.numbered {
			t.Errorf("%s (%s), a week: numbered %t", c.name, c.why, got)
		}
	}
}

// TestPNGOfLittle: an image for every amount of data.
func TestPNGOfLittle(t *testing.T) {
	long := experiment()
	long.Name = "an-experiment-with-a-name-that-is-far-too-long-for-a-line-of-an-image-" + long.Name
	for name, r := range map[string]reports.Report{
		"nothing": build(t, experiment(), nil, nil), "live alone": build(t, liveOnly(), plain(1, 0)[:1], nil),
		"one pair": build(t, experiment(), plain(1, -1), nil), "long": build(t, long, nil, nil),
	} {
		t.Run(name, func(t *testing.T) {
			if img := decoded(t, pngOf(t, r)); img.Bounds().Dy() < 80 {
				t.Errorf("%d pixels high", img.Bounds().Dy())
			}
		})
	}
}
