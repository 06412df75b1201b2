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

// TestSynthetic makes a run without logs, and reads the tables of the run.
func TestSynthetic(t *testing.T) {
	folder := t.TempDir()
	code, out, errs := call("-jobs", "60", "-repeats", "2", "-out", folder)
	require.Zero(t, code, errs)
	require.Contains(t, out, "no batch system has seen them")
	require.Contains(t, out, "| ours | Nobody is turned away |  | synthetic | jobs | **holds** 0 |")
	require.NotContains(t, out, "14 %", "a fact of the paper's logs")
	require.Contains(t, errs, "repeat 2 of 2")
	for file, rows := range map[string]int{"table1.csv": 3, "runs.csv": 9, "fig4.csv": 33, "fig6.csv": 3 * halfHours, "fig7.csv": 3 * len(shares), "steps.csv": len(steps) + 1} {
		require.Len(t, rowsOf(t, folder, file), 1+rows, file)
	}
	again := t.TempDir()
	code, _, _ = call("-jobs", "60", "-repeats", "2", "-out", again)
	require.Zero(t, code)
	for _, file := range []string{"fig3.csv", "fig4.csv", "fig5.csv", "fig6.csv", "fig7.csv", "table2.csv"} {
		require.Equal(t, rowsOf(t, folder, file), rowsOf(t, again, file), "%s: the seed gives the same", file)
	}
}

// writeTraces writes logs in the format of the archive, in which each of n jobs is
// submitted a quarter of an hour after the one before, asks for two hours, runs for
// one, and waited for 600 s more than the one before.
func writeTraces(t *testing.T, n int, names ...string) string {
	folder := t.TempDir()
	for _, name := range names {
		text := "; MaxProcs: 100\n"
		for i := range n {
			text += fmt.Sprintf("%d %d %d 3600 40 -1 -1 -1 7200 -1 1 1 1 -1 1 -1 -1 -1\n", i+1, 900*i, 600*i)
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return folder
}

// TestTraces runs logs, in each of the settings.
func TestTraces(t *testing.T) {
	folder := writeTraces(t, 60, "CTC-1.swf", "KTH-1.swf", "HPC2N-1.swf", "SDSC-SP2-1.swf")
	out := t.TempDir()
	code, text, errs := call("-traces", folder, "-repeats", "2", "-out", out)
	require.Zero(t, code, errs)
	require.Contains(t, text, "- KTH: 60 jobs on 100 processors")
	require.Contains(t, text, ": the paper's log of CTC has 39 734 jobs on 512 processors, this one 77 222 on 338. (CTC logged, CTC Table 1, CTC estimates, CTC boundaries)")
	require.Contains(t, text, "Table 2, That for 101 to 150 is the paper's, within a fifth: the log has no jobs of that size, or but a few. (KTH logged")
	runs := rowsOf(t, out, "runs.csv")
	found := map[string]string{} // mean wait, by log, setting and scheduler
	for _, row := range runs {
		found[strings.Join(row[:3], " ")] = row[4]
	}
	require.Equal(t, "4.917", found["KTH logged batch"], "600 s × 59 / 2")
	require.Equal(t, found["KTH logged batch"], found["KTH estimates batch"])
	require.NotContains(t, found, "SDSC logged batch", "its waits are simulated")
	require.Contains(t, found, "CTC Table 1 online")
	require.NotContains(t, found, "SDSC Table 1 online", "it is not in Table 1")
	// Two jobs at a time: each second one waits for half an hour more.
	require.Equal(t, "7.250", found["KTH logged online"])
	require.Equal(t, "7.250", found["KTH logged EASY"])
	require.Equal(t, "0.000", found["CTC Table 1 online"], "512 processors are plenty")

	code, text, errs = call("-traces", folder, "-logs", "SDSC", "-jobs", "30", "-repeats", "2", "-out", "")
	require.Zero(t, code, errs)
	require.Contains(t, text, "the first 30 of them")
	require.NotContains(t, text, "KTH |")

	code, _, errs = call("-traces", t.TempDir(), "-logs", "KTH")
	require.Equal(t, 1, code)
	require.Contains(t, errs, "0 files KTH-*.swf*")
}

func TestArguments(t *testing.T) {
	require.Zero(t, run([]string{"-quick", "-h"}, io.Discard, io.Discard))
	for want, args := range map[string][]string{
		"-repeats 1 is less than 2":           {"-repeats", "1"},
		"-jobs 1 is neither 0 nor more than":  {"-jobs", "1"},
		`unexpected argument "a"`:             {"a"},
		`no log "NASA" is known`:              {"-logs", "KTH,NASA"},
		"flag provided but not defined: -set": {"-set"},
	} {
		code, _, errs := call(args...)
		require.Equal(t, 2, code, want)
		require.Contains(t, errs, want)
	}
}
