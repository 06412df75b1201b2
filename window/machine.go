package window

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// MachineSlots returns, for each node of a machine, the spans within w in which the node has room for
// one task of a vector, as Slots does for servers. Other tasks may run on the node in a slot, unless
// the vector is that of a whole node.
//
//	node 0    8 GPUs   ██████░░░░░░██████       a task of 4 GPUs
//	          slots    ├────┤      ├────┤
//	node 1    4 GPUs   ░░░░████████████░░
//	          slots        ├──────────┤
//
// The ticks of w that the machine cannot book are left out. The error wraps bookahead.ErrInvalid if m
// is nil, w is empty, or the vector does not suit the machine. O(n log v + k + s log s) for n nodes of
// v steps, k of which lie in w, and s slots.
func MachineSlots(m *nodes.Machine, each nodes.Vector, w bookahead.Interval) ([]Slot, error) {
	err := limits.CheckNil("machine", m)
	if err != nil {
		return nil, err
	}
	_, err = m.Tasks(each, 1)
	if err != nil {
		return nil, err
	}
	if w.Empty() {
		return nil, limits.Invalid("window", w, "is empty")
	}
	var slots []Slot
	for k := range m.Frame().Servers {
		for period := range m.Idle(k, each, w) {
			slots = append(slots, Slot{k, period})
		}
	}
	slices.SortFunc(slots, byStart)
	return slots, nil
}

// MachineCommit is Commit for a machine whose node k is node k: a task of a vector on each of the window's
// nodes, all of them or nothing. Tasks that end together are one reservation, and prices are checked as Commit
// does. O(n) for n tasks, and a Reserve for each end that they have; with an error also a Release for each
// but one, at most.
func (e *Environment) MachineCommit(m *nodes.Machine, each nodes.Vector, w Window) ([]nodes.Reservation, error) {
	err := limits.CheckNil("machine", m)
	if err == nil {
		err = e.affords(w)
	}
	if err != nil {
		return nil, err
	}
	reserve := func(r bookahead.Request) (nodes.Reservation, error) {
		res, err := m.Reserve(nodes.Request{
			Ready: r.Ready, Deadline: r.Deadline, Duration: r.Duration,
			Tasks: r.Units, PerNode: 1, Each: each, Nodes: r.Servers,
		})
		return res, limits.Bare(err)
	}
	return book(w.requests(), reserve, func(b nodes.Reservation) error { return m.Release(b.ID) })
}
