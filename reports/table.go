package reports

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// table is a grid of cells: the first column names, the others hold figures. Cells
// are raw text; rendering makes them safe.
type table struct {
	head []string
	rows [][]string
}

// columnGap is what stands between two columns of a text table.
const columnGap = 2

// nameWidth is how narrow the column of names may get before a table is written
// as a list of its rows.
const nameWidth = 12

// Table writes a table of the given cells to a terminal of width columns (0: no
// limit). The first column is text on the left, the others figures on the right.
// Cells appear as they are but for terminal sequences and control characters; rows
// shorter than head are filled up, longer ones keep their first cells. A table that
// is too wide has its first column wrapped, or else becomes a list with one figure
// a line: no figure is ever cut. No line ends in a blank.
func Table(w io.Writer, width int, head []string, rows [][]string) error {
	return table{head, rows}.text(w, width)
}

// MarkdownTable writes a table that GitHub shows as it is: see [Table]. Line breaks
// in cells become <br>.
func MarkdownTable(w io.Writer, head []string, rows [][]string) error {
	return table{head, rows}.markdown(w)
}

func (t table) mapped(f func(string) string) table {
	out := table{head: make([]string, len(t.head)), rows: make([][]string, len(t.rows))}
	for i, h := range t.head {
		out.head[i] = f(h)
	}
	for i, row := range t.rows {
		out.rows[i] = make([]string, len(t.head))
		for j := range min(len(row), len(t.head)) {
			out.rows[i][j] = f(row[j])
		}
	}
	return out
}

func (t table) text(w io.Writer, width int) error {
	t = t.mapped(clean)
	widths := t.widths()
	total := 0
	for _, c := range widths {
		total += c + columnGap
	}
	if width <= 0 || total <= width {
		return t.grid(w)
	}
	if name := widths[0] - (total - width); name >= nameWidth {
		return t.wrapNames(name).grid(w)
	}
	return t.list(w, width)
}

func (t table) widths() []int {
	out := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for j, cell := range row {
			out[j] = max(out[j], displayWidth(cell))
		}
	}
	return out
}

// wrapNames breaks the first column, so that it is at most width columns wide.
func (t table) wrapNames(width int) table {
	out := table{head: t.head}
	for _, row := range t.rows {
		lines := wrap(row[0], width)
		for i, line := range lines {
			cells := make([]string, len(row))
			if i == 0 {
				copy(cells, row)
			}
			cells[0] = line
			out.rows = append(out.rows, cells)
		}
	}
	lines := wrap(t.head[0], width)
	out.head = append([]string{lines[0]}, t.head[1:]...)
	for i := len(lines) - 1; i > 0; i-- {
		out.rows = append([][]string{append([]string{lines[i]}, make([]string, len(t.head)-1)...)}, out.rows...)
	}
	return out
}

// standIn takes the place of a column of a cell while the grid is drawn.
const standIn = '\ue000'

// grid draws the table. tablewriter adds up the widths of single characters, which
// is wrong for those that join (flags, families), so it draws stand-ins of the
// right width, which then are exchanged for the cells.
func (t table) grid(w io.Writer) error {
	cells := []string{}
	hidden := t.mapped(func(cell string) string {
		if width := displayWidth(cell); width > 0 {
			cells = append(cells, cell)
			return strings.Repeat(string(standIn), width)
		}
		return ""
	})
	var b bytes.Buffer
	if err := hidden.draw(&b); err != nil {
		return err
	}
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		if isRule := strings.Trim(line, "-") == ""; isRule {
			line = line[:max(len(line)-columnGap, 0)]
		}
		text, used := exchange(line, cells)
		cells = cells[used:]
		out.WriteString(strings.TrimRight(text, " "))
		out.WriteByte('\n')
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// exchange puts cells in the place of the stand-ins of a line, and says how many.
func exchange(line string, cells []string) (text string, used int) {
	var out strings.Builder
	inside := false
	for _, r := range line {
		switch {
		case r != standIn:
			out.WriteRune(r)
		case !inside:
			out.WriteString(cells[used])
			used++
		}
		inside = r == standIn
	}
	return out.String(), used
}

func (t table) draw(w io.Writer) error {
	off := tw.Border{Left: tw.Off, Right: tw.Off, Top: tw.Off, Bottom: tw.Off}
	rendition := tw.Rendition{
		Borders: off,
		Symbols: tw.NewSymbolCustom("plain").WithRow("-").WithColumn("").WithCenter("-").
			WithHeaderMid("-").WithHeaderLeft("-").WithHeaderRight("-").
			WithMidLeft("-").WithMidRight("-"),
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
			Lines:      tw.Lines{ShowHeaderLine: tw.On, ShowTop: tw.Off, ShowBottom: tw.Off, ShowFooterLine: tw.Off},
		},
	}
	return t.render(w, renderer.NewBlueprint(rendition), tw.Padding{Right: strings.Repeat(" ", columnGap), Overwrite: true})
}

func (t table) markdown(w io.Writer) error {
	return t.mapped(markdown).render(w, renderer.NewMarkdown(), tw.Padding{Left: " ", Right: " ", Overwrite: true})
}

// render has tablewriter draw the grid, with all that it would change in a cell
// switched off.
func (t table) render(w io.Writer, r tw.Renderer, pad tw.Padding) error {
	align := make(tw.Alignment, len(t.head))
	for i := range align {
		align[i] = tw.AlignRight
	}
	if len(align) > 0 {
		align[0] = tw.AlignLeft
	}
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Padding:    tw.CellPadding{Global: pad},
		Alignment:  tw.CellAlignment{Global: tw.AlignRight, PerColumn: align},
	}
	out := tablewriter.NewTable(w,
		tablewriter.WithEastAsian(tw.Off), // not what the environment says: same bytes everywhere
		tablewriter.WithRenderer(r),
		tablewriter.WithConfig(tablewriter.Config{
			Header: cell, Row: cell,
			Behavior: tw.Behavior{AutoHide: tw.Off, TrimSpace: tw.Off, TrimLine: tw.Off, TrimTab: tw.Off},
		}))
	out.Header(t.head)
	if err := out.Bulk(t.rows); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	if err := out.Render(); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	return nil
}

// list writes every row as its name and one line per figure.
func (t table) list(w io.Writer, width int) error {
	var b strings.Builder
	label := 0
	for _, h := range t.head[1:] {
		label = max(label, displayWidth(h))
	}
	for _, row := range t.rows {
		for _, line := range wrap(row[0], width) {
			fmt.Fprintln(&b, line)
		}
		for j, cell := range row[1:] {
			if cell == "" {
				continue
			}
			head := t.head[j+1]
			gap := label - displayWidth(head) + columnGap
			if columnGap+label+columnGap+displayWidth(cell) > width {
				gap = columnGap // too long to be aligned
			}
			if line := "  " + head + strings.Repeat(" ", gap) + cell; displayWidth(line) <= width {
				fmt.Fprintln(&b, line)
				continue
			}
			writeWrapped(&b, "  ", head, width)
			writeWrapped(&b, "    ", cell, width)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeWrapped(b io.Writer, indent, text string, width int) {
	if width > 0 {
		width = max(width-len(indent), 1)
	}
	for _, line := range wrap(text, width) {
		fmt.Fprintf(b, "%s%s\n", indent, line)
	}
}
