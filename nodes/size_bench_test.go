package nodes

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkSize is the same load on machines from 100 nodes to 100 000, with ten live jobs for each node: those of
// BenchmarkGang in mode ar, whose jobs are ready anywhere in a time in which 70 % of the GPUs are booked. ns/op is the
// mean of a Reserve. It reports besides
//
//	search-ns        of a Search
//	p99-ns, max-ns   of a Reserve
//	release-ns       of a reservation that is cancelled
//	new-ms           a machine without jobs
//	clone-ms         a Clone
//	write-ms, read-ms, bytes/live   MarshalBinary, UnmarshalBinary, and a snapshot's bytes
//	B/live           the memory of the machine
//
// The times of the whole are of one call each. 100 000 nodes with a million jobs take five minutes and 4 GB; -short stops
// at 1 000 nodes.
func BenchmarkSize(b *testing.B) {
	for _, nodes := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("nodes=%d/live=%d", nodes, 10*nodes), func(b *testing.B) {
			if testing.Short() && nodes > 1_000 {
				b.Skip("it takes minutes, and gigabytes")
			}
			measureSize(b, gangState{nodes: nodes, live: 10 * nodes, mode: "ar", policy: "lowest"})
		})
	}
}

// timed returns how long something takes.
func timed(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

func measureSize(b *testing.B, s gangState) {
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	g := gang{nodes: s.nodes}
	c := g.config(LowestIndex())
	opened := timed(func() {
		_, err := New(c)
		must(err)
	})
	var run gangRun
	var searches []time.Duration
	var x *gangCluster
	var held float64
	// A state serves for a tenth as many jobs as are live, and is then drawn anew: see runGang.
	for part := uint64(0); len(searches) < gangJobs(); part++ {
		var err error
		x, err = newGangCluster(s, part)
		must(err)
		held = heapBytes() - x.empty
		for range min(gangJobs()-len(searches), s.live/20) {
			must(x.end(&run))
			r := x.next()
			searches = append(searches, timed(func() { _, err = x.m.Search(r) }))
			must(err)
			must(x.fill())
			must(x.end(&run))
			var res Reservation
			run.reserve = append(run.reserve, timed(func() { res, err = x.m.Reserve(x.next()) }))
			must(err)
			x.note(res)
			must(x.cancel(&run))
		}
	}
	var data []byte
	wrote := timed(func() {
		var err error
		data, err = x.m.MarshalBinary()
		must(err)
	})
	cloned := timed(func() { x.m.Clone() })
	for b.Loop() {
	}
	reportTimes(b, run.reserve)
	b.ReportMetric(meanOf(searches), "search-ns")
	b.ReportMetric(meanOf(run.release), "release-ns")
	b.ReportMetric(opened.Seconds()*1e3, "new-ms")
	b.ReportMetric(cloned.Seconds()*1e3, "clone-ms")
	b.ReportMetric(wrote.Seconds()*1e3, "write-ms")
	b.ReportMetric(float64(len(data))/float64(s.live), "bytes/live")
	b.ReportMetric(held/float64(s.live), "B/live")
	x.m = nil // so that one machine at a time is in memory
	b.ReportMetric(1e3*timed(func() { must(new(Machine).UnmarshalBinary(data)) }).Seconds(), "read-ms")
}
