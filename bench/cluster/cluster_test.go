package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// small are the arguments of a run that takes less than a second, with more outages than usual.
var small = []string{"-nodes", "60", "-jobs", "400", "-ahead", "0.2", "-failures", "8", "-drains", "6", "-load", "1"}

func TestSmallRun(t *testing.T) {
	folder := t.TempDir()
	var out, progress bytes.Buffer
	require.Equal(t, 0, run(t.Context(), append(slices.Clone(small), "-out", folder), &out, &progress), progress.String())
	for _, machine := range []string{"nodes", "pools"} {
		for _, done := range []string{"100", "200", "300", "400"} {
			require.Regexp(t, `(?m)^ +\d+ s  `+machine+`: `+done+` of 400 jobs done on day \d+\.\d\d; \d+ run, \d+ wait$`, progress.String())
		}
	}
	require.Contains(t, out.String(), "|  | nodes | pools |\n")

	sums := readCSV(t, folder, "summary.csv")
	require.Len(t, sums, 3)
	of := func(row int, name string) float64 {
		x, err := strconv.ParseFloat(sums[row][slices.Index(sums[0], name)], 64)
		require.NoError(t, err, name)
		return x
	}
	for row, machine := range []string{"nodes", "pools"} {
		row++
		require.Equal(t, machine, sums[row][0])
		require.Equal(t, of(row, "asked"), of(row, "refused")+of(row, "promises"))
		require.Equal(t, of(row, "promises"), of(row, "kept")+of(row, "broken")+of(row, "displaced"))
		require.LessOrEqual(t, of(row, "moved"), of(row, "displaced"))
		require.Equal(t, of(row, "broken"), of(row, "broken_late")+of(row, "broken_never"))
		require.LessOrEqual(t, of(row, "punctual"), of(row, "moved"))
		require.Positive(t, of(row, "finished_gpu_h"))
		require.Positive(t, of(row, "displaced"), "an outage displaces a reservation")
		require.Positive(t, of(row, "wait_mean_h"))
		require.LessOrEqual(t, of(row, "wait_median_h"), of(row, "wait_p95_h"))
		require.InDelta(t, 50, of(row, "utilisation"), 40)
		require.Positive(t, of(row, "wall_s"))
	}
	require.Zero(t, of(1, "broken"), "nodes keep their promises")
	require.Positive(t, of(2, "broken"), "pools promise GPUs that no nodes have")

	shares := readCSV(t, folder, "promises.csv")
	require.Equal(t, []string{"machine", "kept", "displaced", "broken"}, shares[0])
	require.Len(t, shares, 3)
	usage := readCSV(t, folder, "usage.csv")
	require.Equal(t, []string{"machine", "day", "utilisation", "waiting"}, usage[0])
	require.Equal(t, []string{"nodes", "0.125"}, usage[1][:2])
	waits := readCSV(t, folder, "waits.csv")
	require.Equal(t, []string{"machine", "share", "wait_h"}, waits[0])
	require.Len(t, waits, 1+2*51)
	_, err := os.Stat(filepath.Join(folder, "table.csv"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestSameTables: all but the times that the runs take depends on the arguments only.
func TestSameTables(t *testing.T) {
	folders := []string{t.TempDir(), t.TempDir()}
	var printed []string
	wall := regexp.MustCompile(`(?m)^\| (wall|processor) time.*$`)
	for _, folder := range folders {
		var out bytes.Buffer
		require.Equal(t, 0, run(t.Context(), append(slices.Clone(small), "-jobs", "200", "-out", folder), &out, io.Discard))
		require.Regexp(t, wall, out.String())
		printed = append(printed, wall.ReplaceAllString(out.String(), ""))
	}
	require.Equal(t, printed[0], printed[1])
	for _, file := range []string{"summary.csv", "usage.csv", "waits.csv", "promises.csv"} {
		a, b := readCSV(t, folders[0], file), readCSV(t, folders[1], file)
		if file == "summary.csv" {
			last := len(a[0]) - 2
			require.Equal(t, []string{"wall_s", "processor_s"}, a[0][last:])
			for i := range a {
				a[i], b[i] = a[i][:last], b[i][:last]
			}
		}
		require.Equal(t, a, b, file)
	}
}

// TestPolicies: each policy and each order runs, and is checked.
func TestPolicies(t *testing.T) {
	tables := map[string]bool{}
	for policy := range policies {
		for order := range orders {
			var out, progress bytes.Buffer
			args := append(slices.Clone(small), "-jobs", "150", "-policy", policy, "-order", order, "-out", "")
			require.Equal(t, 0, run(t.Context(), args, &out, &progress), progress.String())
			tables[out.String()] = true
		}
	}
	require.Len(t, tables, len(policies)*len(orders))
}

func TestArguments(t *testing.T) {
	for _, args := range []string{
		"-nodes 1", "-nodes 100001", "-jobs 0", "-jobs -5", "-load 0", "-load NaN", "-ahead 1.1", "-ahead -1", "-failures -1", "-drains -1",
		"-policy lifo", "-order random", "-seed -1", "-what", "here", "-quick=perhaps", "-nodes many",
	} {
		var out, errs bytes.Buffer
		require.Equal(t, 2, run(t.Context(), strings.Fields(args), &out, &errs), args)
		require.NotEmpty(t, errs.String(), args)
		require.Empty(t, out.String(), args)
	}
	require.Equal(t, 0, run(t.Context(), []string{"-quick", "-h"}, io.Discard, io.Discard))
}

// canceller cancels when the first line about the machine arrives.
type canceller struct {
	bytes.Buffer
	about  string
	cancel context.CancelFunc
}

func (c *canceller) Write(text []byte) (int, error) {
	if bytes.Contains(text, []byte(c.about)) {
		c.cancel()
	}
	return c.Buffer.Write(text)
}

// TestCancel: the program says where it stopped, prints no table, and writes nothing.
func TestCancel(t *testing.T) {
	for _, machine := range []string{"nodes", "pools"} {
		ctx, cancel := context.WithCancel(t.Context())
		out, folder := bytes.Buffer{}, t.TempDir()
		errs := canceller{about: machine + ": 100 of 400", cancel: cancel}
		require.Equal(t, 1, run(ctx, append(slices.Clone(small), "-out", folder), &out, &errs))
		require.Regexp(t, `(?m)^cluster: `+machine+`: stopped when 1\d\d of 400 jobs were done: context canceled$`, errs.String())
		require.Empty(t, out.String())
		files, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Empty(t, files)
	}
}

// TestNowhereToWrite: a folder that cannot be made is an error.
func TestNowhereToWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.Equal(t, 1, run(t.Context(), append(slices.Clone(small), "-jobs", "20", "-out", file), io.Discard, io.Discard))
}

func readCSV(t *testing.T, folder, file string) [][]string {
	text, err := os.ReadFile(filepath.Join(folder, file))
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	return rows
}
