package nodes

import (
	"iter"
	"slices"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// booker is a machine under test. The tests drive it through an interface, so that a machine with a
// fault can stand in for a real one.
type booker interface {
	Search(Request) (Offer, error)
	Reserve(Request) (Reservation, error)
	Release(bookahead.ID) error
	SearchFor(bookahead.ID, Request) (Offer, error)
	Rebook(bookahead.ID, Request) (Reservation, error)
	ReserveOffer(o Offer, r Request) (Reservation, error)
	RebookOffer(id bookahead.ID, o Offer, r Request) (Reservation, error)
	Swap(id bookahead.ID, node int) (Reservation, error)
	Reservation(bookahead.ID) (Reservation, error)
	ReservationsOn(bookahead.Interval, []int) iter.Seq[Reservation]
	Advance(bookahead.Time) error
	Close(bookahead.Closure) (bookahead.Closure, error)
	EndClosure(bookahead.ClosureID, bookahead.Time) error
	Closures() iter.Seq[bookahead.Closure]
	Extend(bookahead.Closure, []Added) (bookahead.Closure, error)
	Overbooked(bookahead.Interval) iter.Seq[bookahead.Overbooking]
	Displace(Force) (Displacement, error)
	Frame() bookahead.Frame
	Idle(node int, each Vector, w bookahead.Interval) iter.Seq[bookahead.Interval]
	Openings(Request) iter.Seq[bookahead.Interval]
	SearchLatest(Request) (Offer, error)
	Free(node int, w bookahead.Interval) iter.Seq2[bookahead.Interval, Vector]
	Starting(bookahead.Interval) iter.Seq[Reservation]
	Ending(bookahead.Interval) iter.Seq[Reservation]
	Explain(Request) (Explanation, error)
	Verify() error

	// copied is Clone.
	copied() booker
	// room is Tasks, and a RangeQuery of the view.
	room(each Vector, perNode int64, w bookahead.Interval) (bookahead.Availability, error)
	// limits is Tasks, and the Frame of the view.
	limits(each Vector, perNode int64) (bookahead.Frame, error)
	// reread writes the machine, and reads it into another. The seed says how bytes are spoilt that
	// are read besides.
	reread(t require.TestingT, seed uint64) booker
}

// real is a Machine whose chunks are divided when more than limit steps begin inside: as small as the
// machines of tests are, they would have one chunk.
type real struct {
	*Machine
	limit int
}

func newRealOf(m *Machine, limit int) real {
	if m != nil {
		m.index.limit, m.index.reads, m.index.perBlock, m.index.crowd = limit, 1+limit, 1+limit%9, 8*(limit%2)
	}
	return real{m, limit}
}

func (x real) copied() booker { return real{x.Clone(), x.limit} }

func (x real) Extend(c bookahead.Closure, more []Added) (bookahead.Closure, error) {
	c, err := x.Machine.Extend(c, more)
	newRealOf(x.Machine, x.limit)
	return c, err
}

func (x real) room(each Vector, perNode int64, w bookahead.Interval) (bookahead.Availability, error) {
	v, err := x.Tasks(each, perNode)
	if err != nil {
		return bookahead.Availability{}, err
	}
	return v.RangeQuery(w)
}

func (x real) limits(each Vector, perNode int64) (bookahead.Frame, error) {
	v, err := x.Tasks(each, perNode)
	if err != nil {
		return bookahead.Frame{}, err
	}
	return v.Frame(), nil
}

func (x real) reread(t require.TestingT, seed uint64) booker {
	data, err := x.MarshalBinary()
	require.NoError(t, err)
	read := &Machine{policy: x.policy}
	require.NoError(t, read.UnmarshalBinary(data))
	again, err := read.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, data, again)

	spoilt := snapshot.Spoil(data, seed)
	other := &Machine{policy: x.policy}
	err = other.UnmarshalBinary(spoilt)
	if err != nil {
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.Nil(t, other.layout, "it is as it was")
		return newRealOf(read, x.limit)
	}
	require.NoError(t, other.Verify())
	again, err = other.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, spoilt, again)
	use(t, other)
	return newRealOf(read, x.limit)
}

// ideal is an oracle that stands in for a Machine. A fault can spoil its cells and leave no trace in
// its lists. In a real Machine, Verify would find such a fault.
type ideal struct{ *oracle }

func newIdeal(c Config, deal string) *ideal { return &ideal{newOracle(c, deal)} }

func (x *ideal) Search(r Request) (Offer, error)        { return x.search(r, 0) }
func (x *ideal) Reserve(r Request) (Reservation, error) { return x.reserve(r) }
func (x *ideal) Advance(now bookahead.Time) error       { return x.advance(now) }
func (x *ideal) Displace(f Force) (Displacement, error) { return x.displace(f.filled(x.oracle)) }
func (x *ideal) Frame() bookahead.Frame                 { return x.frame() }
func (x *ideal) Verify() error                          { return nil }
func (x *ideal) copied() booker                         { return &ideal{x.clone()} }
func (x *ideal) reread(require.TestingT, uint64) booker { return &ideal{x.clone()} }
func (x *ideal) Closures() iter.Seq[bookahead.Closure] {
	return slices.Values(slices.Clone(x.closures))
}
func (x *ideal) Close(c bookahead.Closure) (bookahead.Closure, error) { return x.close(c) }

func (x *ideal) Release(id bookahead.ID) error {
	if !x.drop(id) {
		return bookahead.ErrNotFound
	}
	return nil
}

func (x *ideal) SearchFor(id bookahead.ID, r Request) (Offer, error) { return x.searchFor(id, r) }

func (x *ideal) Rebook(id bookahead.ID, r Request) (Reservation, error) { return x.rebook(id, r) }

func (x *ideal) Swap(id bookahead.ID, node int) (Reservation, error) { return x.swap(id, node) }

func (x *ideal) ReserveOffer(o Offer, r Request) (Reservation, error) {
	return x.reserveOffer(o, r)
}

func (x *ideal) RebookOffer(id bookahead.ID, o Offer, r Request) (Reservation, error) {
	return x.rebookOffer(id, o, r)
}

func (x *ideal) Reservation(id bookahead.ID) (Reservation, error) {
	res, ok := x.live[id]
	if !ok {
		return Reservation{}, bookahead.ErrNotFound
	}
	return res, nil
}

func (x *ideal) ReservationsOn(w bookahead.Interval, nodes []int) iter.Seq[Reservation] {
	return slices.Values(x.on(w, nodes))
}

func (x *ideal) EndClosure(id bookahead.ClosureID, at bookahead.Time) error {
	return x.endClosure(id, at)
}

func (x *ideal) Extend(c bookahead.Closure, more []Added) (bookahead.Closure, error) {
	return x.extend(c, more)
}

func (x *ideal) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	return slices.Values(x.overbooked(w))
}

func (x *ideal) room(each Vector, perNode int64, w bookahead.Interval) (bookahead.Availability, error) {
	return x.free(each, perNode, w)
}

func (x *ideal) limits(each Vector, perNode int64) (bookahead.Frame, error) {
	return x.frameOfTasks(each, perNode)
}

func (x *ideal) Idle(node int, each Vector, w bookahead.Interval) iter.Seq[bookahead.Interval] {
	return slices.Values(x.idle(node, each, w))
}

func (x *ideal) Openings(r Request) iter.Seq[bookahead.Interval] { return slices.Values(x.openings(r)) }
func (x *ideal) SearchLatest(r Request) (Offer, error)           { return x.searchLatest(r) }
func (x *ideal) Explain(r Request) (Explanation, error)          { return x.explain(r) }

func (x *ideal) Free(node int, w bookahead.Interval) iter.Seq2[bookahead.Interval, Vector] {
	return func(yield func(bookahead.Interval, Vector) bool) {
		for _, s := range x.freeOn(node, w) {
			if !yield(s.Interval, s.free) {
				return
			}
		}
	}
}

func (x *ideal) Starting(w bookahead.Interval) iter.Seq[Reservation] {
	return slices.Values(x.starting(w))
}
func (x *ideal) Ending(w bookahead.Interval) iter.Seq[Reservation] { return slices.Values(x.ending(w)) }

// stretches collects what Free yields.
func stretches(m booker, node int, w bookahead.Interval) (list []stretch) {
	for at, free := range m.Free(node, w) {
		list = append(list, stretch{at, free})
	}
	return list
}

// free adds up the tasks that fit on the nodes throughout a window, from now to the horizon.
func (o *oracle) free(each Vector, perNode int64, w bookahead.Interval) (bookahead.Availability, error) {
	if w.Empty() || !o.valid(Request{Duration: 1, Tasks: 1, Each: each, PerNode: perNode}) {
		return bookahead.Availability{}, bookahead.ErrInvalid
	}
	a := bookahead.Availability{Window: bookahead.Interval{Start: max(w.Start, o.now), End: min(w.End, o.end())}}
	if a.Window.Empty() {
		return bookahead.Availability{}, nil
	}
	for k := range o.c.Nodes {
		a.Free += Request{Each: each, PerNode: perNode}.fit(o.least(k, a.Window, Reservation{}))
	}
	return a, nil
}

// filled writes out the functions that a Force leaves nil.
func (f Force) filled(o *oracle) Force {
	if f.Order == nil {
		f.Order = func(a, b Reservation) int { return 0 }
	}
	if f.Spare == nil {
		f.Spare = func(Reservation) bool { return false }
	}
	if f.Again == nil {
		f.Again = func(old Reservation) (Request, bool) { return anew(old, o.now), true }
	}
	return f
}

// anew is the request by which Displace places a reservation again, as Force.Again says: on the terms on which
// the oracle has booked it.
func anew(old Reservation, now bookahead.Time) Request {
	start := max(old.Start, now)
	r := Request{Ready: start, Duration: bookahead.Duration(old.End - start), Each: old.Each, Head: old.HeadTakes}
	for _, s := range old.Tasks {
		r.Tasks += s.Tasks
	}
	t := old.Terms
	if t != nil {
		r.PerNode, r.Nodes, r.Set, r.Except, r.Within, r.Together = t.PerNode, t.Nodes, t.Set, t.Except, t.Within, t.Together
		r.Exclusive, r.Bundle, r.Bundled = t.Exclusive, t.Bundle, t.Bundled
	}
	return r
}

// assertEqual is require.Equal without a message, which costs more than most operations.
func assertEqual(want, got any) bool { return assert.ObjectsAreEqual(want, got) }

// closuresNow returns the closures that are not over, nil if there are none.
func (o *oracle) closuresNow() []bookahead.Closure {
	return append([]bookahead.Closure(nil), o.closures...)
}
