package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/trace"
)

const text = `bookahead-trace 1
capacity 4
horizon 1000
booked 1 0 60 2
reserve 2 20 30 4 0
search 20 30 3 400
advance 50
release 2
`

func written(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "some file")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// TestLines: a line for each structure; all of them find the earliest start here, those of
// servers and slots among them.
func TestLines(t *testing.T) {
	var out, stderr strings.Builder
	const names = "carts.Flat,carts.Indexed,idletree.Tree,slotted.Indexed-1"
	require.Equal(t, 0, run([]string{"-trace", written(t, text), "-impl", names}, &out, &stderr), stderr.String())
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 4)
	sum := uint64(0)
	for i, name := range strings.Split(names, ",") {
		l, err := trace.ParseLine(lines[i])
		require.NoError(t, err)
		require.Equal(t, []string{name, "some_file"}, []string{l.Planner, l.Trace})
		require.Equal(t, []int{4, 4, 2, 2}, []int{l.Operations, l.Of, l.Answers, l.Accepted})
		if i == 0 {
			sum = l.Checksum
		}
		require.Equal(t, sum, l.Checksum)
	}
	out.Reset()
	require.Equal(t, 0, run([]string{"-trace", written(t, text)}, &out, &stderr), stderr.String())
	require.True(t, strings.HasPrefix(out.String(), "planner=carts.Indexed "))
}

func TestErrors(t *testing.T) {
	for args, says := range map[string]string{
		"":                           "-trace names no file",
		"-trace x -limit -1s":        "-limit -1s is negative",
		"-trace x -impl carts.Round": `"carts.Round" is none of carts.Indexed, `,
	} {
		var stderr strings.Builder
		require.Equal(t, 2, run(strings.Fields(args), &strings.Builder{}, &stderr), args)
		require.Contains(t, stderr.String(), says)
	}
	path := written(t, strings.Replace(text, "search", "seek", 1))
	var stderr strings.Builder
	require.Equal(t, 1, run([]string{"-trace", path}, &strings.Builder{}, &stderr))
	require.Equal(t, `drive: `+path+`: trace: line 6: "seek" is no operation`+"\n", stderr.String())
	stderr.Reset()
	require.Equal(t, 1, run([]string{"-trace", written(t, strings.Replace(text, "horizon 1000", "", 1)), "-impl", "slotted.Scan-60"}, &strings.Builder{}, &stderr))
	require.Contains(t, stderr.String(), "drive: slotted.Scan-60: ")
}
