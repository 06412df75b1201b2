package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/window"
)

// TestRun makes a run with few environments, and reads the files of the run.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("the published program takes seconds")
	}
	folder := t.TempDir()
	var out, progress bytes.Buffer
	require.Zero(t, run([]string{"-environments", "2", "-plain", "1", "-large", "1", "-out", folder}, &out, &progress), progress.String())
	require.Contains(t, out.String(), "| MaxQ |")
	require.Contains(t, out.String(), "| ours | Exact Q is nowhere worse than MaxQ, and proven |  | worse or unproven, better | **holds** 0")
	for _, name := range []string{"figure4-near.svg", "figure4-far.svg"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		for d := xml.NewDecoder(bytes.NewReader(text)); ; {
			if _, err := d.Token(); err != nil {
				require.True(t, errors.Is(err, io.EOF), err)
				break
			}
		}
	}
	table, err := os.ReadFile(filepath.Join(folder, "table1.csv"))
	require.NoError(t, err)
	require.Equal(t, len(algorithms)+1, bytes.Count(table, []byte("\n")))
	claims, err := os.ReadFile(filepath.Join(folder, "claims.csv"))
	require.NoError(t, err)
	require.Equal(t, 1+13+21, bytes.Count(claims, []byte("\n")))
}

func TestArguments(t *testing.T) {
	require.Zero(t, run([]string{"-quick", "-h"}, io.Discard, io.Discard))
	require.Equal(t, 2, run([]string{"-plain", "0"}, io.Discard, io.Discard))
	require.Equal(t, 2, run([]string{"-other"}, io.Discard, io.Discard))
}

// TestEnvironment checks §4.1: no node is loaded for more than 30 % of the
// interval, and all numbers are in their ranges.
func TestEnvironment(t *testing.T) {
	for i := range 50 {
		e, err := paper.environment(random(1, i))
		require.NoError(t, err)
		require.Equal(t, 100, e.Nodes())
		idle := make([]bookahead.Duration, e.Nodes())
		for k := range e.Slots() {
			s := e.Slot(k)
			require.Equal(t, s.Interval, s.Intersect(bookahead.Interval{Start: 0, End: 1200}))
			idle[s.Node] += s.Len()
		}
		for k := range e.Nodes() {
			n := e.Node(k)
			require.True(t, 2 <= n.Performance && n.Performance <= 10 && 0 <= n.Quality && n.Quality <= 10)
			require.GreaterOrEqual(t, idle[k], bookahead.Duration(840))
			require.LessOrEqual(t, idle[k], bookahead.Duration(1200))
		}
	}
	e, err := paper.environment(random(1, 0))
	require.NoError(t, err)
	_, err = picture(e, window.Window{}, 1200).WriteTo(io.Discard)
	require.NoError(t, err)
}
