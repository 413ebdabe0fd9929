package sinks

import (
	"bytes"
	"fmt"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
)

// maxFileRows and maxFileBytes bound what goes into one file (bytes: of the texts,
// before compression). A file is one row group and is read whole into memory; a
// column chunk of more than 2 GiB cannot be addressed.
const (
	maxFileRows  = 1 << 18
	maxFileBytes = 64 << 20
)

// encode writes rows as one Parquet file with one row group. The same rows give
// the same bytes. The file is built in memory: the library loses errors of the
// writer below it, and memory has none.
func (t table[R]) encode(rs []R) (data []byte, err error) {
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
	if err := t.writeGroup(w, rs); err != nil {
		return nil, fmt.Errorf("encode %s: %w", t.set, err)
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
	}
	for _, f := range t.fields {
		if !f.dictionary {
			props = append(props, parquet.WithDictionaryFor(f.Name, false))
		}
	}
	return parquet.NewWriterProperties(props...)
}
