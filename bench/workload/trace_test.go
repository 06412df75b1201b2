package workload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead/bench/swf"
)

func TestFromSWF(t *testing.T) {
	trace := `; MaxNodes: -1
; MaxProcs: 16
1 30 10 100 4 -1 -1 4 120 -1 1 1 1 -1 1 -1 -1 -1
2 20 10 130 4 -1 -1 8 120 -1 1 1 1 -1 1 -1 -1 -1
3 20 10 50 4 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1
4 25 10 -1 -1 -1 -1 2 60 -1 5 1 1 -1 1 -1 -1 -1
5 26 10 70 -1 -1 -1 -1 60 -1 1 1 1 -1 1 -1 -1 -1
6 27 10 0 4 -1 -1 4 -1 -1 1 1 1 -1 1 -1 -1 -1
7 28 10 70 17 -1 -1 17 60 -1 1 1 1 -1 1 -1 -1 -1
8 29 -7 0 1 -1 -1 1 60 -1 0 1 1 -1 1 -1 -1 -1
9 -1 10 70 1 -1 -1 1 60 -1 1 1 1 -1 1 -1 -1 -1
`
	read := func(procs int64, keep func(swf.Job) bool) Import {
		l, err := swf.Read(strings.NewReader(trace))
		require.NoError(t, err)
		return FromSWF(l, procs, keep)
	}
	i := read(0, nil)
	require.Equal(t, Import{
		Jobs: []Job{
			{Submit: 20, Run: 120, Estimate: 120, Units: 8, Number: 2, Wait: 10},
			{Submit: 20, Run: 50, Estimate: 50, Units: 4, Number: 3, Wait: 10},
			{Submit: 25, Run: 60, Estimate: 60, Units: 2, Number: 4, Wait: 10},
			{Submit: 29, Run: 1, Estimate: 60, Units: 1, Number: 8, Wait: Unknown},
			{Submit: 30, Run: 100, Estimate: 120, Units: 4, Number: 1, Wait: 10},
		},
		Procs: 16, NoProcs: 1, NoTime: 1, NoSubmit: 1, TooBig: 1, Clipped: 1, NoEstimate: 1, NoRun: 2,
	}, i)
	require.Equal(t, 4, i.Skipped())
	require.Equal(t, "5 jobs on 16 processors (1 cut at the time they asked for; left out: 1 without processors, "+
		"1 without time, 1 with a negative submit time, 1 too big); guessed: 1 estimate (the run time), "+
		"2 run times (the estimate, or a second)", i.String())
	part := read(16, func(j swf.Job) bool { return j.Number > 7 })
	require.Equal(t, Import{Jobs: i.Jobs[3:4], Procs: 16, NoSubmit: 1, NoRun: 1}, part, "the others do not count")
	i = read(32, nil)
	require.Len(t, i.Jobs, 6)
	trace = strings.Replace(trace, "MaxProcs", "MaxProcessors", 1)
	i = read(0, nil)
	require.Equal(t, int64(17), i.Procs, "the largest job")
	require.Contains(t, i.String(), "; guessed: the processors (of the largest job), 1 estimate (")
	trace = strings.Replace(trace, "MaxNodes: -1", "MaxNodes: 18", 1)
	i = read(0, nil)
	require.Equal(t, int64(18), i.Procs)
	require.Contains(t, i.String(), "; guessed: the processors (MaxNodes), 1 estimate (")
}

func TestFromSWFKeepsTheOrderOfJobsSubmittedTogether(t *testing.T) {
	var l swf.Log
	for k := range int64(100) {
		l.Jobs = append(l.Jobs, swf.Job{Submit: 5 - k%2, Run: k + 1, Requested: 1})
	}
	i := FromSWF(l, 0, nil)
	for k, j := range i.Jobs[1:] {
		before := i.Jobs[k]
		if before.Submit == j.Submit {
			require.Less(t, before.Run, j.Run)
		}
	}
}

// TestFromSWFAccountsForEachJob draws traces of small numbers, many of them 0
// or unknown.
func TestFromSWFAccountsForEachJob(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Range(-1, 9)
		lines := rapid.SliceOf(rapid.Custom(func(t *rapid.T) swf.Job {
			return swf.Job{
				Submit: number.Draw(t, "submit"), Run: number.Draw(t, "run"), Allocated: number.Draw(t, "allocated"),
				Requested: number.Draw(t, "requested"), RequestedTime: number.Draw(t, "requested time"),
			}
		})).Draw(t, "jobs")
		l := swf.Log{Comments: []string{fmt.Sprint("MaxNodes: ", number.Draw(t, "nodes"))}, Jobs: lines}
		i := FromSWF(l, max(number.Draw(t, "procs"), 0), nil)
		require.Equal(t, len(lines), len(i.Jobs)+i.Skipped())
		require.LessOrEqual(t, i.Clipped+i.NoRun, len(i.Jobs))
		for _, j := range i.Jobs {
			require.True(t, j.Submit >= 0 && 1 <= j.Run && j.Run <= j.Estimate, "%+v", j)
			require.True(t, 1 <= j.Units && j.Units <= i.Procs, "%+v", j)
		}
		require.True(t, slices.IsSortedFunc(i.Jobs, func(a, b Job) int { return int(a.Submit - b.Submit) }))
	})
}

func ExampleFromSWF() {
	l, err := swf.Load("../swf/testdata/tiny.swf")
	if err != nil {
		fmt.Println(err)
		return
	}
	i := FromSWF(l, 0, nil)
	for _, j := range i.Jobs {
		fmt.Printf("at %d: %d units, books %d, runs %d\n", j.Submit, j.Units, j.Estimate, j.Run)
	}
	fmt.Println(i.Skipped(), "left out")
	// Output:
	// at 0: 4 units, books 120, runs 100
	// at 5: 8 units, books 60, runs 60
	// at 5: 16 units, books 3600, runs 3600
	// at 900: 1 units, books 30, runs 30
	// 0 left out
}
