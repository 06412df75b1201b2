package bookahead_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDocs checks that each public package has a package comment in doc.go, an example, and a doc
// comment on each name that it exports.
func TestDocs(t *testing.T) {
	for _, dir := range publicPackages(t) {
		t.Run(dir, func(t *testing.T) {
			files := parsePackage(t, dir)
			require.NotNil(t, files["doc.go"], "%s has no doc.go", dir)
			require.True(t, strings.HasPrefix(files["doc.go"].Doc.Text(), "Package "+files["doc.go"].Name.Name+" "),
				"%s/doc.go has no package comment", dir)

			exported := exportedTypes(files)
			examples := 0
			for name, file := range files {
				if strings.HasSuffix(name, "_test.go") {
					examples += countExamples(file)
					continue
				}
				for _, bare := range undocumented(file, exported) {
					t.Errorf("%s: %s has no doc comment", path.Join(dir, name), bare)
				}
			}
			require.NotZero(t, examples, "%s has no Example function", dir)
		})
	}
}

// publicPackages returns the directories of the packages that others can import, without the
// measurements and the programs.
func publicPackages(t *testing.T) []string {
	var dirs []string
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
			slices.Contains([]string{"internal", "bench", "cmd", "examples", "testdata"}, name)):
			return fs.SkipDir
		case strings.HasSuffix(name, ".go") && !slices.Contains(dirs, path.Dir(p)):
			dirs = append(dirs, path.Dir(p))
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, len(dirs), 10)
	return dirs
}

func parsePackage(t *testing.T, dir string) map[string]*ast.File {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	files, set := map[string]*ast.File{}, token.NewFileSet()
	for _, name := range names {
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		files[filepath.Base(name)] = file
	}
	return files
}

func countExamples(file *ast.File) int {
	n := 0
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Example") {
			n++
		}
	}
	return n
}

// exportedTypes returns the types whose methods can be called from outside: the
// exported ones, and those embedded in them.
func exportedTypes(files map[string]*ast.File) map[string]bool {
	names := map[string]bool{}
	for _, file := range files {
		for _, decl := range file.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				s, ok := spec.(*ast.TypeSpec)
				if !ok || !s.Name.IsExported() {
					continue
				}
				names[s.Name.Name] = true
				if body, ok := s.Type.(*ast.StructType); ok {
					for _, field := range body.Fields.List {
						if len(field.Names) == 0 {
							names[typeName(field.Type)] = true
						}
					}
				}
			}
		}
	}
	return names
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	}
	return ""
}

// undocumented returns the exported names of a file that have no doc comment. A comment on a
// group counts for all its constants and variables.
func undocumented(file *ast.File, exported map[string]bool) []string {
	var bare []string
	check := func(documented bool, names ...*ast.Ident) {
		for _, name := range names {
			if name.IsExported() && !documented {
				bare = append(bare, name.Name)
			}
		}
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || exported[typeName(d.Recv.List[0].Type)] {
				check(d.Doc != nil, d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					check(s.Doc != nil || d.Doc != nil && len(d.Specs) == 1, s.Name)
				case *ast.ValueSpec:
					check(s.Doc != nil || s.Comment != nil || d.Doc != nil, s.Names...)
				}
			}
		}
	}
	return bare
}
