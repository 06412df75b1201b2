package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func TestSmallRun(t *testing.T) {
	folder := t.TempDir()
	var out, errs bytes.Buffer
	require.Equal(t, 0, run([]string{"-jobs", "60", "-repeats", "2", "-out", folder}, &out, &errs), errs.String())
	require.Empty(t, errs.String())
	for _, claim := range []string{"The list accepts what 900 000 slots accept (128 units)\n      HOLDS", "Both accept the same\n      HOLDS"} {
		require.Contains(t, out.String(), claim)
	}
	for _, file := range []string{"fig6.csv", "fig7.csv", "fig8.csv", "fig9.csv"} {
		f, err := os.Open(filepath.Join(folder, file))
		require.NoError(t, err)
		rows, err := csv.NewReader(f).ReadAll()
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.Greater(t, len(rows), 4)
	}
	require.Equal(t, 2, run([]string{"-jobs", "0"}, &out, &errs))
	require.Equal(t, 2, run([]string{"-what"}, &out, &errs))
	require.Equal(t, 0, run([]string{"-h"}, &out, &errs))
}

func TestSample(t *testing.T) {
	var s sample
	for _, x := range []float64{2, 4, 6} {
		s.add(x)
	}
	require.InDelta(t, 4, s.mean, 1e-12)
	require.InDelta(t, 4.303*2/1.7320508, s.half, 1e-3)
	var below, near sample // each a little below, where the values themselves spread
	for i, x := range []float64{1.9, 3.8, 5.8} {
		below.add(x)
		near.add(s.values[i] + []float64{-1, 1, 0.1}[i])
	}
	require.True(t, s.above(below))
	require.False(t, below.above(s))
	require.False(t, near.above(s))
}

// TestWorkflowIsAllOrNothing fills one access so that the second transfer
// fails.
func TestWorkflowIsAllOrNothing(t *testing.T) {
	all := make([]site, 3)
	for i := range all {
		var err error
		all[i].processors, err = list.open(4)
		require.NoError(t, err)
		all[i].access, err = list.open(10)
		require.NoError(t, err)
	}
	_, err := all[2].access.Reserve(bookahead.Request{Ready: 0, Duration: 1000, Units: 10})
	require.NoError(t, err)
	w := workflow{
		ready: 5, deadline: 500, at: []int{0, 1, 2}, transfer: 10, bandwidth: 3,
		job: bookahead.Request{Duration: 20, Units: 2},
	}
	ok, err := w.book(all)
	require.NoError(t, err)
	require.False(t, ok)
	for i, x := range all[:2] {
		for _, s := range []bookahead.Schedule{x.processors, x.access} {
			a, err := s.RangeQuery(bookahead.Interval{Start: 0, End: 1000})
			require.NoError(t, err)
			require.Contains(t, []int64{4, 10}, a.Free, i)
		}
	}
	w.at = []int{0, 1, 1}
	ok, err = w.book(all)
	require.NoError(t, err)
	require.True(t, ok)
	// 5-25 at the first, transfer 25-35, 35-55 and 55-75 at the second.
	for win, free := range map[bookahead.Interval]int64{{Start: 35, End: 75}: 2, {Start: 75, End: 99}: 4} {
		a, err := all[1].processors.RangeQuery(win)
		require.NoError(t, err)
		require.Equal(t, free, a.Free)
	}
	a, err := all[0].access.RangeQuery(bookahead.Interval{Start: 25, End: 35})
	require.NoError(t, err)
	require.Equal(t, int64(7), a.Free)
}
