package plan

import (
	"math"

	"github.com/bookahead/bookahead"
)

// ask is what a part asks for, or what has room.
type ask struct {
	units    int64
	duration bookahead.Duration
}

// within reports whether b asks for at least as much as a.
func (a ask) within(b ask) bool { return a.units <= b.units && a.duration <= b.duration }

// room is what is free on a pool from now on: the most units that are free for at most so long, the shortest time first. What
// asks for more does not fit now, so that no search is needed to know. What is booked meanwhile leaves it a bound; what is given
// back does not.
//
//	units  8 ██████████            2 ticks   8 units
//	       6 ██████░░░░██░░        6 ticks   4 units
//	       4 ░░██░░░░░░░░░░        for ever  2 units
//	       2 ░░░░░░░░██░░░░
//	         now
type room struct {
	known bool // whether it was measured; servers and nodes have no steps then
	loose bool // whether something was booked since
	asked int  // how often, since it was known and not loose
	steps []ask
}

// Bounds of a room. What is free behind them counts as free for ever.
const (
	mostRead = 64 // steps of the pool
	mostRoom = 16 // steps of the room
)

// few is a number of looks, or of kinds to ask, that is not worth preparations.
const few = 4

// lacks reports whether it is known that there is too little for a part that starts now. If it reports false, a search has to
// tell.
func (r *room) lacks(a ask) bool {
	for _, s := range r.steps {
		if a.duration <= s.duration {
			return a.units > s.units
		}
	}
	return false
}

// most returns the most units that are free; the largest number if that is not known.
func (r *room) most() int64 {
	if len(r.steps) == 0 {
		return math.MaxInt64
	}
	return r.steps[0].units
}

// forget says that more may be free.
func (r *room) forget() { r.known, r.asked, r.steps = false, 0, r.steps[:0] }

// loosen says that less may be free.
func (r *room) loosen() { r.loose, r.asked = true, 0 }

// lacks reports whether it is known that a pool has too little for a part that starts now. The first few who ask get no new answer.
func (m *member) lacks(a ask, now bookahead.Time) bool {
	if !m.room.known || m.room.loose {
		m.room.asked++
		if m.room.asked > few {
			m.measure(now)
		}
	}
	return m.room.lacks(a)
}

// measure finds out what is free from now on, if it is not known, or if less is free by now. Servers and nodes have no room, as
// their number says little.
func (m *member) measure(now bookahead.Time) {
	r := &m.room
	if r.known && !r.loose {
		return
	}
	r.forget()
	r.known, r.loose = true, false
	if m.pool == nil || m.frame().Servers > 0 {
		return
	}
	steps, ok := bookahead.Steps(m.pool, bookahead.Interval{Start: now, End: bookahead.MaxTime})
	if !ok {
		return
	}
	least, read := int64(math.MaxInt64), 0
	for s := range steps {
		read++
		if s.Free >= least {
			if read == mostRead {
				break
			}
			continue
		}
		if s.Start > now {
			r.steps = append(r.steps, ask{least, bookahead.Duration(s.Start - now)})
		}
		least = s.Free
		if least == 0 || len(r.steps) == mostRoom || read == mostRead {
			break
		}
	}
	r.steps = append(r.steps, ask{least, math.MaxInt64})
}
