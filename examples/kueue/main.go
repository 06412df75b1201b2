// Kueue is package plan in a job queue of the shape of Kueue, which admits workloads when a quota has room: nobody can say how long a
// workload will wait (Kueue #13159), a large one starves, and a window of maintenance evicts what was admitted before it (#10741). With a
// plan each workload hears its wait when it comes in, and nothing is admitted that would run into the window.
//
// Each flavour is a pool, and a workload has a shape for each flavour that it may take. The adapter is this file; fake.go is a fake
// of the quotas, and the admission that it is compared with. A tick is a minute.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/plan"
)

const large = "large"

// planned is the adapter: admission by a plan.Queue.
type planned struct {
	*clusterQueue
	queue *plan.Queue
	all   map[plan.ID]*workload
	told  map[*workload]int // when it was expected to start, as it came in
	fresh []*workload       // came in since the last cycle
}

// newPlanned makes a pool of each flavour, closed in the window, and the queue.
func newPlanned(c *clusterQueue) *planned {
	var pools []plan.Schedule
	for _, flavour := range []string{"a100", "h100"} {
		pool := must(carts.NewIndexed(int64(c.free[flavour]), carts.Config{}))
		if flavour == c.window.on {
			w := bookahead.Interval{Start: bookahead.Time(c.window.from), End: bookahead.Time(c.window.to)}
			must(pool.Close(bookahead.Closure{Interval: w, Units: int64(c.free[flavour])}))
		}
		pools = append(pools, plan.Schedule{Name: flavour, Pool: pool})
	}
	queue := must(plan.New(plan.Config{Schedules: pools, Backfill: plan.EASY(1)}))
	return &planned{clusterQueue: c, queue: queue, all: map[plan.ID]*workload{}, told: map[*workload]int{}}
}

func (s *planned) created(w *workload) {
	job := plan.Job{ID: plan.ID(w.name), Submitted: bookahead.Time(w.created)}
	for _, flavour := range w.flavours {
		job.Shapes = append(job.Shapes, plan.Shape{{On: flavour, Units: int64(w.gpus), Duration: bookahead.Duration(w.limit)}})
	}
	must(0, s.queue.Submit(job))
	s.all[job.ID], s.fresh = w, append(s.fresh, w)
}

func (s *planned) finished(w *workload) {
	must(0, s.queue.Ended(bookahead.Time(s.now), plan.ID(w.name)))
}

func (s *planned) evicted(w *workload) {
	must(0, s.queue.Requeue(bookahead.Time(s.now), plan.ID(w.name)))
}

// cycle admits what may start, and tells those that came in when they are expected to.
func (s *planned) cycle(now int) {
	if s.queue.Next() > bookahead.Time(now) {
		return
	}
	for _, start := range must(s.queue.Pass(context.Background(), bookahead.Time(now))).Starts {
		if s.admit(s.all[start.Job], start.Places[0].On) == nil {
			must(0, s.queue.Started(start.Job))
		}
	}
	if len(s.fresh) == 0 {
		return
	}
	for _, f := range must(s.queue.Forecasts(context.Background())) {
		w := s.all[f.Job]
		if w.created == now {
			s.told[w] = int(f.Start)
		}
	}
	s.fresh = nil
}

func main() {
	fmt.Printf("%-12s %12s %16s %13s %11s\n", "", "large waits", "others wait, min", "GPU-h evicted", "GPUs in use")
	before := newQueue()
	report("best effort", before, bestEffort{before})
	after := newQueue()
	s := newPlanned(after)
	list := report("planned", after, s)

	fmt.Printf("\n%-9s %12s %8s\n", "workload", "told to wait", "waited")
	off, early := 0, 0
	for i, w := range list {
		if w.name == large || i%30 == 5 {
			fmt.Printf("%-9s %8d min %4d min\n", w.name, s.told[w]-w.created, w.admitted-w.created)
		}
		late := w.admitted - s.told[w]
		off += max(late, -late)
		if late <= 0 {
			early++
		}
	}
	fmt.Printf("off by %d min in the mean; %d of %d start by the time that they were told\n", off/len(list), early, len(list))
}

// report runs a day, and prints how long the large workload and the others wait, and what the window throws away.
func report(name string, c *clusterQueue, s scheduler) []*workload {
	list := workloads()
	busy := c.run(s, list)
	alone, waits, wasted := 0, 0, 0
	for _, w := range list {
		if w.name == large {
			alone = w.admitted - w.created
		} else {
			waits += w.admitted - w.created
		}
		wasted += w.gpus * w.wasted
	}
	fmt.Printf("%-12s %7d h %02d %16d %13d %10.0f%%\n", name, alone/60, alone%60, waits/(len(list)-1), wasted/60, 100*busy)
	return list
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
