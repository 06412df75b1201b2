package desk

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// senseless reports whether no desk could make sense of a request.
func (o *ideal) senseless(r *Request) bool {
	long := func(s string) bool { return len(s) > MaxText }
	if long(r.Owner) || long(r.Title) || len(r.Labels) > MaxLabels || slices.ContainsFunc(r.Labels, long) {
		return true
	}
	if len(slices.Compact(slices.Sorted(slices.Values(r.Labels)))) < len(r.Labels) {
		return true
	}
	if len(r.Shapes) == 0 || len(r.Shapes) > MaxShapes || len(slices.Concat(r.Shapes...)) > MaxParts {
		return true
	}
	tooLong := func(s Shape) bool { return tooLong(r, s) }
	return slices.ContainsFunc(r.Shapes, senselessShape) || !slices.ContainsFunc(r.Shapes, func(s Shape) bool { return !tooLong(s) })
}

func senselessShape(s Shape) bool {
	if len(s) == 0 || len(s) > MaxParts || s[0].After != nil {
		return true
	}
	for _, p := range s {
		if p.Units < 1 || p.Duration < 1 || p.Offset < 0 || p.After != nil && (p.After.Least < 0 || p.After.Most < p.After.Least) {
			return true
		}
		if p.Servers != nil && (int64(len(p.Servers)) < p.Units || slices.Min(p.Servers) < 0 || twice(p.Servers)) {
			return true
		}
		if p.Tasks != nil && (p.Servers != nil || p.Tasks.PerNode < 0 || empty(p.Tasks.Each) || p.Tasks.Head != nil && empty(p.Tasks.Head)) {
			return true
		}
	}
	return false
}

// tooLong reports whether a shape cannot lie between the ready time and the deadline of a request.
func tooLong(r *Request, s Shape) bool {
	whole := float64(0) // which is exact for the small numbers here, and does not overflow
	for _, x := range spellsOf(s) {
		length := float64(0)
		for _, p := range x.parts {
			length = max(length, float64(p.Offset)+float64(p.Duration))
		}
		whole += length + float64(x.gap.Least)
	}
	return whole+max(float64(r.Ready), 0) >= math.MaxInt64 || r.Deadline != 0 && float64(r.Deadline) < float64(r.Ready)+whole
}

// empty reports whether a vector asks for nothing, or for less.
func empty(v nodes.Vector) bool { return len(v) == 0 || slices.Max(v) == 0 || slices.Min(v) < 0 }

func twice(list []int) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(list)))) < len(list)
}

// unfit reports whether a request does not suit the schedules of this desk.
func (o *ideal) unfit(r *Request) bool {
	for _, s := range r.Shapes {
		for _, x := range spellsOf(s) {
			for i, p := range x.parts {
				b := o.boards[p.On]
				if b == nil || (o.behind(p.On)[0].given != nil) != (p.Tasks != nil) || b.of != nil && p.Servers != nil {
					return true
				}
				for _, q := range x.parts[:i] {
					shared := slices.ContainsFunc(o.behind(q.On), func(b *board) bool { return slices.Contains(o.behind(p.On), b) })
					if shared && meet(p, q) && (p.On != q.On || b.of != nil) {
						return true
					}
				}
			}
		}
	}
	return false
}

// behind returns the boards that a name stands for.
func (o *ideal) behind(name string) (list []*board) {
	b := o.boards[name]
	if b.of == nil {
		return []*board{b}
	}
	for _, name := range b.of {
		list = append(list, o.boards[name])
	}
	return list
}

// meet reports whether two parts of a step overlap.
func meet(p, q *Part) bool {
	return p.Offset < q.Offset+q.Duration && q.Offset < p.Offset+p.Duration
}

// unsearchable reports whether a schedule makes no sense of a part, or cannot look for parts
// together: two on one machine in a step; or on servers those that are in each other's way, by twos, and do
// not all overlap.
func (o *ideal) unsearchable(r *Request) bool {
	for _, s := range r.Shapes {
		if tooLong(r, s) {
			continue // the desk passes over it
		}
		for _, x := range spellsOf(s) {
			for i, p := range x.parts {
				b := o.boards[p.On]
				if p.Servers != nil && (b.servers == 0 || slices.Max(p.Servers) >= b.servers) {
					return true
				}
				for _, q := range x.parts[:i] {
					if b.given != nil && q.On == p.On {
						return true
					}
				}
				if p.Tasks != nil && slices.ContainsFunc(o.behind(p.On), func(b *board) bool { return unknownTo(b, p) }) {
					return true
				}
			}
			if o.scattered(x.parts) {
				return true
			}
		}
	}
	return false
}

// unknownTo reports whether a machine lacks a resource, a level or a node that the tasks of a part name.
func unknownTo(b *board, p *Part) bool {
	bad := func(k int) bool { return k < 0 || k >= len(b.given) }
	return len(p.Tasks.Each) != len(b.given[0]) || p.Tasks.Head != nil && len(p.Tasks.Head) != len(b.given[0]) ||
		p.Tasks.Within != "" && (p.Tasks.Within != "rack" || b.racks == nil) ||
		slices.ContainsFunc(p.Tasks.Nodes, bad) || slices.ContainsFunc(p.Tasks.Except, bad)
}

// scattered reports whether parts on servers are in each other's way, and have no tick in common.
func (o *ideal) scattered(parts []*Part) bool {
	inTheWay := func(p, q *Part) bool {
		shared := p.Servers == nil || q.Servers == nil || slices.ContainsFunc(p.Servers, func(k int) bool { return slices.Contains(q.Servers, k) })
		return p.On == q.On && o.boards[p.On].servers > 0 && meet(p, q) && shared
	}
	for i := range parts {
		set := []*Part{parts[i]}
		for grown := true; grown; {
			grown = false
			for _, q := range parts {
				if !slices.Contains(set, q) && slices.ContainsFunc(set, func(p *Part) bool { return inTheWay(p, q) }) {
					set, grown = append(set, q), true
				}
			}
		}
		from, to := bookahead.Duration(0), bookahead.Duration(math.MaxInt64)
		for _, p := range set {
			from, to = max(from, p.Offset), min(to, p.Offset+p.Duration)
		}
		if from >= to {
			return true
		}
	}
	return false
}
