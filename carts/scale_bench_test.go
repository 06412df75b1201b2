package carts

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/bookahead/bookahead/bench/workload"
)

// BenchmarkScale is BenchmarkBooking from a thousand live reservations to ten million. Each was made by a
// Reserve of its own, so that the tree has the form that bookings give it. Its metrics are those
// of BenchmarkBooking, and besides:
//
//	fill-ns    time in which the schedule was filled, for each that is live
//	gc-ms      one whole collection while the schedule is live, less one without it
//
// The loop allocates next to nothing, so that gc-share is 0 if no collection falls into it. A
// program that allocates pays gc-ms for each of its collections, beside its own work.
func BenchmarkScale(b *testing.B) {
	var churns []workload.Churn
	for live := 1_000; live <= 10_000_000; live *= 10 {
		churns = append(churns, workload.Churn{Kind: workload.AR, Capacity: 4096, Live: live, Load: 0.70, Powers: true})
	}
	churns = append(churns, workload.Churn{Kind: workload.Batch, Capacity: 4096, Live: 10_000_000, Powers: true})
	for _, c := range churns {
		b.Run(fmt.Sprintf("impl=indexed/trace=%s/capacity=%d/live=%d", c.Kind, c.Capacity, c.Live), func(b *testing.B) {
			if testing.Short() && c.Live > 100_000 {
				b.Skip("it takes ten minutes or more, and 3 GB")
			}
			measureScale(b, c)
		})
	}
}

func measureScale(b *testing.B, c workload.Churn) {
	w, err := c.Work()
	if err != nil {
		b.Fatal(err)
	}
	x, err := NewIndexed(c.Capacity, Config{})
	if err != nil {
		b.Fatal(err)
	}
	t := newTurns(b, x, w.Turnover())
	fill := t.fill(w)
	full := collect()
	for range 200_000 { // the caches
		t.turn()
	}
	t.measure(c.Live)
	b.ReportMetric(fill, "fill-ns")
	b.ReportMetric(1e3*(full-collect()), "gc-ms")
	runtime.KeepAlive(t)
}

// fill fills the schedule, and returns the nanoseconds for each reservation.
func (t *turns) fill(w *workload.Work) float64 {
	began := time.Now()
	booked, err := w.Fill(t.s)
	if err != nil {
		t.b.Fatal(err)
	}
	took := time.Since(began)
	for _, res := range booked {
		t.over.Enter(res.ID, res.End)
	}
	return float64(took.Nanoseconds()) / float64(len(booked))
}

// collect returns the seconds of a collection, the second of two: the first collects the garbage
// of others.
func collect() float64 {
	runtime.GC()
	began := time.Now()
	runtime.GC()
	return time.Since(began).Seconds()
}
