package trial

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// Table is printed, and written to a file.
type Table struct {
	Title, File string
	Header      []string
	Rows        [][]string
	Brief       func(row []string) bool // reports whether a row is printed; all are if nil
	Silent      bool                    // the table is written to the file only
}

// Write prints the table in Markdown under its title.
func (t *Table) Write(out io.Writer) {
	if t.Silent {
		return
	}
	fmt.Fprintf(out, "## %s\n\n", t.Title)
	t.write(out)
}

func (t *Table) write(out io.Writer) {
	fmt.Fprintf(out, "| %s |\n|%s\n", strings.Join(t.Header, " | "), strings.Repeat("---|", len(t.Header)))
	for _, row := range t.Rows {
		if t.Brief == nil || t.Brief(row) {
			fmt.Fprintf(out, "| %s |\n", strings.Join(row, " | "))
		}
	}
	fmt.Fprintln(out)
}

// CSV writes all rows to the file in a folder, or nothing if the folder is "".
func (t *Table) CSV(folder string) error {
	return WriteCSV(folder, t.File, append([][]string{t.Header}, t.Rows...))
}

// WriteTables prints tables, and writes each to its file in a folder.
func WriteTables(out io.Writer, folder string, tables ...Table) error {
	for _, t := range tables {
		t.Write(out)
		if err := t.CSV(folder); err != nil {
			return err
		}
	}
	return nil
}

// Number formats x with four digits, or with all that stand before the point. It
// returns "" for NaN.
func Number(x float64) string {
	switch size := math.Abs(x); {
	case math.IsNaN(x):
		return ""
	case size < 0.001 && size > 0:
		return fmt.Sprintf("%.1e", x)
	case size < 10:
		return fmt.Sprintf("%.3f", x)
	case size < 100:
		return fmt.Sprintf("%.2f", x)
	case size < 1000:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// String formats the mean, with the half width of its interval if there is one.
func (s Sample) String() string {
	if s.Half == 0 || math.IsNaN(s.Mean) {
		return Number(s.Mean)
	}
	return Number(s.Mean) + " ± " + Number(s.Half)
}
