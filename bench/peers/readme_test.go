package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/trace"
)

// TestREADME: its table is one that the program prints, with every planner, and its trace has the
// line that stands below it.
func TestREADME(t *testing.T) {
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	text := string(page)
	require.Contains(t, text, head)
	for _, p := range planners() {
		require.Contains(t, text, "`"+p.name+"`")
		require.Contains(t, text, " | "+p.name+" | ")
	}
	for _, c := range trace.Standard() {
		require.Contains(t, text, "\n| "+trace.NameOf(c)+" | carts.Indexed | ")
	}
	require.NotContains(t, text, "| NO |")

	_, file, ok := strings.Cut(text, "```\n"+trace.Version)
	require.True(t, ok)
	file, _, _ = strings.Cut(trace.Version+file, "```")
	tr := read(t, file)
	want, err := trace.ParseLine(regexp.MustCompile(`(?m)^planner=plain-c .*$`).FindString(text))
	require.NoError(t, err)
	for _, p := range planners() {
		got, err := trace.Run(tr, p.name, p.open, 0)
		require.NoError(t, err)
		require.Equal(t, []any{want.Trace, want.Checksum, want.Operations, want.Accepted}, []any{got.Trace, got.Checksum, got.Operations, got.Accepted})
	}
}

func read(t *testing.T, text string) *trace.Trace {
	tr, err := trace.Read(strings.NewReader(text))
	require.NoError(t, err)
	return tr
}

// TestDriverRefuses files that are no traces: whoever changes the driver learns of a fault by its line.
func TestDriverRefuses(t *testing.T) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	folder := t.TempDir()
	driver := filepath.Join(folder, "planner")
	out, err := exec.Command(compiler, "-o", driver, filepath.Join("driver", "planner.c")).CombinedOutput()
	require.NoError(t, err, string(out))
	for text, says := range map[string]string{
		"bookahead-trace 2\ncapacity 1\n":                                  "line 1: not bookahead-trace 1\n",
		"bookahead-trace 1\ncapacity 1\nbooked 1 0 5 2\n":                  "line 3: the booked line does not fit\n",
		"bookahead-trace 1\ncapacity 1\n\nreserve 1 0 5 1\n":               "line 4: no operation\n",
		"bookahead-trace 1\ncapacity 1\nrelease 1\n":                       "line 3: no such number\n",
		"bookahead-trace 1\ncapacity 1\nreserve 2 0 5 1 0\n":               "line 3: not the next number\n",
		"bookahead-trace 1\ncapacity 1\nreserve 1 0 5 1 0\nseek 1 2 3 4\n": "line 4: no operation\n",
	} {
		path := filepath.Join(folder, "bad")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		said, err := exec.Command(driver, path).CombinedOutput()
		require.Error(t, err)
		require.Equal(t, says, string(said))
	}
}
