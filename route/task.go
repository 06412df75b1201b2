package route

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/internal/effort"
)

// Task is data to be sent to a cluster, and work to be done on it there.
type Task struct {
	// Source is the node that holds the data.
	Source int
	// Ready is the first tick at which anything may start; a tick in the past
	// counts as now.
	Ready bookahead.Time
	// Deadline is the tick by which the work has ended; 0 for none.
	Deadline bookahead.Time
	// Burst is how long the data occupies each link, b, in ticks; at least 1.
	Burst bookahead.Duration
	// Work is the work of each CPU; it takes Work/Speed ticks on a cluster, rounded up.
	// At least 1.
	Work int64
	// CPUs is the number of CPUs held meanwhile, r; at least 1. Clusters that have
	// fewer are left out.
	CPUs int64
	// Avoid names links and nodes that the path must not use. Clusters at an avoided node
	// are left out as well.
	Avoid Avoid
	// Effort limits the search; 0 Steps stand for 2^24. A step is a look at a link, a path
	// or a pool, or at 32 words of free slots. A look at the slots of one link is not cut
	// short. It is more than the 1 024 steps after which a search looks for a stop, where
	// there are more than 2^20 slots. A path takes S/8 bytes for S slots, or for Earliest 16
	// for each of its runs, and about 100 besides.
	Effort bookahead.Effort
}

// Plan is a path, a cluster, and the two times at which a task uses them.
type Plan struct {
	Source  int
	Cluster int
	// Nodes are the nodes of the path, from the source to the cluster's node: one more
	// than there are links.
	Nodes []int
	// Links is the path from the source to the cluster's node, by index. It is
	// empty if the data is there already: then nothing is sent.
	Links []int
	// Delay is the delay of the path, in ticks.
	Delay bookahead.Duration
	// Send is when the source sends, from its first bit to its last (TOpath).
	// It is empty if nothing is sent.
	Send bookahead.Interval
	// Arrival is when the last bit is at the cluster (EST).
	Arrival bookahead.Time
	// Run is when the cluster works (TOcluster).
	Run bookahead.Interval
	// CPUs are those of the task.
	CPUs int64
	// Bound is a time before which no plan for the task ends. It is the end of Run if
	// Earliest, or MCT without an Objective, has come to its end. A search that was stopped
	// gives the time that it knows. 0 says nothing.
	Bound bookahead.Time
	// Spent is the work of the search.
	Spent Spent
}

// job is a task whose times count from now.
type job struct {
	Task
	ready int64   // 0 or more
	end   int64   // the deadline, or never
	burst int64   // ticks
	takes []int64 // by cluster: ticks of work; 0 if it has too few CPUs

	meter   effort.Meter
	effort  Spent    // so far
	closed  []uint64 // by Task.Avoid: a bit for each link; nil for none
	detours []reach  // of each cluster, if anything is avoided
}

// open reports whether a path may use a link.
func (j *job) open(link int32) bool { return j.closed == nil || !marked(j.closed, int(link)) }

const never = int64(bookahead.MaxTime)

// job returns the job of a task.
func (n *Network) job(t Task) (*job, error) {
	j := new(job)
	if err := n.prepare(j, t); err != nil {
		return nil, err
	}
	return j, nil
}

// prepare checks a task, and makes its job in j, with the lists of the job that j was before.
func (n *Network) prepare(j *job, t Task) error {
	switch {
	case t.Source < 0 || t.Source >= n.nodes:
		return invalid("Task.Source", t.Source, fmt.Sprintf("is not one of %d nodes", n.nodes))
	case t.Burst < 1:
		return invalid("Task.Burst", int64(t.Burst), "is less than 1")
	case t.Work < 1:
		return invalid("Task.Work", t.Work, "is less than 1")
	case t.CPUs < 1:
		return invalid("Task.CPUs", t.CPUs, "is less than 1")
	case t.Deadline != 0 && t.Deadline <= t.Ready:
		return invalid("Task.Deadline", int64(t.Deadline), fmt.Sprintf("is not after Ready = %d", t.Ready))
	}
	if err := n.checkAvoid("Task.Avoid", &t.Avoid, t.Source); err != nil {
		return err
	}
	counts, err := meter(t.Effort)
	if err != nil {
		return err
	}
	takes := j.takes
	if len(takes) != len(n.clusters) {
		takes = make([]int64, len(n.clusters))
	}
	clear(takes)
	*j = job{Task: t, end: never, burst: int64(t.Burst), takes: takes, meter: counts}
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
	j.closed = n.closed(&t.Avoid)
	if j.closed != nil {
		j.detours = make([]reach, len(n.clusters))
		for m := range n.clusters {
			if j.takes[m] > 0 {
				j.detours[m] = n.reachOf(n.clusters[m].Node, j)
			}
		}
	}
	return nil
}

// reach returns the shortest ways to a cluster that the task may take.
func (n *Network) reach(j *job, m int) *reach {
	if j.detours != nil {
		return &j.detours[m]
	}
	return &n.clusters[m].reach
}

// floor is the first slot in which the source may send over a path with that
// delay.
func (n *Network) floor(j *job, delay int64) int64 {
	if n.config.Wait && j.ready < avail.MaxSlots {
		return j.ready + 2*delay
	}
	return j.ready
}

// offer asks cluster m when the task can run there if its data arrives so many ticks from
// now. That there is no place is no error.
func (n *Network) offer(j *job, m int, arrival int64) (run bookahead.Interval, ok bool, err error) {
	takes := j.takes[m]
	if !j.meter.Go(1) {
		return run, false, nil
	}
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

// plan returns the plan for a path and a run: the source sends in slot start, or nothing if the
// data is at the cluster. The caller adds the links.
func (n *Network) plan(j *job, m int, sends bool, delay, start int64, run bookahead.Interval) Plan {
	p := Plan{Source: j.Source, Cluster: m, Delay: bookahead.Duration(delay), Run: run, CPUs: j.CPUs}
	from := n.now + bookahead.Time(start)
	p.Send = bookahead.Interval{Start: from, End: from}
	if sends {
		p.Send.End += bookahead.Time(j.burst)
	}
	p.Arrival = p.Send.End + bookahead.Time(delay)
	return p
}

// found completes the plan that a search returns.
func (n *Network) found(j *job, p Plan) Plan {
	if p.Nodes == nil {
		p.Nodes = n.nodesOf(p.Source, p.Links)
	}
	p.Spent = j.spent()
	if p.Spent.Cut {
		p.Bound = min(p.Run.End, n.least(j))
	}
	return p
}

// Window returns when the plan uses its i-th link: for as long as the source sends,
// and later by the delays of the links before. O(i).
func (n *Network) Window(p Plan, i int) bookahead.Interval {
	delay := bookahead.Time(0)
	for _, l := range p.Links[:i] {
		delay += bookahead.Time(n.links[l].Delay)
	}
	return bookahead.Interval{Start: p.Send.Start + delay, End: p.Send.End + delay}
}
