package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead/bench/swf"
	"github.com/bookahead/bookahead/bench/workload"
)

// sameJobs demands that readLog reads what workload.FromSWF does.
func sameJobs(t require.TestingT, path string) {
	l, err := readLog(path)
	require.NoError(t, err)
	r, err := swf.Open(path)
	require.NoError(t, err)
	defer r.Close()
	want, err := workload.FromSWF(r, 0)
	require.NoError(t, err)
	require.Equal(t, want.Procs, l.units)
	require.Len(t, l.jobs, len(want.Jobs))
	for i, j := range want.Jobs {
		require.Equal(t, j, l.jobs[i].Job)
	}
}

// TestLogIsTheWorkload draws logs with all that may be unknown in them.
func TestLogIsTheWorkload(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		text := "; MaxProcs: 8\n1 0 5 10 1 -1 -1 1 10 -1 1 1 1 -1 1 -1 -1 -1\n"
		field := rapid.Int64Range(-1, 9)
		for range rapid.IntRange(0, 20).Draw(t, "jobs") {
			text += swf.Job{
				Number: 1, Submit: field.Draw(t, "submit"), Wait: field.Draw(t, "wait"), Run: field.Draw(t, "run"),
				Allocated: field.Draw(t, "allocated"), Requested: field.Draw(t, "requested"), RequestedTime: field.Draw(t, "time"),
			}.String() + "\n"
		}
		path := filepath.Join(folder, "log.swf")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		sameJobs(t, path)
	})
}

// TestArchive reads the real logs.
func TestArchive(t *testing.T) {
	folder := os.Getenv("BOOKAHEAD_DATA")
	if folder == "" {
		t.Skip("BOOKAHEAD_DATA, the folder of the data, is not set")
	}
	for name, jobs := range map[string]int{"CTC": 77_222, "KTH": 28_489, "HPC2N": 202_871, "SDSC": 54_006} {
		logs, err := readLogs(filepath.Join(folder, "swf"), []string{name}, 0)
		require.NoError(t, err)
		require.Len(t, logs[0].jobs, jobs)
		for _, j := range logs[0].jobs {
			require.True(t, name != "SDSC" || j.wait == unknown)
		}
		for _, s := range sources {
			if s.name == name {
				paths, err := filepath.Glob(filepath.Join(folder, "swf", s.pattern))
				require.NoError(t, err)
				sameJobs(t, paths[0])
			}
		}
	}
}

func TestBadLogs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "KTH-1.swf")
	for want, text := range map[string]string{
		"its header has no MaxProcs": "1 0 5 10 1 -1 -1 1 10 -1 1 1 1 -1 1 -1 -1 -1\n",
		"no jobs":                    "; MaxProcs: 8\n",
		"line 2: 2 fields, want 18":  "; MaxProcs: 8\n1 2\n",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := readLog(path)
		require.ErrorContains(t, err, want)
		require.True(t, strings.HasPrefix(err.Error(), path))
	}
	_, err := readLog(path + ".none")
	require.ErrorIs(t, err, os.ErrNotExist)
}
