package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/site"
)

// moveReservations moves the reservations of a booking to other places, on the schedules that open returns: k.on says on which
// schedules ids are. It returns the new reservations. A reservation is booked anew under its ID if it runs, or if it is
// the booking's only one on its schedule, before and after. The others are released first, and reserved anew last, so that
// they are not in each other's way. A part that is over has no reservation any more, and gets none.
//
//	before   gpus #4   disk #9   disk #10
//	after    gpus #4   disk #11            #4 is booked anew, #9 and #10 are released
//
// Several reservations may run on one schedule: those that give units back do so before others gain them. The buffer of a
// part that is over stays. A running part that moves away leaves its buffer, but not on closed, as in vacate.
func moveReservations(open func(int32) *schedule, now bookahead.Time, closed int32, k *Booking, ids []bookahead.ID, shape Shape, places []Place, on []int32) ([]bookahead.ID, error) {
	stays := func(i int) bool {
		if i >= len(ids) || i >= len(places) || ids[i] == 0 || k.on[i] != on[i] || places[i].End <= now {
			return false
		}
		was := &k.Places[i]
		ahead := was.reserved().Start > now || was.Before == 0 // a buffer that has begun counts as running on the schedule
		return was.Start <= now && places[i].Start <= now || ahead && once(k.on, ids, on[i]) && count(on, on[i]) == 1
	}
	over := func(i int) bool { // and its buffer is not
		return i < len(places) && k.Places[i].End <= now && places[i].End <= now
	}
	// First, reservations that do not stay are given back.
	for i, id := range ids {
		if id == 0 || stays(i) || over(i) || k.Places[i].clean(now) {
			continue
		}
		err := open(k.on[i]).vacate(k, i, id, closed, now)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
	}
	after := make([]bookahead.ID, len(places))
	// Next, each of several that stay on one schedule keeps no more than it has before and after: the units that one
	// gives back are free when another gains them.
	for i := range places {
		if !stays(i) || count(on, on[i]) == 1 || shape[i].Tasks != nil {
			continue
		}
		err := open(on[i]).Rebook(ids[i], site.Place(k.Places[i]).Lesser(site.Place(places[i])), nil, now)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
	}
	// Then those that stay get their new places.
	for i := range places {
		if !stays(i) {
			continue
		}
		err := open(on[i]).Rebook(ids[i], site.Place(places[i]), shape[i].Tasks, now)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
		after[i] = ids[i]
	}
	// The others are reserved last, where nothing of their own booking is in the way any more.
	for i := range places {
		if i < len(ids) && over(i) && !k.Places[i].clean(now) {
			after[i] = ids[i]
		}
		if stays(i) || places[i].End <= now {
			continue
		}
		id, err := open(on[i]).Reserve(site.Place(places[i]), shape[i].Tasks, now)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
		after[i] = id
	}
	return after, nil
}

// once reports whether only one of the reservations is on a schedule.
func once(on []int32, ids []bookahead.ID, at int32) bool {
	n := 0
	for i, id := range ids {
		if id != 0 && on[i] == at {
			n++
		}
	}
	return n == 1
}

func count(list []int32, at int32) (n int) {
	for _, k := range list {
		if k == at {
			n++
		}
	}
	return n
}
