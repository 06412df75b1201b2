package sim

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// makeRoom stops running tasks that rank behind w until w can start, and starts w. If even
// all of them are not enough, they are booked again where they were: nothing changes but
// the IDs of their reservations.
func (l *Queue) makeRoom(w *Waiting) bool {
	if !l.order.Preempts() || l.e.err != nil {
		return false
	}
	victims, units := l.below(w)
	if units+l.mostNow() < w.Units {
		return false
	}
	for k, i := range victims {
		l.Withdraw(l.e.ids[i])
		if l.Start(w) {
			for _, i := range victims[:k+1] {
				l.stop(i)
			}
			return true
		}
	}
	for _, i := range victims {
		t := &l.e.Tasks[i]
		end := l.e.Outcomes[i].Start + bookahead.Time(t.Estimate)
		res, ok := l.reserve(bookahead.At(l.clock, bookahead.Duration(end-l.clock), t.Units))
		if !ok {
			return false // a fault, which is noted
		}
		l.e.ids[i] = res.ID
	}
	l.room.forget()
	return false
}

// below returns the running tasks that rank behind w, the first to be stopped first,
// and the units that they hold.
func (l *Queue) below(w *Waiting) (victims []int32, units int64) {
	key := func(i int32) int64 { return l.key(&l.e.Tasks[i]) }
	for _, i := range l.running {
		if key(i) > w.key {
			victims = append(victims, i)
			units += l.e.Tasks[i].Units
		}
	}
	slices.SortFunc(victims, func(a, b int32) int {
		return cmp.Or(
			cmp.Compare(key(b), key(a)),
			cmp.Compare(l.e.Outcomes[b].Start, l.e.Outcomes[a].Start),
			cmp.Compare(l.e.rank[b], l.e.rank[a]),
		)
	})
	return victims, units
}

// stop puts a task, whose reservation has been released, back into the queue.
func (l *Queue) stop(i int32) {
	t, o := &l.e.Tasks[i], &l.e.Outcomes[i]
	ran := l.clock - o.Start
	l.e.ends.Delete(event{o.End, i})
	l.e.Lost += float64(t.Units) * float64(ran)
	l.charge(t, int64(ran)-int64(t.Estimate))
	o.Preempted++
	o.Provider, o.Start, o.End = -1, 0, 0
	l.running = slices.DeleteFunc(l.running, func(r int32) bool { return r == i })
	l.enqueue(i)
}
