package desk

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// kindOf makes errors of one kind equal.
func kindOf(err error) string {
	switch {
	case err == nil:
		return fine
	case errors.Is(err, ErrNeeded):
		return needed
	case errors.Is(err, bookahead.ErrInvalid):
		return invalid
	case err == bookahead.ErrNotFound:
		return notFound
	case err == bookahead.ErrUnavailable:
		return unavailable
	}
	return err.Error()
}

// compound reports whether the errors of a command come with the index of a command or a window.
func compound(c Command) bool {
	switch c.(type) {
	case Batch, BookSeries, Continue:
		return true
	}
	return false
}

// kindWithin is kindOf for an error that comes wrapped.
func kindWithin(err error) string {
	for _, kind := range []error{bookahead.ErrNotFound, bookahead.ErrUnavailable} {
		if errors.Is(err, kind) {
			return kindOf(kind)
		}
	}
	return kindOf(err)
}

// doer carries a command out on a desk: it is Do, or a fault.
type doer func(d *Desk, c Command) (Outcome, error)

// world is a desk, the oracle beside it, and a replica that applies the entries of the desk. A desk that is wrong
// on purpose has no replica, which would give it away.
type world struct {
	d, replica *Desk
	o          *ideal
	do         doer
}

func newWorld(c Config, do doer) (*world, error) {
	d, err := New(c)
	if err != nil {
		return nil, err
	}
	r, err := New(c)
	return &world{d, r, newIdeal(c), do}, err
}

func (w *world) clone() *world {
	c := &world{w.d.Clone(), nil, w.o.clone(), w.do}
	if w.replica != nil {
		c.replica = w.replica.Clone()
	}
	return c
}

// run carries a command out, and compares the answer with that of the oracle. Closely checks more: that a
// refused command changes nothing, that Decide changes nothing and agrees with Do, and Verify.
func (w *world) run(c Command, closely bool) error {
	var before *Desk
	if closely {
		before = w.d.Clone()
	}
	if compound(c) {
		was := w.d.Clone()
		w.o.whatIf = was.Clone
	}
	e, refused := w.d.Decide(c)
	if closely {
		err := alike(&before.b, &w.d.b)
		if err != nil {
			return fmt.Errorf("%s: Decide has changed something: %w", c.verb(), err)
		}
	}
	out, err := w.do(w.d, c)
	if w.replica != nil && kindWithin(err) != kindWithin(refused) {
		return fmt.Errorf("%s: Decide said %v, and Do %v", c.verb(), refused, err)
	}
	if err != nil && closely {
		err := alike(&before.b, &w.d.b)
		if err != nil {
			return fmt.Errorf("%s: was refused, and has changed something: %w", c.verb(), err)
		}
	}
	if err == nil && w.replica != nil {
		again, err := w.replica.Apply(e)
		if err != nil {
			return fmt.Errorf("%s: Apply: %w", c.verb(), err)
		}
		if closely && !reflect.DeepEqual(out.Events, again.Events) {
			return fmt.Errorf("%s: Apply tells %+v, and Do %+v", c.verb(), again.Events, out.Events)
		}
	}
	w.o.look = func(id BookingID) Booking {
		k, _ := w.d.Booking(id)
		return k
	}
	err = w.o.judge(c, out, err)
	if err == nil && closely {
		err = w.audit()
	}
	return err
}

// audit compares the whole state of desk and oracle.
func (w *world) audit() error {
	err := w.d.Verify()
	if err == nil && w.replica != nil {
		err = alike(&w.d.b, &w.replica.b)
	}
	if err != nil {
		return err
	}
	b := &w.d.b
	if b.now != w.o.now || b.last != w.o.last || b.events != w.o.events || b.all.Len() != len(w.o.kept) || len(b.schedules) != len(w.o.boards) {
		return fmt.Errorf("%d: %d bookings of %d, and not %d of %d", b.now, b.all.Len(), b.last, len(w.o.kept), w.o.last)
	}
	for _, e := range w.o.kept {
		k, ok := b.booking(e.ID)
		if !ok {
			return fmt.Errorf("booking %d is lost", e.ID)
		}
		err := e.agrees(k)
		if err != nil {
			return err
		}
	}
	if b.series.last != w.o.lastSeries || b.series.all.Len() != len(w.o.series) {
		return fmt.Errorf("%d series of %d, and not %d of %d", b.series.all.Len(), b.series.last, len(w.o.series), w.o.lastSeries)
	}
	for _, s := range w.d.AllSeries() {
		if w.o.series[s.ID] == nil || !reflect.DeepEqual(s, w.o.series[s.ID].Series) {
			return fmt.Errorf("series %+v, and not %+v", s, w.o.series[s.ID])
		}
		byKey, err := w.d.SeriesByKey(s.Key)
		if s.Key != "" && (err != nil || byKey.ID != s.ID) {
			return fmt.Errorf("key %q leads to series %d, and not to %d: %v", s.Key, byKey.ID, s.ID, err)
		}
	}
	for key, id := range w.o.keys {
		at, _ := b.keys.Get(key)
		if at != id {
			return fmt.Errorf("key %q leads to %d, and not to %d", key, at, id)
		}
	}
	return w.auditUnits()
}

// auditUnits compares the units of pools that are free at each tick.
func (w *world) auditUnits() error {
	for name, x := range w.o.boards {
		if x.units == 0 {
			continue
		}
		s := w.d.b.schedules[w.d.b.names[name]]
		for t := w.o.now; t < min(w.o.now+40, s.Frame().Horizon); t++ {
			a, err := s.Keeper().RangeQuery(bookahead.Interval{Start: t, End: t + 1})
			if err != nil || a.Free != x.units-x.at(t)[0] {
				return fmt.Errorf("%q has %d free at %d, and not %d of %d (%v)", name, a.Free, t, x.units-x.at(t)[0], x.units, err)
			}
		}
	}
	return nil
}

// alike compares two states of a desk to the last byte.
func alike(a, b *books) error {
	if a.now != b.now || a.last != b.last || a.entries != b.entries || a.events != b.events || a.lastOutage != b.lastOutage {
		return fmt.Errorf("clock and numbers %v, and not %v", []any{b.now, b.last, b.entries, b.events, b.lastOutage},
			[]any{a.now, a.last, a.entries, a.events, a.lastOutage})
	}
	if !reflect.DeepEqual(a.names, b.names) || len(a.schedules) != len(b.schedules) {
		return fmt.Errorf("schedules %v, and not %v", b.names, a.names)
	}
	was, is := maps.Collect(a.all.All(a.now)), maps.Collect(b.all.All(b.now))
	for id, k := range was {
		if k.Booking != is[id].Booking && !reflect.DeepEqual(k, is[id]) {
			return fmt.Errorf("booking %+v, and not %+v", is[id].Booking, k.Booking)
		}
	}
	if len(was) != len(is) || a.keys.Len() != b.keys.Len() || a.owners.Len() != b.owners.Len() || a.agenda.Len() != b.agenda.Len() ||
		!slices.Equal(a.waiting, b.waiting) || a.series.all.Len() != b.series.all.Len() || a.series.last != b.series.last {
		return fmt.Errorf("%d bookings, and not %d; or other keys, owners or dates", len(is), len(was))
	}
	if !reflect.DeepEqual(maps.Collect(a.series.all.All(a.now)), maps.Collect(b.series.all.All(b.now))) {
		return errors.New("the series differ")
	}
	for i, s := range a.schedules {
		x, err := s.bytes()
		if err != nil {
			return err
		}
		y, err := b.schedules[i].bytes()
		if err != nil {
			return err
		}
		always := bookahead.Interval{Start: 0, End: bookahead.MaxTime}
		same := slices.Equal(slices.Collect(s.calendar.Overlapping(always)), slices.Collect(b.schedules[i].calendar.Overlapping(always)))
		same = same && reflect.DeepEqual(s.terms, b.schedules[i].terms)
		if !same || !bytes.Equal(x, y) || !slices.Equal(s.Tails, b.schedules[i].Tails) {
			return fmt.Errorf("schedule %q differs", s.name)
		}
	}
	return nil
}

// bytes returns a schedule as it is written; nil for a broker.
func (s *schedule) bytes() ([]byte, error) {
	if s.of != nil {
		return nil, nil
	}
	return s.MarshalBinary()
}

// open starts a world with the schedules that are drawn.
func open(t require.TestingT, d *drawer, do doer) *world {
	c := Config{Keep: bookahead.Duration(pick(d, 0, 5, 30)), Origin: bookahead.Time(pick(d, 0, 0, 7))}
	w, err := newWorld(c, do)
	require.NoError(t, err)
	d.o = w.o
	for _, c := range d.schedules() {
		require.NoError(t, w.run(c, true))
	}
	return w
}
