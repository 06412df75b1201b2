package route

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/internal/effort"
)

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
				j.detours[m] = n.reachOf(n.clusters[m].Node, j.closed, &j.meter)
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

// words counts words that are about to be read, and reports whether they may be.
func (j *job) words(words int64) bool {
	j.effort.Words += words
	steps := 1 + words/wordsPerStep
	if steps > effort.Chunk {
		return grant(&j.meter, steps)
	}
	return j.meter.Go(int(steps))
}

// spent returns the work of the search so far.
func (j *job) spent() Spent {
	e := j.effort
	e.Steps = j.meter.Steps()
	e.Cut = e.Cut || j.meter.Stopped()
	return e
}

// none returns the error of a search without a plan, beside its Spent: there is no plan, or the
// search was stopped before it found one.
func (j *job) none() (Plan, error) {
	e := j.spent()
	if e.Cut {
		return Plan{Spent: e}, j.meter.Err()
	}
	return Plan{Spent: e}, bookahead.ErrUnavailable
}

// least returns a time before which no plan ends, whatever is booked: the data goes over free
// links, and the work begins as soon as the data arrives. It does not ask the pools, since
// there may be no steps left.
func (n *Network) least(j *job) bookahead.Time {
	if j.detours != nil && j.meter.Stopped() {
		return 0 // the meter may have stopped the search for the detours
	}
	first := never
	for m := range n.clusters {
		if j.takes[m] == 0 {
			continue
		}
		delay, burst := n.reach(j, m).away[j.Source], j.burst
		if n.clusters[m].Node == j.Source {
			burst = 0
		}
		if delay != unreachable {
			first = min(first, plus(plus(plus(n.floor(j, delay), delay), burst), j.takes[m]))
		}
	}
	return bookahead.Time(plus(int64(n.now), first))
}

// plus adds numbers of 0 or more. Sums above never are never.
func plus(a, b int64) int64 {
	if a > never-b {
		return never
	}
	return a + b
}
