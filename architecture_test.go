package bookahead_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// floors are the floors of ARCHITECTURE.md, from the ground up.
var floors = [][]string{
	{"."},
	{"internal/snapshot", "internal/cow", "internal/radix", "internal/effort"},
	{"internal/limits", "internal/ledger", "internal/spans", "internal/quota"},
	{"internal/closures"},
	{"internal/pool", "internal/servers"},
	{"internal/profile"},
	byPaper,
	{"nodes"},
	{"grid"},
	{"desk", "recur"},
	{"gantt", "window", "route"},
	{"internal/structures"},
	{"bench", "examples", "replicated"},
}

// byContract are the packages that use the structures only by their contract; byPaper are
// packages of papers, which do so too, except that route takes its vectors from avail.
var (
	byContract = []string{"grid", "gantt", "window", "route"}
	byPaper    = []string{"carts", "freelist", "slotted", "idletree", "avail"}
)

// beside are the packages that stand beside the house, and which of its packages they
// import. Only tests import them.
var beside = map[string][]string{"scheduletest": {".", "internal/snapshot"}, "internal/mutants": {}}

// floorOf returns the floor of a package, and -1 if it is on none.
func floorOf(dir string) int {
	for n, rooms := range floors {
		for _, room := range rooms {
			if dir == room || strings.HasPrefix(dir, room+"/") && n == len(floors)-1 {
				return n
			}
		}
	}
	return -1
}

// An import goes down, and never to a neighbour on the same floor, except on the last floor.
func TestImportsGoDown(t *testing.T) {
	const module = "github.com/bookahead/bookahead"
	seen := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		dir := path.Dir(p)
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		floor := floorOf(dir)
		allowed, aside := beside[dir]
		require.True(t, floor >= 0 || aside, "%s is on no floor", dir)
		file, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			to, ours := strings.CutPrefix(name, module)
			if !ours {
				continue
			}
			to = strings.TrimPrefix(to, "/")
			if to == "" {
				to = "."
			}
			seen++
			if aside {
				require.Contains(t, allowed, to, "%s imports %s", p, to)
				continue
			}
			same := floors[floor][0] == "bench"
			below := 0 <= floorOf(to) && floorOf(to) < floor
			require.True(t, below || same && floorOf(to) == floor, "%s imports %s", p, to)
			if slices.Contains(byContract, dir) && slices.Contains(byPaper, to) {
				require.Equal(t, [2]string{"route", "avail"}, [2]string{dir, to}, "%s meets schedules by the contract only", p)
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, seen, 300)
}

// Package recur knows times and intervals only, so all that it imports of the library is the vocabulary.
func TestRecurImportsTheVocabularyAlone(t *testing.T) {
	const module = "github.com/bookahead/bookahead"
	for name, file := range parsePackage(t, "recur") {
		for _, spec := range file.Imports {
			to := strings.Trim(spec.Path.Value, `"`)
			if !strings.HasSuffix(name, "_test.go") && strings.Contains(to, ".") {
				require.Equal(t, module, to, "%s imports %s", name, to)
			}
		}
	}
}

// The pool of ARCHITECTURE.md is the pool that internal/pool compiles and tests, and the files
// that it names exist.
func TestArchitecture(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(page), "```go\n")
	require.True(t, ok)
	code, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	compiled, err := os.ReadFile("internal/pool/example_test.go")
	require.NoError(t, err)
	require.Contains(t, string(compiled), strings.TrimSpace(code))

	files := 0
	for _, name := range regexp.MustCompile("`([a-z_/]+\\.(go|md))`").FindAllStringSubmatch(string(page), -1) {
		if !strings.Contains(name[1], "/") {
			continue // beside the one before it
		}
		_, err := os.Stat(name[1])
		require.NoError(t, err)
		files++
	}
	require.Greater(t, files, 8)
}
