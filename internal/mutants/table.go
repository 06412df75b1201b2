package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// standing is the part of a test in all results: of how many faults it reaches the place, with how many it ran, and how
// many of these it killed; then it was the cheapest of the tests that killed a fault, or the only one that did.
type standing struct {
	name                                   string
	cost                                   float64
	reached, ran, killed, cheapest, single int
}

// tally is the row of a package.
type tally struct {
	dir                                                        string
	faults, killedShort, killedFull, alive, unbuilt, unreached int
}

// writeTable writes a page of the results in a folder.
func writeTable(dir, page string) error {
	d, err := readDrawing(dir)
	if err != nil {
		return err
	}
	list, err := readOutcomes(dir)
	if err != nil {
		return err
	}
	suites, err := readSuites(dir)
	if err != nil {
		return err
	}
	tests, err := standings(d.Faults, list, suites)
	if err != nil {
		return err
	}
	return os.WriteFile(page, []byte(render(d, tallies(list), tests)), 0o666)
}

// readSuites returns the suites of a folder, of both depths.
func readSuites(dir string) (suites []*suite, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "suite-*.json"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		s := new(suite)
		text, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(text, s)
		}
		if err != nil {
			return nil, err
		}
		suites = append(suites, s)
	}
	return suites, nil
}

// tallies returns the rows of the packages, and the sum of all at the end.
func tallies(list []outcome) []tally {
	last := map[fault]outcome{} // a deeper result follows the one at -short
	for _, o := range list {
		last[o.Fault] = o
	}
	rows := map[string]*tally{}
	sum := tally{dir: "all"}
	for f, o := range last {
		row := rows[f.dir()]
		if row == nil {
			row = &tally{dir: f.dir()}
			rows[f.dir()] = row
		}
		for _, t := range []*tally{row, &sum} {
			t.faults++
			switch {
			case o.Verdict == unbuilt:
				t.unbuilt++
			case o.Verdict == killed && o.Depth == short:
				t.killedShort++
			case o.Verdict == killed:
				t.killedFull++
			default:
				t.alive++
				if len(o.Runs) == 0 {
					t.unreached++
				}
			}
		}
	}
	var all []tally
	for _, dir := range slices.Sorted(maps.Keys(rows)) {
		all = append(all, *rows[dir])
	}
	return append(all, sum)
}

// standings returns all tests, the dearest first.
func standings(faults []fault, list []outcome, suites []*suite) ([]standing, error) {
	tests := map[string]*standing{}
	costs := map[string]float64{} // by depth and test
	reached := map[string]map[fault]bool{}
	for _, s := range suites {
		for _, t := range s.Tests {
			name := path.Join(s.Dir, t.Name)
			if tests[name] == nil {
				tests[name] = &standing{name: name}
				reached[name] = map[fault]bool{}
			}
			tests[name].cost = max(tests[name].cost, t.Cost)
			costs[s.Depth+name] = t.Cost
		}
		for _, f := range faults {
			if !slices.Contains(counted(f.dir()), s.Dir) {
				continue
			}
			reaching, err := s.reaching(f)
			if err != nil {
				return nil, err
			}
			for _, t := range reaching {
				reached[path.Join(s.Dir, t.Name)][f] = true
			}
		}
	}
	for _, o := range list {
		var killers []string
		for _, ran := range o.Runs {
			t := tests[ran.Test]
			if t == nil {
				return nil, fmt.Errorf("the results have runs of %s, and the folder has no suite of its package", ran.Test)
			}
			t.ran++
			if ran.Result != passes {
				t.killed++
				killers = append(killers, ran.Test)
			}
		}
		if len(killers) == 1 {
			tests[killers[0]].single++
		}
		if len(killers) > 0 {
			cheapest := slices.MinFunc(killers, func(a, b string) int { return cmp.Compare(costs[o.Depth+a], costs[o.Depth+b]) })
			tests[cheapest].cheapest++
		}
	}
	var all []standing
	for name, t := range tests {
		t.reached = len(reached[name])
		all = append(all, *t)
	}
	slices.SortFunc(all, func(a, b standing) int {
		return cmp.Or(cmp.Compare(b.cost, a.cost), strings.Compare(a.name, b.name))
	})
	return all, nil
}

// dearest is how many tests the page lists.
const dearest = 40

// render returns the page.
func render(d drawing, rows []tally, tests []standing) string {
	page := new(strings.Builder)
	write := func(format string, args ...any) { fmt.Fprintf(page, format, args...) }
	tried := ""
	if n := rows[len(rows)-1].faults; n < len(d.Faults) {
		tried = fmt.Sprintf(", of which %d have been tried so far", n)
	}
	write(`# What each test kills

`+"`internal/mutants`"+` drew %d faults%s, one at a time seeded into the code, and ran the tests that reach each, alone.
A fault that lives is equivalent, or a test is missing. A fault that does not build counts for nothing.

| package | faults | killed at -short | killed at full depth | live | of these not reached | do not build |
|---|--:|--:|--:|--:|--:|--:|
`, len(d.Faults), tried)
	for _, r := range rows {
		write("| %s | %d | %d | %d | %d | %d | %d |\n", r.dir, r.faults, r.killedShort, r.killedFull, r.alive, r.unreached, r.unbuilt)
	}
	var cost, paid float64
	paying, alone := 0, 0
	for _, t := range tests {
		cost += t.cost
		if t.cheapest > 0 {
			paying, paid = paying+1, paid+t.cost
		}
		if t.single > 0 {
			alone++
		}
	}
	write(`
## The dearest tests

All %d tests take %.0f s of the processor, each alone, with counters of coverage, and at the deepest that its package was run. For each killed fault, one test is the
cheapest that kills it: %d tests are that for some fault, and take %.0f s. %d tests were the only one of those that
ran to kill some fault. A test runs with a fault if it reaches its place, and if it is cheap or no
cheaper one has killed the fault. These are the dearest. A test that is never the cheapest
killed nothing in this draw that a cheaper one did not kill, and one that reached nothing was not asked.

| test | seconds | reached | ran with | killed | was the cheapest | was the only one |
|---|--:|--:|--:|--:|--:|--:|
`, len(tests), cost, paying, paid, alone)
	for _, t := range tests[:min(dearest, len(tests))] {
		write("| %s | %.2f | %d | %d | %d | %d | %d |\n", t.name, t.cost, t.reached, t.ran, t.killed, t.cheapest, t.single)
	}
	write(`
## To run it again

`+"```sh"+`
go run ./internal/mutants -dir out/kills %s -short  # long: hours; the same command goes on after a break
go run ./internal/mutants -dir out/kills  # long: hours, the faults that live at -short
go run ./internal/mutants -dir out/kills -table docs/kills.md  # long: it needs the results
`+"```\n", d.Flags)
	return page.String()
}
