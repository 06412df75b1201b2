package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// dependents has, for a package, the further packages whose tests count for it, the most telling
// first. Their tests run with a fault only as long as no test of the package itself has found it.
var dependents = map[string][]string{
	".": {"scheduletest", "carts"}, "avail": {"route"}, "nodes": {"grid"}, "grid": {"desk"}, "recur": {"gantt"},
	"scheduletest": {"carts"}, "scheduletest/internal/oracle": {"scheduletest", "carts"},
	"internal/account": {"desk"}, "internal/closures": {"carts", "idletree"}, "internal/code": {"desk"},
	"internal/cow": {"carts", "desk"}, "internal/effort": {"grid", "desk"}, "internal/ledger": {"carts"},
	"internal/limits": {"carts", "."}, "internal/pool": {"carts", "freelist", "slotted"}, "internal/profile": {"carts"},
	"internal/quota": {"desk"}, "internal/radix": {"internal/ledger", "carts"}, "internal/servers": {"idletree", "carts"},
	"internal/site": {"desk"}, "internal/snapshot": {"carts", "idletree", "desk"}, "internal/spans": {"carts", "desk"},
	"replicated/internal/disklog": {"replicated"}, "replicated/internal/peerlink": {"replicated"},
}

// counted returns the packages whose tests count for a package, the package itself first.
func counted(dir string) []string { return append([]string{dir}, dependents[dir]...) }

// covered returns the packages for which the tests of a package count.
func covered(dir string) []string {
	list := []string{dir}
	for below, dirs := range dependents {
		if _, err := os.Stat(below); err == nil && slices.Contains(dirs, dir) {
			list = append(list, below)
		}
	}
	slices.Sort(list)
	return list
}

// suite has the top-level tests of a package, and what each does when it runs alone.
type suite struct {
	Dir    string
	Depth  string
	Blocks []block
	Tests  []test
}

// test is a test, an Example or a fuzz target on its seeds. Its cost is in seconds of the processor, with
// counters of coverage: a busy machine changes them little. Wall is the time that passes.
type test struct {
	Name       string
	Cost, Wall float64
	Covers     string // for each block of the suite, 1 if the test runs it, else 0
	Fails      bool   // it fails without any fault, so it finds none
}

// block is a block of the coverage, from a line and column to another.
type block struct {
	File            string // from the root of the checkout
	Line, Col       int
	EndLine, EndCol int
}

func (b block) has(line, col int) bool {
	return cmp.Or(cmp.Compare(b.Line, line), cmp.Compare(b.Col, col)) <= 0 &&
		cmp.Or(cmp.Compare(line, b.EndLine), cmp.Compare(col, b.EndCol)) < 0
}

// reaching returns the tests that reach the place of a fault, the cheapest first. A place in no
// block, such as the expression of a case, counts as reached with any block of its function, and a
// place outside all functions with any block of its package.
func (s *suite) reaching(f fault) (list []test, err error) {
	src, err := read(f.File)
	if err != nil {
		return nil, err
	}
	at := src.set.File(src.tree.Pos()).Pos(f.From)
	from := src.set.Position(at)
	first, last := 0, -1
	if fn := src.function(f.From); fn != nil {
		first, last = src.set.Position(fn.Pos()).Line, src.set.Position(fn.End()).Line
	}
	var exact, near []int
	for i, b := range s.Blocks {
		if b.File == f.File && b.has(from.Line, from.Column) {
			exact = append(exact, i)
		}
		if b.File == f.File && first <= b.Line && b.EndLine <= last || last < 0 && path.Dir(b.File) == f.dir() {
			near = append(near, i)
		}
	}
	if len(exact) == 0 {
		exact = near
	}
	for _, t := range s.Tests {
		if !t.Fails && slices.ContainsFunc(exact, func(i int) bool { return t.Covers[i] == '1' }) {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b test) int { return cmp.Compare(a.Cost, b.Cost) })
	return list, nil
}

// suiteOf returns the tests of a package: from the folder of the results, or else they all run, alone.
func (r *runner) suiteOf(ctx context.Context, dir string) (*suite, error) {
	if s := r.suites[dir]; s != nil {
		return s, nil
	}
	name := filepath.Join(r.dir, "suite-"+r.depth+"-"+flat(dir)+".json")
	s := new(suite)
	text, err := os.ReadFile(name)
	switch {
	case err == nil:
		err = json.Unmarshal(text, s)
	case errors.Is(err, os.ErrNotExist):
		if s, err = r.measure(ctx, dir); err != nil {
			return nil, err
		}
		if text, err = json.Marshal(s); err == nil {
			err = os.WriteFile(name, text, 0o666)
		}
	}
	r.suites[dir] = s
	return s, err
}

// flat returns a package as part of a file's name.
func flat(dir string) string {
	return strings.ReplaceAll(strings.Replace(dir, ".", "root", 1), "/", "-")
}

var testName = regexp.MustCompile(`^(Test|Example|Fuzz)\S*$`)

// measure runs each test of a package alone, with counters of coverage.
func (r *runner) measure(ctx context.Context, dir string) (*suite, error) {
	var packages []string
	for _, below := range covered(dir) {
		packages = append(packages, path.Join(r.module, below))
	}
	bin := filepath.Join(r.temp, "cover.test")
	if out, err := r.build(ctx, dir, bin, "-cover", "-covermode=set", "-coverpkg="+strings.Join(packages, ",")); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", dir, err, out)
	}
	names, err := r.names(ctx, dir, bin)
	if err != nil {
		return nil, err
	}
	s := &suite{Dir: dir, Depth: r.depth}
	profile := filepath.Join(r.temp, "profile")
	for i, name := range names {
		os.Remove(profile)
		run, err := r.alone(ctx, dir, bin, test{Name: name, Cost: hour, Wall: hour}, "-test.coverprofile", profile)
		if err != nil {
			return nil, err
		}
		t := test{Name: name, Cost: run.CPU, Wall: run.Wall, Fails: run.Result != passes}
		if text, err := os.ReadFile(profile); err == nil {
			blocks, covers, err := parseProfile(text, r.module)
			if err != nil {
				return nil, err
			}
			if s.Blocks == nil {
				s.Blocks = blocks
			}
			if t.Covers = covers; !slices.Equal(blocks, s.Blocks) {
				return nil, fmt.Errorf("%s: %s has other blocks than the tests before it", dir, name)
			}
		} else {
			t.Fails = true
		}
		s.Tests = append(s.Tests, t)
		r.progress("%s, %d of %d tests: %s takes %.2f s%s\n", dir, i+1, len(names), name, t.Cost, map[bool]string{true: ", and FAILS"}[t.Fails])
	}
	return s, nil
}

// parseProfile reads a profile of coverage.
func parseProfile(text []byte, module string) (blocks []block, covers string, err error) {
	var marks []byte
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		if i == 0 {
			continue // the mode
		}
		name, rest, _ := strings.Cut(string(line), ":")
		b := block{File: strings.TrimPrefix(name, module+"/")}
		statements, count := 0, 0
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &b.Line, &b.Col, &b.EndLine, &b.EndCol, &statements, &count); err != nil {
			return nil, "", fmt.Errorf("coverage: %q: %w", line, err)
		}
		blocks = append(blocks, b)
		marks = append(marks, '0'+byte(min(count, 1)))
	}
	return blocks, string(marks), nil
}
