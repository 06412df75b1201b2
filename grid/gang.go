package grid

import (
	"errors"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// Gang is a Member for tasks that run side by side on the nodes of a machine. The tasks run for the
// Duration of the part, and the Units of the part are the number of tasks: at least 1. The part names
// no Servers, because Request.Nodes names nodes.
//
//	gpus := grid.Gang{Machine: m, Request: nodes.Request{Each: nodes.Vector{8, 32}, Within: "rack"}}
//	job := grid.Job{Parts: []grid.Part{
//		{On: gpus, Duration: 60, Units: 4},  // 4 tasks of 8 GPUs and 32 cores, in one rack
//		{On: line, Duration: 60, Units: 10}, // and 10 Gbit/s at the same time
//	}}
//
// A job has at most one part for each machine. A second part is refused even if the two do not
// overlap, and even if it lies on a nodes.Tasks of the machine or on a Broker of one: neither part
// knows which nodes the other would take.
//
// A machine has no lock, so the caller must let nobody else use it during a CoAllocate.
type Gang struct {
	// Machine runs the tasks.
	Machine *nodes.Machine
	// Request has the amounts of a task, and the nodes on which it may run. Its Ready, Deadline, Patience,
	// Duration and Tasks must be 0, because the job and the part have them.
	Request nodes.Request
}

var _ Member = Gang{}

// Search implements Member: it returns the earliest time for r.Units tasks, without their nodes.
// Errors and costs are those of nodes.Machine.Search, but bookahead.ErrUnavailable is never wrapped.
func (g Gang) Search(r bookahead.Request) (bookahead.Offer, error) {
	o, err := g.offer(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	return bookahead.Offer{Interval: o.Interval, Units: r.Units}, nil
}

// offer returns the offer of the machine, with its nodes.
func (g Gang) offer(r bookahead.Request) (nodes.Offer, error) {
	whole, err := g.request(r)
	if err != nil {
		return nodes.Offer{}, err
	}
	o, err := g.Machine.Search(whole)
	return o, limits.Bare(err)
}

// Reserve implements Member: it books the place that Search would have returned. The reservation has
// the same ID at the machine, which knows the nodes. Errors are those of Search, and costs those of
// nodes.Machine.Reserve.
func (g Gang) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	whole, err := g.request(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	res, err := g.Machine.Reserve(whole)
	if err != nil {
		return bookahead.Reservation{}, limits.Bare(err)
	}
	return bookahead.Reservation{ID: res.ID, Offer: bookahead.Offer{Interval: res.Interval, Units: r.Units}}, nil
}

// Release implements Member. Errors and costs are those of nodes.Machine.Release.
func (g Gang) Release(id bookahead.ID) error {
	err := limits.CheckNil("Gang.Machine", g.Machine)
	if err != nil {
		return err
	}
	return g.Machine.Release(id)
}

// request returns the nodes request for as many tasks as r asks for units.
func (g Gang) request(r bookahead.Request) (nodes.Request, error) {
	err := limits.CheckNil("Gang.Machine", g.Machine)
	if err == nil {
		err = r.Validate()
	}
	whole := g.Request
	switch {
	case err != nil:
		return nodes.Request{}, err
	case r.Servers != nil:
		return nodes.Request{}, limits.Invalid("Request.Servers", r.Servers, "are named, but Gang.Request names the nodes")
	case whole.Ready != 0:
		return nodes.Request{}, limits.Invalid("Gang.Request.Ready", whole.Ready, "is not 0: the job has it")
	case whole.Deadline != 0:
		return nodes.Request{}, limits.Invalid("Gang.Request.Deadline", whole.Deadline, "is not 0: the job has it")
	case whole.Duration != 0:
		return nodes.Request{}, limits.Invalid("Gang.Request.Duration", whole.Duration, "is not 0: the part has it")
	case whole.Patience != 0:
		return nodes.Request{}, limits.Invalid("Gang.Request.Patience", whole.Patience, "is not 0: all parts start as early as they can")
	case whole.Tasks != 0:
		return nodes.Request{}, limits.Invalid("Gang.Request.Tasks", whole.Tasks, "is not 0: the part has it, as Units")
	}
	whole.Ready, whole.Deadline, whole.Duration, whole.Tasks = r.Ready, r.Deadline, r.Duration, r.Units
	return whole, nil
}

// gangOf returns the gang that a member is.
func gangOf(m Member) (Gang, bool) {
	switch g := m.(type) {
	case Gang:
		return g, true
	case *Gang:
		return *g, true
	}
	return Gang{}, false
}

// machines returns the machines that a member books on.
func machines(m Member) (list []*nodes.Machine) {
	for _, s := range sources(m) {
		g, ok := gangOf(s)
		if ok {
			list = append(list, g.Machine)
		}
		v, ok := s.(*nodes.Tasks)
		if ok {
			list = append(list, v.Machine())
		}
	}
	return list
}

// checkGangs returns an error that wraps bookahead.ErrInvalid if a gang is invalid for its machine,
// whatever is booked, or if two parts lie on one machine.
func (j Job) checkGangs() error {
	first := map[*nodes.Machine]int{}
	for i, p := range j.Parts {
		g, ok := gangOf(p.On)
		if ok {
			// A valid request for the past is always too late: any other error is a fault.
			_, err := g.Search(bookahead.Request{Ready: -2, Deadline: -1, Duration: 1, Units: p.Units, Servers: p.Servers})
			if !errors.Is(err, bookahead.ErrUnavailable) {
				return fmt.Errorf("grid: Job.Parts[%d]: %w", i, err)
			}
		}
		for _, m := range machines(p.On) {
			k, twice := first[m]
			if twice && k != i {
				return limits.Invalid(fmt.Sprintf("Job.Parts[%d].On", i), fmt.Sprintf("%T", p.On),
					fmt.Sprintf("books on the machine of Parts[%d], and a job has one part for each machine", k))
			}
			first[m] = i
		}
	}
	return nil
}

// place adds the nodes of each gang to a plan.
func (plan *Plan) place(j Job) error {
	for i, p := range j.Parts {
		g, ok := gangOf(p.On)
		if !ok {
			continue
		}
		o, err := g.offer(plan.Parts[i].Request())
		if err != nil {
			return fmt.Errorf("grid: Job.Parts[%d]: %w", i, err)
		}
		if plan.Nodes == nil {
			plan.Nodes = map[int]nodes.Offer{}
		}
		plan.Nodes[i] = o
	}
	return nil
}

// place adds the nodes of part i, which has just been booked, to an allocation.
func (a *Allocation) place(i int) error {
	g, ok := gangOf(a.members[i])
	if !ok {
		return nil
	}
	res, err := g.Machine.Reservation(a.Parts[i].ID)
	if err != nil {
		return err
	}
	if a.Nodes == nil {
		a.Nodes = map[int]nodes.Reservation{}
	}
	a.Nodes[i] = res
	return nil
}
