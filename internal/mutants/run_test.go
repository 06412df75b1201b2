package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRun tries a few faults of a tiny module at both depths, breaks the run off, goes on, and reads the page.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds nine programs")
	}
	for _, program := range []string{"go", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	checkout(t, tiny)
	list := []fault{
		faultAt(t, "n < 0", "(true || (n < 0))"), // TestSum finds it, and so does the Example
		faultAt(t, "<", "<="),                    // equivalent
		faultAt(t, "10", "(10+1)"),               // TestLimit finds it, which -short leaves out
		faultAt(t, "+", "-"),                     // no test reaches it
		faultAt(t, "sum += n", ""),
		faultAt(t, "sum += n", ""),
	}
	list[4].By = "sum += nothing" // does not build
	list[5].By = "for {\n}"       // never ends
	log := new(bytes.Buffer)
	dir := t.TempDir()
	at := func(depth string) *runner {
		return &runner{module: "example.com/tiny", dir: dir, temp: t.TempDir(), depth: depth, bound: 1, least: 0.1, log: log, suites: map[string]*suite{}}
	}
	verdicts := func() (all []string) {
		outcomes, err := readOutcomes(dir)
		require.NoError(t, err)
		for _, o := range outcomes {
			all = append(all, o.Depth+" "+o.Verdict)
		}
		return all
	}

	stopped, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, at(short).all(stopped, list), context.Canceled)
	require.Empty(t, verdicts())
	require.NoError(t, at(short).all(t.Context(), list[:2]))
	require.NoError(t, at(short).all(t.Context(), list))
	require.Equal(t, []string{"short killed", "short alive", "short alive", "short alive", "short unbuilt", "short killed"}, verdicts())
	require.NoError(t, at(full).all(t.Context(), list))
	require.Equal(t, []string{"full alive", "full killed", "full alive"}, verdicts()[6:])
	require.Contains(t, log.String(), " s, and FAILS")
	log.Reset()
	require.NoError(t, at(full).all(t.Context(), list))
	require.NotContains(t, log.String(), " of 6, ", "nothing is tried again")
	require.Contains(t, log.String(), "3 of 6 faults are killed, 2 live, 1 do not build")

	outcomes, err := readOutcomes(dir)
	require.NoError(t, err)
	require.Len(t, outcomes[5].Runs, 2)
	require.Equal(t, "hangs", outcomes[5].Runs[0].Result)
	suites, err := readSuites(dir)
	require.NoError(t, err)
	tests, err := standings(list, outcomes, suites)
	require.NoError(t, err)
	byName := map[string]standing{}
	for _, s := range tests {
		byName[s.name] = s
	}
	limit := byName["sum/TestLimit"]
	require.Equal(t, []int{5, 2, 1, 1, 1}, []int{limit.reached, limit.ran, limit.killed, limit.cheapest, limit.single})
	require.Equal(t, 2, byName["sum/TestSum"].killed)
	require.Zero(t, byName["sum/TestFails"].ran)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "faults.json"), []byte(`{"Flags": "-faults list.json", "Faults": []}`), 0o666))
	page := filepath.Join(dir, "kills.md")
	require.NoError(t, writeTable(dir, page))
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "| sum | 6 | 2 | 1 | 2 | 1 | 1 |\n| all | 6 | 2 | 1 | 2 | 1 | 1 |\n")
}
