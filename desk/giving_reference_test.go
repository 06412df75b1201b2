package desk

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// reference decides on a command with Force by commands without Force, on clones: it cancels the bookings in the way, one
// by one, and books anew those that have to move. It counts cells to see which may stay.
type reference struct {
	t require.TestingT
	d *Desk
}

// forced returns a command without its Force, who makes the demand, and who gives way.
func (x reference) forced(c Command) (without Command, own *Booking, gives func(*Booking) bool) {
	rule, priority, begun := Nobody, int64(0), true
	switch c := c.(type) {
	case Book:
		rule, priority = c.Force, c.Priority
		c.Force = Nobody
		without = c
	case Change:
		rule, priority = c.Force, c.To.Priority
		own, _ = x.d.b.booking(c.ID)
		c.Force = Nobody
		without = c
	case Overrun:
		rule, begun = c.Force, false
		own, _ = x.d.b.booking(c.ID)
		priority = own.Priority
		c.Force = Nobody
		without = c
	case Close:
		rule, priority = c.Force, c.Priority
		c.Force = Nobody
		without = c
	}
	return without, own, func(k *Booking) bool {
		return rule != Nobody && (own == nil || k.ID != own.ID) && (rule == Anybody || k.Priority < priority) &&
			(begun || spanOf(k.Places).Start > x.d.b.now)
	}
}

// rivals returns all who give way, wherever they lie: the least important first.
func (x reference) rivals(gives func(*Booking) bool) (list []*Booking) {
	for _, k := range alive(x.d) {
		if gives(k) {
			list = append(list, k)
		}
	}
	slices.SortFunc(list, func(k, q *Booking) int { return cmp.Or(cmp.Compare(k.Priority, q.Priority), cmp.Compare(q.ID, k.ID)) })
	return list
}

// decide returns the expected answer of Decide, and how many bookings were taken out.
func (x reference) decide(c Command) (Decision, int, error) {
	without, own, gives := x.forced(c)
	_, closes := c.(Close)
	if closes {
		by, n := x.clear(c.(Close), without, gives)
		return by, n, nil
	}
	e, err := x.d.Decide(without)
	if err == nil {
		return e.Decision, 0, nil
	}
	if err != bookahead.ErrUnavailable {
		return Decision{}, 0, err
	}
	list := x.rivals(gives)
	trial := x.d.Clone()
	for n, k := range list {
		_, err := trial.Do(Cancel{k.ID})
		require.NoError(x.t, err)
		e, err := trial.Decide(without)
		if err == nil {
			list = list[:n+1]
			left := x.putBack(list, own, e, c)
			return x.again(without, left, &e.Decision), n + 1, nil
		}
		require.Equal(x.t, bookahead.ErrUnavailable, err)
	}
	return Decision{}, 0, bookahead.ErrUnavailable
}

// putBack returns who has to move, the most important first, when e takes its place.
func (x reference) putBack(list []*Booking, own *Booking, e Entry, c Command) (left []*Booking) {
	now := x.d.b.now
	shape := x.shapes(c)[e.Decision.Shape]
	want, mine := cellUse{}, cellUse{}
	want.places(shape, e.Decision.Places, now, 1)
	but := []BookingID{}
	if own != nil {
		mine.add(own, now, 1)
		but = append(but, own.ID)
	}
	for _, k := range list {
		but = append(but, k.ID)
	}
	others := held(x.d, but...)
	for _, k := range list {
		others.left(k, now, 1)
	}
	fits := func() bool {
		for c, n := range want {
			if n > max(0, room(x.d, c)-others[c]-mine[c])+mine[c] {
				return false
			}
		}
		return true
	}
	require.True(x.t, fits())
	for _, k := range slices.Backward(list) {
		others.left(k, now, -1)
		others.add(k, now, 1)
		if !fits() {
			others.add(k, now, -1)
			others.left(k, now, 1)
			left = append(left, k)
		}
	}
	return left
}

// shapes returns the shapes of which a command places one.
func (x reference) shapes(c Command) []Shape {
	switch c := c.(type) {
	case Book:
		return c.Shapes
	case Change:
		return c.To.Shapes
	case Overrun:
		k, _ := x.d.b.booking(c.ID)
		return k.until(c.Until).Shapes
	}
	return nil
}

// clear is decide for a closure.
func (x reference) clear(c Close, without Command, gives func(*Booking) bool) (Decision, int) {
	now := x.d.b.now
	closed := x.d.Clone()
	_, err := closed.Do(without)
	require.NoError(x.t, err)
	all := held(closed)
	var list, left []*Booking
	for _, k := range x.rivals(gives) {
		if meets(closed, c, k, all) {
			all.add(k, now, -1)
			list = append(list, k)
		}
	}
	for _, k := range slices.Backward(list) {
		all.add(k, now, 1)
		if meets(closed, c, k, all) {
			all.add(k, now, -1)
			left = append(left, k)
		}
	}
	return x.again(without, left, nil), len(list)
}

// meets reports whether a booking lies on closed cells of which more are held than there are.
func meets(closed *Desk, c Close, k *Booking, all cellUse) bool {
	mine := cellUse{}
	running := *k
	running.Places = slices.Clone(k.Places)
	for i := range running.Places {
		p := &running.Places[i]
		if p.End <= closed.b.now {
			p.After = 0 // nothing is left to be moved
		}
	}
	mine.add(&running, closed.b.now, 1)
	for x, n := range mine {
		if n > 0 && x.on == c.On && c.Contains(x.tick) && (len(c.Servers) == 0 || slices.Contains(c.Servers, x.at)) && all[x] > room(closed, x) {
			return true
		}
	}
	return false
}

// again does a command when some bookings are out of the way, and books them anew in turn. The first decision has placed a
// demand already, when more were out of the way.
func (x reference) again(without Command, left []*Booking, first *Decision) (by Decision) {
	trial := x.d.Clone()
	for _, k := range left {
		_, err := trial.Do(Cancel{k.ID})
		require.NoError(x.t, err)
	}
	c, closes := without.(Close)
	if closes {
		x.forgetTails(trial, c.On)
	}
	e := Entry{Number: trial.b.entries + 1, Command: without}
	if first != nil {
		e.Decision = Decision{Booking: first.Booking, Shape: first.Shape, Places: first.Places}
	} else {
		var err error
		e, err = trial.Decide(without)
		require.NoError(x.t, err, "%#v beside %v", without, alive(trial))
	}
	_, err := trial.Apply(e)
	require.NoError(x.t, err, "%#v beside %v", without, alive(trial))
	by = e.Decision
	for i, s := range trial.b.schedules {
		if s.terms != nil { // the desk asks its owners for no notice
			milder := *s
			milder.terms = &Terms{}
			*milder.terms = *s.terms
			milder.terms.Notice, milder.terms.Ahead = 0, 0
			trial.b.schedules[i] = &milder
		}
	}
	for _, k := range left {
		m := Moved{Booking: k.ID}
		r, at, last := anew(k, x.d.b.now)
		out, err := trial.Do(Book{Request: r})
		switch {
		case len(r.Shapes) == 0 || errors.Is(err, bookahead.ErrUnavailable):
		case err != nil:
			require.NoError(x.t, err)
		case out.Booking.Places[0].Start-bookahead.Time(r.Shapes[out.Booking.Shape][0].Offset) > last:
			_, err = trial.Do(Cancel{out.Booking.ID})
			require.NoError(x.t, err)
		default:
			m.Shape, m.Places = at[out.Booking.Shape], out.Booking.Places
		}
		by.Moved = append(by.Moved, m)
	}
	return by
}

// anew returns the request by which a booking is booked anew, with the index of each shape and the last
// start. It follows the rules, part by part.
func anew(k *Booking, now bookahead.Time) (r Request, at []int, last bookahead.Time) {
	r, last = k.Request, math.MaxInt64
	was := k.Shapes[k.Shape]
	if spanOf(k.Places).Start > now {
		r.Shapes = nil
		r.Ready = max(r.Ready, k.Places[0].Start-bookahead.Time(was[0].Offset))
		for i, shape := range k.Shapes {
			one := r
			one.Shapes = []Shape{shape}
			if one.check() == nil {
				r.Shapes, at = append(r.Shapes, shape), append(at, i)
			}
		}
		return r, at, last
	}
	var rest Shape
	over := bookahead.Time(0)
	for i := 0; i < len(was); {
		j := i + 1
		for j < len(was) && was[j].After == nil {
			j++
		}
		live, begun, end, base := false, false, bookahead.Time(0), bookahead.Time(math.MaxInt64)
		for q := i; q < j; q++ {
			p := k.Places[q]
			begun, end = begun || p.Start <= now, max(end, p.End)
			if p.End > now {
				live, base = true, min(base, max(now, p.Start))
			}
		}
		if !begun {
			base = k.Places[i].Start - bookahead.Time(was[i].Offset)
		}
		if !live {
			over = end
		}
		first := true
		for q := i; q < j; q++ {
			p, place := was[q], k.Places[q]
			if place.End <= now {
				continue
			}
			start := max(now, place.Start)
			p.After, p.Offset, p.Duration = nil, bookahead.Duration(start-base), bookahead.Duration(place.End-start)
			if first && rest != nil {
				p.After = was[i].After
			}
			if rest == nil {
				r.Ready = base
				if !begun && was[i].After != nil {
					last = over + bookahead.Time(was[i].After.Most)
				}
			}
			first = false
			rest = append(rest, p)
		}
		i = j
	}
	r.Shapes = []Shape{rest}
	if r.check() != nil {
		r.Shapes = nil
	}
	return r, []int{0}, last
}

// forgetTails takes the buffers away that bookings have left on a schedule which is closed.
func (x reference) forgetTails(trial *Desk, on string) {
	was, s := x.d.b.schedules[x.d.b.names[on]], trial.b.schedules[x.d.b.names[on]]
	for _, t := range s.Tails {
		if !slices.Contains(was.Tails, t) {
			require.NoError(x.t, s.Release(t.ID))
		}
	}
	s.Tails = was.Tails
}
