// Buildbuddy is package plan in a scheduler of remote executions of the shape of BuildBuddy: the oldest task waits for a whole
// executor. Under strict FIFO everybody waits with it; if whatever fits may overtake, it starves. BuildBuddy #12475 asks for the
// rule between: a task overtakes only if it ends before the oldest blocked task could start. That is EASY(1).
//
// Durations are known from builds before, so no promise is broken. The adapter is this file; fake.go is a fake of the executors, and
// the two schedulers that it is compared with. A tick is a second.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// planned is the adapter: leases by a plan.Queue.
type planned struct {
	*pool
	queue   *plan.Queue
	all     map[plan.ID]*task
	delayed int
}

// newPlanned describes the executors as nodes, and makes the queue.
func newPlanned(p *pool) *planned {
	config := nodes.Config{Resources: []string{"cores", "GiB"}, Policy: nodes.BestFit()}
	for _, r := range p.free {
		config.Nodes = append(config.Nodes, nodes.Vector{int64(r.cores), int64(r.gib)})
	}
	executors := plan.Schedule{Name: "executors", Nodes: must(nodes.New(config))}
	queue := must(plan.New(plan.Config{Schedules: []plan.Schedule{executors}, Backfill: plan.EASY(1)}))
	return &planned{pool: p, queue: queue, all: map[plan.ID]*task{}}
}

func (s *planned) queued(t *task) {
	size := &nodes.Request{Each: nodes.Vector{int64(t.cores), int64(t.gib)}}
	part := plan.Part{On: "executors", Units: 1, Duration: bookahead.Duration(t.takes), Tasks: size}
	s.all[plan.ID(t.name)] = t
	must(0, s.queue.Submit(plan.Job{ID: plan.ID(t.name), Submitted: bookahead.Time(t.queued), Shapes: []plan.Shape{{part}}}))
}

func (s *planned) done(t *task) {
	must(0, s.queue.Ended(bookahead.Time(s.now), plan.ID(t.name)))
}

// cycle leases what may start.
func (s *planned) cycle(now int) {
	if s.queue.Next() > bookahead.Time(now) {
		return
	}
	pass := must(s.queue.Pass(context.Background(), bookahead.Time(now)))
	for _, e := range pass.Events {
		if e.Kind == plan.Delayed {
			s.delayed++
		}
	}
	for _, start := range pass.Starts {
		if s.lease(s.all[start.Job], start.Places[0].Nodes[0].Node) == nil {
			must(0, s.queue.Started(start.Job))
		}
	}
}

func main() {
	executors := func() *pool { return &pool{free: []room{whole, whole, whole, whole}} }
	fmt.Printf("%-14s %13s %10s %14s %12s\n", "", "tests wait, s", "at most, s", "others wait, s", "cores in use")
	p := executors()
	report("strict FIFO", p, inTurn{pool: p})
	p = executors()
	report("naive backfill", p, inTurn{pool: p, backfill: true})
	p = executors()
	s := newPlanned(p)
	report("EASY(1)", p, s)
	fmt.Println("broken promises:", s.delayed)
}

// report runs all tasks, and prints how long the tests and the others wait, and how busy the cores are.
func report(name string, p *pool, s scheduler) {
	list := tasks()
	busy := p.run(s, list)
	var waits, count [2]int
	most := 0
	for _, t := range list {
		wait, kind := t.leased-t.queued, 0
		if t.large() {
			kind, most = 1, max(most, wait)
		}
		waits[kind] += wait
		count[kind]++
	}
	fmt.Printf("%-14s %13d %13d %13d %11.0f%%\n", name, waits[1]/count[1], most, waits[0]/count[0], 100*busy)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
