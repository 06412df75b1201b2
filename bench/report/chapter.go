package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// chapter is a section of the page. It shows the measurements of one command.
type chapter struct {
	id, title string
	source    string // where it was published; "" if it is ours, and has no claims
	// command has the arguments of the go command in the root of the module: a program and its
	// scale, or benchmarks. %s stands for the folder of the program's files.
	command string
	apart   bool   // the command needs programs, data, or time and memory, that few have, so it never runs with the others, and a page without its numbers leaves the chapter out
	output  string // file for the output of the command; "" if the program writes its files itself
	intro   []string
	views   []view
}

// section draws the chapter from its folder, for a machine under some load; ok is false if something failed.
func (c chapter) section(folder string, l load) (s section, ok bool) {
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
		s.Note = "This was not measured. The command is " + c.shown() + "."
		return s, true
	}
	if err := c.draw(folder, l, &s); err != nil {
		s.Figures, s.Verdicts = nil, nil
		s.Note = fmt.Sprintf("Its numbers cannot be drawn: %v.", err)
		return s, false
	}
	return s, true
}

// shown is the command as one types it in the root of the module.
func (c chapter) shown() string { return "go " + strings.Replace(c.command, "%s", "out/"+c.id, 1) }

// draw adds the figures, and the verdicts in claims.csv.
func (c chapter) draw(folder string, l load, s *section) error {
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
	s.Verdicts, err = verdicts(t, l)
	return err
}
