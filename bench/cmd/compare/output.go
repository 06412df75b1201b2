package main

import (
	"io"

	"github.com/bookahead/bookahead/internal/structures"
)

// output writes a comparison while it runs: first its head, then each row, and then
// its tail.
type output interface {
	head() error
	row(row) error
	tail() error
}

// newOutput returns the output of one of the formats, with a row for each structure.
func newOutput(out io.Writer, format string, in input, rows []structures.Structure) output {
	whole := whole{out: out, report: report{Input: in}}
	switch format {
	case "csv":
		whole.write = report.csv
	case "json":
		whole.write = report.json
	default:
		return newTable(out, in, rows)
	}
	return &whole
}

// whole writes nothing before all rows are there, so that no program reads half of
// them.
type whole struct {
	out    io.Writer
	report report
	write  func(report, io.Writer) error
}

func (w *whole) head() error { return nil }

func (w *whole) row(r row) error {
	w.report.Rows = append(w.report.Rows, r)
	return nil
}

func (w *whole) tail() error { return w.write(w.report, w.out) }
