package sinks_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-eval/understudy/sinks"
)

func TestSchemaGolden(t *testing.T) {
	const golden = "testdata/schema.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(sinks.Schema()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), sinks.Schema()); diff != "" {
		t.Errorf("a changed schema needs a new version\n%s", diff)
	}
}

// typeOf names a column of a file as the manual does, from what the file itself says.
func typeOf(n schema.Node) string {
	p, ok := n.(*schema.PrimitiveNode)
	if !ok {
		g := n.(*schema.GroupNode)
		inner := g.Field(0).(*schema.GroupNode)
		if !g.LogicalType().Equals(schema.ListLogicalType{}) || inner.NumFields() != 1 {
			return "group"
		}
		return "list<" + typeOf(inner.Field(0)) + ">"
	}
	is := func(t parquet.Type, l schema.LogicalType) bool {
		return p.PhysicalType() == t && p.LogicalType().Equals(l)
	}
	switch {
	case is(parquet.Types.ByteArray, schema.StringLogicalType{}):
		return "string"
	case is(parquet.Types.FixedLenByteArray, schema.UUIDLogicalType{}) && p.TypeLength() == 16:
		return "uuid"
	case is(parquet.Types.Int64, schema.NewTimestampLogicalType(true, schema.TimeUnitMicros)):
		return "timestamp[us, UTC]"
	case is(parquet.Types.Int64, schema.NewIntLogicalType(64, false)):
		return "uint64"
	case !p.LogicalType().Equals(schema.NoLogicalType{}):
		return p.LogicalType().String()
	}
	return strings.ToLower(p.PhysicalType().String())
}

// The schema of a written file is the list in the manual, field by field.
func TestFilesFollowColumns(t *testing.T) {
	dir := t.TempDir()
	if err := openIn(t, dir, sinks.Options{KeepText: true}).Write(context.Background(), many(2)); err != nil {
		t.Fatal(err)
	}
	snake := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	for _, set := range []sinks.Set{sinks.SetRows, sinks.SetBooks, sinks.SetTexts} {
		data, err := os.ReadFile(filesIn(t, dir, string(set)+"/*/*.parquet")[0])
		if err != nil {
			t.Fatal(err)
		}
		r, err := file.NewParquetReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		root := r.MetaData().Schema.Root()
		for i := range root.NumFields() {
			n := root.Field(i)
			got = append(got, fmt.Sprint(n.Name(), " ", typeOf(n), " nullable=", n.RepetitionType() == parquet.Repetitions.Optional))
		}
		seen := map[string]bool{}
		for _, c := range sinks.Columns() {
			if c.Set != set {
				continue
			}
			want = append(want, fmt.Sprint(c.Name, " ", c.Type, " nullable=", c.Nullable))
			if !snake.MatchString(c.Name) || seen[c.Name] || c.Meaning == "" || c.Name == "date" {
				t.Errorf("column %q: want lower_snake, once, with a meaning, and not the folder's", c.Name)
			}
			seen[c.Name] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n%s", set, diff)
		}
	}
}

// At the physical level, as other programs see it: null is no value, not 0.
func TestNullsAreNulls(t *testing.T) {
	_, _, data := oneFile(t, 2) // arms live (graded), terra (not graded), slow (failed), poor (not asked)
	r, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		defs []int16
	}{
		{"took_us", []int16{1, 1, 1, 0}},
		{"first_token_us", []int16{1, 0, 0, 0}},
		{"queued_us", []int16{0, 1, 1, 0}},
		{"tokens_reasoning", []int16{1, 0, 0, 0}},
		{"answer_chars", []int16{1, 1, 0, 0}},
	} {
		at := r.MetaData().Schema.ColumnIndexByName(c.name)
		column, err := r.RowGroup(0).Column(at)
		if err != nil {
			t.Fatal(err)
		}
		defs := make([]int16, 4)
		if _, _, err := column.(*file.Int64ColumnChunkReader).ReadBatch(4, make([]int64, 4), defs, nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.defs, defs); diff != "" {
			t.Errorf("%s\n%s", c.name, diff)
		}
	}
	grade, err := r.RowGroup(0).Column(r.MetaData().Schema.ColumnIndexByName("grade"))
	if err != nil {
		t.Fatal(err)
	}
	values := make([]int32, 8)
	if _, n, err := grade.(*file.Int32ColumnChunkReader).ReadBatch(8, values, make([]int16, 8), nil); err != nil || n != 2 || values[0] != 1 || values[1] != 2 {
		t.Errorf("%d grades %v, %v; want 1 and 2 of eight rows", n, values, err)
	}
}

// The manual's list of columns is the one of the files.
func TestDocListsColumns(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(sinks.Schema()) {
		if !strings.Contains(string(doc), "//\t"+line) {
			t.Errorf("doc.go does not have the line %q", line)
		}
	}
}
