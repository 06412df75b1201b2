package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tiny is a module with a package of two functions, whose tests find some faults.
var tiny = map[string]string{
	"go.mod": "module example.com/tiny\n\ngo 1.24\n",
	"sum/sum.go": `package sum

// limit is outside of all functions.
const limit = 10

func Sum(list []int) (sum int) {
	for _, n := range list {
		if n < 0 {
			continue
		}
		sum += n
	}
	return min(sum, limit)
}

func Unasked(n int) int { return n + 1 }
`,
	"sum/sum_test.go": `package sum

import (
	"fmt"
	"testing"
)

func TestSum(t *testing.T) {
	if Sum([]int{1, 2, -3}) != 3 {
		t.Fatal("not 3")
	}
}

func TestNothing(t *testing.T) { Sum(nil) }

func TestLimit(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	if Sum([]int{20}) != 10 {
		t.Fatal("not 10")
	}
}

func TestFails(t *testing.T) { t.Fatal("with no fault") }

func ExampleSum() {
	fmt.Println(Sum([]int{4}))
	// Output: 4
}
`,
}

// checkout makes a module the current directory.
func checkout(t *testing.T, files map[string]string) {
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	t.Chdir(dir)
}

// faultAt returns the possible fault of tiny that replaces was by by.
func faultAt(t *testing.T, was, by string) fault {
	all, err := possible("sum")
	require.NoError(t, err)
	for _, f := range all {
		if f.Was == was && f.By == by {
			return f
		}
	}
	t.Fatalf("no fault %q for %q", by, was)
	return fault{}
}

func TestDrawIsRepeatedByItsSeed(t *testing.T) {
	checkout(t, tiny)
	all, err := possible("sum")
	require.NoError(t, err)
	require.Len(t, all, 10)
	first, err := draw([]string{"sum"}, 4, 1)
	require.NoError(t, err)
	again, err := draw([]string{"sum"}, 4, 1)
	require.NoError(t, err)
	other, err := draw([]string{"sum"}, 10, 2)
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.NotEqual(t, first, other[:4])
	require.ElementsMatch(t, all, other)
}

// A list is read in a checkout where its code has moved: down, to another function's file, or away.
func TestFindAFaultThatHasMoved(t *testing.T) {
	checkout(t, tiny)
	f := faultAt(t, "<", "<=")
	require.Equal(t, fault{
		File: "sum/sum.go", From: 135, To: 136, Was: "<", By: "<=", Line: 8, Func: "Sum", Code: "if n < 0 {", Column: 5,
	}, f)
	number := faultAt(t, "10", "(10+1)")
	require.Empty(t, number.Func)

	moved := func(text, to string) {
		require.NoError(t, os.Remove("sum/sum.go"))
		require.NoError(t, os.WriteFile(to, []byte(text), 0o666))
	}
	text := tiny["sum/sum.go"]
	lower := strings.Replace(text, "package sum\n", "package sum\n\nvar _ = 5 < 4\n", 1)
	moved(lower, "sum/sum.go")
	here, ok := find(f)
	require.True(t, ok)
	require.Equal(t, 10, here.Line)
	require.Equal(t, f.From+15, here.From)
	here, ok = find(number)
	require.True(t, ok)
	require.Equal(t, number.From+15, here.From)

	moved(text+"\nfunc (list) Sum() { if n < 0 { return } }\n\ntype list []int\n\nvar n int\n", "sum/sum.go")
	_, ok = find(fault{File: f.File, From: 3, To: 4, Was: f.Was, Func: f.Func, Code: f.Code, Column: f.Column})
	require.False(t, ok, "two functions have the name and the line")

	moved(text, "sum/add.go")
	here, ok = find(f)
	require.True(t, ok)
	require.Equal(t, "sum/add.go", here.File)

	require.NoError(t, os.Rename("sum/add.go", "sum/sum.go"))
	moved(strings.Replace(text, "n < 0", "0 > n", 1), "sum/sum.go")
	_, ok = find(f)
	require.False(t, ok)
}
