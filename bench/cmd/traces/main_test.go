package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/bench/trace"
)

// TestFiles: plain or compressed, a file has the same trace.
func TestFiles(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "below")
	var out, stderr strings.Builder
	args := []string{"-out", folder, "-only", "AR-128-200,BATCH-64-100", "-turns", "300"}
	require.Equal(t, 0, run(args, &out, &stderr), stderr.String())
	require.Equal(t, filepath.Join(folder, "AR-128-200.trace")+"\n"+filepath.Join(folder, "BATCH-64-100.trace")+"\n", out.String())
	require.Equal(t, 0, run(append(args, "-gzip"), &out, &stderr), stderr.String())
	for _, name := range []string{"AR-128-200", "BATCH-64-100"} {
		plain, err := trace.Load(filepath.Join(folder, name+".trace"))
		require.NoError(t, err)
		require.Equal(t, name, plain.Name)
		require.Greater(t, len(plain.Operations), 500)
		zipped, err := trace.Load(filepath.Join(folder, name+".trace.gz"))
		require.NoError(t, err)
		require.Equal(t, plain, zipped)
		text, err := os.ReadFile(filepath.Join(folder, name+".trace"))
		require.NoError(t, err)
		require.Contains(t, string(text), "of BenchmarkBooking: capacity ")
	}
}

func TestArguments(t *testing.T) {
	for args, says := range map[string]string{
		"-turns 0":           "-turns 0 is less than 1",
		"-only AR-128":       `-only: "AR-128" is not kind-capacity-live`,
		"-only AR-x-5":       `capacity "x" is not a number`,
		"-only AR-8-x":       `live "x" is not a number`,
		"-only LUNCH-8-5":    "Churn.Kind LUNCH is none of AR",
		"-load 2":            "Churn.Load 2 is not above 0 and at most 1",
		"-only AR-128-10 x ": `unexpected argument "x"`,
	} {
		var stderr strings.Builder
		require.Equal(t, 2, run(strings.Fields(args), &strings.Builder{}, &stderr), args)
		require.Contains(t, stderr.String(), says)
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Equal(t, 1, run([]string{"-out", file, "-only", "AR-128-10"}, &strings.Builder{}, &strings.Builder{}))
}
