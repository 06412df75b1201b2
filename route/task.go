package route

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
)

// Task is data to be sent to a cluster, and work to be done on it there.
type Task struct {
	// Source is the node that holds the data.
	Source int
	// Ready is the first tick at which anything may start; one in the past
	// counts as now.
	Ready bookahead.Time
	// Deadline is the tick by which the work has ended; 0 for none.
	Deadline bookahead.Time
	// Burst is how long the data occupies each link, b, in ticks; at least 1.
	Burst bookahead.Duration
	// Work is what each CPU has to do; on a cluster it takes Work/Speed ticks,
	// rounded up. At least 1.
	Work int64
	// CPUs is how many are held meanwhile, r; at least 1. Clusters that have
	// fewer are left out.
	CPUs int64
}

// Plan is a path, a cluster, and the two times at which a task uses them.
type Plan struct {
	Cluster int
	// Links is the path from the source to the cluster's node, by index. It is
	// empty if the data is there already: then nothing is sent.
	Links []int
	// Delay is that of the path, in ticks.
	Delay bookahead.Duration
	// Send is when the source sends, from its first bit to its last (TOpath).
	// It is empty if nothing is sent.
	Send bookahead.Interval
	// Arrival is when the last bit is at the cluster (EST).
	Arrival bookahead.Time
	// Run is when the cluster works (TOcluster).
	Run bookahead.Interval
	// CPUs are the task's.
	CPUs int64
	// Effort is what the search took.
	Effort Effort
}

// Effort counts what a query did, alike on every machine.
type Effort struct {
	Labels int64 // paths that were made and looked at
	Words  int64 // 64-bit words of availability vectors read; of a list, two for each run
	// Cut says that Earliest has reached Config.Labels: there may be a better plan,
	// or one at all.
	Cut bool
}

// none says that there is no plan, and what it took to find out.
func (e Effort) none() (Plan, error) { return Plan{Effort: e}, bookahead.ErrUnavailable }

// job is a task whose times count from now.
type job struct {
	Task
	ready int64   // 0 or more
	end   int64   // the deadline, or never
	burst int64   // ticks
	takes []int64 // by cluster: ticks of work; 0 if it has too few CPUs
}

const never = int64(bookahead.MaxTime)

func (n *Network) job(t Task) (job, error) {
	switch {
	case t.Source < 0 || t.Source >= n.nodes:
		return job{}, invalid("Task.Source", t.Source, fmt.Sprintf("is not one of %d nodes", n.nodes))
	case t.Burst < 1:
		return job{}, invalid("Task.Burst", int64(t.Burst), "is less than 1")
	case t.Work < 1:
		return job{}, invalid("Task.Work", t.Work, "is less than 1")
	case t.CPUs < 1:
		return job{}, invalid("Task.CPUs", t.CPUs, "is less than 1")
	case t.Deadline != 0 && t.Deadline <= t.Ready:
		return job{}, invalid("Task.Deadline", int64(t.Deadline), fmt.Sprintf("is not after Ready = %d", t.Ready))
	}
	j := job{Task: t, end: never, burst: int64(t.Burst), takes: make([]int64, len(n.clusters))}
	if t.Ready > n.now {
		j.ready = int64(t.Ready - n.now)
	}
	if t.Deadline != 0 {
		j.end = int64(max(t.Deadline, 0) - n.now) // no number overflows
	}
	for m := range n.clusters {
		if c := &n.clusters[m]; c.CPUs >= t.CPUs {
			j.takes[m] = (t.Work-1)/c.Speed + 1
		}
	}
	return j, nil
}

// floor is the first slot in which the source may send over a path with that
// delay.
func (n *Network) floor(j *job, delay int64) int64 {
	if n.config.Wait && j.ready < avail.MaxSlots {
		return j.ready + 2*delay
	}
	return j.ready
}

// offer asks cluster m when the task can run there if its data arrives at that
// tick from now on. No place is no error.
func (n *Network) offer(j *job, m int, arrival int64) (run bookahead.Interval, ok bool, err error) {
	takes := j.takes[m]
	if arrival > never-int64(n.now)-takes || j.end < takes || arrival > j.end-takes {
		return run, false, nil
	}
	o, err := n.clusters[m].Pool.Search(bookahead.Request{
		Ready:    n.now + bookahead.Time(arrival),
		Deadline: j.Deadline,
		Duration: bookahead.Duration(takes),
		Units:    j.CPUs,
	})
	if err == bookahead.ErrUnavailable {
		return run, false, nil
	}
	return o.Interval, err == nil, err
}

// plan returns what sending in slot start over the links means.
func (n *Network) plan(j *job, m int, links []int, delay, start int64, run bookahead.Interval) Plan {
	p := Plan{Cluster: m, Links: links, Delay: bookahead.Duration(delay), Run: run, CPUs: j.CPUs}
	from := n.now + bookahead.Time(start)
	p.Send = bookahead.Interval{Start: from, End: from}
	if len(links) > 0 {
		p.Send.End += bookahead.Time(j.burst)
	}
	p.Arrival = p.Send.End + bookahead.Time(delay)
	return p
}

// Window returns when the plan uses its i-th link: as long as the source sends,
// and later by the delay of the links before. O(i).
func (n *Network) Window(p Plan, i int) bookahead.Interval {
	delay := bookahead.Time(0)
	for _, l := range p.Links[:i] {
		delay += bookahead.Time(n.links[l].Delay)
	}
	return bookahead.Interval{Start: p.Send.Start + delay, End: p.Send.End + delay}
}
