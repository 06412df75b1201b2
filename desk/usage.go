package desk

import (
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// Use returns how much of the Capacity of a schedule in w each owner uses, by owner. It counts the places of live
// bookings, holds included; the places of bookings that are over and kept, also of holds that were never committed;
// and the past pieces of both. Buffers do not count. Owners without any use are left out.
//
// The error wraps bookahead.ErrInvalid if there is no such schedule, or if the schedule is a broker, whose schedules
// may count different things, or bookahead.ErrStopped if Effort, of a step for each part in w, does not suffice. O(log n
// + k + o log o) for k parts in w of o owners, and on nodes O(s r) more
// for a part on s nodes with r resources.
func (d *Desk) Use(w bookahead.Interval, on string, e bookahead.Effort) ([]Use, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	s, err := d.b.counted(on)
	if err != nil {
		return nil, err
	}
	m, err := d.b.meter(e)
	if err != nil {
		return nil, err
	}
	sums := map[string][]area{}
	for span := range s.calendar.Overlapping(w) {
		if !m.Go(1) {
			return nil, givenUp("use", &m, m.Err())
		}
		id, index := inCalendar(span.ID)
		k, _ := d.b.booking(id)
		sum := sums[k.Owner]
		if sum == nil {
			sum = make([]area, s.resources())
			sums[k.Owner] = sum
		}
		x := k.at(index)
		x.count(sum, w)
	}
	var list []Use
	for _, owner := range slices.Sorted(maps.Keys(sums)) {
		u := Use{Owner: owner}
		for _, a := range sums[owner] {
			u.Ticks = append(u.Ticks, a.big())
		}
		list = append(list, u)
	}
	return list, nil
}

// count adds the use of a piece in w to a sum: for each resource, or in units.
func (x *Piece) count(sum []area, w bookahead.Interval) {
	in := x.Intersect(w)
	if x.Each == nil {
		sum[0].add(x.Units, in.Len())
		return
	}
	for r := range sum {
		for _, share := range x.Nodes {
			sum[r].add(share.Tasks*x.Each[r], in.Len()) // no overflow: the node has as much
		}
		if x.Head >= 0 && x.HeadTakes != nil {
			sum[r].add(x.HeadTakes[r], in.Len())
		}
	}
}
