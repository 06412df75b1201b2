package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
)

// holds reports whether a schedule has a reservation that lies at a place from now on. A schedule that does not list its
// reservations is believed.
func (m *member) holds(id bookahead.ID, p *Place) bool {
	if m.nodes != nil {
		r, err := m.nodes.Reservation(id)
		return err == nil && r.End == p.End && slices.Equal(r.Tasks, p.Nodes) && r.Head == p.Head
	}
	k, ok := m.pool.(bookahead.Keeper)
	if !ok {
		return true
	}
	r, err := k.Reservation(id)
	return err == nil && r.End == p.End && r.Units == p.Units && slices.Equal(r.Servers, p.Servers)
}

// Verify checks that jobs, line and schedules agree. It is meant for tests. O(n log n) for n jobs, and the costs of looking up
// each reservation.
func (q *Queue) Verify() error {
	line := map[*job]bool{}
	for i, j := range q.waiting {
		if i > 0 && !q.config.Order.moves() && q.turn(q.waiting[i-1], j) >= 0 {
			return fmt.Errorf("plan: job %q is out of turn", j.ID)
		}
		line[j] = true
	}
	kinds, kin := map[*kind]int{}, map[*kind][]*job{}
	for _, j := range q.waiting {
		kin[j.kind] = append(kin[j.kind], j)
	}
	for id, j := range q.jobs {
		kinds[j.kind]++
		after := 0
		for _, id := range j.After {
			if q.jobs[id] != nil {
				after++
			}
		}
		_, asleep := q.asleep.Get(j)
		_, runs := q.running.Get(j)
		switch {
		case id != j.ID || q.kinds[j.kind.key] != j.kind:
			return fmt.Errorf("plan: job %q is listed as %q", j.ID, id)
		case after != j.after && j.state == Held:
			return fmt.Errorf("plan: job %q waits for %d jobs, not %d", id, after, j.after)
		case line[j] != (j.state >= Waiting && j.state <= Starting) || runs != (j.state == Running) || asleep != (j.state == Held && j.after == 0):
			return fmt.Errorf("plan: job %q is %v, and not in its place", id, j.state)
		}
		err := q.verifyPlace(j)
		if err != nil {
			return err
		}
	}
	for k, n := range kinds {
		if k.jobs != n {
			return fmt.Errorf("plan: a kind has %d jobs, not %d", n, k.jobs)
		}
		err := q.verifyKind(k, kin[k])
		if err != nil {
			return err
		}
	}
	if len(q.waiting) != len(line) {
		return fmt.Errorf("plan: a job waits twice")
	}
	return nil
}

// verifyKind checks whether a kind has the jobs that wait, in turn, and is listed if it has any.
func (q *Queue) verifyKind(k *kind, waits []*job) error {
	line := k.line
	if q.config.Order.moves() {
		bySeq := func(a, b *job) int { return cmp.Compare(a.seq, b.seq) }
		line, waits = slices.SortedFunc(slices.Values(line), bySeq), slices.SortedFunc(slices.Values(waits), bySeq)
	}
	if !slices.Equal(line, waits) {
		return fmt.Errorf("plan: the line of a kind, %d jobs, is not that of all jobs, %d of the kind", len(line), len(waits))
	}
	times := 0
	if k.like == nil {
		for _, x := range q.mixed {
			if x == k {
				times++
			}
		}
	} else {
		list := q.single[k.on()]
		for _, x := range list {
			if x.kind == k {
				times++
			}
		}
		if !slices.IsSortedFunc(list, func(a, b single) int { return byUnits(a, b.kind) }) {
			return fmt.Errorf("plan: the kinds on %s are not listed by units", q.plan[k.on()].name)
		}
	}
	if times != min(1, len(waits)) {
		return fmt.Errorf("plan: a kind of which %d jobs wait is listed %d times", len(waits), times)
	}
	return nil
}

// verifyPlace checks the reservations of a job.
func (q *Queue) verifyPlace(j *job) error {
	if j.state < Promised || q.stale {
		return nil
	}
	f := &j.kind.forms[j.form]
	if f.bends() && j.overran == Never {
		err := f.Shape[0].obeys(j.places)
		if err != nil {
			return fmt.Errorf("plan: job %q: %w", j.ID, err)
		}
	}
	for i := range j.places {
		p := &j.places[i]
		if p.End <= q.now {
			continue
		}
		on, _ := f.of(i)
		if j.state == Running && j.firm[i] != 0 && !q.firm[on].holds(j.firm[i], p) {
			return fmt.Errorf("plan: job %q does not hold %v of %s", j.ID, p.Interval, p.On)
		}
		if j.heir == nil && j.ids[i] != 0 && !q.plan[on].holds(j.ids[i], p) {
			return fmt.Errorf("plan: job %q has no place in the plan at %v of %s", j.ID, p.Interval, p.On)
		}
	}
	return nil
}
