// Queue is the queue of a GPU cluster for a day: gangs that lie in one rack each, a large job that would starve under
// first fit, a node that fails, a rack that is drained, and jobs that overrun. It prints what happens, with a forecast and the reasons
// of those who wait at noon, and with -o it draws that moment as an SVG picture. A tick is a minute.
//
//	go run ./examples/queue -o queue.svg
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

const (
	hour  = 60
	noon  = 4 * hour
	large = "large"
)

// clock says that the day begins at eight o'clock on a Monday.
var clock = bookahead.Clock{Epoch: time.Date(2027, time.January, 4, 8, 0, 0, 0, time.UTC), Tick: time.Minute}

func main() {
	out := flag.String("o", "", "`file` for the picture; none if empty")
	flag.Parse()
	starving := day(plan.FirstFit(), io.Discard, nil)
	chart := gantt.Chart{Title: "Monday at noon", Window: bookahead.Interval{Start: hour, End: 14 * hour}, Axis: must(gantt.WallClock(clock))}
	promised := day(plan.EASY(1), os.Stdout, &chart)
	fmt.Printf("under first fit the large job starts at %s, with a promise at %s\n", at(starving), at(promised))
	if *out != "" {
		file := must(os.Create(*out))
		must(chart.WriteTo(file))
		check(file.Close())
	}
}

// cluster has three racks of four nodes, with eight GPUs each.
func cluster() *nodes.Machine {
	c := nodes.Config{Resources: []string{"gpus"}, Policy: nodes.BestFit()}
	racks := nodes.Level{Name: "rack", Groups: make([][]int, 3)}
	for k := range 12 {
		c.Nodes = append(c.Nodes, nodes.Vector{8})
		racks.Groups[k/4] = append(racks.Groups[k/4], k)
	}
	c.Levels = []nodes.Level{racks}
	return must(nodes.New(c))
}

// job is a job as its owner describes it, for how long it really runs, and when it ends.
type job struct {
	plan.Job
	runs bookahead.Duration
	end  bookahead.Time
}

// gang returns a job of tasks that start together.
func gang(id plan.ID, owner string, in bookahead.Time, tasks int64, estimate bookahead.Duration, each nodes.Request) plan.Job {
	return plan.Job{ID: id, Owner: owner, Submitted: in, Shapes: []plan.Shape{{{On: "gpus", Units: tasks, Duration: estimate, Tasks: &each}}}}
}

// jobs returns gangs that come in all day, and the large one, which comes in at ten. Most end before their estimates.
func jobs() map[plan.ID]*job {
	rng := rand.New(rand.NewPCG(2, 1))
	list := map[plan.ID]*job{large: {Job: gang(large, "dan", 2*hour, 8, 4*hour, nodes.Request{Each: nodes.Vector{8}}), runs: 3 * hour, end: plan.Never}}
	for n := range 60 {
		id, estimate := plan.ID(fmt.Sprintf("g%d", n)), bookahead.Duration(hour+30*rng.IntN(8))
		each := nodes.Request{Each: nodes.Vector{4 << rng.IntN(2)}, Within: "rack"}
		j := gang(id, []string{"ann", "bob", "eve"}[rng.IntN(3)], bookahead.Time(11*n), 1+rng.Int64N(4), estimate, each)
		list[id] = &job{Job: j, runs: estimate * bookahead.Duration(50+rng.IntN(60)) / 100, end: plan.Never}
	}
	return list
}

// day runs the jobs until the large one starts, and returns when that is. It draws the queue at noon.
func day(b plan.Backfill, story io.Writer, chart *gantt.Chart) bookahead.Time {
	machine, ctx, all := cluster(), context.Background(), jobs()
	q := must(plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "gpus", Nodes: machine}}, Backfill: b, Clock: clock}))
	say := func(format string, values ...any) { fmt.Fprintf(story, at(q.Now())+" "+format+"\n", values...) }
	for now := bookahead.Time(0); ; now++ {
		for _, id := range slices.Sorted(maps.Keys(all)) {
			switch j := all[id]; now {
			case j.Submitted:
				check(q.Submit(j.Job))
			case j.end:
				check(q.Ended(now, id))
			}
		}
		incident(machine, q, now)
		for q.Next() <= now { // something has happened, or is due
			r := must(q.Pass(ctx, now))
			for _, e := range r.Events {
				tell(say, e)
				if e.Kind == plan.Lost {
					check(q.Requeue(now, e.Job))
					all[e.Job].end = plan.Never
				}
			}
			for _, s := range r.Starts {
				check(q.Started(s.Job)) // a launch would take s.Places
				all[s.Job].end = now + bookahead.Time(all[s.Job].runs)
				if s.Job == large {
					say("the large job starts, on nodes %v", on(s.Places[0]))
					return now
				}
			}
		}
		if now == noon && chart != nil {
			forecasts := must(q.Forecasts(ctx))
			say("the forecast:")
			report(q, story, forecasts)
			check(gantt.Queue{Queue: q, Forecasts: forecasts}.Fill(chart))
		}
	}
}

// incident closes nodes: node 5 fails at eleven, for three hours, and at noon it is said that rack 0 will be drained from two to three.
func incident(m *nodes.Machine, q *plan.Queue, now bookahead.Time) {
	c, ok := map[bookahead.Time]bookahead.Closure{
		3 * hour: {Interval: bookahead.Interval{Start: 3 * hour, End: 6 * hour}, Servers: []int{5}},
		noon:     {Interval: bookahead.Interval{Start: 6 * hour, End: 7 * hour}, Servers: []int{0, 1, 2, 3}},
	}[now]
	if ok {
		must(m.Close(c))
		q.Changed()
	}
}

// tell says what an event means.
func tell(say func(string, ...any), e plan.Event) {
	switch {
	case e.Kind == plan.Delayed:
		say("job %s is delayed from %s to %s by %v", e.Job, at(e.From), at(e.To), e.Cause)
	case e.Kind == plan.Overrun:
		say("job %s overruns, and is expected to end at %s", e.Job, at(e.To))
	case e.Kind == plan.Lost:
		say("job %s has lost its node, and waits again", e.Job)
	}
}

// report prints when and where each job that waits is to start, and why the first three do not start now.
func report(q *plan.Queue, w io.Writer, forecasts []plan.Forecast) {
	waits := slices.DeleteFunc(slices.Clone(forecasts), func(f plan.Forecast) bool { return f.State == plan.Running })
	for _, f := range waits {
		fmt.Fprintf(w, "  %-5s %-8v %s to %s on %v\n", f.Job, f.State, at(f.Start), at(f.End), on(f.Places[0]))
	}
	for _, f := range waits[:3] {
		fmt.Fprintf(w, "  %v\n", must(q.Why(f.Job)))
	}
}

// on returns the nodes of a place.
func on(p plan.Place) (list []int) {
	for _, s := range p.Nodes {
		list = append(list, s.Node)
	}
	return list
}

func at(t bookahead.Time) string { return must(clock.Wall(t)).Format("Mon 15:04") }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}
