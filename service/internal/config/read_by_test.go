package config

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryKeyIsRead checks that each key of the file is read by something beside the reader of the file: a key that nothing reads
// is a promise that nobody keeps.
func TestEveryKeyIsRead(t *testing.T) {
	read := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "config/read.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if ok {
				read[s.Sel.Name] = true
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	seen := map[reflect.Type]bool{}
	var check func(x reflect.Type)
	check = func(x reflect.Type) {
		for x.Kind() == reflect.Pointer || x.Kind() == reflect.Slice {
			x = x.Elem()
		}
		if x.Kind() != reflect.Struct || seen[x] || x.PkgPath() != reflect.TypeFor[Config]().PkgPath() {
			return
		}
		seen[x] = true
		for i := range x.NumField() {
			f := x.Field(i)
			if f.IsExported() {
				require.NotEmpty(t, f.Tag.Get("yaml"), "%v.%s has no key", x, f.Name)
				require.True(t, read[f.Name] || f.Name == "Zone" || f.Name == "Epoch" || f.Name == "Tick", "%v.%s is read by nothing", x, f.Name)
				check(f.Type)
			}
		}
	}
	check(reflect.TypeFor[Config]())
	require.Greater(t, len(seen), 8)
}
