package sinks

import "github.com/apache/arrow/go/v17/parquet/compress"

// oneEncoder is arrow's zstd with one encoder for all pages. Arrow itself makes one for
// every page of the default level, with tables of megabytes for each processor: a batch
// of a few rows in 60 columns took a quarter of a gigabyte to write. The bytes are the same.
type oneEncoder struct{ compress.Codec }

// EncodeLevel compresses a page.
func (z oneEncoder) EncodeLevel(dst, src []byte, level int) []byte {
	if level != compress.DefaultCompressionLevel {
		return z.Codec.EncodeLevel(dst, src, level)
	}
	return z.Encode(dst, src)
}

// Arrow finds codecs in a map without a lock, so ours is there before anything is written.
func init() {
	if zstd, err := compress.GetCodec(compress.Codecs.Zstd); err == nil {
		compress.RegisterCodec(compress.Codecs.Zstd, oneEncoder{zstd})
	}
}
