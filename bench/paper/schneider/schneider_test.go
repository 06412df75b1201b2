package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSmallRun(t *testing.T) {
	folder := t.TempDir()
	var out, progress bytes.Buffer
	args := []string{"-loads", "1.5", "-length", "0.1", "-repeats", "2", "-large", "64", "-out", folder}
	require.Equal(t, 0, run(args, &out, &progress), progress.String())
	require.Contains(t, progress.String(), "Figure 9, 128 units, load 1.5: 2 repeats, ")
	require.Contains(t, out.String(), " points did not converge to ")
	rows := readCSV(t, filepath.Join(folder, "claims.csv"))
	deciding := 0
	for _, row := range rows[1:] {
		if row[3] == everyLoad {
			deciding++
		}
		require.Contains(t, out.String(), row[1])
		if strings.HasPrefix(row[1], "The list accepts what 900 000 slots accept") || row[1] == "Both accept the same" {
			require.Equal(t, "holds", row[4], row[1])
		}
	}
	require.Equal(t, len(claims([]int64{64}))+4*len(otherLeads)+2, deciding, "at other leads, and always")
	for _, file := range []string{"fig6.csv", "leads.csv", "fig7.csv", "fig8.csv", "fig9.csv"} {
		rows := readCSV(t, filepath.Join(folder, file))
		require.Equal(t, header, rows[0])
		for _, row := range rows[1:] {
			between, err := strconv.ParseFloat(row[3], 64)
			require.NoError(t, err)
			gap, err := strconv.ParseFloat(row[4], 64)
			require.NoError(t, err)
			require.Positive(t, between)
			require.NotEqual(t, between, gap, "jobs are submitted again, so that they come faster than first submissions")
		}
	}
}

func readCSV(t *testing.T, file string) [][]string {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(rows), 2)
	return rows
}

func TestArguments(t *testing.T) {
	var out, errs bytes.Buffer
	for _, args := range [][]string{{"-length", "0"}, {"-repeats", "1"}, {"-loads", "2,much"}, {"-loads", "-1"}, {"-large", "128"}, {"-large", "0"}, {"-large", "64,many"}, {"-what"}} {
		require.Equal(t, 2, run(args, &out, &errs), args)
	}
	require.Equal(t, 0, run([]string{"-quick", "-h"}, &out, &errs))
	require.Empty(t, out.String())
}
