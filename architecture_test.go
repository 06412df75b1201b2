package bookahead_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// floors are those of ARCHITECTURE.md, from the ground up.
var floors = [][]string{
	{"."},
	{"internal/snapshot", "internal/cow"},
	{"internal/limits", "internal/ledger", "internal/spans"},
	{"internal/closures"},
	{"internal/pool", "internal/servers"},
	{"internal/profile"},
	{"carts", "freelist", "slotted", "idletree", "avail"},
	{"grid"},
	{"gantt", "window", "route"},
	{"internal/structures"},
	{"bench", "examples"},
}

// beside are the packages that stand beside the house.
var beside = map[string]bool{"scheduletest": true, "internal/mutants": true}

// floorOf returns the floor of a package, and -1 if it is on none.
func floorOf(dir string) int {
	for n, rooms := range floors {
		for _, room := range rooms {
			if dir == room || strings.HasPrefix(dir, room+"/") && (room == "bench" || room == "examples") {
				return n
			}
		}
	}
	return -1
}

// An import goes down, and on a floor nobody imports a neighbour; the rooms of bench may.
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
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") || beside[dir] {
			return nil
		}
		floor := floorOf(dir)
		require.GreaterOrEqual(t, floor, 0, "%s is on no floor", dir)
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
			same := floors[floor][0] == "bench"
			require.True(t, floorOf(to) < floor || same, "%s imports %s", p, to)
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, seen, 300)
}

// The pool of ARCHITECTURE.md is the one that internal/pool compiles and tests, and the files
// that it names are there.
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
