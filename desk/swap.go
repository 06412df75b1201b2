package desk

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/site"
	"github.com/bookahead/bookahead/nodes"
)

// swap is what a booking that runs keeps of its place while the tasks of some nodes move (Part.Swap). Until the booking has its
// turn, what it keeps is reserved on the trial, so that nobody takes it who is placed before:
//
//	nodes    0   1   2   3          node 1 fails
//	kept     ██  ▒▒  ██             two tasks stay, and are reserved
//	after    ██      ██  ██         the third goes to node 3
type swap struct {
	rest   Request        // of the booking
	places []Place        // of its parts from now on; those that swap have the tasks that stay
	on     []int32        // the schedules of the parts
	ids    []bookahead.ID // reservations on the trial
	lost   [][]int        // the nodes that each part loses, ascending
}

// keep reserves what a booking keeps if it swaps nodes; nil if it does not ask for it, or cannot.
func (s *trial) keep(k *Booking) *swap {
	asks := slices.ContainsFunc(k.Shapes[k.Shape], func(p Part) bool { return p.Swap })
	if !asks || k.bent() || !k.begun(s.now) || k.checkPast() != nil {
		return nil
	}
	if slices.ContainsFunc(s.tailsOf(k), func(id bookahead.ID) bool { return id != 0 }) {
		return nil // a buffer lies where a part would stay
	}
	x := &swap{}
	x.rest, _ = k.remainder(s.now)
	for i, p := range k.Places {
		if p.Start < s.now {
			p.Start, p.Before = s.now, 0
		}
		if p.End > s.now {
			x.places, x.on, x.lost = append(x.places, p), append(x.on, k.on[i]), append(x.lost, nil)
		}
	}
	for i := range x.places {
		part, p, at := &x.rest.Shapes[0][i], &x.places[i], s.open(x.on[i])
		tasks := part.Tasks
		if part.Swap && p.Start == s.now {
			x.lost[i] = s.shed(at, p, tasks)
			tasks = another(tasks)
			tasks.Bundle, tasks.Bundled = 0, "" // of a bundle some tasks may stay, and the others come beside them
			if p.Head < 0 {
				tasks.Head = nil
			}
		}
		id, err := bookahead.ID(0), error(bookahead.ErrUnavailable)
		if p.Units > 0 && s.spendOn(x.on[i:i+1], x.places[i:i+1]) == nil {
			id, err = at.Reserve(site.Place(*p), tasks, s.now)
		}
		if err != nil {
			s.giveBack(x)
			return nil
		}
		x.ids = append(x.ids, id)
	}
	return x
}

// giveBack releases what a booking kept.
func (s *trial) giveBack(x *swap) {
	for i, id := range x.ids {
		_ = s.open(x.on[i]).Release(id) // keep has reserved it on this trial
	}
	x.ids = nil
}

// shed takes the tasks off a place whose nodes have no room for them, and returns the nodes.
func (s *trial) shed(at *schedule, p *Place, tasks *nodes.Request) (lost []int) {
	list := p.Nodes
	alone := !slices.ContainsFunc(list, func(n nodes.Share) bool { return n.Node == p.Head })
	if p.Head >= 0 && alone {
		list = append(slices.Clone(list), nodes.Share{Node: p.Head})
	}
	p.Nodes, p.Units = nil, 0
	head := -1
	for _, n := range list {
		switch {
		case !s.hasRoom(at, p, tasks, n):
			lost = append(lost, n.Node)
			continue
		case n.Tasks > 0:
			p.Nodes, p.Units = append(p.Nodes, n), p.Units+n.Tasks
		}
		if n.Node == p.Head {
			head = n.Node
		}
	}
	p.Head = head
	slices.Sort(lost)
	return lost
}

// hasRoom reports whether a node has room for its tasks of a place, and for the head if that lies there.
func (s *trial) hasRoom(at *schedule, p *Place, tasks *nodes.Request, n nodes.Share) bool {
	one := nodes.Request{Each: tasks.Each, Exclusive: tasks.Exclusive, Nodes: []int{n.Node}}
	switch {
	case n.Node == p.Head && n.Tasks == 0:
		one.Each, n.Tasks = tasks.Head, 1
	case n.Node == p.Head:
		one.Head = tasks.Head
	}
	_, err := at.Search(bookahead.Request{Ready: p.Start, Deadline: p.End, Duration: p.Len(), Units: n.Tasks}, &one)
	return s.meter.Spend(stepsOfTaken) && err == nil
}

// swap gives a booking that keeps a part of its place other nodes for the tasks that must move, and books it there. It is false if
// they find no room. What was kept is given back in either case.
func (s *trial) swap(k *Booking, x *swap) (spot, bool) {
	if x == nil {
		return spot{}, false
	}
	shape, y := x.rest.Shapes[0], spot{places: slices.Clone(x.places), on: x.on}
	ok := true
	for i := range shape {
		part, p, at := &shape[i], &y.places[i], s.open(x.on[i])
		if len(x.lost[i]) == 0 {
			continue
		}
		tasks := *part.Tasks
		tasks.Except = slices.Concat(tasks.Except, x.lost[i])
		slices.Sort(tasks.Except)
		tasks.Except = slices.Compact(tasks.Except)
		err := s.spend(at, part.Units)
		if err == nil {
			var found site.Place
			found, err = at.SearchFor(x.ids[i], part.within(p.Start, p.End, p.Len()), &tasks)
			found.On, found.Before, found.After = p.On, p.Before, p.After
			*p = Place(found)
		}
		ok = ok && err == nil
	}
	s.giveBack(x)
	if ok {
		as := k.elsewhere(shape, y.places, y.on, s.now)
		ok = !s.postings(k, as).FromAccounts().Breaks(s.asks, s.meter)
	}
	return y, ok && s.move(k, shape, y.places, y.on) == nil
}
