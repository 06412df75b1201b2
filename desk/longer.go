package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// findLonger is findAnew for a booking that has begun: each part keeps its start. Running parts give units back before
// others gain them, and parts that have not begun come last, in their order:
//
//	part 0   ████▒▒▒▒▒          gains 4 ticks, which are free since part 1 has given them up
//	part 1   ████░░░░░
//	now          ▲
//
// A part that first gives servers back does not look at its new end yet, and may keep servers that are booked by then.
// So a part gives back first only if another running part on its schedule may gain the servers.
func (s *stage) findLonger(k *Booking, to *Request) (spot, error) {
	err := k.checkBegun(to, s.now)
	if err != nil {
		return spot{}, err
	}
	if !s.staysAdmitted(k, to) {
		return spot{}, bookahead.ErrUnavailable
	}
	shape := to.Shapes[0]
	was := k.whole()
	x := spot{places: append([]Place(nil), was...), on: append([]int32(nil), k.on...)}
	for i := range shape {
		t := s.terms(s.at(k.on[i]))
		if t != nil && !t.goesOn(to, &shape[i], &was[i], s.now) {
			return spot{}, bookahead.ErrUnavailable
		}
	}
	// Parts that have not begun make room first, and come back last.
	ids := append([]bookahead.ID(nil), s.held(k)...)
	for i, p := range k.Places {
		if p.Start > s.now && ids[i] != 0 {
			err := s.spendOn(k.on[i:i+1], k.Places[i:i+1])
			if err == nil {
				err = s.open(k.on[i]).release(ids[i])
			}
			if err != nil {
				return spot{}, err
			}
			ids[i] = 0
		}
	}
	if len(shape) > 1 {
		first := make(Shape, len(shape))
		for i, part := range shape {
			old := was[i]
			part.Units = min(part.Units, old.Units)
			part.Duration = min(part.Duration, bookahead.Duration(old.End-old.Start))
			first[i] = part
		}
		err := s.lengthen(&x, ids, first, func(i int) bool { return shape[i].Tasks == nil && k.runningOn(k.on[i], s.now) > 1 })
		if err != nil {
			return spot{}, err
		}
	}
	err = s.lengthen(&x, ids, shape, func(int) bool { return true })
	if err != nil {
		return spot{}, err
	}
	for i := range shape {
		p := &x.places[i]
		if p.Start <= s.now {
			continue
		}
		at := s.open(k.on[i])
		part := shape[i]
		part.On = at.name
		err := s.spend(at)
		if err != nil {
			return spot{}, err
		}
		y, err := at.fixedAt(&part, *p, s.now)
		if err != nil {
			return spot{}, err
		}
		*p = y
		ids[i], err = at.reserve(want{*p, part.Tasks}, s.now)
		if err != nil {
			return spot{}, err
		}
	}
	as := k.goingOn(to, x, s.now)
	postings := s.postings(k, as)
	if s.breaks(postings) {
		return spot{}, bookahead.ErrUnavailable
	}
	s.note(k, ids, x.on)
	s.lie(k, as, postings)
	return x, nil
}

// runningOn returns how many parts of a booking run on a schedule.
func (k *Booking) runningOn(on int32, now bookahead.Time) (n int) {
	for i, p := range k.Places {
		if k.on[i] == on && p.Contains(now) {
			n++
		}
	}
	return n
}

// lengthen books anew the running parts for which which is true, as a shape has them.
func (s *stage) lengthen(x *spot, ids []bookahead.ID, shape Shape, which func(i int) bool) error {
	for i := range shape {
		p, at := &x.places[i], x.on[i]
		if p.End <= s.now || p.Start > s.now || !which(i) {
			continue
		}
		place, err := s.longer(at, ids[i], &shape[i], *p)
		if err != nil {
			return err
		}
		err = s.spendOn(x.on[i:i+1], x.places[i:i+1])
		if err != nil {
			return err
		}
		err = s.open(at).rebook(ids[i], want{place, shape[i].Tasks}, s.now)
		if err != nil {
			return err
		}
		*p = place
	}
	return nil
}

// longer returns the place of a running part with another end, or other units.
func (s *stage) longer(on int32, id bookahead.ID, part *Part, old Place) (Place, error) {
	at := s.at(on)
	end := old.Start + bookahead.Time(part.Duration)
	from, err := at.began(id)
	if err != nil {
		return Place{}, err
	}
	if bookahead.Time(old.After) > bookahead.MaxTime-end {
		return Place{}, bookahead.ErrUnavailable
	}
	behind := end + bookahead.Time(old.After)
	place, err := s.searchAnew(at, id, part, from, behind, bookahead.Duration(behind-from)) // the reservation may have begun after the part
	place.Interval, place.On = bookahead.Interval{Start: old.Start, End: end}, old.On
	place.Before, place.After = old.Before, old.After
	return place, err
}

// checkBegun checks that a booking that has begun can have another request.
func (k *Booking) checkBegun(to *Request, now bookahead.Time) error {
	if len(to.Shapes) != 1 || len(to.Shapes[0]) != len(k.Places) {
		return limits.Invalid("Change.To.Shapes", len(to.Shapes), fmt.Sprintf("are not the one of %d parts that has begun", len(k.Places)))
	}
	was, places := k.Shapes[k.Shape], k.whole()
	for i := range to.Shapes[0] {
		p, place := &to.Shapes[0][i], &places[i]
		end := place.Start + bookahead.Time(p.Duration)
		field := fmt.Sprintf("Change.To.Shapes[0][%d]", i)
		switch {
		case p.On != was[i].On:
			return limits.Invalid(field+".On", p.On, fmt.Sprintf("is not %q, where the part has begun", was[i].On))
		case place.Start > bookahead.MaxTime-bookahead.Time(p.Duration):
			return limits.Invalid(field+".Duration", p.Duration, fmt.Sprintf("after the start %d overflows", place.Start))
		case place.End <= now && !p.equal(&was[i]):
			return limits.Invalid(field, *p, fmt.Sprintf("is not the part that is over since %d", place.End))
		case place.End > now && end <= now:
			return limits.Invalid(field+".Duration", p.Duration, fmt.Sprintf("ends at %d, by now", end))
		case to.Deadline != 0 && end > to.Deadline:
			return bookahead.ErrUnavailable
		}
	}
	return nil
}
