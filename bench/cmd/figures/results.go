package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// results are what all sittings have measured.
type results struct {
	figures map[string]map[string][]float64 // of a benchmark, by its unit
	texts   map[string]string               // the last output of each command that is no benchmark
	dates   map[string][]string             // of the sittings of a benchmark, or of the last output of a command
	machine string
	trouble map[string]string // what has disturbed a command; of benchmarks, by the benchmark
	used    map[string]bool   // benchmarks that a page quotes
	spread  float64           // the widest range of those, as a share of the median
	widest  string            // and its unit
}

// readSittings reads all files of a folder of sittings.
func readSittings(folder string) (*results, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.txt"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no sittings: measure first", folder)
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	r := &results{figures: map[string]map[string][]float64{}, texts: map[string]string{}, dates: map[string][]string{}, trouble: map[string]string{}}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil {
			err = r.read(strings.TrimSuffix(filepath.Base(file), ".txt"), string(data))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return r, nil
}

// processorsBehind is the number of processors, which go test puts behind a name if there are several.
var processorsBehind = regexp.MustCompile(`-\d+$`)

// read reads the output of a command, with its head.
func (r *results) read(name, text string) error {
	var head [4]string
	for i := range head {
		line, rest, ok := strings.Cut(text, "\n")
		if !ok || !strings.HasPrefix(line, "#") {
			return fmt.Errorf("line %d is no head of a sitting: %q", i+1, line)
		}
		head[i], text = strings.TrimSpace(line[1:]), rest
	}
	if r.machine != "" && r.machine != head[1] {
		return fmt.Errorf("was measured on %s, and others on %s", head[1], r.machine)
	}
	r.machine = head[1]
	benchmarks := 0
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		benchmarks++
		of := strings.TrimPrefix(processorsBehind.ReplaceAllString(words[0], ""), "Benchmark")
		if r.figures[of] == nil {
			r.figures[of] = map[string][]float64{}
		}
		for i := 2; i+1 < len(words); i += 2 {
			x, err := strconv.ParseFloat(words[i], 64)
			if err != nil {
				return fmt.Errorf("%q: %q is no number", of, words[i])
			}
			r.figures[of][words[i+1]] = append(r.figures[of][words[i+1]], x)
		}
		r.dates[of] = append(r.dates[of], head[0])
		if head[3] != "" {
			r.trouble[of] = head[3]
		}
	}
	if benchmarks == 0 {
		r.texts[name], r.dates[name] = text, head[:1]
		delete(r.trouble, name)
		if head[3] != "" {
			r.trouble[name] = head[3]
		}
	}
	return nil
}

// median returns the median of what was measured of a benchmark, and notes how far the sittings differ.
func (r *results) median(benchmark, unit string) (float64, error) {
	list := slices.Sorted(slices.Values(r.figures[benchmark][unit]))
	if len(list) == 0 {
		return 0, fmt.Errorf("no sitting has %s of %q", unit, benchmark)
	}
	m := (list[len(list)/2] + list[(len(list)-1)/2]) / 2
	r.used[benchmark] = true
	if m == 0 {
		return m, nil
	}
	spread := (list[len(list)-1] - list[0]) / m
	if spread > r.spread {
		r.spread, r.widest = spread, unit
	}
	return m, nil
}
