package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/stretchr/testify/require"
)

// call runs the program.
func call(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

// rowsOf reads a table that was written.
func rowsOf(t *testing.T, folder, file string) [][]string {
	f, err := os.Open(filepath.Join(folder, file))
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	return rows
}

// written are the tables, with their rows in each reading; but for Fig. 4, whose
// days are as many as it takes.
var written = map[string]int{
	"fig5.csv": 18, "searches.csv": 6, "table5.csv": 12, "fig8-10.csv": 33, "static.csv": 33, "arfirst.csv": 44, "table6.csv": 5,
	"fig11-19.csv": 33, "fig14.csv": 16, "fig15-16.csv": 44, "reasons.csv": 24,
}

// TestSynthetic makes a run without the log, and reads the tables of the run.
func TestSynthetic(t *testing.T) {
	folder, again := t.TempDir(), t.TempDir()
	code, out, errs := call("-jobs", "25", "-repeats", "2", "-out", folder)
	require.Zero(t, code, errs)
	require.Contains(t, out, "- 68000-69000: Lublin and Feitelson's model in its place: 25 jobs")
	require.Contains(t, out, "| Prop. 1 |")
	require.Contains(t, out, "the paper's, within a tenth on average: it is about the log, which is not there. (run)")
	require.NotContains(t, out, "must be a slip", "that is said of the log")
	require.NotContains(t, out, "NaN")
	require.NotContains(t, out, "Figure 4:", "it is long")
	require.Contains(t, out, "| 86400 | 100 |")
	require.Contains(t, errs, "simulations in all")
	for file, rows := range written {
		require.Len(t, rowsOf(t, folder, file), 1+len(readings)*rows, file)
	}
	for file, rows := range map[string]int{"table2.csv": 8, "table3.csv": 9, "table4.csv": 6} {
		require.Len(t, rowsOf(t, folder, file), 1+rows, file)
	}
	for _, row := range rowsOf(t, folder, "claims.csv") {
		if strings.HasPrefix(row[1], "With dynamic binding") || row[0] == "ours" {
			require.Equal(t, trial.Holds, row[4], row)
		}
	}
	code, _, errs = call("-jobs", "25", "-repeats", "2", "-out", again)
	require.Zero(t, code, errs)
	for file := range written {
		if file != "searches.csv" {
			require.Equal(t, rowsOf(t, folder, file), rowsOf(t, again, file), "%s: the seed gives the same", file)
		}
	}
}

// writeLog writes a log of n jobs in each piece, in the format of the archive. A job
// is submitted every 1000 s from the piece's first on, asks for all of a part for
// 2000 s, runs for 1000 s, and waited for 500 s.
func writeLog(t *testing.T, n int) string {
	folder := t.TempDir()
	text := "; MaxProcs: 128\n7 5 -1 9 -1 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1\n"
	for _, p := range pieces {
		for i := range int64(n) {
			text += fmt.Sprintf("%d %d 500 1000 64 -1 -1 64 2000 -1 1 1 1 -1 1 -1 -1 -1\n", p.from+i, 1000*(p.from+i))
		}
		text += fmt.Sprintf("%d 0 0 1 1 -1 -1 1 1 -1 1 1 1 -1 1 -1 -1 -1\n", p.to+1)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "SDSC-SP2-1.swf"), []byte(text), 0o600))
	return folder
}

// TestTraces runs a log whose numbers can be worked out: there is room for every task
// when it comes, and when it asks to start.
func TestTraces(t *testing.T) {
	folder, out := writeLog(t, 6), t.TempDir()
	code, text, errs := call("-traces", folder, "-repeats", "2", "-out", out)
	require.Zero(t, code, errs)
	require.Contains(t, text, "- 1-1000: 6 jobs; 0 cut at the time they asked for, 994 numbers missing in the log")
	require.Contains(t, text, "| runtime, s | 1000 | 8259 | 1000 | 8135 |")
	found := map[string][]string{}
	for _, row := range rowsOf(t, out, "table5.csv")[1:] {
		found[strings.Join(row[:3], " ")] = row[3:]
	}
	require.Equal(t, []string{"0.500", "0.540", "1000", "29995", "0.000", "0.000"}, found["run 1-1000 0"])
	require.Equal(t, "1500", found["run 68000-69000 100"][2], "it starts 500 s after its submission")
	require.Equal(t, "1000", found["ready 68000-69000 100"][2])
	require.Equal(t, "1000", found["text 68000-69000 100"][2])
	code, _, errs = call("-traces", t.TempDir())
	require.Equal(t, 1, code)
	require.Contains(t, errs, "0 files SDSC-SP2-*.swf*")
	code, _, errs = call("-traces", writeLog(t, 1))
	require.Equal(t, 1, code)
	require.Contains(t, errs, "1 jobs of 1-1000, want 2 or more")
}

func TestArguments(t *testing.T) {
	require.Zero(t, run([]string{"-quick", "-h"}, io.Discard, io.Discard))
	for want, args := range map[string][]string{
		"-repeats 1 is less than 2":           {"-repeats", "1"},
		"-jobs 1 is less than 2":              {"-jobs", "1"},
		`unexpected argument "a"`:             {"a"},
		"flag provided but not defined: -set": {"-set"},
	} {
		code, _, errs := call(args...)
		require.Equal(t, 2, code, want)
		require.Contains(t, errs, want)
	}
}

// TestArchive reads the real log, whose job numbers are those of the paper.
func TestArchive(t *testing.T) {
	folder := os.Getenv("BOOKAHEAD_DATA")
	if folder == "" {
		t.Skip("BOOKAHEAD_DATA, the folder of the data, is not set")
	}
	logs, err := readLogs(filepath.Join(folder, "swf"))
	require.NoError(t, err)
	require.Len(t, logs[light].jobs, 938)
	require.Len(t, logs[heavy].jobs, 893)
	units, jobs := logs[heavy].mode()
	require.Equal(t, part, units)
	require.Equal(t, 147, jobs, "as in Table 4")
	var large []int64
	for _, j := range logs[light].jobs {
		if j.Units > part {
			large = append(large, j.Number)
		}
	}
	require.Equal(t, tooLarge, large)
	require.Zero(t, logs[heavy].jobs[0].Submit)
}
