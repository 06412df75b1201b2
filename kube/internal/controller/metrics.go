package controller

import (
	"github.com/prometheus/client_golang/prometheus"
)

// metrics are what an operator sees of a controller.
type metrics struct {
	passes *prometheus.CounterVec
	took   prometheus.Histogram
	writes *prometheus.CounterVec
	late   prometheus.Histogram
	leads  prometheus.Gauge
}

func newMetrics(r prometheus.Registerer) (m metrics, err error) {
	m.passes = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "bookahead_passes_total", Help: "Passes, by result: done, changed, busy or refuses."}, []string{"result"})
	m.took = prometheus.NewHistogram(prometheus.HistogramOpts{Name: "bookahead_pass_seconds", Help: "How long a pass took to decide.", Buckets: prometheus.ExponentialBuckets(0.001, 2, 15)})
	m.writes = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "bookahead_writes_total", Help: "Calls of the API server, by what was written and by result."}, []string{"what", "result"})
	m.late = prometheus.NewHistogram(prometheus.HistogramOpts{Name: "bookahead_gate_delay_seconds", Help: "From the start in the plan until the gate was open.", Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 60}})
	m.leads = prometheus.NewGauge(prometheus.GaugeOpts{Name: "bookahead_leader", Help: "1 while this replica makes the passes."})
	for _, c := range []prometheus.Collector{m.passes, m.took, m.writes, m.late, m.leads} {
		err := r.Register(c)
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

var results = [...]string{done: "done", changed: "changed", busy: "busy", refuses: "refuses"}

// wrote counts a write, and returns its error.
func (m *metrics) wrote(what string, err error) error {
	m.writes.WithLabelValues(what, results[judge(err)]).Inc()
	return err
}
