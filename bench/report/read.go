package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Files in the folder of a chapter.
const (
	comparison = "compare.csv" // the output of the comparison
	beside     = "peers.csv"   // written by the program of the peers
	benchmarks = "bench.txt"   // the output of benchmarks
	commanded  = "command.txt" // the command that measured
	failure    = "failed.txt"  // the reason why nothing else is there
	machine    = "machine.csv" // in the folder above, for all chapters
)

// readTable reads a CSV file, in which all rows must have the length of the header, or the output
// of benchmarks.
func readTable(folder, file string) (*table, error) {
	f, err := os.Open(filepath.Join(folder, file))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if file == benchmarks {
		return parseBenchmarks(file, f)
	}
	return parseTable(file, f)
}

func parseTable(name string, in io.Reader) (*table, error) {
	records, err := csv.NewReader(in).ReadAll()
	if err == nil && len(records) == 0 {
		err = errors.New("has no header")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &table{name: name, header: records[0], rows: records[1:]}, nil
}
