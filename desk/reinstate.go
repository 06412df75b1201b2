package desk

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/site"
)

// reinstate puts bookings back that still fit where they were: the most important first, which is the last of the list. It
// returns those that do not fit, in that order.
//
// A booking on a stretch that an earlier closure left overbooked would be refused if it came back, and yet may stay if it
// is never taken out. For such a booking, stays gets a trial of its own on which only the others are out; its error is
// bookahead.ErrUnavailable if the booking is in the way. Full makes a trial on which nobody is out.
func (s *trial) reinstate(out []*Booking, full func() (*trial, error), stays func(k *Booking, beside *trial) error) (*trial, []*Booking, error) {
	x := returning{trial: s, out: out, stays: stays}
	err := x.reinstate(0, len(out), full)
	return x.trial, x.left, err
}

// returning is the state of a reinstate.
type returning struct {
	*trial
	out   []*Booking
	stays func(*Booking, *trial) error
	left  []*Booking // those that do not fit
}

// reinstate puts out[from:to] back. All behind them have had their turns. full makes the trial on which all before from are
// out, and those behind that do not fit; it is called at most once, and the trial belongs to the caller. Nobody can be put
// back on an overbooked stretch, so the trial of each booking is made by taking others out. Each half starts from the
// trial of the whole, which takes O(n log n) releases, and not O(n²):
//
//	turn    full    out on the trial of each
//	8 7 6 5 4 3 2 1     -
//	8 7 6 5             1 2 3 4         then 4 3 2 1, with those of 8 7 6 5 out that do not fit
//	8 7                 1 2 3 4 5 6
func (x *returning) reinstate(from, to int, full func() (*trial, error)) error {
	switch to - from {
	case 0:
		return nil
	case 1:
		return x.reinstateOne(x.out[from], full)
	}
	mid := (from + to) / 2
	var whole *trial
	before := len(x.left)
	err := x.reinstate(mid, to, func() (*trial, error) {
		var err error
		whole, err = full()
		if err != nil {
			return nil, err
		}
		half, err := whole.clone()
		if err == nil {
			err = half.takeOut(x.out[from:mid])
		}
		return half, err
	})
	if err != nil {
		return err
	}
	after := len(x.left)
	return x.reinstate(from, mid, func() (*trial, error) {
		if whole == nil {
			var err error
			whole, err = full()
			if err != nil {
				return nil, err
			}
		}
		return whole, whole.takeOut(x.left[before:after])
	})
}

// reinstateOne puts a booking back, or lets it stay, or adds it to left.
func (x *returning) reinstateOne(k *Booking, full func() (*trial, error)) error {
	err := x.restore(k)
	if err == bookahead.ErrUnavailable && x.overbooked(k) {
		beside, failed := full()
		if failed != nil {
			return failed
		}
		err = x.stays(k, beside)
		if err == nil {
			x.trial = beside
		}
	}
	if err == bookahead.ErrUnavailable {
		x.left = append(x.left, k)
		return nil
	}
	return err
}

// restore books again the places of a booking that was taken out. An error changes nothing.
func (s *trial) restore(k *Booking) error {
	err := s.spendOn(k.on, k.Places)
	if err != nil {
		return err
	}
	postings := s.postings(k, k)
	if postings.FromAccounts().Breaks(s.asks, s.meter) {
		return bookahead.ErrUnavailable
	}
	shape := k.Shapes[k.Shape]
	ids := make([]bookahead.ID, len(k.Places))
	tails := s.tailsOf(k)
	for i, p := range k.Places {
		if p.clean(s.now) {
			continue
		}
		at, w, tasks := s.open(k.on[i]), site.Place(p), shape[i].Tasks
		var err error
		if tails != nil && tails[i] != 0 {
			ids[i], err = tails[i], at.Resume(tails[i], w, tasks, s.now)
		} else {
			ids[i], err = at.Reserve(w, tasks, s.now)
		}
		if err == nil {
			continue
		}
		for j, id := range ids[:i] {
			at := s.open(k.on[j])
			switch {
			case id == 0:
			case tails != nil && tails[j] != 0:
				_ = at.StartCleaning(id, site.Place(k.Places[j]), shape[j].Tasks, s.now) // it was this tail before
			default:
				_ = at.Release(id) // it was booked just now
			}
		}
		return err
	}
	s.note(k, ids, k.on)
	s.recordMove(k, k, postings)
	return nil
}

// overbooked reports whether a booking lies on a stretch that was overbooked before the command.
func (b *books) overbooked(k *Booking) bool {
	if b.lastOutage == 0 {
		return false // nothing was ever closed
	}
	ahead := bookahead.Interval{Start: b.now, End: bookahead.MaxTime}
	for i := range k.Places {
		if b.schedules[k.on[i]].Overbooks((*site.Place)(&k.Places[i]), ahead) {
			return true
		}
	}
	return false
}

// relocate finds other places for bookings that were taken out, in turn. Their owners did not ask for it, so Notice and
// Ahead do not bind these places.
func (s *trial) relocate(list []*Booking) (moved []Moved, err error) {
	s.unasked = true
	kept := make([]*swap, len(list))
	for i, k := range list {
		kept[i] = s.keep(k)
	}
	for i, k := range list {
		m := Moved{Booking: k.ID}
		x, swapped := s.swap(k, kept[i])
		err := error(nil)
		if !swapped {
			x, err = s.moveRest(k, len(list)-i)
		}
		if errors.Is(err, bookahead.ErrStopped) {
			return nil, fmt.Errorf("%d of %d bookings that give way have their places: %w", i, len(list), err)
		}
		if err != nil && err != bookahead.ErrUnavailable {
			return nil, err
		}
		if err == nil {
			m.Shape, m.Places = x.shape, x.places
		}
		moved = append(moved, m)
	}
	return moved, nil
}

// moveRest places a booking, or its rest, anew on the trial, as the first of some that share the steps that are left.
func (s *trial) moveRest(k *Booking, bookings int) (spot, error) {
	r, last := k.requestAgain(s.now)
	x, err := s.findShared(&r, bookings)
	if err != nil {
		return x, err
	}
	late := !r.bent() && x.places[0].Start-bookahead.Time(r.Shapes[x.shape][0].Offset) > last
	if late || k.begun(s.now) && k.checkPast() != nil {
		return x, bookahead.ErrUnavailable
	}
	return x, s.move(k, x.shapeOf(&r), x.places, x.on)
}

// findShared is find for the first of some bookings that share the steps that are left. A search that takes more than its
// share finds no place, since a closure must not fail because one booking is hard to place.
func (s *trial) findShared(r *Request, bookings int) (spot, error) {
	whole := s.meter
	share := max(whole.Left()/int64(bookings+1), s.least(r))
	part := whole.Part(share)
	s.meter = &part
	x, err := s.find(r)
	s.meter = whole
	enough := share <= whole.Left()
	whole.Add(&part)
	if enough && errors.Is(err, bookahead.ErrStopped) {
		err = bookahead.ErrUnavailable
	}
	return x, err
}

// requestAgain returns the request by which a booking is placed anew, and the last start of its first step. A booking that has not
// begun comes no earlier than before. A booking that has begun has the rest of its shape or of its work ahead of it.
func (k *Booking) requestAgain(now bookahead.Time) (r Request, last bookahead.Time) {
	r = k.Request
	if k.begun(now) {
		return k.restAt(now)
	}
	r.Ready = max(r.Ready, k.Places[0].Start-bookahead.Time(k.Shapes[k.Shape][0].Offset))
	return r, bookahead.MaxTime
}

// restAt returns the request for the rest of a booking that has begun, and the last start of its first step.
func (k *Booking) restAt(now bookahead.Time) (r Request, last bookahead.Time) {
	if k.bent() {
		return k.rest(now), bookahead.MaxTime
	}
	return k.remainder(now)
}

// remainder returns the request for the rest of a booking that has begun: parts that are over are gone, and running parts are
// shorter. Parts of one step keep their distances. If the first step is over, the next step comes no later after it than
// its gap allows, which is the last start.
//
//	part 0   ████████│                      part 0 is over at now
//	part 1     ██████│▒▒▒▒                  of part 1, 4 ticks are left
//	part 2           │    ██████            part 2 keeps its gap to part 1
//	                now
func (k *Booking) remainder(now bookahead.Time) (r Request, last bookahead.Time) {
	r, last = k.Request, bookahead.MaxTime
	r.Ready = now
	var rest Shape
	over := bookahead.Time(0) // the end of the last step that is over
	for parts := range k.steps() {
		step, start := k.remainderOf(parts, now)
		switch {
		case len(step) == 0:
			for _, i := range parts {
				over = max(over, k.Places[i].End)
			}
			continue
		case len(rest) == 0:
			gap := step[0].After
			step[0].After = nil
			r.Ready = start
			if gap != nil && !k.reached(parts, now) {
				last = bookahead.Time(addUp(bookahead.Duration(over), gap.Most))
			}
		}
		rest = append(rest, step...)
	}
	r.Shapes = []Shape{rest}
	return r, last
}

// steps yields the parts of each step, by index.
func (k *Booking) steps() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var parts []int
		for i, p := range k.Shapes[k.Shape] {
			if p.After != nil {
				if !yield(parts) {
					return
				}
				parts = nil
			}
			parts = append(parts, i)
		}
		yield(parts)
	}
}

// reached reports whether a part of a step has begun.
func (k *Booking) reached(parts []int, now bookahead.Time) bool {
	return slices.ContainsFunc(parts, func(i int) bool { return k.Places[i].Start <= now })
}

// remainderOf returns the rest of a step, and its start. The first part has the gap of the step.
func (k *Booking) remainderOf(parts []int, now bookahead.Time) (step []Part, start bookahead.Time) {
	shape := k.Shapes[k.Shape]
	first := parts[0]
	start = k.Places[first].Start - bookahead.Time(shape[first].Offset)
	if k.reached(parts, now) {
		start = bookahead.MaxTime
		for _, i := range parts {
			p := &k.Places[i]
			if p.End > now {
				start = min(start, max(p.Start, now))
			}
		}
	}
	for _, i := range parts {
		p, place := shape[i], &k.Places[i]
		if place.End <= now {
			continue
		}
		from := max(place.Start, now)
		p.Offset, p.Duration, p.After = bookahead.Duration(from-start), bookahead.Duration(place.End-from), nil
		if p.Tasks != nil && p.Tasks.Patience != 0 { // work that has begun waits for no group
			p.Tasks = another(p.Tasks)
			p.Tasks.Patience = 0
		}
		step = append(step, p)
	}
	if len(step) > 0 {
		step[0].After = shape[first].After
	}
	return step, start
}

// rest returns the request for what is left of work that bends, from now on. At least a tick is left.
//
//	volume 20   4 4 4 2│2 2 2       14 are done by now, and 6 are left
//	8 ticks     █ █ █ · r █│█ ...   the restart takes a tick: 4 are done, and 4 are left, behind another restart
func (k *Booking) rest(now bookahead.Time) Request {
	r := k.Request.Clone()
	r.Ready = now
	if r.Volume != nil {
		r.Volume.Volume -= min(k.volume(now), r.Volume.Volume-1)
		return r
	}
	x := r.Pieces
	stopped := x.Stopped
	for i, p := range k.withPast() {
		p.End = min(p.End, now)
		if p.Empty() {
			continue
		}
		stopped = max(stopped, p.End)
		pool := p.On == r.Shapes[0][0].On && p.Servers == nil && p.Nodes == nil // by its name, and not through a broker
		goesOn := pool && p.Start == x.Stopped
		if i > 0 || x.Stopped != 0 && !goesOn {
			p.Start = min(p.End, addTicks(p.Start, x.Restart))
		}
		x.Ticks -= min(p.Len(), x.Ticks-1)
	}
	x.Stopped = stopped
	return r
}

// volume returns how many unit-ticks the parts of the present request have done by now; at most the greatest int64.
func (k *Booking) volume(now bookahead.Time) int64 {
	sum := site.Area{}
	for _, x := range k.Past {
		if x.Part >= 0 {
			sum.Add(x.Units, x.Len())
		}
	}
	for i := range k.Places {
		x := k.piece(i, now)
		sum.Add(x.Units, x.Len())
	}
	if sum.Hi > 0 {
		return math.MaxInt64
	}
	return greatest(sum.Lo)
}
