package desk

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead/internal/limits"
)

// fit checks that the desk has the schedules of a request, and that the parts suit them. The error wraps
// bookahead.ErrInvalid.
func (b *books) fit(r *Request) error {
	err := b.knows(r)
	if err != nil {
		return err
	}
	for i, shape := range r.Shapes {
		for j := range shape {
			err := b.apart(partOf{i, j}, shape[:j], &shape[j])
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// knows checks that the desk has the schedules of a request, and that each part suits the kind of its schedule. The books
// rely on this for every request that they keep, whoever has decided on it.
func (b *books) knows(r *Request) error {
	for i, shape := range r.Shapes {
		for j := range shape {
			p := &shape[j]
			x := partOf{i, j}
			k, ok := b.names[p.On]
			if !ok {
				return limits.Invalid(x.field(".On"), p.On, "is no schedule")
			}
			at := b.schedules[k]
			machine := at.Machine() != nil || at.of != nil && b.schedules[at.of[0]].Machine() != nil
			switch {
			case machine && p.Tasks == nil:
				return limits.Invalid(x.field(".Tasks"), p.Tasks, fmt.Sprintf("is nil, but %q is of nodes", p.On))
			case !machine && p.Tasks != nil:
				return limits.Invalid(x.field(".Tasks"), p.Tasks.Each, fmt.Sprintf("are asked for, but %q has no nodes", p.On))
			case at.of != nil && p.Tasks != nil && p.Tasks.Patience != 0:
				return limits.Invalid(x.field(".Tasks.Patience"), p.Tasks.Patience, fmt.Sprintf("is set, but %q is a broker", p.On))
			case r.Volume != nil && !at.pool():
				return limits.Invalid(x.field(".On"), p.On, "is no pool, but the request is for a volume")
			case at.of != nil && p.Servers != nil:
				return limits.Invalid(x.field(".Servers"), p.Servers, fmt.Sprintf("are named, but %q is a broker", p.On))
			}
		}
	}
	return nil
}

// apart checks that a part on a broker overlaps no part of its step on a schedule of that broker, nor a part on another
// broker of that schedule: the search of neither would know of the other. Parts of different steps never overlap.
func (b *books) apart(x partOf, before []Part, p *Part) error {
	for i := len(before) - 1; i >= 0 && p.After == nil; i-- {
		q := &before[i]
		known := q.On == p.On && b.schedules[b.names[p.On]].of == nil
		if !known && p.meets(q) && slices.ContainsFunc(b.behind(q.On), func(k int32) bool { return slices.Contains(b.behind(p.On), k) }) {
			return limits.Invalid(x.field(".On"), p.On, fmt.Sprintf("shares a schedule with %q, which it overlaps", q.On))
		}
		if q.After != nil {
			break
		}
	}
	return nil
}

// meets reports whether two parts of one step overlap in time.
func (p *Part) meets(q *Part) bool {
	return p.Offset < addUp(q.Offset, q.Duration) && q.Offset < addUp(p.Offset, p.Duration)
}
