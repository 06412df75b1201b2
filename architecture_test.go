package bookahead_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
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
	{"internal/closures", "internal/code", "internal/account"},
	{"internal/pool", "internal/servers"},
	{"internal/profile"},
	byPaper,
	{"nodes"},
	{"grid", "volume", "pieces", "kinds"},
	{"internal/site"},
	{"desk", "plan", "recur"},
	{"gantt", "window", "route"},
	{"internal/structures"},
	{"bench", "examples", "replicated", "kube", "service"},
}

// byContract are the packages that use the structures only by their contract; byPaper are
// packages of papers, which do so too, except that route takes its vectors from avail.
var (
	byContract = []string{"grid", "volume", "pieces", "kinds", "gantt", "window", "route"}
	byPaper    = []string{"carts", "freelist", "slotted", "idletree", "avail"}
)

// beside are the packages that stand beside the house, and which of its packages they
// import. Only tests import them.
var beside = map[string][]string{
	"scheduletest":                 {".", "internal/depth", "internal/snapshot", "scheduletest/internal/oracle"},
	"scheduletest/internal/oracle": {"."},
	"internal/depth":               {},
	"internal/mutants":             {},
}

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

// room is a few files of a package, without ".go". A file uses names of its own room, and of those before it.
type room struct{ name, files string }

// rooms has the rooms of a package, from the ground up. doc.go is in none.
var rooms = map[string][]room{
	"desk": {
		{"words", "errors kind booking request bent config command given answer terms quota series encode_command encode_entry encode_answer"},
		{"index", "index"},
		{"schedule", "schedule"},
		{"books", "books fit reservations uses series_books history"},
		{"desk", "desk schedules"},
		{"search", "trial find bend broker quota_start gaps terms_search change_search"},
		{"preemption", "preempt reinstate swap"},
		{"why", "why obstacle alternatives"},
		{"commands", "apply add book lifecycle waitlist gain series_place book_series settings outages decide"},
		{"do", "do queries room"},
		{"log", "log"},
		{"snapshot", "snapshot snapshot_read snapshot_check snapshot_build verify"},
	},
}

// TestRoomsRunDown checks that no file uses a name of a room above its own.
func TestRoomsRunDown(t *testing.T) {
	for dir, list := range rooms {
		at, files := map[string]int{}, 0
		for i, r := range list {
			for _, name := range strings.Fields(r.files) {
				require.NotContains(t, at, name, "%s is in two rooms of %s", name, dir)
				at[name] = i
			}
		}
		uses, names := usesOf(t, dir)
		for _, name := range names {
			if name != "doc" {
				require.Contains(t, at, name, "%s/%s.go is in no room", dir, name)
				files++
			}
		}
		require.Equal(t, files, len(at), "a room of %s has a file that is not there", dir)
		for _, u := range uses {
			if at[u.from] < at[u.to] {
				t.Errorf("%s/%s.go, in the room %s, uses %s of %s.go, in the room %s above", dir, u.from, list[at[u.from]].name, u.name, u.to, list[at[u.to]].name)
			}
		}
		require.Greater(t, len(uses), 3*files, "too few uses were found")
	}
}

// TestRoomsSeesUses checks that usesOf finds functions, types, constants and methods, also of an embedded type.
func TestRoomsSeesUses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("package x\n"+text), 0o600))
	}
	write("low.go", "type low struct{ n int }\nfunc (low) get() int { return one }\nconst one = 1\nfunc make() low { return low{} }")
	write("high.go", "type high struct{ low }\nvar _ = make()\nfunc (h *high) all() int { return h.get() + h.n + one }")
	write("low_test.go", "var _ = high{}")
	uses, names := usesOf(t, dir)
	require.ElementsMatch(t, []string{"low", "high"}, names)
	require.ElementsMatch(t, []use{{"high", "low", "low"}, {"high", "low", "make"}, {"high", "low", "get"}, {"high", "low", "one"}}, uses)
}

// use is a name of one file that another uses: a function, a type, a variable, a constant, or a method.
type use struct{ from, to, name string }

// usesOf returns the uses within a package, each once, and its files; tests are left out. Imports are not read, so the rare
// use of a method is not seen whose receiver has a type that an import alone knows.
func usesOf(t *testing.T, dir string) (list []use, names []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	set := token.NewFileSet()
	var files []*ast.File
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, p, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
		names = append(names, strings.TrimSuffix(filepath.Base(p), ".go"))
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	c := types.Config{Importer: empty{}, Error: func(error) {}}
	pkg, _ := c.Check(dir, set, files, info) // names of imports are missing, and each is an error
	seen := map[use]bool{}
	for id, o := range info.Uses {
		field, is := o.(*types.Var)
		if o == nil || o.Pkg() != pkg || is && field.IsField() {
			continue
		}
		method, ok := o.(*types.Func)
		if ok {
			o = method.Origin()
		}
		u := use{fileOf(set, id.Pos()), fileOf(set, o.Pos()), o.Name()}
		if u.from != u.to && u.to != "" && !seen[u] {
			seen[u] = true
			list = append(list, u)
		}
	}
	return list, names
}

// fileOf returns the file of a position, without ".go".
func fileOf(set *token.FileSet, at token.Pos) string {
	return strings.TrimSuffix(filepath.Base(set.Position(at).Filename), ".go")
}

// empty imports every package without its names.
type empty struct{}

func (empty) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
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
