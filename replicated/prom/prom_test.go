package prom

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/replicated"
)

func TestMetricsAreCollected(t *testing.T) {
	r := prometheus.NewPedanticRegistry()
	m := New(r)
	m.Entry(5)
	m.Entry(0)
	m.Answered(time.Millisecond)
	m.Refused("full")
	m.Read(replicated.Linearizable, time.Millisecond)
	m.Snapshot(1000, time.Second, 10*time.Microsecond)
	m.State("candidate", 3)
	m.State("leader", 4)
	m.Check(true)
	require.NoError(t, testutil.GatherAndCompare(r, strings.NewReader(`
# HELP replicated_calls_total Calls in the entries that were carried out.
# TYPE replicated_calls_total counter
replicated_calls_total 5
# HELP replicated_checks_total Comparisons of the fingerprints of states.
# TYPE replicated_checks_total counter
replicated_checks_total{equal="true"} 1
# HELP replicated_entries_total Entries of the log that were carried out.
# TYPE replicated_entries_total counter
replicated_entries_total 2
# HELP replicated_refused_total Calls that were not carried out.
# TYPE replicated_refused_total counter
replicated_refused_total{why="full"} 1
# HELP replicated_snapshot_bytes Bytes of the last snapshot.
# TYPE replicated_snapshot_bytes gauge
replicated_snapshot_bytes 1000
# HELP replicated_state 1 for the state of the member.
# TYPE replicated_state gauge
replicated_state{state="candidate"} 0
replicated_state{state="follower"} 0
replicated_state{state="leader"} 1
replicated_state{state="shutdown"} 0
# HELP replicated_term Term of Raft.
# TYPE replicated_term gauge
replicated_term 4
`), "replicated_entries_total", "replicated_calls_total", "replicated_refused_total", "replicated_checks_total",
		"replicated_snapshot_bytes", "replicated_state", "replicated_term"))
	families, err := r.Gather()
	require.NoError(t, err)
	seen := map[string]uint64{}
	for _, f := range families {
		for _, one := range f.GetMetric() {
			h := one.GetHistogram()
			if h != nil {
				seen[f.GetName()] += h.GetSampleCount()
			}
		}
	}
	require.Equal(t, map[string]uint64{"replicated_call_seconds": 1, "replicated_read_seconds": 1, "replicated_snapshot_seconds": 1, "replicated_stopped_seconds": 1}, seen)
}

func TestTwoMembersOfAProcess(t *testing.T) {
	r := prometheus.NewPedanticRegistry()
	for _, id := range []string{"1", "2"} {
		New(prometheus.WrapRegistererWith(prometheus.Labels{"member": id}, r)).State("leader", 1)
	}
	_, err := r.Gather()
	require.NoError(t, err)
	require.Panics(t, func() { New(prometheus.WrapRegistererWith(prometheus.Labels{"member": "1"}, r)) })
}
