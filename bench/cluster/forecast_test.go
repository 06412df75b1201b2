package main

import (
	"bytes"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestForecasts: with exact estimates, Conservative starts each job when it was forecast. With longer ones no job is later than that,
// and the error is larger.
func TestForecasts(t *testing.T) {
	folder := t.TempDir()
	var out, progress bytes.Buffer
	require.Equal(t, 0, run(t.Context(), append(slices.Clone(small), "-out", folder), &out, &progress), progress.String())
	require.Contains(t, out.String(), "## Forecasts by the quality of estimates\n")
	rows := readCSV(t, folder, "forecasts.csv")
	require.Len(t, rows, 1+2*len(estimates))
	of := func(policy, quality, column string) float64 {
		for _, row := range rows[1:] {
			if row[0] == policy && row[1] == quality {
				x, err := strconv.ParseFloat(row[slices.Index(rows[0], column)], 64)
				require.NoError(t, err)
				return x
			}
		}
		require.Fail(t, "no such row", "%s, %s", policy, quality)
		return 0
	}
	for _, e := range estimates {
		require.Positive(t, of("conservative", e.name, "waited"), e.name)
		require.Zero(t, of("conservative", e.name, "late"), e.name)
		require.LessOrEqual(t, of("easy", e.name, "early")+of("easy", e.name, "late"), 100.01, e.name)
		require.LessOrEqual(t, of("easy", e.name, "error_median_h"), of("easy", e.name, "error_p95_h"), e.name)
	}
	require.Zero(t, of("conservative", "exact", "error_p95_h"))
	require.Positive(t, of("easy", "exact", "error_mean_h"), "others overtake, and delay those behind the first")
	for _, policy := range []string{"easy", "conservative"} {
		require.Less(t, of(policy, "exact", "error_mean_h"), of(policy, "2 times", "error_mean_h"))
		require.Less(t, of(policy, "2 times", "error_mean_h"), of(policy, "10 times", "error_mean_h"))
	}
}
