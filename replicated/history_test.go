package replicated

import (
	"bytes"
	"io"
	"testing"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/desk"
)

// historyConfig is the Config of the machines of a history.
var historyConfig = Config{Desk: desk.Config{Keep: 7}}

// history returns the entries of a run, as Raft hands them out.
func history(t testing.TB, seed uint64, n int) []*raft.Log {
	r := newRun(seeded(seed), noFault)
	var logs []*raft.Log
	for len(logs) < n {
		e := r.entry()
		r.want.take(e)
		logs = append(logs, &raft.Log{Index: uint64(len(logs) + 1), Type: raft.LogCommand, Data: e.append(nil)})
	}
	return logs
}

// replayed makes a machine carry entries out, in batches that pick draws, and returns it.
func replayed(t testing.TB, x *machine, logs []*raft.Log, pick func(int) int) *machine {
	for len(logs) > 0 {
		n := 1 + pick(len(logs))
		for _, out := range x.ApplyBatch(logs[:n]) {
			require.IsType(t, []answer{}, out)
		}
		logs = logs[n:]
	}
	require.NoError(t, x.err())
	return x
}

// The same entries give the same bytes, whatever the batches are.
func TestBatchesDoNotMatter(t *testing.T) {
	for seed := range uint64(20) {
		logs := history(t, seed, 200)
		want := snapshotOf(t, replayed(t, newFeed(t, historyConfig).machine, logs, func(int) int { return 0 }))
		for split := range uint64(3) {
			pick := seeded(seed<<8 + split)
			got := snapshotOf(t, replayed(t, newFeed(t, historyConfig).machine, logs, func(n int) int { return pick(min(n, 40)) }))
			require.Equal(t, want, got, "seed %d, split %d", seed, split)
		}
	}
}

// From a snapshot at any entry, the rest of the log leads to the same bytes.
func TestRestartAnywhere(t *testing.T) {
	logs := history(t, 5, 150)
	all := func(n int) int { return n - 1 }
	want := snapshotOf(t, replayed(t, newFeed(t, historyConfig).machine, logs, all))
	first := newFeed(t, historyConfig)
	for i := range logs {
		now := mustImage(t, first.machine)
		m, err := first.Snapshot()
		require.NoError(t, err)
		replayed(t, first.machine, logs[i:i+1], all) // the snapshot is written after further entries
		var to sink
		require.NoError(t, m.Persist(&to))
		require.Equal(t, now, to.Bytes())

		x := restored(t, historyConfig, to.Bytes())
		require.Equal(t, uint64(i), x.applied())
		require.Equal(t, want, snapshotOf(t, replayed(t, x.machine, logs[i:], all)), "restart behind entry %d", i)
	}
}

// A machine that is behind goes on from the snapshot of another one.
func TestRestoreReplacesTheState(t *testing.T) {
	logs := history(t, 8, 120)
	all := func(n int) int { return n - 1 }
	ahead := replayed(t, newFeed(t, historyConfig).machine, logs[:100], all)
	behind := replayed(t, newFeed(t, historyConfig).machine, logs[:30], all)
	require.NoError(t, behind.Restore(io.NopCloser(bytes.NewReader(snapshotOf(t, ahead)))))
	require.Equal(t, snapshotOf(t, replayed(t, ahead, logs[100:], all)), snapshotOf(t, replayed(t, behind, logs[100:], all)))
}
