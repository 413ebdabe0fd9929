package sinks

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
)

// maxFileRows and maxFileBytes bound what goes into one file (bytes: of the texts,
// before compression), groupRows what goes into one row group of it. A file is read
// whole into memory, and readers decode one group at a time on each thread.
const (
	groupRows    = 1 << 18
	maxFileRows  = 4 * groupRows
	maxFileBytes = 64 << 20
	// maxDictionary is where a column gives its dictionary up: it holds the sessions of
	// a group, of which there are many.
	maxDictionary = 4 << 20
)

// encode writes rows as one Parquet file, so many in a row group. The same rows give
// the same bytes. The file is built in memory: the library loses errors of the
// writer below it, and memory has none.
func (t table[R]) encode(rs []R, group int) (data []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			data, err = nil, fmt.Errorf("encode %s: %v", t.set, p)
		}
	}()
	root, err := t.root()
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", t.set, err)
	}
	meta := metadata.NewKeyValueMetadata()
	if err := meta.Append(schemaKey, t.schemaName()); err != nil {
		return nil, fmt.Errorf("encode %s: %w", t.set, err)
	}
	var buf bytes.Buffer
	w := file.NewParquetWriter(&buf, root, file.WithWriterProps(t.properties()), file.WithWriteMetadata(meta))
	for rows := range slices.Chunk(rs, group) {
		if err := t.writeGroup(w, rows); err != nil {
			return nil, fmt.Errorf("encode %s: %w", t.set, err)
		}
	}
	if err := w.FlushWithFooter(); err != nil { // Close loses this error
		return nil, fmt.Errorf("encode %s: %w", t.set, err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("encode %s: %w", t.set, err)
	}
	return buf.Bytes(), nil
}

func (t table[R]) writeGroup(w *file.Writer, rs []R) error {
	group := w.AppendRowGroup()
	for _, f := range t.fields {
		column, err := group.NextColumn()
		if err != nil {
			return fmt.Errorf("column %s: %w", f.Name, err)
		}
		if err := f.encode(column, rs); err != nil {
			return err
		}
		if err := column.Close(); err != nil {
			return fmt.Errorf("column %s: %w", f.Name, err)
		}
	}
	return group.Close()
}

// properties: zstd, dictionaries where values come again, and no statistics of
// texts, which would repeat a prompt in the footer.
func (t table[R]) properties() *parquet.WriterProperties {
	props := []parquet.WriterProperty{
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithCreatedBy("understudy version 1.0.0"),
		parquet.WithStats(t.set != SetTexts),
		parquet.WithDictionaryPageSizeLimit(maxDictionary),
	}
	for _, f := range t.fields {
		if !f.dictionary {
			props = append(props, parquet.WithDictionaryFor(f.Name, false))
		}
	}
	return parquet.NewWriterProperties(props...)
}
