package tap

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// errEncoding is a content encoding that is not read here.
var errEncoding = errors.New("content encoding is not supported")

// maxEncodings is how many layers of compression are unpacked; a second one does not
// occur but by mistake, and more are an attack.
const maxEncodings = 2

// encodings splits a Content-Encoding header, in the order in which they were
// applied; none for an answer that is not compressed.
func encodings(header string) []string {
	var all []string
	for name := range strings.SplitSeq(header, ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		if name != "" && name != "identity" {
			all = append(all, name)
		}
	}
	return all
}

// unpacker gives a reader of the content; closing it frees what it holds. The limit
// bounds what zstd may keep in memory; gzip and deflate keep 32 KiB, and brotli at most
// 16 MiB, its largest window.
func unpacker(r io.Reader, header string, limit int64) (io.ReadCloser, error) {
	layers := encodings(header)
	if len(layers) > maxEncodings {
		return nil, errEncoding
	}
	out := io.NopCloser(r)
	for _, name := range slices.Backward(layers) {
		next, err := unpackLayer(out, name, limit)
		if err != nil {
			return nil, errors.Join(err, out.Close())
		}
		out = next
	}
	return out, nil
}

func unpackLayer(r io.Reader, name string, limit int64) (io.ReadCloser, error) {
	switch name {
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	case "deflate":
		return inflate(r)
	case "br":
		return io.NopCloser(brotli.NewReader(r)), nil
	case "zstd":
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(uint64(max(limit, 8<<20))))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return nil, errEncoding
}

// inflate reads what HTTP calls deflate: zlib, or the bare form that some servers send.
func inflate(r io.Reader) (io.ReadCloser, error) {
	var head [2]byte
	n, err := io.ReadFull(r, head[:])
	if err != nil && n == 0 {
		return nil, err
	}
	r = io.MultiReader(bytes.NewReader(head[:n]), r)
	if n == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(r)
	}
	return flate.NewReader(r), nil
}
