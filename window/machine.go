package window

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// MachineSlots returns, for each node of a machine, the spans within w in which the node has room for
// one task of a vector, as Slots does for servers. A slot says nothing of other tasks that may run on
// its node meanwhile: with a vector of a whole node there are none.
//
//	node 0    8 GPUs   ██████░░░░░░██████       a task of 4 GPUs
//	          slots    ├────┤      ├────┤
//	node 1    4 GPUs   ░░░░████████████░░
//	          slots        ├──────────┤
//
// The ticks of w that the machine cannot book are left out. The error wraps bookahead.ErrInvalid if m
// is nil, w is empty, or the vector is not of the machine. It takes O(log l) searches of one node for
// each slot of l ticks, and one more for each node.
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
	frame := m.Frame()
	w = w.Intersect(frame.Window())
	var slots []Slot
	for k := range frame.Servers {
		for from := w.Start; from < w.End; {
			s, ok := nextSlot(m, each, k, bookahead.Interval{Start: from, End: w.End})
			if !ok {
				break
			}
			slots = append(slots, s)
			from = s.End
		}
	}
	slices.SortStableFunc(slots, func(a, b Slot) int { return cmp.Compare(a.Start, b.Start) })
	return slots, nil
}

// nextSlot returns the first span in w in which node k has room for a task, as long as possible. The
// vector is one of the machine, so the only error of a search is that there is no room.
func nextSlot(m *nodes.Machine, each nodes.Vector, k int, w bookahead.Interval) (Slot, bool) {
	room := func(w bookahead.Interval, d bookahead.Duration) (nodes.Offer, bool) {
		o, err := m.Search(nodes.Request{Ready: w.Start, Deadline: w.End, Duration: d, Tasks: 1, Each: each, Nodes: []int{k}})
		return o, err == nil
	}
	first, ok := room(w, 1)
	if !ok {
		return Slot{}, false
	}
	start := first.Start
	fits := func(d bookahead.Duration) bool {
		_, ok := room(bookahead.Interval{Start: start, End: start + bookahead.Time(d)}, d)
		return ok
	}
	// A span has no more room than a shorter one in it. So its length is found by doubling, and then
	// by halving: low ticks fit, and high ticks do not.
	low, high := bookahead.Duration(1), bookahead.Duration(w.End-start)
	if fits(high) {
		return Slot{k, bookahead.Interval{Start: start, End: w.End}}, true
	}
	for low < high/2 && fits(2*low) {
		low *= 2
	}
	if low < high/2 {
		high = 2 * low
	}
	for high-low > 1 {
		mid := low + (high-low)/2
		if fits(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return Slot{k, bookahead.Interval{Start: start, End: start + bookahead.Time(low)}}, true
}

// MachineCommit books a window on a machine whose node k is node k, a task of a vector on each of the
// window's nodes, all of it or nothing: tasks that end together are one reservation, so that a square
// window is one. They are in order of their lowest nodes. If one cannot be booked, those before it are
// released, and the error is the machine's: bookahead.ErrUnavailable if something else was booked
// there since the slots were read. O(n) for n tasks, and a Reserve for each end that they have; with
// an error also a Release for each but one, at most.
func MachineCommit(m *nodes.Machine, each nodes.Vector, w Window) ([]nodes.Reservation, error) {
	err := limits.CheckNil("machine", m)
	if err != nil {
		return nil, err
	}
	if len(w.Tasks) == 0 {
		return nil, limits.Invalid("Window.Tasks", w.Tasks, "are none")
	}
	var booked []nodes.Reservation
	for _, r := range w.requests() {
		res, err := m.Reserve(nodes.Request{
			Ready: r.Ready, Deadline: r.Deadline, Duration: r.Duration,
			Tasks: r.Units, PerNode: 1, Each: each, Nodes: r.Servers,
		})
		if err == nil {
			booked = append(booked, res)
			continue
		}
		for _, b := range booked {
			failed := m.Release(b.ID)
			if failed != nil {
				err = errors.Join(err, fmt.Errorf("window: releasing %v: %w", b, failed))
			}
		}
		return nil, err
	}
	return booked, nil
}
