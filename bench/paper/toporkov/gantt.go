package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/window"
)

// draw makes the pictures of Fig. 4 from the first environment.
func draw(folder string, s setting, seed uint64) error {
	e, err := s.environment(random(seed, 0))
	if err != nil {
		return err
	}
	for _, c := range []window.Criterion{window.Near, window.Far} {
		w, err := window.Exact(e, s.job, c)
		if err != nil {
			return err
		}
		f, err := os.Create(filepath.Join(folder, "figure4-"+c.Name+".svg"))
		if err != nil {
			return err
		}
		_, err = picture(e, w.Window, s.interval).WriteTo(f)
		err = errors.Join(err, f.Close())
		if err != nil {
			return err
		}
	}
	return nil
}

// picture is a window over its environment: a row for each node, its taken spans grey, and the
// window's tasks in colour.
func picture(e *window.Environment, w window.Window, until bookahead.Time) *gantt.Chart {
	c := &gantt.Chart{Title: fmt.Sprintf("%v for %.1f", w.Interval, w.Cost), Window: bookahead.Interval{End: until}, Rows: e.Nodes()}
	bar := func(node int, from, to bookahead.Time, key string) {
		if from < to {
			c.Bars = append(c.Bars, gantt.Bar{Interval: bookahead.Interval{Start: from, End: to}, Row: node, Key: key})
		}
	}
	ends := make([]bookahead.Time, e.Nodes())
	for i := range e.Slots() {
		s := e.Slot(i)
		bar(s.Node, ends[s.Node], s.Start, "")
		ends[s.Node] = s.End
	}
	for node, end := range ends {
		bar(node, end, until, "")
	}
	for _, t := range w.Tasks {
		bar(t.Node, t.Start, t.End, "the window")
	}
	return c
}
