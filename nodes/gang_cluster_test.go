package nodes

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/bookahead/bookahead"
)

// gangState names a state of a machine that is kept in it.
type gangState struct {
	nodes, live  int
	mode, policy string
}

// gangRun is a number of jobs that were booked in such a state, one after the other. The times are
// those of Machine.Reserve, of the leapfrog's search, and of Machine.Release.
type gangRun struct {
	reserve, search, release []time.Duration
	bytes                    float64 // of the machine, for each of its live jobs
	atOnce                   float64 // the share of the jobs that started when they were ready
	tasks                    float64 // the mean of a job
}

// gangCluster is a machine that is kept in a state, with the pools of the leapfrog beside it.
type gangCluster struct {
	gangState
	jobs  gang
	c     Config
	m     *Machine
	l     *leapfrog // nil while the machine is filled
	span  int64     // the time over which the jobs are ready
	ends  gangEndings
	empty float64 // the bytes in use without the machine
}

// gangEnding is the end of a job: by its estimate, or before.
type gangEnding struct {
	at    bookahead.Time
	early bool
	id    bookahead.ID
}

// gangEndings is a heap.Interface.
type gangEndings []gangEnding

func (e gangEndings) Len() int           { return len(e) }
func (e gangEndings) Less(i, j int) bool { return e[i].at < e[j].at }
func (e gangEndings) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *gangEndings) Push(x any)        { *e = append(*e, x.(gangEnding)) }
func (e *gangEndings) Pop() any {
	n := len(*e) - 1
	x := (*e)[n]
	*e = (*e)[:n]
	return x
}

// newGangCluster returns a machine that is full of jobs, without pools.
func newGangCluster(s gangState, seed uint64) (*gangCluster, error) {
	x := &gangCluster{gangState: s, jobs: gang{s.nodes, rand.New(rand.NewPCG(seed, 1))}, span: 1, ends: make(gangEndings, 0, s.live)}
	x.c = x.jobs.config(map[string]Policy{"lowest": LowestIndex(), "best": BestFit()}[s.policy])
	x.empty = heapBytes()
	var err error
	x.m, err = New(x.c)
	if err != nil {
		return nil, err
	}
	if s.mode == "ar" {
		x.span = x.loaded(0.7)
	}
	for range s.live {
		err = x.fill()
		if err != nil {
			return nil, err
		}
	}
	if s.mode == "early" {
		err = x.turnOver()
	}
	return x, err
}

// turnOver lets as many jobs end as are live, and books as many in their place. A plan that has just
// been filled has no gaps. After a turnover it has the gaps that early ends leave, and 6 of 10 jobs start
// at once.
func (x *gangCluster) turnOver() error {
	for range x.live {
		err := x.end(&gangRun{})
		if err == nil {
			err = x.fill()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// loaded returns the time in which as many jobs as are live take a share of all GPUs.
func (x *gangCluster) loaded(share float64) int64 {
	const sample = 100_000
	g := gang{x.nodes, rand.New(rand.NewPCG(1, 1))}
	work := 0.0 // GPU-seconds
	for range sample {
		r := g.job(0)
		work += float64(r.Tasks*r.Each[0]) * float64(r.Duration)
	}
	return int64(work / sample * float64(x.live) / share / float64(8*x.nodes))
}

// fill books a job on the machine alone.
func (x *gangCluster) fill() error {
	res, err := x.m.Reserve(x.next())
	if err == nil {
		x.note(res)
	}
	return err
}

// next draws the next job.
func (x *gangCluster) next() Request {
	return x.jobs.job(x.m.Frame().Now + bookahead.Time(x.jobs.rng.Int64N(x.span)))
}

// note remembers when a job ends.
func (x *gangCluster) note(res Reservation) {
	e := gangEnding{at: res.End, id: res.ID}
	if x.mode == "early" {
		share := 0.2 + 0.8*x.jobs.rng.Float64()
		e.at = res.Start + bookahead.Time(math.Ceil(share*float64(res.End-res.Start)))
		e.early = e.at < res.End
	}
	heap.Push(&x.ends, e)
}

// end moves the clock to the next end of a job.
func (x *gangCluster) end(run *gangRun) error {
	e := heap.Pop(&x.ends).(gangEnding)
	err := x.m.Advance(e.at)
	if err == nil && e.early {
		began := time.Now()
		err = x.m.Release(e.id)
		run.release = append(run.release, time.Since(began))
	}
	if err != nil || x.l == nil {
		return err
	}
	x.l.advance(e.at)
	if e.early {
		return x.l.release(e.id)
	}
	x.l.ended(e.id)
	return nil
}

// measure books a job in a steady state: the leapfrog searches for it, and the Machine books it, by
// turns the one before the other.
func (x *gangCluster) measure(run *gangRun) error {
	err := x.end(run)
	if err != nil {
		return err
	}
	r := x.next()
	var start bookahead.Time
	search := func() {
		began := time.Now()
		start, _ = x.l.search(r)
		run.search = append(run.search, time.Since(began))
	}
	first := len(run.search)%2 == 0
	if first {
		search()
	}
	began := time.Now()
	res, err := x.m.Reserve(r)
	run.reserve = append(run.reserve, time.Since(began))
	if err != nil {
		return err
	}
	if !first {
		search()
	}
	if start != res.Start {
		return fmt.Errorf("%+v: the leapfrog starts at %d, and the machine at %d", r, start, res.Start)
	}
	if start == r.Ready {
		run.atOnce++
	}
	run.tasks += float64(r.Tasks)
	x.note(res)
	return x.l.book(res)
}

// cancel releases a live job, and books another in its place.
func (x *gangCluster) cancel(run *gangRun) error {
	i := x.jobs.rng.IntN(len(x.ends))
	for x.ends[i].at <= x.m.Frame().Now { // it ended in the same tick as another
		i = x.jobs.rng.IntN(len(x.ends))
	}
	id := x.ends[i].id
	heap.Remove(&x.ends, i)
	began := time.Now()
	err := x.m.Release(id)
	run.release = append(run.release, time.Since(began))
	if err != nil {
		return err
	}
	return x.fill()
}

// runGang measures a number of jobs. A state serves for a fifth as many jobs as are live, and is then
// drawn anew: with ar the load would rise, since the next jobs are ready where the others are.
func runGang(s gangState, seed uint64, jobs int) (*gangRun, error) {
	run := &gangRun{}
	for part := uint64(0); len(run.search) < jobs; part++ {
		x, err := newGangCluster(s, seed<<32+part)
		if err == nil {
			err = x.serve(run, min(jobs-len(run.search), s.live/5))
		}
		if err != nil {
			return nil, err
		}
	}
	run.atOnce /= float64(jobs)
	run.tasks /= float64(jobs)
	return run, nil
}

// serve measures jobs on a cluster that is full.
func (x *gangCluster) serve(run *gangRun, jobs int) error {
	run.bytes = (heapBytes() - x.empty) / float64(x.live)
	var err error
	x.l, err = newLeapfrog(x.c, x.m)
	for i := 0; err == nil && i < jobs; i++ {
		err = x.measure(run)
	}
	x.l = nil
	for i := 0; err == nil && x.mode != "early" && i < jobs; i++ {
		err = x.cancel(run)
	}
	return err
}

// heapBytes returns how much memory is in use.
func heapBytes() float64 {
	runtime.GC()
	runtime.GC() // it frees the memory that pools keep
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return float64(s.HeapAlloc)
}
