package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// table is what is printed, and written to a file. Its first two columns are the
// log and the setting.
type table struct {
	title, file string
	header      []string
	rows        [][]string
	// brief says which rows are printed: all if nil.
	brief func(row []string) bool
}

// deciding are the rows of the setting that decides.
func deciding(row []string) bool { return row[1] == settings[0].name }

// open begins a table.
func open(title, file string, header ...string) *table {
	return &table{title: title, file: file, header: append([]string{"log", "setting"}, header...)}
}

// row adds a row for a scene.
func (t *table) row(s *scene, cells ...string) {
	w := s.first()
	t.rows = append(t.rows, append([]string{w.log.name, w.setting.name}, cells...))
}

func (t *table) write(out io.Writer) {
	fmt.Fprintf(out, "## %s\n\n| %s |\n|---|---|%s\n", t.title, strings.Join(t.header, " | "), strings.Repeat("--:|", len(t.header)-2))
	for _, row := range t.rows {
		if t.brief == nil || t.brief(row) {
			fmt.Fprintf(out, "| %s |\n", strings.Join(row, " | "))
		}
	}
	fmt.Fprintln(out)
}

// number formats x; nothing if there is none.
func number(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case x != 0 && math.Abs(x) < 0.001:
		return fmt.Sprintf("%.1e", x)
	case math.Abs(x) < 10:
		return fmt.Sprintf("%.3f", x)
	case math.Abs(x) < 100:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.1f", x)
}

// over is the mean of what the worlds of a scene say, with the half width of its
// confidence interval if it depends on chance.
func (s *scene) over(chance bool, of func(w *world) float64) string {
	if s.fixed && !chance {
		return number(of(s.first()))
	}
	var sample trial.Sample
	for _, w := range s.worlds {
		sample.Add(of(w))
	}
	if sample.Half == 0 || math.IsNaN(sample.Mean) {
		return number(sample.Mean)
	}
	return number(sample.Mean) + " ± " + number(sample.Half)
}

// writeLogs prints where the logs come from, and what the settings are.
func writeLogs(out io.Writer, scenes []*scene) {
	said := map[string]bool{}
	for _, s := range scenes {
		if l := s.first().log; !said[l.name] {
			said[l.name] = true
			fmt.Fprintf(out, "- %s: %s\n", l.name, l.about)
		}
	}
	for _, s := range settings {
		fmt.Fprintf(out, "- Setting %s: %s\n", s.name, s.about)
	}
	fmt.Fprintln(out)
}
