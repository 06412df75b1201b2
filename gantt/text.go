package gantt

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bookahead/bookahead/internal/limits"
)

const (
	minTextColumns, maxTextColumns = 10, 1000
	textRows                       = 64
)

var (
	eighths = []rune(" ▁▂▃▄▅▆▇█")
	shades  = []rune(" ░▒▓█")
)

// alphabet has the letters that stand for keys in a text.
const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// WriteText writes the chart for a terminal. The window has so many columns, 10 to 1000,
// and the names of the rows come before them. A profile is one line of bars, whose
// height is the most that is used in a column. A place is empty if less than half of it
// is taken, or in a lane of several rows less than half of one row. Otherwise it shows
// the bar that takes most of it: a letter for its key, or for its label if it has no key,
// ■ if it has neither, and ╱ if it is closed. The letters are explained below. If there
// are more than 64 lanes or 52 letters, the chart has shades instead. Errors are those of
// WriteTo, and an error that wraps bookahead.ErrInvalid if columns is out of range.
func (c *Chart) WriteText(w io.Writer, columns int) (int64, error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	if columns < minTextColumns || columns > maxTextColumns {
		return 0, limits.Invalid("columns", columns, fmt.Sprintf("is not in %d to %d", minTextColumns, maxTextColumns))
	}
	n, err := w.Write(c.text(columns))
	return int64(n), err
}

func (c *Chart) text(columns int) []byte {
	group := max(1, (c.lanes()+textRows-1)/textRows)
	shown := (c.lanes() + group - 1) / group
	names := c.names(shown, group)
	widest := 0
	for _, n := range names {
		widest = max(widest, utf8.RuneCountInString(n))
	}
	var b bytes.Buffer
	line := func(name, content string) {
		name, content = printable(name), printable(content)
		fmt.Fprintf(&b, "%s%s %s\n", strings.Repeat(" ", widest-utf8.RuneCountInString(name)), name, strings.TrimRight(content, " "))
	}
	if c.Title != "" {
		fmt.Fprintln(&b, printable(cut(c.Title, maxTitleLetters)))
	}
	for i := range c.Profiles {
		line(names[i], "│"+c.Profiles[i].eighths(c, columns))
	}
	rows, legend := c.cells(columns, shown)
	for i, row := range rows {
		line(names[len(c.Profiles)+i], "│"+row)
	}
	marks, labels := c.ruler(columns)
	line("", marks)
	line("", labels)
	if c.split() {
		legend = append(legend, "▲ now")
	}
	for _, l := range legend {
		line("", l)
	}
	return b.Bytes()
}

// printable replaces letters that are not printable, because they could move the cursor of a
// terminal, or do worse.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// eighths returns a line of bars, whose height is the most that is used in a column.
func (p *Profile) eighths(c *Chart, columns int) string {
	line := make([]rune, columns)
	for i := range line {
		line[i] = ' '
	}
	high := make([]int64, columns)
	for _, k := range p.columns(c.Window, columns, columns*fine) {
		for i := k.from / fine; i < columns && i*fine < max(k.to, k.from+1); i++ {
			high[i] = max(high[i], k.high)
			if high[i] > 0 {
				line[i] = eighths[max(1, p.height(high[i], len(eighths)-1))]
			}
		}
	}
	return string(line)
}

// cells returns the rows, as letters with a legend or as shades.
func (c *Chart) cells(columns, shown int) (rows, legend []string) {
	bars := c.visible()
	name := func(b Bar) string { return cmp.Or(b.Key, b.Label) }
	letter := map[string]rune{"": '■'}
	for _, b := range bars {
		if _, ok := letter[name(b)]; !ok && !b.Closed && len(legend) <= len(alphabet) {
			at := rune(alphabet[len(legend)%len(alphabet)])
			letter[name(b)] = at
			legend = append(legend, fmt.Sprintf("%c %s", at, cut(name(b), maxLabelLetters)))
		}
	}
	if shown == c.lanes() && len(legend) <= len(alphabet) {
		for _, cells := range newCells(c, bars, columns) {
			line := make([]rune, columns)
			for k := range cells {
				line[k] = ' '
				owner := cells[k].owner
				switch {
				case !cells[k].taken():
				case bars[owner].Closed:
					line[k] = '╱'
				default:
					line[k] = letter[name(bars[owner])]
				}
			}
			rows = append(rows, string(line))
		}
		return rows, append(legend, signs(bars)...)
	}
	r := newRaster(c, bars, textRows, columns, uint8(len(shades)-1))
	for _, levels := range r.levels {
		line := make([]rune, columns)
		for k, level := range levels {
			line[k] = shades[level]
		}
		rows = append(rows, string(line))
	}
	return rows, nil
}

// signs explains the signs that stand for no name.
func signs(bars []Bar) (lines []string) {
	if slices.ContainsFunc(bars, nameless) {
		lines = append(lines, "■ taken")
	}
	if slices.ContainsFunc(bars, func(b Bar) bool { return b.Closed }) {
		lines = append(lines, "╱ closed")
	}
	return lines
}

// ruler returns the axis: its marks, with the present as ▲, and their labels.
func (c *Chart) ruler(columns int) (line, labels string) {
	ruler := []rune("└" + strings.Repeat("─", columns))
	written := []rune(strings.Repeat(" ", columns+1+maxTimeLetters))
	for _, m := range c.Axis.marks(c.Window, columns, 2) {
		x := 1 + scale(m.at, c.Window, columns)
		ruler[x] = '┬'
		copy(written[x:], []rune(m.label))
	}
	if c.split() {
		ruler[1+scale(c.Now, c.Window, columns)] = '▲'
	}
	return string(ruler), string(written)
}
