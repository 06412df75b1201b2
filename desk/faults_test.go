package desk

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/site"
)

// The tests are tested with desks that are wrong on purpose: each fault carries commands out in a
// way of its own.
type fault struct {
	name string
	do   doer
}

// after does a command, and then spoils the desk or the answer.
func after(spoil func(d *Desk, c Command, out *Outcome)) doer {
	return func(d *Desk, c Command) (Outcome, error) {
		out, err := d.Do(c)
		if err == nil && len(out.Events) > 0 {
			spoil(d, c, &out)
		}
		return out, err
	}
}

// refused does a command, and spoils the desk if it was refused.
func refused(spoil func(d *Desk, c Command)) doer {
	return func(d *Desk, c Command) (Outcome, error) {
		out, err := d.Do(c)
		if err != nil {
			spoil(d, c)
		}
		return out, err
	}
}

// instead books another request than the one asked for. The answer has the request asked for.
func instead(change func(d *Desk, r *Book)) doer {
	return func(d *Desk, c Command) (Outcome, error) {
		k, ok := c.(Book)
		if !ok {
			return d.Do(c)
		}
		other := k
		other.Request = k.Request.Clone()
		change(d, &other)
		out, err := d.Do(other)
		if err == nil && len(out.Events) > 0 {
			out.Booking.Request = k.Request
			at, _ := d.b.booking(out.Booking.ID)
			at.Request = k.Request.Clone()
		}
		return out, err
	}
}

// each changes all parts of a request.
func each(change func(p *Part)) doer {
	return instead(func(_ *Desk, r *Book) {
		for _, s := range r.Shapes {
			for i := range s {
				change(&s[i])
			}
		}
	})
}

// rewrite gives a booking another record.
func rewrite(d *Desk, id BookingID, change func(k *Booking)) {
	old, _ := d.b.booking(id)
	k := *old
	k.ids = append([]bookahead.ID(nil), old.ids...)
	change(&k)
	d.b.all.Set(bookahead.ID(id), record{&k})
}

// squat books a unit of the first pool, of which no booking knows.
func squat(d *Desk) {
	_, _ = d.b.schedules[0].Keeper().Reserve(bookahead.Request{Duration: 3, Units: 1})
}

// other sets other terms than those asked for.
func other(change func(t *Terms)) doer {
	return func(d *Desk, c Command) (Outcome, error) {
		k, ok := c.(SetTerms)
		if ok {
			k.Open = append([]bookahead.Interval(nil), k.Open...)
			change(&k.Terms)
			return d.Do(k)
		}
		return d.Do(c)
	}
}

// shrink gives back the buffers before or behind the parts of a new booking, which still seems to have them.
func shrink(cut func(p *Place)) doer {
	return after(func(d *Desk, c Command, out *Outcome) {
		_, ok := c.(Book)
		if !ok || !out.Booking.State.Live() {
			return
		}
		k, _ := d.b.booking(out.Booking.ID)
		for i, p := range k.Places {
			cut(&p)
			_ = d.b.schedules[k.on[i]].Rebook(k.ids[i], site.Place(p), k.Shapes[k.Shape][i].Tasks, d.b.now)
		}
	})
}

var faults = []fault{
	{"a buffer only before", shrink(func(p *Place) { p.After = 0 })},
	{"a buffer only behind", shrink(func(p *Place) { p.Before = 0 })},
	{"terms with a buffer only before", other(func(t *Terms) { t.After = 0 })},
	{"a buffer that ends with its booking", after(func(d *Desk, c Command, out *Outcome) {
		for _, s := range d.b.schedules {
			for _, x := range s.Tails {
				_ = s.Release(x.ID)
			}
			s.Tails = nil
		}
	})},
	{"a buffer that is left for a tick too long", after(func(d *Desk, c Command, out *Outcome) {
		_, ok := c.(End)
		if ok {
			squat(d)
		}
	})},
	{"opening hours that end a tick late", other(func(t *Terms) {
		for i := range t.Open {
			t.Open[i].End++
		}
	})},
	{"opening hours lost", other(func(t *Terms) { t.Open = nil })},
	{"an opening interval lost", other(func(t *Terms) { t.Open = t.Open[min(1, len(t.Open)):] })},
	{"a notice that is a tick short", other(func(t *Terms) { t.Notice = max(0, t.Notice-1) })},
	{"booked too far ahead", other(func(t *Terms) { t.Ahead += min(1, t.Ahead) })},
	{"longer than the longest", other(func(t *Terms) { t.Longest += min(1, t.Longest) })},
	{"labels that nobody looks at", other(func(t *Terms) {
		if len(t.Owners) == 0 {
			t.Labels = nil
		}
	})},
	{"owners that nobody looks at", other(func(t *Terms) { t.Owners, t.Labels = nil, nil })},
	{"a need that is told twice", func(d *Desk, c Command) (Outcome, error) {
		out, err := d.Do(c)
		for _, e := range out.Events {
			if e.What == NeedsMore {
				out.Events = append(out.Events, e)
			}
		}
		return out, err
	}},
	{"a hold that does not expire", after(func(d *Desk, _ Command, out *Outcome) {
		if out.Booking.State == Held {
			d.b.agenda.Remove(due{out.Booking.nextDue, out.Booking.ID}.span())
		}
	})},
	{"a hold that outlives its booking", after(func(d *Desk, c Command, out *Outcome) {
		for _, e := range out.Events {
			if e.What == HasExpired {
				squat(d)
			}
		}
	})},
	{"a hold for longer than was asked", instead(func(_ *Desk, c *Book) {
		if c.Hold > 0 {
			c.Hold += 3
		}
	})},
	{"a commit that keeps the expiry", after(func(d *Desk, c Command, out *Outcome) {
		k, ok := c.(Commit)
		if ok {
			rewrite(d, k.ID, func(k *Booking) { k.Expiry = d.b.now + 9 })
		}
	})},
	{"the ID of a part lost", after(func(d *Desk, c Command, out *Outcome) {
		if len(out.Booking.ids) > 1 && out.Booking.State.Live() {
			rewrite(d, out.Booking.ID, func(k *Booking) { k.ids[1] = 0 })
		}
	})},
	{"the IDs of two parts mixed up", after(func(d *Desk, c Command, out *Outcome) {
		if len(out.Booking.ids) > 1 && out.Booking.State.Live() {
			rewrite(d, out.Booking.ID, func(k *Booking) { k.ids[0], k.ids[1] = k.ids[1], k.ids[0] })
		}
	})},
	{"a rollback left out", refused(func(d *Desk, c Command) {
		k, ok := c.(Book)
		if ok && len(k.Shapes) > 0 && len(k.Shapes[0]) > 1 {
			squat(d)
		}
	})},
	{"an ID used up by a refused booking", refused(func(d *Desk, c Command) {
		_, ok := c.(Book)
		if ok {
			d.b.last++
		}
	})},
	{"an entry counted for a refused change", refused(func(d *Desk, c Command) {
		_, ok := c.(Change)
		if ok {
			d.b.entries++
		}
	})},
	{"a key that books twice", func(d *Desk, c Command) (Outcome, error) {
		k, ok := c.(Book)
		if ok && k.Key != "" {
			d.b.keys.Remove(k.Key)
		}
		return d.Do(c)
	}},
	{"a key that takes another request", func(d *Desk, c Command) (Outcome, error) {
		out, err := d.Do(c)
		k, ok := c.(Book)
		if ok && err != nil {
			id, known := d.b.keys.Get(k.Key)
			if known {
				at, _ := d.b.booking(id)
				return Outcome{Booking: *at}, nil
			}
		}
		return out, err
	}},
	{"a key that outlives its booking", func(d *Desk, c Command) (Outcome, error) {
		var keys []string
		for _, r := range d.b.all.All(d.b.now) {
			keys = append(keys, r.Key)
		}
		out, err := d.Do(c)
		for _, key := range keys {
			_, ok := d.b.keys.Get(key)
			if key != "" && !ok {
				d.b.keys.Set(key, d.b.last)
			}
		}
		return out, err
	}},
	{"a key lost in a change", after(func(d *Desk, c Command, out *Outcome) {
		_, ok := c.(Change)
		if ok && out.Booking.Key != "" {
			d.b.keys.Remove(out.Booking.Key)
		}
	})},
	{"an event missing", after(func(d *Desk, c Command, out *Outcome) {
		if len(out.Events) > 2 {
			out.Events = append(out.Events[:1:1], out.Events[2:]...)
		}
	})},
	{"an event that nobody hears", after(func(d *Desk, c Command, out *Outcome) {
		_, ok := c.(End)
		if ok {
			d.b.events++
		}
	})},
	{"an event at the clock, and not when it happened", after(func(d *Desk, c Command, out *Outcome) {
		for i := range out.Events {
			out.Events[i].At = d.b.now
		}
	})},
	{"a start that is not told", after(func(d *Desk, c Command, out *Outcome) {
		_, ok := c.(Commit)
		if ok && len(out.Events) == 2 {
			out.Events = out.Events[:1]
		}
	})},
	{"a calendar entry left", after(func(d *Desk, c Command, out *Outcome) {
		_, ok := c.(Cancel)
		if ok {
			d.b.schedules[0].calendar.Add(out.Booking.span(9, Place{Interval: bookahead.Interval{Start: 1, End: 5}}))
		}
	})},
	{"a calendar entry lost", after(func(d *Desk, c Command, out *Outcome) {
		k, ok := c.(Overrun)
		if ok {
			d.b.schedules[out.Booking.on[0]].calendar.Remove(out.Booking.span(0, out.Booking.Places[0]))
			_ = k
		}
	})},
	{"an owner who keeps a booking that was changed", after(func(d *Desk, c Command, out *Outcome) {
		_, ok := c.(Change)
		if ok {
			d.b.owners.add(&Booking{ID: out.Booking.ID, Request: Request{Owner: "before"}})
		}
	})},
	{"Most not checked", each(func(p *Part) {
		if p.After != nil {
			p.After.Most = 1 << 40
		}
	})},
	{"Least not kept", each(func(p *Part) {
		if p.After != nil {
			p.After.Least = 0
		}
	})},
	{"an offset not kept", each(func(p *Part) { p.Offset = 0 })},
	{"servers not those named", each(func(p *Part) { p.Servers = nil })},
	{"a deadline not kept", instead(func(_ *Desk, r *Book) { r.Deadline = 0 })},
	{"a start after the first that is free", instead(func(d *Desk, r *Book) {
		if r.Deadline == 0 && len(r.Shapes) == 2 {
			r.Ready = max(r.Ready, d.b.now) + 1
		}
	})},
	{"the last shape not tried", instead(func(_ *Desk, r *Book) {
		if len(r.Shapes) > 2 {
			r.Shapes = r.Shapes[:2]
		}
	})},
	{"an own place that is in the way", func(d *Desk, c Command) (Outcome, error) {
		k, ok := c.(Change)
		at, live := d.b.booking(k.ID)
		if ok && live && at.State == Booked {
			_, err := d.Clone().Do(Book{Request: k.To})
			if err == bookahead.ErrUnavailable {
				return Outcome{}, err
			}
		}
		return d.Do(c)
	}},
	{"an end that gives nothing back", after(func(d *Desk, c Command, out *Outcome) {
		_, ok := c.(End)
		if ok {
			squat(d)
		}
	})},
	{"a cancelled booking that is gone at once", after(func(d *Desk, c Command, out *Outcome) {
		_, ok := c.(Cancel)
		if ok {
			at, kept := d.b.booking(out.Booking.ID)
			if kept {
				d.b.forget(at)
			}
		}
	})},
	{"an overrun that is too short", func(d *Desk, c Command) (Outcome, error) {
		k, ok := c.(Overrun)
		at, live := d.b.booking(k.ID)
		if ok && live && k.Until > at.End+1 {
			k.Until--
			return d.Do(k)
		}
		return d.Do(c)
	}},
	{"a clock that is late", func(d *Desk, c Command) (Outcome, error) {
		k, ok := c.(Advance)
		if ok && k.Now > d.b.now+1 {
			k.Now--
			return d.Do(k)
		}
		return d.Do(c)
	}},
	{"a tick too long kept", func(d *Desk, c Command) (Outcome, error) {
		was := d.b.config.Keep
		d.b.config.Keep++
		defer func() { d.b.config.Keep = was }()
		return d.Do(c)
	}},
	{"a past piece lost", after(func(d *Desk, c Command, out *Outcome) {
		if len(out.Booking.Past) > 0 {
			rewrite(d, out.Booking.ID, func(k *Booking) { k.Past, k.pastOn = k.Past[1:], k.pastOn[1:] })
		}
	})},
	{"a past with the units of today", after(func(d *Desk, c Command, out *Outcome) {
		for i := range out.Booking.Past {
			rewrite(d, out.Booking.ID, func(k *Booking) {
				k.Past = append([]Piece(nil), k.Past...)
				k.Past[i].Units = k.Places[k.Past[i].Part].Units
			})
		}
	})},
	{"a part that has new units from the start", after(func(d *Desk, c Command, out *Outcome) {
		if out.Booking.State == Running && len(out.Booking.Past) > 0 {
			rewrite(d, out.Booking.ID, func(k *Booking) { k.Places, k.Past, k.pastOn = k.withPast(), nil, nil })
		}
	})},
	{"other nodes than were promised", after(func(d *Desk, c Command, out *Outcome) {
		for i, p := range out.Booking.Places {
			if out.Booking.State.Live() && len(p.Nodes) == 1 {
				rewrite(d, out.Booking.ID, func(k *Booking) {
					k.Places = append([]Place(nil), k.Places...)
					k.Places[i].Nodes = append(p.Nodes[:0:0], p.Nodes[0])
					k.Places[i].Nodes[0].Node ^= 1
				})
			}
		}
	})},
}

// wrong is a test that may fail without failing ours.
type wrong struct {
	failed bool
	said   string
}

func (b *wrong) Errorf(f string, a ...any) { b.failed, b.said = true, fmt.Sprintf(f, a...) }
func (b *wrong) FailNow()                  { panic(b) }

// fails runs a test until it stops, and reports whether it failed. A panic is a failure, too.
func (b *wrong) fails(test func()) (failed bool) {
	defer func() {
		p := recover()
		failed = b.failed || p != nil
	}()
	test()
	return
}

// finds reports whether long runs find a fault, and after how many commands, of at most so many.
func finds(do doer, most int) (ops int, found bool) { return findsIn(newLong, do, 0, most, false) }

// firstSeeds are the seeds of the runs that show faults that are rare: a search begins there, since each of the
// runs before it takes long and shows nothing. If the draws change, the search finds another seed behind it.
var firstSeeds = map[string]uint64{
	"a rigid place without the buffers between steps": 25,
	"an expiry that grants nobody":                    19,
	"one too few in a queue":                          22,
}

// findsIn is finds for long runs of some kind, in which many commands are about series, or none is, from a seed on.
func findsIn(start func(t require.TestingT, seed uint64, do doer) *long, do doer, seed uint64, most int, serial bool) (ops int, found bool) {
	for ; ops < most; seed++ {
		b := &wrong{}
		if b.fails(func() {
			l := start(b, seed, do)
			l.x.replica, l.serial, l.single = nil, serial, !serial
			for range 1000 {
				ops++
				l.step()
			}
		}) {
			return ops, true
		}
	}
	return ops, false
}

// TestFaultsAreCaught checks that the long runs find each fault, and none where nothing is wrong.
func TestFaultsAreCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("the faults are in the test: they show that the comparison sees them")
	}
	for _, do := range []doer{after(func(*Desk, Command, *Outcome) {}), refused(func(*Desk, Command) {}), each(func(*Part) {})} {
		_, found := finds(do, 2000)
		require.False(t, found)
	}
	for _, f := range slices.Concat(faults, waitingFaults) {
		t.Run(strings.ReplaceAll(f.name, " ", "_"), func(t *testing.T) {
			ops, found := findsIn(newLong, f.do, firstSeeds[f.name], 20_000, false)
			require.True(t, found, "not after %d commands", ops)
			t.Logf("after %d commands", ops)
		})
	}
}
