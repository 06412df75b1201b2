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
// bookahead.ErrUnavailable if there is none between now and the horizon, or wraps bookahead.ErrInvalid.
// O(c (r + log c) n/64 + s log v) for n nodes, the c chunks from the ready time to the place, r
// resources, and the s steps in them of nodes that the chunks leave, which have v steps each. The
// package's comment says what takes longer. With a Head and Together, O(n²) besides.
func (m *Machine) Search(r Request) (Offer, error) {
	b, err := m.search(r)
	if err != nil {
		return Offer{}, err
	}
	return b.offer(), nil
}

// Reserve books the place that Search would have returned, and remembers where there was none. Errors
// are those of Search. Costs are those of Search, and O(v + m) for each node that it books, of v steps,
// if the reservation touches m chunks; O(c) besides where one of the c chunks is divided.
func (m *Machine) Reserve(r Request) (Reservation, error) {
	b, err := m.find(r, true)
	if err != nil {
		return Reservation{}, err
	}
	m.take(b, b.Interval, -1)
	return b.reservation(m.booked.add(b, m.bounds.Now)), nil
}

func (m *Machine) search(r Request) (*booking, error) { return m.find(r, false) }

// find returns the place for r. With learn, which only writers may say, the machine remembers where
// there was none.
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
// error is bookahead.ErrNotFound. O(log n) for n reservations, O(v + m) for each of its nodes, of v steps,
// if it touches m chunks, and O(c) for the facts about starts from which it could be reached.
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
// the horizon beyond the axis. A node forgets its steps when it is next booked. So Advance takes O(c) to
// move c chunks up when one is over, O(log n) for each of n reservations that has ended, and O(k) for k
// closures when one of them has ended.
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

// Clone returns a copy. Neither sees what the other does later. O(n + c) for n nodes, c chunks and
// the nodes that are closed: the copy has slices of references of its own, and shares steps, chunks, facts
// and reservations. Either side copies a node, or a chunk with its rows, when it first writes to it.
// Clones may be made beside queries and other Clones.
func (m *Machine) Clone() *Machine {
	c := *m
	c.index, c.booked, c.closed = m.index.clone(), m.booked.clone(), m.closed.clone()
	return &c
}
