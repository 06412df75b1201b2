package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// page is the whole page. It is one file, and needs no other.
type page struct {
	Machine  []fact
	Sections []section
}

// fact is a line about the machine, or about the run.
type fact struct{ Name, Text string }

// section is a chapter: a comparison, or a paper.
type section struct {
	ID, Title string
	Intro     []string // paragraphs
	Command   string   // that measured it; "" if it is not known
	Note      string   // why something is missing; "" if nothing is
	Figures   []figure
	Verdicts  []verdict
}

// figure is a picture with a caption and its numbers.
type figure struct {
	ID, Title, Caption string
	Legend             []entry
	Picture            template.HTML
	Wide               bool   // it takes the whole width, and scrolls if that is not enough
	Unit               string // of the numbers; "" if the columns have different ones
	Table              grid
}

// Open reports whether the numbers are shown at once: they are if they are few, or if there is no picture.
func (f figure) Open() bool {
	if f.Picture == "" {
		return len(f.Table.Rows) <= 12
	}
	return len(f.Table.Rows) <= 6
}

// entry is a line of a legend.
type entry struct {
	Hue  int // from 1
	Name string
	Mark string // why its line is thick; "" if it is thin
}

// grid is a table as it is shown.
type grid struct {
	Header []string
	Rows   [][]string
}

// counted says how many claims have an outcome.
var counted = map[string]string{trial.Holds: "%d hold", trial.Fails: "%d do not hold", trial.Inconclusive: "%d inconclusive",
	trial.Untold: "%d cannot be told", trial.Untested: "%d cannot be tested"}

// class is how an outcome is marked in the page: style.css has a colour for each.
func class(outcome string) string { return strings.ReplaceAll(outcome, " ", "-") }

// verdict is a claim of a paper, and its outcome here.
type verdict struct {
	Where, Claim, Outcome string
	Paper                 string // its numbers, if they are not in the claim
	Numbers               []evidence
}

// evidence are the numbers of a claim, and a note on them; "" is none.
type evidence struct{ Text, Note string }

// tally is how many claims have an outcome, in words.
type tally struct{ Outcome, Text string }

// Tally counts the verdicts of a section: those that hold, do not, and so on.
func (s section) Tally() []tally {
	count := map[string]int{}
	for _, v := range s.Verdicts {
		count[v.Outcome]++
	}
	var all []tally
	for _, o := range trial.Verdicts {
		if count[o] > 0 {
			all = append(all, tally{o, fmt.Sprintf(counted[o], count[o])})
		}
	}
	return all
}

var noLetters = regexp.MustCompile(`[^A-Za-z0-9]+`)

// add adds a figure. Its title makes the link.
func (s *section) add(f figure) {
	f.ID = noLetters.ReplaceAllString(s.ID+" "+f.Title, "-")
	s.Figures = append(s.Figures, f)
}

//go:embed page.html
var pageHTML string

//go:embed style.css
var styleCSS string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"style": func() template.CSS { return template.CSS(styleCSS) },
	"class": class,
}).Parse(pageHTML))

// write writes the page.
func (p page) write(out io.Writer) error { return pageTemplate.Execute(out, p) }
