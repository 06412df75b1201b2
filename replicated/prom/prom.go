package prom

import (
	"fmt"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bookahead/bookahead/replicated"
)

// metrics is a replicated.Metrics whose parts Prometheus collects.
type metrics struct {
	entries, calls          prometheus.Counter
	call, snapshot, stopped prometheus.Histogram
	read                    *prometheus.HistogramVec
	refused, checks         *prometheus.CounterVec
	state                   *prometheus.GaugeVec
	term, bytes             prometheus.Gauge
}

// states are the states of Metrics.State.
var states = []string{"leader", "follower", "candidate", "shutdown"}

// New registers the metrics of a member, and returns them for its Config. It panics if the registerer has them
// already, as prometheus.Registerer.MustRegister does.
func New(r prometheus.Registerer) replicated.Metrics {
	// The buckets range from 50 µs, a commit on a fast disk, to 26 s.
	short := prometheus.ExponentialBuckets(50e-6, 2, 20)
	m := &metrics{
		entries:  prometheus.NewCounter(prometheus.CounterOpts{Name: "replicated_entries_total", Help: "Entries of the log that were carried out."}),
		calls:    prometheus.NewCounter(prometheus.CounterOpts{Name: "replicated_calls_total", Help: "Calls in the entries that were carried out."}),
		call:     prometheus.NewHistogram(prometheus.HistogramOpts{Name: "replicated_call_seconds", Help: "Time from the first call of an entry to its answer, on the leader.", Buckets: short}),
		refused:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "replicated_refused_total", Help: "Calls that were not carried out."}, []string{"why"}),
		read:     prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "replicated_read_seconds", Help: "Time that a read waited.", Buckets: short}, []string{"freshness"}),
		snapshot: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "replicated_snapshot_seconds", Help: "Time to write a snapshot.", Buckets: prometheus.ExponentialBuckets(1e-3, 4, 10)}),
		bytes:    prometheus.NewGauge(prometheus.GaugeOpts{Name: "replicated_snapshot_bytes", Help: "Bytes of the last snapshot."}),
		stopped:  prometheus.NewHistogram(prometheus.HistogramOpts{Name: "replicated_stopped_seconds", Help: "Time that commands waited for a snapshot.", Buckets: prometheus.ExponentialBuckets(1e-6, 4, 12)}),
		state:    prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "replicated_state", Help: "1 for the state of the member."}, []string{"state"}),
		term:     prometheus.NewGauge(prometheus.GaugeOpts{Name: "replicated_term", Help: "Term of Raft."}),
		checks:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "replicated_checks_total", Help: "Comparisons of the fingerprints of states."}, []string{"equal"}),
	}
	r.MustRegister(m.entries, m.calls, m.call, m.refused, m.read, m.snapshot, m.bytes, m.stopped, m.state, m.term, m.checks)
	return m
}

// Entry counts an entry and its calls.
func (m *metrics) Entry(calls int) {
	m.entries.Inc()
	m.calls.Add(float64(calls))
}

// Answered observes how long the first call of an entry has waited for its answer.
func (m *metrics) Answered(took time.Duration) { m.call.Observe(took.Seconds()) }

// Refused counts a call by the name of its error.
func (m *metrics) Refused(why string) { m.refused.WithLabelValues(why).Inc() }

// Read observes how long a read waited.
func (m *metrics) Read(f replicated.Freshness, took time.Duration) {
	m.read.WithLabelValues(freshness(f)).Observe(took.Seconds())
}

// Snapshot observes how long a snapshot took, and for how long it stopped commands.
func (m *metrics) Snapshot(bytes int64, took, stopped time.Duration) {
	m.snapshot.Observe(took.Seconds())
	m.stopped.Observe(stopped.Seconds())
	m.bytes.Set(float64(bytes))
}

// State sets the gauge of a state to 1, and the others to 0.
func (m *metrics) State(state string, term uint64) {
	for _, s := range states {
		is := 0.0
		if s == state {
			is = 1
		}
		m.state.WithLabelValues(s).Set(is)
	}
	m.term.Set(float64(term))
}

// Check counts a comparison of fingerprints.
func (m *metrics) Check(equal bool) { m.checks.WithLabelValues(strconv.FormatBool(equal)).Inc() }

func freshness(f replicated.Freshness) string {
	switch f {
	case replicated.Linearizable:
		return "linearizable"
	case replicated.Leading:
		return "leading"
	case replicated.Local:
		return "local"
	}
	return fmt.Sprintf("freshness %d", uint8(f))
}
