package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

var update = flag.Bool("update", false, "write testdata/claims.csv and testdata/otherwise.csv anew")

// pinned are two repeats with synthetic logs. They are taken for real ones, so that
// no claim goes untested because it is about the log.
func pinned(t *testing.T) []scene {
	o := options{jobs: 250, repeats: 2, seed: 3}
	scenes, err := o.scenes()
	require.NoError(t, err)
	for _, s := range scenes {
		for _, w := range s.worlds {
			w.memory = &memory{runs: map[simulation]*summary{}} // the logs differ
			for k := range w.logs {
				w.logs[k].synthetic = false
			}
		}
	}
	return scenes
}

// TestGolden compares the finding on each claim, in each reading and under each choice,
// with the findings in testdata, which a person has looked over. It is written anew by
// go test -run TestGolden . -update.
func TestGolden(t *testing.T) {
	scenes := pinned(t)
	others := otherwise(claims(), scenes)
	for file, rows := range map[string][][]string{
		"claims.csv":    trial.ClaimRows(circumstances, findings(claims(), scenes)),
		"otherwise.csv": append([][]string{others.Header}, others.Rows...),
	} {
		require.NoError(t, failed(scenes))
		if *update {
			require.NoError(t, trial.WriteCSV("testdata", file, rows))
		}
		want := rowsOf(t, "testdata", file)
		require.Len(t, rows, len(want), file)
		for i := range want {
			require.Equal(t, want[i], rows[i], "%s, line %d", file, i+1)
		}
	}
}

// TestDistinct looks whether the golden file can tell apart the sides of claims that
// one is less than the other, so that it would show if they were exchanged.
func TestDistinct(t *testing.T) {
	n := 0
	for _, row := range rowsOf(t, "testdata", "claims.csv")[1:] {
		if row[3] == readings[0].name && row[11] == fmt.Sprint(-trial.Above) {
			require.NotEqual(t, row[6], row[7], row)
			n++
		}
	}
	require.Greater(t, n, 50)
}

// TestPaper compares the paper's numbers with testdata/paper.csv, which has been typed
// from its tables on its own, and is never written by a program.
func TestPaper(t *testing.T) {
	var got [][]string
	add := func(table, row string, numbers ...float64) {
		cells := []string{table, row}
		for _, x := range numbers {
			cells = append(cells, fmt.Sprint(x))
		}
		got = append(got, cells)
	}
	lines := func(table string, lines []line) {
		for _, l := range lines {
			if l.said != nil {
				add(table, strings.Join(l.labels, " "), l.said...)
			}
		}
	}
	lines("2", tableTwo)
	lines("3", tableThree)
	for _, m := range tableFour {
		add("4", m.name, m.said[:]...)
	}
	for m, c := range criteria {
		for k, piece := range pieces {
			add("5", c.name+", "+piece.name, tableFive[k][m]...)
		}
	}
	lines("6", tableSix)
	f, err := os.Open(filepath.Join("testdata", "paper.csv"))
	require.NoError(t, err)
	defer f.Close()
	in := csv.NewReader(f)
	in.FieldsPerRecord = -1 // a table has as many columns as in the paper
	want, err := in.ReadAll()
	require.NoError(t, err)
	require.Equal(t, want, got)
}
