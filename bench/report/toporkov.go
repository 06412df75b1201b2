package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
)

// drawToporkov draws Fig. 3, the distances and Table 1 of Toporkov et al.
func drawToporkov(folder string, s *section) error {
	s.Intro = append(s.Intro, "Windows of seven slots on a hundred nodes. Algorithms with “skipping” leave out starts at which a bound shows that nothing better is to be had; those that are called Exact are ours.")
	t, err := readTable(folder, "table1.csv")
	if err != nil {
		return err
	}
	names, err := t.texts("algorithm")
	if err != nil {
		return err
	}
	for _, f := range []struct{ id, title, caption, axis, column string }{
		{"quality", "Fig. 3: quality of the window", "Sum of the qualities of seven nodes, each 0 to 10. MaxQ and Exact Q are to have most.", "quality", "quality"},
		{"near", "§4.3: distance to the nearer neighbour", "DEP is to make it great, COORD small.", "ticks", "near"},
		{"far", "§4.3: distance to the farther neighbour", "COORD is to make it small.", "ticks", "far"},
		{"time", "Table 1: time, relative", "Relative to the first window found, as machines differ. A dynamic program takes hundreds of times as long as the one pass of Lite; the exact search needs no program.",
			"times the first found", "times"},
	} {
		if err := s.besidePaper(f.id, f.title, f.caption, f.axis, f.column, names, t); err != nil {
			return err
		}
	}
	if t, err = readTable(folder, "large.csv"); err != nil {
		return err
	}
	s.list("large", "64 of 1 000 nodes", "Ours: how far the exact search goes; times in µs.", t)
	for _, name := range []string{"near", "far"} {
		if err := s.embed(folder, name); err != nil {
			return err
		}
	}
	return s.judge(folder)
}

// embed shows a picture that the program drew, if it is there. It is an image of
// its own, so that nothing in it can touch the page.
func (s *section) embed(folder, criterion string) error {
	picture, err := os.ReadFile(filepath.Join(folder, "figure4-"+criterion+".svg"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	title := "Fig. 4: a window, chosen by the " + criterion + " neighbour"
	s.Figures = append(s.Figures, figure{
		ID: s.anchor("figure4-" + criterion), Title: title, Wide: true,
		Caption: "A row for each node. Grey is what is taken; the tasks of the window have a red edge. With near, tasks keep away from their neighbours; with far, they lie close to them.",
		Picture: template.HTML(fmt.Sprintf(`<img alt="%s" src="data:image/svg+xml;base64,%s">`, html.EscapeString(title), base64.StdEncoding.EncodeToString(picture))),
	})
	return nil
}
