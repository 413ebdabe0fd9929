package sinks_test

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet/compress"

	"github.com/understudy-eval/understudy/sinks"
)

// A small batch is written with little memory: not with an encoder for every page.
func TestSmallBatchesAreCheap(t *testing.T) {
	rows := sinks.Rows(graded(1, monday))
	if _, err := sinks.Encode(rows, 1); err != nil { // the one encoder is made
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := sinks.Encode(rows, 4); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
		t.Errorf("%d KiB allocated for %d rows, want no more than 8 MiB", took>>10, len(rows))
	}
}

// What the shared encoder writes is zstd whose frame any reader knows, page after page.
func TestPagesOfOneEncoder(t *testing.T) {
	codec, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "a", strings.Repeat("How do I change a tyre? ", 1000)} {
		usual := codec.EncodeLevel(nil, []byte(text), 3) // arrow's own: 3 is the default by its number
		ours := codec.EncodeLevel(nil, []byte(text), compress.DefaultCompressionLevel)
		if !bytes.Equal(usual, ours) {
			t.Errorf("%d bytes become %x, by a new encoder %x", len(text), ours, usual)
		}
	}
}
