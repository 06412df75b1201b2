package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// chapter is a section of the page that shows what a program measured.
type chapter struct {
	id, title string
	source    string   // where it was published; "" if it is ours
	program   string   // its folder in the module
	args      []string // the scale; %s stands for the folder of the CSV files
	output    string   // file for what it prints
	draw      func(folder string, s *section) error
}

// chapters are all that is measured, in the order of the page. The scale is that
// of about two minutes in all, on two cores.
var chapters = []chapter{
	{
		id: "compare", title: "The structures compared", program: "./bench/cmd/compare", output: comparison,
		args: []string{"-jobs", "6000", "-format", "csv"},
		draw: drawComparison,
	},
	{
		id: "schneider", title: "Schneider and Linnert: lists and slots", program: "./bench/paper/schneider", output: printed,
		source: "J. Schneider and B. Linnert, “List-based data structures for efficient management of advance reservations”, 2012, §8.",
		args:   []string{"-quick", "-out", "%s"},
		draw:   drawSchneider,
	},
	{
		id: "stevens", title: "Stevens et al.: routes and schedules", program: "./bench/paper/stevens", output: printed,
		source: "T. Stevens et al., “Multi-cost job routing and scheduling in Grid networks”, 2009, §5.",
		args:   []string{"-quick", "-out", "%s"},
		draw:   drawStevens,
	},
	{
		id: "toporkov", title: "Toporkov et al.: windows of slots", program: "./bench/paper/toporkov", output: printed,
		source: "V. Toporkov, A. Toporkova and D. Yemelyanov, “Slot co-allocation optimization in distributed computing with heterogeneous resources”, 2018, §4.",
		args:   []string{"-quick", "-out", "%s"},
		draw:   drawToporkov,
	},
	{
		id: "castillo", title: "Castillo et al.: online co-allocation", program: "./bench/paper/castillo", output: printed,
		source: "C. Castillo, G. N. Rouskas and K. Harfoush, “Resource co-allocation for large-scale distributed environments”, HPDC 2009, §5; a synthetic log stands for those of the paper here.",
		args:   []string{"-jobs", "3000", "-repeats", "5", "-out", "%s"},
		draw:   drawCastillo,
	},
	{
		id: "kurowski", title: "Kurowski et al.: grids of two levels", program: "./bench/paper/kurowski", output: printed,
		source: "K. Kurowski, A. Oleksiak, W. Piątek and J. Węglarz, “Hierarchical scheduling strategies for parallel tasks and advance reservations in grids”, 2013, §3.3 and §5; synthetic logs stand for that of the paper here.",
		args:   []string{"-jobs", "600", "-repeats", "5", "-out", "%s"},
		draw:   drawKurowski,
	},
}

// Files beside the CSV files of a chapter.
const (
	printed    = "output.txt"  // what the program printed
	comparison = "compare.csv" // the same, of the comparison
	commanded  = "command.txt" // how it was called
	failure    = "failed.txt"  // why there is nothing else
	machine    = "machine.csv" // in the folder of all
)

// compose makes the page of what is in a folder, and reports whether a part is
// missing because something failed. What was never measured is no failure.
func compose(folder string, chapters []chapter) (p page, failed bool) {
	p.Machine = readMachine(folder)
	for i, c := range chapters {
		s, ok := c.section(filepath.Join(folder, c.id))
		failed = failed || !ok
		p.Sections = append(p.Sections, s)
		if i == 0 {
			s, ok := pictures()
			failed = failed || !ok
			p.Sections = append(p.Sections, s)
		}
	}
	return p, failed
}

// section draws the chapter from its folder; ok is false if something failed.
func (c chapter) section(folder string) (s section, ok bool) {
	s = section{ID: c.id, Title: c.title}
	if c.source != "" {
		s.Intro = append(s.Intro, c.source)
	}
	if command, err := os.ReadFile(filepath.Join(folder, commanded)); err == nil {
		s.Command = strings.TrimSpace(string(command))
	}
	if why, err := os.ReadFile(filepath.Join(folder, failure)); err == nil {
		s.Note = strings.TrimSpace(string(why))
		return s, false
	}
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		s.Note = "This was not measured. The program is " + c.program + "."
		return s, true
	}
	if err := c.draw(folder, &s); err != nil {
		s.Figures, s.Verdicts = nil, nil
		s.Note = fmt.Sprintf("Its numbers cannot be drawn: %v.", err)
		return s, false
	}
	return s, true
}

// judge adds the verdicts in claims.csv.
func (s *section) judge(folder string) error {
	t, err := readTable(folder, "claims.csv")
	if err != nil {
		return err
	}
	s.Verdicts, err = verdicts(t)
	return err
}
