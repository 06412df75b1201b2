package plan

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/volume"
)

// ID names a job. The caller chooses it, and two jobs of a queue differ.
type ID string

// Job is work that waits for its start.
type Job struct {
	ID ID
	// Owner and Group are charged for what the job uses, under FairShare.
	Owner, Group string
	// Priority is for the order ByPriority: the larger goes first.
	Priority int64
	// Class is for preemption: a job may take the place of running jobs of a lower class that are Preemptible.
	Class       int64
	Preemptible bool
	// Submitted is when the job came in. FCFS takes jobs in the order of this time, and every order breaks its
	// ties by it; jobs of one time go in the order of their calls of Submit.
	Submitted bookahead.Time
	// NotBefore is the first tick at which the job may start. Until then it is in nobody's way.
	NotBefore bookahead.Time
	// After names jobs that end before this one starts. An ID that the queue does not have counts as ended, and is forgotten: a
	// later job of that ID is another.
	After []ID
	// Shapes are the forms that the job may have: 1 to MaxShapes. Of several, the one that ends first is taken, and of
	// equals the first.
	Shapes []Shape
}

// Shape is the parts of a job, 1 to MaxParts. All of them start at fixed distances from each other, or none does. Parts that
// overlap on one schedule are as grid.CoSearch allows them: a machine has one part of a shape at most.
type Shape []Part

// Part is units of one schedule for a time.
type Part struct {
	// On names the schedule.
	On string
	// Units is the number of units, servers or tasks; at least 1.
	Units int64
	// Duration is the estimate: for how long the units are held, in ticks; at least 1.
	Duration bookahead.Duration
	// Offset is how many ticks the part starts after the start of the job; at least 0, and 0 in one part of a shape.
	Offset bookahead.Duration
	// Servers limits the choice to the servers named, as in bookahead.Request; nil on nodes.
	Servers []int
	// Tasks describes a task of a part on nodes: what it takes, and on which nodes it may run. Others have nil. Its
	// Ready, Deadline, Duration and Tasks are 0, since the queue and the part have them.
	//
	// Patience is for a job of one shape and one part that does not bend: behind its earliest start the job waits so long for one group
	// of Together, which it is promised meanwhile. It waits once: a promise that is broken is followed by the earliest start.
	Tasks *nodes.Request
	// Swap lets a part on nodes run on while some of its nodes are closed: a Pass moves the tasks of these nodes to others, and the rest
	// stays (nodes.Machine.Swap). If there is no room, the job is Lost. A part in pieces does not swap.
	Swap bool
	// Pieces and Volume let a part bend: see the package comment. At most one of them is set, the part is the only one of its shape,
	// and its schedule is exact to the tick.
	//
	// With Pieces, the part may stop and go on later by a rule, and Duration is the ticks of its work.
	Pieces *pieces.Rule
	// With Volume, a part on a pool has Units at most, at least Least while it runs, and is over when it has had Units times Duration
	// in units times ticks. With a Least of 0 it may pause. The other fields are 0, since the queue and the part have them, and a
	// plan that is made anew at each Pass counts no stretches.
	Volume *volume.Request
}

// Place is where a part lies. What a queue returns shares its slices with the queue, and must not be changed.
type Place struct {
	On string
	bookahead.Interval
	Units int64
	// Servers are the servers, ascending; nil on a pool and on nodes.
	Servers []int
	// Nodes are the tasks of each node, and Head is the node of the head task, -1 if there is none.
	Nodes []nodes.Share
	Head  int
}

// on returns the nodes of a place, with that of the head.
func (p *Place) on() (list []int) {
	for _, s := range p.Nodes {
		list = append(list, s.Node)
	}
	if p.Head >= 0 {
		list = append(list, p.Head)
	}
	return list
}

// Bounds of a job.
const (
	MaxShapes = 64
	MaxParts  = 64
)

// length returns how long the shape takes from its start to the end of its last part.
func (s Shape) length() (d bookahead.Duration) {
	for i := range s {
		d = max(d, s[i].Offset+s[i].Duration)
	}
	return d
}

// shifts reports whether a part starts later than the job.
func (s Shape) shifts() bool {
	return slices.ContainsFunc(s, func(p Part) bool { return p.Offset > 0 })
}

// units returns the units of all parts, at most the largest int64.
func (s Shape) units() (n int64) {
	for i := range s {
		n = min(n, 1<<63-1-s[i].Units) + s[i].Units
	}
	return n
}

// clone returns a job that shares no memory with j.
func (j Job) clone() Job {
	j.After = slices.Clone(j.After)
	j.Shapes = slices.Clone(j.Shapes)
	for i, s := range j.Shapes {
		j.Shapes[i] = s.clone()
	}
	return j
}

func (s Shape) clone() Shape {
	s = slices.Clone(s)
	for i := range s {
		p := &s[i]
		p.Servers = slices.Clone(p.Servers)
		if p.Tasks != nil {
			t := *p.Tasks
			t.Each, t.Head = slices.Clone(t.Each), slices.Clone(t.Head)
			t.Nodes, t.Except = slices.Clone(t.Nodes), slices.Clone(t.Except)
			p.Tasks = &t
		}
		if p.Pieces != nil {
			rule := *p.Pieces
			p.Pieces = &rule
		}
		if p.Volume != nil {
			v := *p.Volume
			p.Volume = &v
		}
	}
	return s
}

// check returns an error that wraps bookahead.ErrInvalid if no queue could take the job.
func (j *Job) check() error {
	switch {
	case j.ID == "":
		return limits.Invalid("Job.ID", j.ID, "is empty")
	case j.Submitted < 0:
		return limits.Invalid("Job.Submitted", j.Submitted, "is negative")
	case j.NotBefore < 0:
		return limits.Invalid("Job.NotBefore", j.NotBefore, "is negative")
	case len(j.Shapes) == 0 || len(j.Shapes) > MaxShapes:
		return limits.Invalid("Job.Shapes", len(j.Shapes), fmt.Sprintf("are not 1 to %d", MaxShapes))
	case slices.Contains(j.After, j.ID):
		return limits.Invalid("Job.After", j.ID, "is the job itself")
	}
	for i, s := range j.Shapes {
		if len(s) == 0 || len(s) > MaxParts {
			return limits.Invalid(fmt.Sprintf("Job.Shapes[%d]", i), len(s), fmt.Sprintf("parts are not 1 to %d", MaxParts))
		}
		if !slices.ContainsFunc(s, func(p Part) bool { return p.Offset == 0 }) {
			return limits.Invalid(fmt.Sprintf("Job.Shapes[%d]", i), s[0].Offset, "has no part at Offset 0, which starts with the job")
		}
		for k := range s {
			if s[k].patience() > 0 && len(j.Shapes)+len(s) > 2 {
				return limits.Invalid(fmt.Sprintf("Job.Shapes[%d][%d].Tasks.Patience", i, k), s[k].patience(), "is set, and the job has other shapes or parts")
			}
			if s[k].bends() && len(s) > 1 {
				return limits.Invalid(fmt.Sprintf("Job.Shapes[%d][%d]", i, k), len(s), "parts have one that bends, which must be the only one")
			}
			err := s[k].check(func(name string) string { return fmt.Sprintf("Job.Shapes[%d][%d].%s", i, k, name) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Part) check(field func(name string) string) error {
	const most = bookahead.Duration(bookahead.MaxTime)
	switch {
	case p.Units < 1:
		return limits.Invalid(field("Units"), p.Units, "is less than 1")
	case p.Duration < 1:
		return limits.Invalid(field("Duration"), p.Duration, "is less than 1")
	case p.Offset < 0:
		return limits.Invalid(field("Offset"), p.Offset, "is negative")
	case p.Offset > most-p.Duration:
		return limits.Invalid(field("Duration"), p.Duration, fmt.Sprintf("after Offset %d overflows", p.Offset))
	}
	err := p.checkBends(field)
	if err != nil {
		return err
	}
	t := p.Tasks
	switch {
	case t == nil && p.Swap:
		return limits.Invalid(field("Swap"), p.Swap, "is set, and the part has no Tasks")
	case t == nil:
		return nil
	case p.Pieces != nil && p.Swap:
		return limits.Invalid(field("Swap"), p.Swap, "is set, and so are Pieces")
	case p.Pieces != nil && t.Patience != 0:
		return limits.Invalid(field("Tasks.Patience"), t.Patience, "is set, and so are Pieces")
	}
	for _, set := range []struct {
		name string
		to   int64
	}{{"Ready", int64(t.Ready)}, {"Deadline", int64(t.Deadline)}, {"Duration", int64(t.Duration)}, {"Tasks", t.Tasks}} {
		if set.to != 0 {
			return limits.Invalid(field("Tasks."+set.name), set.to, "is not 0: the queue and the part have it")
		}
	}
	return nil
}

// patience returns how long a part waits for one group of nodes.
func (p *Part) patience() bookahead.Duration {
	if p.Tasks == nil {
		return 0
	}
	return p.Tasks.Patience
}
