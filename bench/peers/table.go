package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/bookahead/bookahead/bench/trace"
)

// row is the run of a planner on a trace, beside that of the default.
type row struct {
	trace.Line
	// Ratio and MedianRatio are the mean and the median time of a Reserve, to those of the
	// default in the same run; 0 if there is nothing to compare.
	Ratio, MedianRatio float64
	Same               bool // it gave the answers of the default
}

// compare puts a line beside the default's run of the same trace.
func compare(reference trace.Result, l trace.Line) row {
	r := row{Line: l, Same: reference.Agrees(l)}
	ours := reference.Reserve
	if ours.Mean > 0 && ours.Median > 0 {
		r.Ratio, r.MedianRatio = l.Reserve.Mean/ours.Mean, l.Reserve.Median/ours.Median
	}
	return r
}

// turnover is the timing of the calls that make room: releases, or the clock.
func (r row) turnover() trace.Timing {
	if r.Release.Mean > 0 {
		return r.Release
	}
	return r.Advance
}

// head is the table's.
const head = `| trace | planner | operations | reserve | median | p99 | release | ratio | of medians | same starts |
|---|---|--:|--:|--:|--:|--:|--:|--:|---|
`

// write writes a row for people, in Markdown.
func (r row) write(out io.Writer) error {
	operations := strconv.Itoa(r.Operations)
	if r.Operations == r.Of {
		operations = "all " + operations
	}
	same := "yes"
	if !r.Same {
		same = "NO"
	}
	_, err := fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Trace, r.Planner, operations,
		span(r.Reserve.Mean), span(r.Reserve.Median), span(r.Reserve.P99), span(r.turnover().Mean), times(r.Ratio), times(r.MedianRatio), same)
	return err
}

// span formats nanoseconds in a unit that fits.
func span(ns float64) string {
	switch {
	case ns == 0:
		return "–"
	case ns < 9.95e6:
		return short(ns/1e3) + " µs"
	}
	return short(ns/1e6) + " ms"
}

// times formats a ratio.
func times(x float64) string {
	if x == 0 {
		return "–"
	}
	return short(x)
}

// short formats a number to two digits, or as a whole number.
func short(x float64) string {
	if x >= 9.95 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}

// columns are those of the CSV file that the report reads.
var columns = []string{
	"trace", "planner", "operations", "of", "seconds", "reserve_us", "reserve_median_us", "reserve_p99_us", "release_us",
	"ratio", "median_ratio", "same", "checksum",
}

// cells formats the row for a CSV file. A number that is not known is empty.
func (r row) cells() []string {
	number := func(x, factor float64) string {
		if x == 0 {
			return ""
		}
		return strconv.FormatFloat(x*factor, 'g', 6, 64)
	}
	return []string{
		r.Trace, r.Planner, strconv.Itoa(r.Operations), strconv.Itoa(r.Of), number(r.Seconds, 1),
		number(r.Reserve.Mean, 1e-3), number(r.Reserve.Median, 1e-3), number(r.Reserve.P99, 1e-3), number(r.turnover().Mean, 1e-3),
		number(r.Ratio, 1), number(r.MedianRatio, 1), strconv.FormatBool(r.Same), fmt.Sprintf("0x%016x", r.Checksum),
	}
}
