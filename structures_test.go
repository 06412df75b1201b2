package bookahead_test

import (
	"go/ast"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/bookahead/bookahead"

// TestEveryScheduleIsListed reads the source of the library. A type that has the methods of
// Schedule and is not in the list of structures would miss all tests of every structure. A type
// that is a view of something else is listed here instead: its own package runs the suite on it.
func TestEveryScheduleIsListed(t *testing.T) {
	src := source{t, map[string]map[string]*ast.File{}}
	wanted := src.methods(".", "Schedule")
	require.NotEmpty(t, wanted)
	var found []string
	for _, dir := range publicPackages(t) {
		for name, spec := range src.types(dir) {
			if _, ok := spec.Type.(*ast.InterfaceType); ok || !ast.IsExported(name) {
				continue
			}
			methods := src.methods(dir, name)
			if !slices.ContainsFunc(wanted, func(m string) bool { return !slices.Contains(methods, m) }) {
				found = append(found, path.Join(module, dir)+"."+name)
			}
		}
	}
	listed := []string{module + "/nodes.Tasks", module + "/idletree.Within"}
	for _, s := range forms(t) {
		typ := reflect.TypeOf(s).Elem()
		listed = append(listed, typ.PkgPath()+"."+typ.Name())
	}
	require.ElementsMatch(t, listed, found)
}

// source is the code of the module without its tests, by directory and file.
type source struct {
	t      *testing.T
	parsed map[string]map[string]*ast.File
}

func (src source) files(dir string) map[string]*ast.File {
	if src.parsed[dir] == nil {
		files := parsePackage(src.t, dir)
		for name := range files {
			if strings.HasSuffix(name, "_test.go") {
				delete(files, name)
			}
		}
		src.parsed[dir] = files
	}
	return src.parsed[dir]
}

// types returns the types that a package declares, by name.
func (src source) types(dir string) map[string]*ast.TypeSpec {
	all := map[string]*ast.TypeSpec{}
	for _, file := range src.files(dir) {
		for _, decl := range file.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok {
					all[s.Name.Name] = s
				}
			}
		}
	}
	return all
}

// methods returns the names of the methods of a type, of its pointer too, and of the types
// that it embeds, so far as this module declares them.
func (src source) methods(dir, name string) []string {
	var list []string
	for _, file := range src.files(dir) {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if ok && f.Recv != nil && typeName(f.Recv.List[0].Type) == name {
				list = append(list, f.Name.Name)
			}
		}
	}
	spec := src.types(dir)[name]
	if spec == nil { // a type of the language
		return list
	}
	switch body := spec.Type.(type) {
	case *ast.StructType:
		for _, f := range body.Fields.List {
			if len(f.Names) == 0 {
				list = append(list, src.embedded(dir, f.Type)...)
			}
		}
	case *ast.InterfaceType:
		for _, f := range body.Methods.List {
			if len(f.Names) == 0 {
				list = append(list, src.embedded(dir, f.Type)...)
			} else {
				list = append(list, f.Names[0].Name)
			}
		}
	}
	return list
}

// embedded returns the methods of a type that another type of the package embeds.
func (src source) embedded(dir string, e ast.Expr) []string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return src.methods(dir, typeName(e))
	}
	inside, ok := strings.CutPrefix(src.imported(dir, sel.X.(*ast.Ident).Name), module)
	if !ok { // of another module
		return nil
	}
	return src.methods(path.Join(".", inside), sel.Sel.Name)
}

// imported returns the path of the package that the files of a directory call by a name.
func (src source) imported(dir, name string) string {
	for _, file := range src.files(dir) {
		for _, spec := range file.Imports {
			p, err := strconv.Unquote(spec.Path.Value)
			require.NoError(src.t, err)
			if spec.Name == nil && path.Base(p) == name || spec.Name != nil && spec.Name.Name == name {
				return p
			}
		}
	}
	return ""
}
