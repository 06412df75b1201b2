package bookahead_test

import (
	"fmt"
	"go/ast"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// surface counts the names that an importer of a package can use.
type surface struct{ names, methods, fields int }

func (s surface) sum() int { return s.names + s.methods + s.fields }

// TestSurface compares docs/surface.md with the code, so that no name is exported by accident.
func TestSurface(t *testing.T) {
	const file = "docs/surface.md"
	want := surfaceTable(t)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "go test -run TestSurface . -update")
}

// surfaceTable returns docs/surface.md.
func surfaceTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("# What an importer can name\n\n")
	b.WriteString("Each package outside bench, cmd, examples and internal, counted by a test. A change of these\n")
	b.WriteString("numbers is made on purpose: `go test -run TestSurface . -update`.\n\n")
	b.WriteString("- **Names** are exported types, functions, variables and constants.\n")
	b.WriteString("- **Methods** are the exported methods of exported types, the methods of exported\n")
	b.WriteString("  interfaces among them. Methods of an unexported type count where an exported type of the\n")
	b.WriteString("  package embeds it, since `go doc` lists them then; they count once, however many embed it.\n")
	b.WriteString("- **Fields** are the exported fields of the same types. An embedded type is a field, if\n")
	b.WriteString("  its name is exported. What an interface embeds counts nowhere: it counts where it is declared.\n\n")
	b.WriteString("| package | names | methods | fields | sum |\n|---|--:|--:|--:|--:|\n")
	row := func(name string, s surface) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", name, s.names, s.methods, s.fields, s.sum())
	}
	var all surface
	for _, dir := range publicPackages(t) {
		files := parsePackage(t, dir)
		s := surfaceOf(files)
		if dir == "." {
			dir = "bookahead"
		}
		row(dir, s)
		all = surface{all.names + s.names, all.methods + s.methods, all.fields + s.fields}
	}
	row("**all**", all)
	return b.String()
}

// surfaceOf counts the names, methods and fields that a package's files export.
func surfaceOf(files map[string]*ast.File) surface {
	var s surface
	open := exportedTypes(files)
	for name, file := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				switch {
				case !d.Name.IsExported():
				case d.Recv == nil:
					s.names++
				case open[typeName(d.Recv.List[0].Type)]:
					s.methods++
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					s.countSpec(spec, open)
				}
			}
		}
	}
	return s
}

// countSpec counts a declared constant, variable or type, and the members of a type.
func (s *surface) countSpec(spec ast.Spec, open map[string]bool) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		s.names += exported(spec.Names)
	case *ast.TypeSpec:
		s.names += exported([]*ast.Ident{spec.Name})
		if !open[spec.Name.Name] {
			return
		}
		switch body := spec.Type.(type) {
		case *ast.StructType:
			for _, f := range body.Fields.List {
				if len(f.Names) == 0 {
					s.fields += exported([]*ast.Ident{embedded(f.Type)})
				}
				s.fields += exported(f.Names)
			}
		case *ast.InterfaceType:
			for _, m := range body.Methods.List {
				s.methods += exported(m.Names)
			}
		}
	}
}

// exported returns how many of the names are exported.
func exported(names []*ast.Ident) int {
	n := 0
	for _, name := range names {
		if name.IsExported() {
			n++
		}
	}
	return n
}

// embedded returns the field name of an embedded type.
func embedded(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.StarExpr:
		return embedded(e.X)
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return embedded(e.X)
	case *ast.IndexListExpr:
		return embedded(e.X)
	case *ast.Ident:
		return e
	}
	return ast.NewIdent("_")
}
