package decide

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// repair looks for nodes in place of those that a reservation has lost. It may cost promises, but no other reservation.
//
//  1. The nodes that still have room are kept, with as many tasks as fit, if its terms allow them. Of several domains, where all must
//     be within one, that with most tasks is kept.
//  2. The other tasks go to other nodes, in the same domain if all must be within one.
//  3. If that fails and the reservation has not begun, all of it moves, to a later time too if its window allows.
//  4. If that fails, it keeps what it has, and each pass looks again.
func (d *decider) repair(f *firm, p *place) {
	had, short := p.tasks, p.lost > 0
	p.tasks, p.lost = map[int]int64{}, f.spec.Tasks.Count
	domain := d.domainOf(&f.request, had)
	for _, s := range sharesOf(had) {
		inside := domain == nil || slices.Contains(domain, s.Node)
		for n := s.Tasks; n > 0 && inside; n-- {
			if d.take(f, p, map[int]int64{s.Node: n}) {
				p.tasks[s.Node] = n
				break
			}
		}
		p.lost -= p.tasks[s.Node]
		if p.tasks[s.Node] == s.Tasks {
			continue
		}
		name := d.cluster.Names[s.Node]
		why := d.cluster.Why(name)
		switch {
		case why != "":
		case !inside:
			why = fmt.Sprintf("is not in one %s with the others", f.request.Within)
		case !d.allows(&f.request, map[int]int64{s.Node: 1}):
			why = "does not allow its tasks any more"
		default:
			why = "is taken by others"
		}
		f.moved = append(f.moved, fmt.Sprintf("node %s %s", name, why))
	}
	if p.lost == 0 {
		return // the node that is gone had no task
	}
	if d.fillUp(f, p) || p.start > d.Now && d.move(f, p) {
		return
	}
	if short && len(f.moved) == 0 {
		f.moved = append(f.moved, "") // it has lacked tasks before, and lacks them still
	}
}

// fillUp places the tasks that are lost beside those that are kept.
func (d *decider) fillUp(f *firm, p *place) bool {
	r := f.request
	r.Ready, r.Deadline = max(p.start, d.Now), p.end
	r.Duration, r.Tasks = bookahead.Duration(p.end-r.Ready), p.lost
	for k := range p.tasks {
		if r.PerNode > 0 {
			r.Except = append(r.Except, k)
		}
		if r.Within != "" {
			r.Nodes = common(r.Nodes, d.cluster.Domain(r.Within, k))
		}
	}
	got, err := d.cluster.Machine.Reserve(r)
	if err != nil {
		return false
	}
	d.enter(f, p, got.ID)
	for _, s := range got.Tasks {
		p.tasks[s.Node] += s.Tasks
	}
	p.lost = 0
	return true
}

// move places a reservation anew that has not begun.
func (d *decider) move(f *firm, p *place) bool {
	r := f.request
	r.Tasks, r.Duration = f.spec.Tasks.Count, f.length()
	r.Ready, r.Deadline = p.start, p.end
	if f.spec.When.Start == nil {
		r.Ready, r.Deadline = f.window(d.Now)
	}
	for _, id := range p.ids {
		if d.cluster.Machine.Release(id) != nil {
			return false // no reservation ends in a pass, so each can be released
		}
	}
	got, err := d.cluster.Machine.Reserve(r)
	if err != nil {
		kept := p.tasks
		p.ids = nil
		if len(kept) > 0 && !d.take(f, p, kept) {
			p.tasks = map[int]int64{}
		}
		return false
	}
	p.start, p.end, p.ids, p.tasks, p.lost = got.Start, got.End, nil, map[int]int64{}, 0
	d.enter(f, p, got.ID)
	for _, s := range got.Tasks {
		p.tasks[s.Node] = s.Tasks
	}
	return true
}

// common returns the nodes that two lists share; nil stands for all.
func common(a, b []int) []int {
	if a == nil {
		return b
	}
	return slices.DeleteFunc(slices.Clone(a), func(k int) bool { return !slices.Contains(b, k) })
}

// shares is a place as an offer lists it.
func (p *place) shares() []nodes.Share { return sharesOf(p.tasks) }
