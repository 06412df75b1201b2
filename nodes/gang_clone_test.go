package nodes

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/bookahead/bookahead"
)

// BenchmarkGangClone compares a clone with a plain copy, and the bookings after it with the same
// bookings on a machine that shares nothing. alloc-B is the memory that is allocated.
//
//	op=copy        a new block of memory of as many bytes as the machine holds: no plain copy is faster
//	op=clone       Machine.Clone
//	op=unshared    100 bookings on a machine that has never been cloned
//	op=shared      the same 100 on a fresh clone of it
func BenchmarkGangClone(b *testing.B) {
	s := gangState{2_000, 20_000, "backlog", "lowest"}
	if testing.Short() {
		s.nodes, s.live = 100, 1_000
	}
	c := &cloneBench{}
	for _, op := range []struct {
		name    string
		prepare func() // not measured
		run     func() error
		undo    func() error // not measured
	}{
		{name: "copy", run: func() error { c.copied = bytes.Clone(c.block); return nil }},
		// From here to the first clone, the machine shares nothing.
		{name: "unshared", prepare: func() { c.m = c.x.m }, run: c.book, undo: c.release},
		{name: "clone", run: func() error { c.m = c.x.m.Clone(); return nil }},
		{name: "shared", prepare: func() { c.m = c.x.m.Clone() }, run: c.book},
	} {
		b.Run(fmt.Sprintf("op=%s/nodes=%d/live=%d/mode=%s", op.name, s.nodes, s.live, s.mode), func(b *testing.B) {
			c.build(b, s)
			took, allocated := time.Duration(0), uint64(0)
			for b.Loop() {
				if op.prepare != nil {
					op.prepare()
				}
				before := allocatedBytes()
				began := time.Now()
				err := op.run()
				took += time.Since(began)
				allocated += allocatedBytes() - before
				if err == nil && op.undo != nil {
					err = op.undo()
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(took)/float64(b.N), "ns/op")
			b.ReportMetric(float64(allocated)/float64(b.N), "alloc-B")
		})
	}
}

// cloneBench is the state of BenchmarkGangClone.
type cloneBench struct {
	x      *gangCluster
	jobs   []Request
	block  []byte // as long as the machine
	copied []byte
	m      *Machine // the one that is booked
	ids    []bookahead.ID
}

// build builds the state, if it is not there.
func (c *cloneBench) build(b *testing.B, s gangState) {
	if c.x != nil {
		return
	}
	x, err := newGangCluster(s, 1)
	if err != nil {
		b.Fatal(err)
	}
	c.x, c.block = x, bytes.Repeat([]byte{1}, int(heapBytes()-x.empty))
	for range 100 {
		c.jobs = append(c.jobs, x.next())
	}
	c.ids = make([]bookahead.ID, 0, len(c.jobs))
}

// book books the jobs.
func (c *cloneBench) book() error {
	c.ids = c.ids[:0]
	for _, r := range c.jobs {
		res, err := c.m.Reserve(r)
		if err != nil {
			return err
		}
		c.ids = append(c.ids, res.ID)
	}
	return nil
}

// release gives them back.
func (c *cloneBench) release() error {
	for _, id := range c.ids {
		err := c.m.Release(id)
		if err != nil {
			return err
		}
	}
	return nil
}

// allocatedBytes returns how much memory has been allocated so far.
func allocatedBytes() uint64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.TotalAlloc
}
