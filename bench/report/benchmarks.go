package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Benchmarks are written by go test as text, and drawn from a table like any other:
//
//	BenchmarkBook/impl=desk/live=1000-2    10000    11855 ns/op    4891 book-ns
//
// becomes a row with the columns benchmark (Book), impl (desk), live (1000), iterations (10000),
// ns/op (11855) and book-ns (4891). A cell that a benchmark has no number for is empty.

// parseBenchmarks reads the lines of benchmarks, and passes over all others.
func parseBenchmarks(name string, in io.Reader) (*table, error) {
	t := &table{name: name}
	var rows []map[string]string
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) < 2 || !strings.HasPrefix(words[0], "Benchmark") {
			continue // such as a name that a log line has torn from its numbers
		}
		row := map[string]string{}
		enter := func(column, cell string) {
			if !slices.Contains(t.header, column) {
				t.header = append(t.header, column)
			}
			row[column] = cell
		}
		parts := strings.Split(processors.ReplaceAllString(words[0], ""), "/")
		enter("benchmark", strings.TrimPrefix(parts[0], "Benchmark"))
		for _, part := range parts[1:] {
			key, value, _ := strings.Cut(part, "=")
			enter(key, value)
		}
		enter("iterations", words[1])
		if len(words)%2 != 0 {
			return nil, fmt.Errorf("%s, line %d: %q has no unit", name, n, words[len(words)-1])
		}
		for i := 2; i < len(words); i += 2 {
			_, err := strconv.ParseFloat(words[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%s, line %d: %q is not a number", name, n, words[i])
			}
			enter(words[i+1], words[i])
		}
		rows = append(rows, row)
	}
	err := lines.Err()
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("has no benchmark")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, row := range rows {
		cells := make([]string, len(t.header))
		for i, column := range t.header {
			cells[i] = row[column]
		}
		t.rows = append(t.rows, cells)
	}
	return t, nil
}

// processors is the number of processors, which go test puts behind a name if there are several.
var processors = regexp.MustCompile(`-\d+$`)
