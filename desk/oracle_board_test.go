package desk

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// board is a schedule of the oracle: for each tick, how much is taken of each unit, server, or resource of a
// node. It has no order, no index and no memory.
type board struct {
	kind    Kind
	units   int64          // of a pool
	servers int            // of servers
	given   []nodes.Vector // of nodes
	racks   [][]int
	of      []string // of a broker
	horizon bookahead.Duration
	base    bookahead.Time
	taken   [][]int64 // by tick from base on
	terms   Terms
}

func newBoard(kind Kind, now bookahead.Time) *board {
	b := &board{kind: kind, base: now}
	switch k := kind.(type) {
	case Pool:
		b.units, b.horizon = k.Units, k.Horizon
	case Servers:
		b.servers, b.horizon = int(k.Count), k.Horizon
	case Nodes:
		b.given, b.horizon = k.Nodes, k.Horizon
		if len(k.Levels) > 0 {
			b.racks = k.Levels[0].Groups
		}
	case Broker:
		b.of = k.Of
	}
	return b
}

func (b *board) clone() *board {
	c := *b
	c.taken = make([][]int64, len(b.taken))
	for i, at := range b.taken {
		c.taken[i] = slices.Clone(at)
	}
	return &c
}

// wide is the number of cells of a tick.
func (b *board) wide() int {
	if b.given != nil {
		return len(b.given) * len(b.given[0])
	}
	return max(1, b.servers)
}

// at returns the cells of a tick to look at.
func (b *board) at(t bookahead.Time) []int64 {
	if int(t-b.base) >= len(b.taken) {
		return nothing[:b.wide()]
	}
	return b.taken[t-b.base]
}

// nothing is the cells of a tick that nobody has booked.
var nothing = make([]int64, 64)

// forget drops ticks that are over.
func (b *board) forget(now bookahead.Time) {
	if now-b.base < 64 {
		return
	}
	b.taken = slices.Clone(b.taken[min(int(now-b.base), len(b.taken)):])
	b.base = now
}

// ahead reports whether a time can be booked.
func (b *board) ahead(w bookahead.Interval, now bookahead.Time) bool {
	return w.Start >= now && (b.horizon == 0 || w.End <= now+bookahead.Time(b.horizon))
}

// put takes a place, or gives it back: times is 1 or -1. Only ticks from now on count.
func (b *board) put(p Place, tasks *nodes.Request, now bookahead.Time, times int64) {
	from, to := p.Start-bookahead.Time(p.Before), p.End+bookahead.Time(p.After)
	for int(to-b.base) > len(b.taken) {
		b.taken = append(b.taken, make([]int64, b.wide()))
	}
	for t := max(from, now); t < to; t++ {
		cells := b.at(t)
		switch {
		case b.given != nil:
			wide := len(b.given[0])
			for _, s := range p.Nodes {
				for r, amount := range tasks.Each {
					cells[s.Node*wide+r] += times * amount * s.Tasks
				}
			}
			if p.Head >= 0 {
				for r, amount := range tasks.Head {
					cells[p.Head*wide+r] += times * amount
				}
			}
		case b.servers > 0:
			for _, k := range p.Servers {
				cells[k] += times
			}
		default:
			cells[0] += times * p.Units
		}
	}
}

// overbooked reports whether more is taken than there is within a time.
func (b *board) overbooked(w bookahead.Interval) bool {
	for t := w.Start; t < w.End; t++ {
		for i, n := range b.at(t) {
			most := int64(1)
			switch {
			case b.given != nil:
				wide := len(b.given[0])
				most = b.given[i/wide][i%wide]
			case b.servers == 0:
				most = b.units
			}
			if n > most {
				return true
			}
		}
	}
	return false
}

// free returns the servers that are free throughout a time, a bit for each.
func (b *board) free(w bookahead.Interval) (mask uint64) {
	mask = 1<<b.servers - 1
	for t := w.Start; t < w.End; t++ {
		for k, n := range b.at(t) {
			if n > 0 {
				mask &^= 1 << k
			}
		}
	}
	return mask
}

func maskOf(list []int) (mask uint64) {
	for _, k := range list {
		mask |= 1 << k
	}
	return mask
}

// left returns the least that is free of each resource of a node throughout a time.
func (b *board) left(k int, w bookahead.Interval) nodes.Vector {
	v := slices.Clone(b.given[k])
	for t := w.Start; t < w.End; t++ {
		cells := b.at(t)
		for r, has := range b.given[k] {
			v[r] = min(v[r], has-cells[k*len(v)+r])
		}
	}
	return v
}

// hasTasks reports whether the nodes have room for a part. Of a part that runs, old is its place.
func (b *board) hasTasks(p *Part, w bookahead.Interval, old *Place) bool {
	groups := [][]int{nil} // all of them
	for k := range b.given {
		groups[0] = append(groups[0], k)
	}
	if p.Tasks.Within != "" {
		groups = b.racks
	}
	heads := []int{-1}
	for _, group := range groups {
		if p.Tasks.Head != nil {
			heads = group
			if old != nil && old.Head >= 0 {
				heads = []int{old.Head}
			}
		}
		for _, head := range heads {
			if b.groupHas(group, head, p, w, old) {
				return true
			}
		}
	}
	return false
}

// groupHas is hasTasks for the nodes of a group, with the head on one of them.
func (b *board) groupHas(group []int, head int, p *Part, w bookahead.Interval, old *Place) bool {
	sum, had := int64(0), int64(0)
	was := map[int]int64{}
	if old != nil {
		for _, s := range old.Nodes {
			was[s.Node] = s.Tasks
			had += s.Tasks
		}
	}
	for k := range was {
		if p.Units >= had && !slices.Contains(group, k) {
			return false
		}
	}
	if head >= 0 && (!slices.Contains(group, head) || !allowed(p.Tasks, head)) {
		return false
	}
	for _, k := range group {
		room := int64(0)
		if allowed(p.Tasks, k) {
			room = b.roomOn(k, p.Tasks, w, k == head)
		}
		switch {
		case room < 0: // not even for the head
			return false
		case old != nil && p.Units >= had && room < was[k]:
			return false
		case old != nil && p.Units == had:
			room = was[k]
		case old != nil && p.Units < had:
			room = min(room, was[k])
		}
		sum += room
	}
	return sum >= p.Units
}

// roomOn returns how many tasks a node has room for; -1 if the head has none.
func (b *board) roomOn(k int, r *nodes.Request, w bookahead.Interval, head bool) int64 {
	v := b.left(k, w)
	room := int64(1 << 40)
	for i := range v {
		if head {
			v[i] -= r.Head[i]
			if r.Head[i] > 0 && v[i] < 0 {
				return -1
			}
		}
		if r.Each[i] > 0 {
			room = min(room, max(0, v[i])/r.Each[i])
		}
	}
	if r.PerNode > 0 {
		room = min(room, r.PerNode)
	}
	return room
}

func allowed(r *nodes.Request, k int) bool {
	return (r.Nodes == nil || slices.Contains(r.Nodes, k)) && !slices.Contains(r.Except, k)
}
