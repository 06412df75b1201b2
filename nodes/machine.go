package nodes

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Machine books tasks on nodes. It is not safe for concurrent writes; any number of queries may run
// at once.
type Machine struct {
	bounds  limits.Limits
	*layout // replaced as a whole when nodes are added
	policy  Policy
	index   *index
	booked  books
	closed  closed
}

// New returns a machine on which nothing is booked. The error wraps bookahead.ErrInvalid. O(n) for n
// nodes, and their groups and sets.
func New(c Config) (*Machine, error) {
	l, err := limits.New(1, c.Origin, c.Horizon) // for its times
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return nil, err
	}
	m := &Machine{bounds: l, layout: newLayout(c), policy: c.Policy}
	m.booked.wide, m.closed.born = m.wide, len(c.Nodes)
	m.index = newIndex(l.Now, m.layout)
	return m, nil
}

// Search returns the earliest place for r, and books nothing. It is a query. The error is
// bookahead.ErrUnavailable if there is none between now and the horizon, or wraps
// bookahead.ErrInvalid. O(n log n + s) for n nodes that r allows, and s steps of theirs up to the
// end of the place; with a Head and Together, O(n²) besides.
func (m *Machine) Search(r Request) (Offer, error) {
	b, err := m.search(r)
	if err != nil {
		return Offer{}, err
	}
	return b.offer(), nil
}

// Reserve books the place that Search would have returned. Errors and costs are those of Search.
func (m *Machine) Reserve(r Request) (Reservation, error) {
	b, err := m.find(r, true)
	if err != nil {
		return Reservation{}, err
	}
	m.take(b, b.Interval, -1)
	return b.reservation(m.booked.add(b, m.bounds.Now)), nil
}

func (m *Machine) search(r Request) (*booking, error) { return m.find(r, false) }

// find returns the place for r. The machine learns from that if nobody reads it meanwhile.
func (m *Machine) find(r Request, learn bool) (*booking, error) {
	s := m.index.begin()
	defer s.done()
	err := m.ask(r, &s.query)
	if err != nil {
		return nil, err
	}
	first, last, err := m.bounds.Starts(r.times())
	if err != nil {
		return nil, err
	}
	t, ok := s.seek(first, last, learn)
	if !ok {
		return nil, bookahead.ErrUnavailable
	}
	return m.place(s, t)
}

// Release cancels a reservation. If it is running, the rest of it, from now on, is given back. The
// error is bookahead.ErrNotFound. O(log n) for n reservations, and O(v) for the v steps of each of
// its nodes.
func (m *Machine) Release(id bookahead.ID) error {
	b, ok := m.booked.remove(id, m.bounds.Now)
	if !ok {
		return bookahead.ErrNotFound
	}
	m.take(b, m.bounds.Ahead(b.Interval), 1)
	return nil
}

// take adds what a booking takes to what is free throughout w, so many times.
func (m *Machine) take(b *booking, w bookahead.Interval, times int64) {
	m.index.change(w, times, b.takes)
}

// Frame returns the limits of the machine. Its servers are the nodes, and its capacity is those that
// are open now. It is a query. O(c log c) for c nodes that are or were closed.
func (m *Machine) Frame() bookahead.Frame {
	n := len(m.given)
	return bookahead.Frame{Now: m.bounds.Now, Horizon: m.bounds.End, Capacity: int64(n - m.closed.count(m.bounds.Now)), Servers: n}
}

// Advance moves the clock to now: the past is forgotten, reservations that have ended are gone, and
// the horizon slides along. The error wraps bookahead.ErrInvalid if that moves the clock back, or
// the horizon beyond the axis. O(1), as a node forgets when it is next booked, but O(log n) for each of
// n reservations that has ended, and O(c) for c closures when one of them has ended.
func (m *Machine) Advance(now bookahead.Time) error {
	err := m.bounds.Advance(now)
	if err != nil {
		return err
	}
	m.index.forget(now)
	m.booked.forget(now)
	m.closed.forget(now)
	return nil
}

// Clone returns a copy that shares nothing that changes. It copies all steps: O(v).
func (m *Machine) Clone() *Machine {
	c := *m
	c.index, c.booked, c.closed = m.index.clone(), m.booked.clone(), m.closed.clone()
	return &c
}
