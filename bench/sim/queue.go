package sim

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// Waiting is a task in a local queue, with the fields that decisions need: a pass over a
// long queue does not visit the tasks, and the queue has no pointers. Queue.Task has the
// other fields.
type Waiting struct {
	Units    int64
	Estimate bookahead.Duration
	key      int64
	task     int32
	rank     int32 // breaks ties
	// id and start are of the reservation that Conservative has made for it; 0 if
	// there is none.
	id    bookahead.ID
	start bookahead.Time
}

func byTurn(a, b Waiting) int {
	if c := cmp.Compare(a.key, b.key); c != 0 {
		return c
	}
	return cmp.Compare(a.rank, b.rank)
}

// insert puts a task into the queue.
func (l *Queue) insert(w Waiting) {
	i, _ := slices.BinarySearchFunc(l.queue, w, byTurn)
	l.queue = slices.Insert(l.queue, i, w)
}

// room remembers how many units are free from now on, by duration. The longer the
// duration, the fewer units can be free throughout, so that each answer of the schedule
// answers many questions:
//
//	known     3 units for 10 ticks, 1 unit for 50 ticks
//	so fit    3 units for 7 ticks; 2 units for 60 ticks do not
//	unknown   2 units for 20 ticks: the schedule is asked
type room struct {
	known []length // by duration; the free units do not grow
}

// length says how many units are free for so long.
type length struct {
	bookahead.Duration
	free int64
}

// forget is called when anything has changed.
func (r *room) forget() { r.known = r.known[:0] }

// fits reports whether so many units are free for d ticks from now on.
func (l *Queue) fits(units int64, d bookahead.Duration) bool {
	known := l.room.known
	i, exact := slices.BinarySearchFunc(known, d, func(k length, d bookahead.Duration) int {
		return int(min(1, max(-1, k.Duration-d)))
	})
	if exact {
		return known[i].free >= units
	}
	if i > 0 && known[i-1].free < units {
		return false
	}
	if i < len(known) && known[i].free >= units {
		return true
	}
	free := l.free(d)
	l.room.known = slices.Insert(known, i, length{d, free})
	return free >= units
}

// take is called when so many units have been booked for d ticks from now on. The known
// units for longer durations are forgotten, since the new reservation may or may not lower
// them.
func (r *room) take(units int64, d bookahead.Duration) {
	for i := range r.known {
		if r.known[i].Duration > d {
			r.known = r.known[:i]
			return
		}
		r.known[i].free -= units
	}
}
