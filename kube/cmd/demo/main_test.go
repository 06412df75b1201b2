package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMorning: the demonstration tells its story: both reservations are used, one of them is displaced, and all jobs have run.
func TestMorning(t *testing.T) {
	var out bytes.Buffer
	began := time.Now()
	x, err := run(&out)
	require.NoError(t, err)
	require.Less(t, time.Since(began), 10*time.Second)
	for _, line := range []string{
		"08:00  exam placed: from 10:00 to 11:00 on a1, a2, a3",
		"09:15  node a2 fails",
		"09:15  exam displaced: node a2 is not ready: it has a new place from 10:00 to 11:00 on a1, a3, a4",
		"10:00  student starts: 6 pods on a1, a3, a4",
		"12:00  reviewer starts: 2 pods on a1, a2",
		"job20 starts: 2 pods",
	} {
		require.Contains(t, out.String(), line)
	}
	name := filepath.Join(t.TempDir(), "demo.svg")
	require.NoError(t, x.save(name))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Contains(t, string(text), "<svg")
	require.Contains(t, string(text), "student")
}
