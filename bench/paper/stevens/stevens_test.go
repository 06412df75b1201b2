package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// §5.1: nine nodes, 16 links both ways, and three smallest degrees that sum to 6.
func TestPhosphorus(t *testing.T) {
	g := phosphorus()
	require.Len(t, g.nodes, 9)
	require.Len(t, g.links, 16)
	degrees := make([]int, 9)
	pairs := map[[2]int]bool{}
	for _, l := range g.links {
		degrees[l.from]++
		degrees[l.to]++
		pairs[[2]int{min(l.from, l.to), max(l.from, l.to)}] = true
	}
	require.Len(t, pairs, 16)
	slices.Sort(degrees)
	require.Equal(t, 6, degrees[0]+degrees[1]+degrees[2])
	n, err := build(g, []int{0, 4, 8}, clusterSlot)
	require.NoError(t, err)
	require.Equal(t, 32, n.Links())
	require.Equal(t, 3, n.Clusters())
	require.EqualValues(t, 60, n.Cluster(2).CPUs)
	_, err = build(graph{name: "x", nodes: make([]place, 2), links: make([]link, 1)}, nil, clusterSlot)
	require.Error(t, err, "a link from a node to itself")
}

// Table 2: the means are those asked for, and the same seed gives the same tasks.
func TestStream(t *testing.T) {
	const n = 20_000
	w := workloads[2]
	s := newStream(w, 9, n, 5, 1)
	require.Equal(t, s, newStream(w, 9, n, 5, 1))
	require.NotEqual(t, s.tasks[0], newStream(w, 9, n, 5, 2).tasks[0])
	work, burst := 0.0, 0.0
	for _, task := range s.tasks {
		work += float64(task.Work) / n
		burst += float64(task.Burst) / n
	}
	require.InEpsilon(t, w.work, work, 0.03)
	require.InEpsilon(t, 800, burst, 0.03) // 100 MB over 1 Gb/s, in ms
	require.InEpsilon(t, n/5*1000, float64(s.tasks[n-1].Ready), 0.03)
	require.Len(t, s.at, 3)
}

// A short run of everything: each algorithm meets the same tasks, and all that is
// to be written is.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	folder := t.TempDir()
	require.Zero(t, start([]string{"-rates", "5", "-runs", "2", "-jobs", "60", "-out", folder}, &out, io.Discard))
	for _, a := range algorithms {
		require.Equal(t, 3, strings.Count(out.String(), " | "+a.name+" | 5 | "), a.name)
	}
	for _, c := range claims {
		require.Contains(t, out.String(), c.What)
	}
	pairs := 0
	for _, c := range claims {
		if n := len(c.a) * len(c.b); n > 1 {
			pairs += n
		}
	}
	for file, lines := range map[string]int{"stevens.csv": 1 + 3*len(algorithms), "claims.csv": 1 + len(claims) + pairs} {
		text, err := os.ReadFile(filepath.Join(folder, file))
		require.NoError(t, err)
		require.Equal(t, lines, strings.Count(string(text), "\n"), file)
	}
}

func TestRunIsDeterministic(t *testing.T) {
	s := newStream(workloads[2], 9, 200, 8, 3)
	for _, a := range algorithms {
		first, err := run(phosphorus(), s, a, 20, clusterSlot)
		require.NoError(t, err)
		again, err := run(phosphorus(), s, a, 20, clusterSlot)
		require.NoError(t, err)
		first.micros, again.micros = nil, nil
		require.Equal(t, first, again)
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	for _, args := range [][]string{
		{"-rates", "0"}, {"-rates", "x"}, {"-runs", "1"}, {"-jobs", "0"},
		{"-without", "nothing"}, {"-topology", "/nowhere"},
	} {
		require.Equal(t, 2, start(args, io.Discard, io.Discard), args)
	}
	require.Zero(t, start([]string{"-quick", "-h"}, io.Discard, io.Discard))
	var s settings
	require.NoError(t, s.leave("MC-T,MC-B"))
	require.Len(t, s.algorithms, len(algorithms)-2)
}
