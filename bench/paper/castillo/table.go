package main

import (
	"fmt"
	"io"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// table is a table whose first two columns are the log and the setting.
type table struct{ trial.Table }

// deciding are the rows of the setting that decides.
func deciding(row []string) bool { return row[1] == settings[0].name }

// open begins a table.
func open(title, file string, header ...string) *table {
	return &table{trial.Table{Title: title, File: file, Header: append(circumstances[:2:2], header...)}}
}

// row adds a row for a scene.
func (t *table) row(s *scene, cells ...string) {
	w := s.first()
	t.Rows = append(t.Rows, append([]string{w.log.name, w.setting.name}, cells...))
}

// over is the mean of a number of each world in a scene, with the half width of its
// confidence interval if the number depends on chance.
func (s *scene) over(chance bool, of func(w *world) float64) string {
	var sample trial.Sample
	for _, w := range s.worlds {
		sample.Add(of(w))
	}
	if s.fixed && !chance {
		sample = trial.Exact(sample.Values[0])
	}
	return sample.String()
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
