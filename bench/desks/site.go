package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// site is a desk with a clock and a network. All that it must remember lies in the desk, in the labels of its bookings: a
// desk that comes back knows from them whom to ask, and whom to tell.
//
//	home=3     a part of a booking that desk 3 decides
//	also=7     a booking that this desk decides, and that has a part on desk 7
//
// The home of a booking decides it, by its own clock: its hold is committed before it expires, or the booking is gone. A part
// elsewhere that was committed is in doubt until the home has said how it ended, and asks again and again. Its units wait for
// that, while the home is away, and until the booking is over at the most. If the home does not know the booking, or has
// forgotten it, the part is given up. A cancellation of what was committed is told to the other desks until they have heard it.
type site struct {
	*world
	name int
	desk *desk.Desk
	skew int64
	up   bool
	life int                  // the site has come back so many times: what it planned before is void
	away []bookahead.Interval // in milliseconds
}

// reply is what a desk knows of a booking, or the start that it has found.
type reply struct {
	state desk.State // 0: it knows none
	start bookahead.Time
	ok    bool
}

// keep is how many ticks a desk keeps a booking that is over. It is longer than desks differ in their clocks, so a home knows a
// booking that has run until all of its parts are over.
const keep = 3600

func newSite(w *world, name int) (*site, error) {
	d, err := desk.New(desk.Config{Keep: keep})
	if err != nil {
		return nil, err
	}
	s := &site{world: w, name: name, desk: d, up: true, skew: w.rng.Int64N(w.Skew + 1)}
	_, err = d.Do(desk.AddSchedule{Name: "units", Kind: desk.Pool{Units: w.Units}})
	return s, err
}

// clock is the time by the site's own clock, in ticks.
func (s *site) clock() bookahead.Time { return bookahead.Time((s.now + s.skew) / 1000) }

// later lets something happen on the site, unless it stops before.
func (s *site) later(ms int64, do func()) {
	life := s.life
	s.after(ms, func() {
		if s.up && s.life == life {
			s.advance()
			do()
		}
	})
}

// do carries out a command, and shows what it did to the watch.
func (s *site) do(c desk.Command) (desk.Outcome, error) {
	s.commands++
	out, err := s.desk.Do(c)
	for _, e := range out.Events {
		s.watch.saw(s, e)
		if e.What == desk.WasCancelled {
			s.tellGone(e.Booking)
		}
	}
	return out, err
}

// advance moves the clock of the desk, which expires holds.
func (s *site) advance() {
	if s.clock() > s.desk.Now() {
		_, err := s.do(desk.Advance{Now: s.clock()})
		if err != nil {
			s.watch.fail("desk %d cannot advance: %v", s.name, err)
		}
	}
}

// key returns the key of a booking.
func (s *site) key(id desk.BookingID) string {
	k, _ := s.desk.Booking(id) // the watch has just heard of it
	return k.Key
}

// state is what the desk knows of a booking.
func (s *site) state(key string) reply {
	k, err := s.desk.ByKey(key)
	if err != nil {
		return reply{}
	}
	return reply{state: k.State, start: k.Start, ok: k.State.Live()}
}

// earliest finds a start for some units.
func (s *site) earliest(ready bookahead.Time, units int64, d bookahead.Duration) reply {
	k, err := s.desk.Search(request(ready, 0, units, d), bookahead.Effort{})
	return reply{start: k.Start, ok: err == nil}
}

// request asks for some units; with a deadline at a time that is fixed.
func request(ready, deadline bookahead.Time, units int64, d bookahead.Duration, labels ...string) desk.Request {
	parts := desk.Shape{{On: "units", Units: units, Duration: d}}
	return desk.Request{Ready: ready, Deadline: deadline, Labels: labels, Shapes: []desk.Shape{parts}}
}

// hold holds some units at a fixed time, until a tick.
func (s *site) hold(key string, start bookahead.Time, units int64, d bookahead.Duration, until bookahead.Time, labels []string) reply {
	r := request(start, start+bookahead.Time(d), units, d, labels...)
	_, err := s.do(desk.Book{Key: key, Request: r, Hold: until})
	if err != nil {
		return reply{}
	}
	s.expire(until)
	return s.state(key)
}

// expire lets the clock of the desk move when a hold is over, if nobody asks the desk before.
func (s *site) expire(until bookahead.Time) {
	s.later(1000*max(0, int64(until-s.clock()))+1000, func() {})
}

// commit makes a booking of a hold. A part is in doubt from then on.
func (s *site) commit(key string) reply {
	k, err := s.desk.ByKey(key)
	if err == nil && k.State == desk.Held {
		_, err = s.do(desk.Commit{ID: k.ID})
		if err != nil {
			return reply{}
		}
		s.later(s.Patience/4, func() { s.doubt(k.ID) }) // as a rule, the home is committed by then
	}
	return s.state(key)
}

// cancel gives a booking up.
func (s *site) cancel(key string) reply {
	k, err := s.desk.ByKey(key)
	if err == nil && k.State.Live() {
		_, err = s.do(desk.Cancel{ID: k.ID})
		if err != nil {
			s.watch.fail("desk %d cannot cancel %s: %v", s.name, key, err)
		}
	}
	return s.state(key)
}

// linked returns the desks that a booking names by a label.
func linked(k *desk.Booking, name string) (desks []int) {
	for _, label := range k.Labels {
		value, ok := strings.CutPrefix(label, name+"=")
		if ok {
			i, _ := strconv.Atoi(value) // a desk has written it
			desks = append(desks, i)
		}
	}
	return desks
}

func link(name string, i int) string { return fmt.Sprintf("%s=%d", name, i) }

// reach calls another desk, unless the two do not reach each other now.
func (s *site) reach(other int, ask func(*site) reply, answer func(reply)) {
	if !s.apart(s.name, other, s.now) {
		s.call(other, ask, answer)
	}
}

// doubt asks the home of a part whether it is committed, until the home knows.
func (s *site) doubt(id desk.BookingID) {
	k, err := s.desk.Booking(id)
	home := linked(&k, "home")
	if err != nil || len(home) == 0 || k.State != desk.Booked && k.State != desk.Running {
		return
	}
	sure, life := false, s.life
	s.reach(home[0], func(h *site) reply { return h.state(k.Key) }, func(r reply) {
		if !s.up || s.life != life || r.state == desk.Held {
			return
		}
		sure = true
		s.watch.settled(s, id)
		if !r.ok && r.state != desk.Ended {
			s.advance()
			s.cancel(k.Key)
		}
	})
	s.later(s.Patience, func() {
		if !sure {
			s.doubt(id)
		}
	})
}

// tellGone tells the desks of the other parts that a booking that is decided here was cancelled, until each has heard it.
func (s *site) tellGone(id desk.BookingID) {
	k, err := s.desk.Booking(id)
	if err != nil {
		return
	}
	for _, other := range linked(&k, "also") {
		s.tell(other, k.Key)
	}
}

func (s *site) tell(other int, key string) {
	heard := false
	s.reach(other, func(o *site) reply { return o.cancel(key) }, func(reply) { heard = true })
	s.later(s.Patience, func() {
		if !heard {
			s.tell(other, key)
		}
	})
}

// stopSometime stops the site after a while.
func (s *site) stopSometime() {
	if s.Stop == 0 {
		return
	}
	s.after(int64(s.rng.ExpFloat64()*3_600_000/s.Stop), func() {
		if !s.calm {
			s.stop(int64(s.rng.ExpFloat64() * s.Down))
		}
	})
}

// stop stops the site for a time. Only the bytes of its desk are left.
func (s *site) stop(ms int64) {
	var saved bytes.Buffer
	_, err := s.desk.WriteTo(&saved)
	if err != nil {
		s.watch.fail("desk %d cannot be written: %v", s.name, err)
		return
	}
	s.up, s.desk = false, nil
	s.away = append(s.away, bookahead.Interval{Start: bookahead.Time(s.now), End: bookahead.Time(s.now + ms)})
	s.after(ms, func() { s.comeBack(&saved) })
}

// comeBack reads the desk, and takes up what it was about, before the clock moves and the desk forgets what is over.
func (s *site) comeBack(saved *bytes.Buffer) {
	var err error
	s.desk, err = desk.Read(saved, desk.Config{Keep: keep})
	if err != nil {
		s.watch.fail("desk %d does not come back: %v", s.name, err)
		return
	}
	s.up = true
	s.life++
	for k, err := range s.desk.Bookings(desk.Filter{}, bookahead.Effort{}) {
		if err != nil {
			s.watch.fail("desk %d cannot be read: %v", s.name, err)
			return
		}
		switch k.State {
		case desk.Held:
			s.expire(k.Expiry)
		case desk.Booked, desk.Running:
			s.doubt(k.ID)
		case desk.Cancelled:
			s.tellGone(k.ID)
		}
	}
	s.advance()
	s.stopSometime()
}
