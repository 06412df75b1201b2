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
// asks for more does not fit now, so that no search is needed to know.
//
//	units  8 ██████████            2 ticks   8 units
//	       6 ██████░░░░██░░        6 ticks   4 units
//	       4 ░░██░░░░░░░░░░        for ever  2 units
//	       2 ░░░░░░░░██░░░░
//	         now
type room struct {
	known bool
	steps []ask
}

// Bounds of a room. What is free behind them counts as free for ever.
const (
	mostRead = 64 // steps of the pool
	mostRoom = 16 // steps of the room
)

// lacks reports whether a pool has too little for a part that starts now. If it reports false, a search has to tell. It asks no
// servers and no nodes, as their number says little.
func (m *member) lacks(a ask, now bookahead.Time) bool {
	if !m.room.known {
		m.room.known = true
		m.room.steps = m.measure(m.room.steps[:0], now)
	}
	for _, s := range m.room.steps {
		if a.duration <= s.duration {
			return a.units > s.units
		}
	}
	return false
}

// measure appends the room of a pool from now on.
func (m *member) measure(list []ask, now bookahead.Time) []ask {
	if m.pool == nil || m.frame().Servers > 0 {
		return list
	}
	steps, ok := bookahead.Steps(m.pool, bookahead.Interval{Start: now, End: bookahead.MaxTime})
	if !ok {
		return list
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
			list = append(list, ask{least, bookahead.Duration(s.Start - now)})
		}
		least = s.Free
		if least == 0 || len(list) == mostRoom || read == mostRead {
			break
		}
	}
	return append(list, ask{least, math.MaxInt64})
}
