package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// chapters are the parts of the page in their order: first the structures by their size, then the packages that
// stand on them, then comparisons, and the papers last. At their scale all of them take about two minutes on two cores
// that have nothing else to do.
var chapters = []chapter{
	live, growth, gangs, cluster, kube, desks, members, changing, compared, peers,
	schneider, stevens, toporkov, castillo, kurowski,
}

// compose makes the page from a folder, and reports whether a part is missing because
// something failed. A chapter that was never measured is no failure.
func compose(folder string, chapters []chapter) (p page, failed bool) {
	var l load
	p.Machine, l = readMachine(folder)
	for _, c := range chapters {
		_, err := os.Stat(filepath.Join(folder, c.id))
		if c.apart && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		s, ok := c.section(filepath.Join(folder, c.id), l)
		failed = failed || !ok
		p.Sections = append(p.Sections, s)
		if c.id == compared.id {
			p.Sections = append(p.Sections, pictures())
		}
	}
	return p, failed
}
