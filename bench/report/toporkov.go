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

// published is what Toporkov et al. say of an algorithm: the qualities of Fig. 3,
// the distances of §4.3, the times of Table 1 in milliseconds. 0 if nothing.
type published struct{ quality, near, far, millis float64 }

var toporkovSays = map[string]published{
	"first found":        {35, 85, 342, 4.2},
	"MultipleBest Q":     {50, 0, 0, 103},
	"MaxQ":               {61.8, 0, 0, 1695},
	"MaxQ Lite":          {50, 0, 0, 4.5},
	"MultipleBest DEP":   {0, 253, 0, 103},
	"DEP":                {0, 369, 480, 1695},
	"DEP Lite":           {0, 275, 440, 4.5},
	"MultipleBest COORD": {0, 0, 159, 103},
	"COORD":              {0, 9, 52, 1694},
	"COORD Lite":         {0, 31, 148, 4.5},
}

// drawToporkov draws Fig. 3, the distances and Table 1 of Toporkov et al.
func drawToporkov(folder string, s *section) error {
	s.Intro = append(s.Intro, "Windows of seven slots on a hundred nodes. Algorithms with “skipping” leave out starts at which a bound shows that nothing better is to be had; those that are called Exact are ours.")
	t, err := readTable(folder, "table1.csv")
	if err != nil {
		return err
	}
	for _, f := range []struct {
		id, title, caption, axis, column string
		of                               func(published) float64
	}{
		{"quality", "Fig. 3: quality of the window", "Sum of the qualities of seven nodes, each 0 to 10. MaxQ and Exact Q are to have most.", "quality", "quality",
			func(p published) float64 { return p.quality }},
		{"near", "§4.3: distance to the nearer neighbour", "DEP is to make it great, COORD small.", "ticks", "near",
			func(p published) float64 { return p.near }},
		{"far", "§4.3: distance to the farther neighbour", "COORD is to make it small.", "ticks", "far",
			func(p published) float64 { return p.far }},
	} {
		values, err := t.numbers(f.column)
		if err != nil {
			return err
		}
		if err := s.besideToporkov(f.id, f.title, f.caption, f.axis, t, values, f.of); err != nil {
			return err
		}
	}
	times, err := t.numbers("median_us")
	if err != nil {
		return err
	}
	names, err := t.texts("algorithm")
	if err != nil {
		return err
	}
	first := value{}
	for i, name := range names {
		if name == "first found" {
			first = times[i]
		}
	}
	if !first.known || first.x <= 0 {
		return fmt.Errorf("%s: there is no time of %q", t.name, "first found")
	}
	err = s.besideToporkov("time", "Table 1: time, relative", "Relative to the first window found, as machines differ. A dynamic program takes hundreds of times as long as the one pass of Lite; the exact search needs no program.",
		"times the first found", t, scaled(times, 1/first.x),
		func(p published) float64 { return p.millis / toporkovSays["first found"].millis })
	if err != nil {
		return err
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
	return s.spokenVerdicts(folder)
}

// besideToporkov shows values beside those of the paper. What is 0 there was not
// published.
func (s *section) besideToporkov(id, title, caption, axis string, t *table, values []value, of func(published) float64) error {
	names, err := t.texts("algorithm")
	if err != nil {
		return err
	}
	theirs := make([]value, len(names))
	for i, name := range names {
		if x := of(toporkovSays[name]); x > 0 {
			theirs[i] = value{x: x, known: true}
		}
	}
	return s.show(id, title, caption, bars{axis, names, beside(values, theirs)})
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
