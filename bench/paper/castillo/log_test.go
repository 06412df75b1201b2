package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/workload"
)

// TestArchive reads the real logs.
func TestArchive(t *testing.T) {
	folder := os.Getenv("BOOKAHEAD_DATA")
	if folder == "" {
		t.Skip("BOOKAHEAD_DATA, the folder of the data, is not set")
	}
	for name, jobs := range map[string]int{"CTC": 77_222, "KTH": 28_489, "HPC2N": 202_871, "SDSC": 54_006} {
		logs, err := readLogs(filepath.Join(folder, "swf"), []string{name}, 0)
		require.NoError(t, err)
		require.Len(t, logs[0][0].jobs, jobs)
		for _, j := range logs[0][0].jobs {
			require.True(t, name != "SDSC" || j.Wait == workload.Unknown)
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
