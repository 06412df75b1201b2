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
	source    string // where it was published; "" if it is ours, and has no claims
	// command is the program, by its folder in the module, and its scale; %s stands
	// for the folder of the CSV files.
	command string
	module  string // folder of the program's own module; "" if it is in the root's
	output  string // CSV file for what it prints; "" if it writes its files itself
	intro   []string
	views   []view
}

// chapters are all that is measured, in the order of the page. The scale is that
// of about two minutes in all, on two cores.
var chapters = []chapter{compared, peers, cluster, schneider, stevens, toporkov, castillo, kurowski}

// Files beside the CSV files of a chapter.
const (
	comparison = "compare.csv" // what the comparison printed
	beside     = "peers.csv"   // what the program of the peers wrote
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
			p.Sections = append(p.Sections, pictures())
		}
	}
	return p, failed
}

// section draws the chapter from its folder; ok is false if something failed.
func (c chapter) section(folder string) (s section, ok bool) {
	s = section{ID: c.id, Title: c.title, Intro: c.intro}
	if c.source != "" {
		s.Intro = append([]string{c.source}, c.intro...)
	}
	if command, err := os.ReadFile(filepath.Join(folder, commanded)); err == nil {
		s.Command = strings.TrimSpace(string(command))
	}
	if why, err := os.ReadFile(filepath.Join(folder, failure)); err == nil {
		s.Note = strings.TrimSpace(string(why))
		return s, false
	}
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		s.Note = "This was not measured. The program is " + c.program() + "."
		return s, true
	}
	if err := c.draw(folder, &s); err != nil {
		s.Figures, s.Verdicts = nil, nil
		s.Note = fmt.Sprintf("Its numbers cannot be drawn: %v.", err)
		return s, false
	}
	return s, true
}

// program is the folder of the chapter's program.
func (c chapter) program() string {
	if c.module != "" {
		return "./" + c.module
	}
	program, _, _ := strings.Cut(c.command, " ")
	return program
}

// run is how the go command runs the program from the root of the module, with %s for the folder.
func (c chapter) run() string {
	if c.module != "" {
		return "-C " + c.module + " run " + c.command
	}
	return "run " + c.command
}

// draw adds the figures, and the verdicts in claims.csv.
func (c chapter) draw(folder string, s *section) error {
	for _, v := range c.views {
		if err := s.show(folder, v); err != nil {
			return err
		}
	}
	if c.source == "" {
		return nil
	}
	t, err := readTable(folder, "claims.csv")
	if err != nil {
		return err
	}
	s.Verdicts, err = verdicts(t)
	return err
}
