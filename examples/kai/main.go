// Kai is package plan in a gang scheduler of the shape of KAI-Scheduler, which has no time axis: a large gang never finds its nodes
// idle at once, since small ones take each GPU that is given back (KAI-Scheduler #1969 and #1987). With a reservation for the first
// gang that waits, and backfill beside it, it lands.
//
// Nobody says for how long a pod runs, so each gang has the same estimate, and each that runs on is expected to take another Grace.
// The adapter is this file; fake.go is a fake of the cluster, and the greedy scheduler that it is compared with. A tick is a minute.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

const (
	large    = "large"
	estimate = 60 // minutes, of each gang
	grace    = 30
)

// reserving is the adapter: a scheduler of the fake cluster on a plan.Queue.
type reserving struct {
	*world
	queue  *plan.Queue
	groups map[plan.ID]*podGroup
	broken int // promises
}

// newReserving describes the cluster's nodes, and makes the queue.
func newReserving(w *world) *reserving {
	config := nodes.Config{Resources: []string{"gpus"}, Policy: nodes.BestFit()}
	for _, gpus := range w.free {
		config.Nodes = append(config.Nodes, nodes.Vector{int64(gpus)})
	}
	machine := must(nodes.New(config))
	queue := must(plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "nodes", Nodes: machine}}, Backfill: plan.EASY(1), Grace: grace}))
	return &reserving{world: w, queue: queue, groups: map[plan.ID]*podGroup{}}
}

func (s *reserving) created(g *podGroup) {
	id := plan.ID(g.name)
	s.groups[id] = g
	pods := plan.Part{On: "nodes", Units: int64(g.pods), Duration: estimate, Tasks: &nodes.Request{Each: nodes.Vector{int64(g.gpus)}}}
	must(0, s.queue.Submit(plan.Job{ID: id, Submitted: bookahead.Time(g.created), Shapes: []plan.Shape{{pods}}}))
}

func (s *reserving) finished(g *podGroup) {
	must(0, s.queue.Ended(bookahead.Time(s.now), plan.ID(g.name)))
}

// cycle binds what may start. A gang that cannot be bound was not Started, and is proposed again.
func (s *reserving) cycle(now int) {
	if s.queue.Next() > bookahead.Time(now) {
		return
	}
	pass := must(s.queue.Pass(context.Background(), bookahead.Time(now)))
	for _, e := range pass.Events {
		if e.Kind == plan.Delayed && e.Job == large {
			s.broken++
		}
	}
	for _, start := range pass.Starts {
		if s.bind(s.groups[start.Job], onNodes(start.Places[0])) == nil {
			must(0, s.queue.Started(start.Job))
		}
	}
}

// onNodes returns the node of each pod.
func onNodes(p plan.Place) (on []int) {
	for _, share := range p.Nodes {
		for range share.Tasks {
			on = append(on, share.Node)
		}
	}
	return on
}

func main() {
	fmt.Printf("%-18s %12s %16s %11s\n", "", "large starts", "others wait, min", "GPUs in use")
	cluster := func() *world { return &world{free: []int{8, 8, 8, 8, 8, 8, 8, 8}} }
	before := cluster()
	report("greedy", before, greedy{before})
	after := cluster()
	s := newReserving(after)
	report("reserve, backfill", after, s)
	fmt.Printf("its promise was broken %d times, since ends are guessed\n", s.broken)
}

// report runs all gangs, and prints when the large gang starts, how long the others wait, and how busy the GPUs are.
func report(name string, w *world, s scheduler) {
	list := groups()
	busy := w.run(s, list)
	starts, waits := 0, 0
	for _, g := range list {
		if g.name == large {
			starts = g.bound
		} else {
			waits += g.bound - g.created
		}
	}
	fmt.Printf("%-18s %9d:%02d %16d %10.0f%%\n", name, starts/60, starts%60, waits/(len(list)-1), 100*busy)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
