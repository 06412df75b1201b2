package nodes

import (
	"cmp"
	"slices"
)

// seat is a node that may get tasks or the head.
type seat struct {
	Candidate
	beside int64 // the tasks that fit besides the head; -1 if the head has no room
	own    int64 // the tasks that the reservation of a Rebook has here
	group  int   // the node's group for Together
	cell   int   // the node's cell in the stock of its part
}

// kept returns how many of its own tasks a reservation can keep here.
func (s *seat) kept() int64 { return min(s.own, s.Fit) }

// withHead returns the seat as it is when the head lies here: with less room.
func (s seat) withHead() seat {
	s.Fit = s.beside
	return s
}

// stock is the room of the seats of a part, by cell. With bundles, a cell is one of their groups; without, a group for
// Together; and without both, all seats are one cell.
type stock struct {
	*query
	cells     []cell
	room, own int64 // in whole bundles
}

// cell is a group of seats.
type cell struct {
	group     int   // for Together
	room, own int64 // the tasks that fit, and those of them that the reservation of a Rebook has here
}

// stockOf returns the room of seats, and notes their cells. O(n log n) for n seats.
func (q *query) stockOf(seats []seat) *stock {
	of := func(k int) int {
		switch {
		case q.bundled != nil:
			return q.bundled.of[k]
		case q.together != nil:
			return q.together.of[k]
		}
		return 0
	}
	var ids []int
	for i := range seats {
		ids = append(ids, of(seats[i].Node))
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	x := &stock{query: q, cells: make([]cell, len(ids))}
	for i := range seats {
		s := &seats[i]
		s.cell, _ = slices.BinarySearch(ids, of(s.Node))
		x.cells[s.cell].group = s.group
		x.put(s, 1)
	}
	return x
}

// put adds the room of a seat, or takes it away.
func (x *stock) put(s *seat, times int64) {
	c := &x.cells[s.cell]
	x.room -= x.whole(c.room)
	x.own -= x.whole(c.own)
	c.room += times * s.Fit
	c.own += times * s.kept()
	x.room += x.whole(c.room)
	x.own += x.whole(c.own)
}

// change puts one seat in the place of another at the same node.
func (x *stock) change(from, to *seat) {
	x.put(from, -1)
	x.put(to, 1)
}

// besideHead returns for how many tasks there is room, with the head where it leaves the most; 0 if no seat has room for the
// head.
func (x *stock) besideHead(seats []seat) (tasks int64) {
	if x.head == nil {
		return x.room
	}
	for i := range seats {
		if seats[i].beside < 0 {
			continue
		}
		with := seats[i].withHead()
		x.change(&seats[i], &with)
		tasks = max(tasks, x.room)
		x.change(&with, &seats[i])
	}
	return tasks
}

// stay is which of its own tasks a reservation keeps, when it asks for some tasks. All bundles stay that are wholly its own.
// Then those are filled up of which most is its own, where there is room for the rest:
//
//	own tasks that fit     4     3     2     1     bundles of 4, and the third group has room for no more than 3
//	asked for 12           4     3+1   -     1+3   8 stay
type stay struct {
	tasks int64
	alone bool   // all tasks are its own, so that the policy chooses among them
	part  []bool // with bundles: the cells in which a bundle is partly its own
}

// stay returns what stays of so many tasks that have room. O(c log c) for c cells.
func (x *stock) stay() stay {
	if x.own >= x.tasks {
		return stay{tasks: x.tasks, alone: true}
	}
	y := stay{tasks: x.own}
	if x.bundled == nil || x.old == nil {
		return y
	}
	var list []int
	for i, c := range x.cells {
		if c.own%x.bundle > 0 && x.whole(c.room) > x.whole(c.own) {
			list = append(list, i)
		}
	}
	over := func(i int) int64 { return x.cells[i].own % x.bundle }
	slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(over(j), over(i)) })
	y.part = make([]bool, len(x.cells))
	for _, i := range list[:min(int64(len(list)), (x.tasks-x.own)/x.bundle)] {
		y.tasks += over(i)
		y.part[i] = true
	}
	return y
}

// in reports whether a cell keeps tasks of its own, unless all tasks are own.
func (y *stay) in(x *stock, i int) bool {
	return x.whole(x.cells[i].own) > 0 || y.part != nil && y.part[i]
}

// due returns how many tasks stay in a cell where they are, and how many tasks the policy must deal there in any case: to
// complete a bundle, or among the own tasks of the cell, of which some do not stay.
func (y *stay) due(x *stock, i int) (stays, dealt int64) {
	own := x.cells[i].own
	over := own % x.bundle
	switch {
	case y.alone:
		return 0, 0
	case over == 0:
		return own, 0
	case y.part[i]:
		return own, x.bundle - over
	}
	return 0, own - over
}
