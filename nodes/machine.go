package nodes

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Machine books tasks on nodes. Any number of queries may run at once; a write may run beside no other
// operation.
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
	l, err := limits.New(1, c.Origin, c.Horizon) // only its times are used, so that any capacity does
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

// Config returns the description of the machine, with the nodes that were added since. Its groups and sets ascend. O(n)
// for n nodes, and their groups and sets.
func (m *Machine) Config() Config { return m.source.clone() }

// Search returns the earliest place for r, or a later one by its Patience, and books nothing. It is a query. The error wraps
// bookahead.ErrUnavailable if there is no place between now and the horizon. ErrNever and ErrClosed say more then, so
// ask by errors.Is and not by ==. Otherwise it wraps bookahead.ErrInvalid.
//
// O(c (r + log c) n/64 + s log v) for n nodes, r resources, the c chunks from the ready time to the place, and the s
// steps that the search reads in these chunks, on nodes of v steps. If there is no place, another O(n + e log e) for
// e closures of nodes tells the errors apart. The package comment says which requests take longer.
func (m *Machine) Search(r Request) (Offer, error) {
	b, err := m.search(r)
	if err != nil {
		return Offer{}, err
	}
	return b.offer(), nil
}

// Reserve books the place that Search would have returned, and remembers where there was no place.
// Errors are those of Search. Costs are those of Search, and O(v + m) for each booked node of v steps if
// the reservation touches m chunks, and O(c) more when one of the c chunks is divided.
func (m *Machine) Reserve(r Request) (Reservation, error) {
	b, err := m.find(r, true)
	if err != nil {
		return Reservation{}, err
	}
	b.terms = m.terms.pack(&r)
	m.take(b, b.Interval, -1)
	return m.reservation(m.booked.add(b, m.bounds.Now), b), nil
}

// Release cancels a reservation. Of a running reservation, the rest from now on is given back. The error
// is bookahead.ErrNotFound, also if the reservation has ended by now. O(log n) for n reservations, O(v + m) for each of its nodes of v steps if the
// reservation touches m chunks, and O(c) for the facts of earlier chunks whose windows may reach it.
func (m *Machine) Release(id bookahead.ID) error {
	b, ok := m.booked.remove(id, m.bounds.Now)
	if !ok {
		return bookahead.ErrNotFound
	}
	m.take(b, m.bounds.Ahead(b.Interval), 1)
	return nil
}

// reservation returns the reservation of a booking, and takes over its slices as offer does.
func (m *Machine) reservation(id bookahead.ID, b *booking) Reservation {
	return Reservation{ID: id, Offer: b.offer(), Each: b.each, HeadTakes: b.headTakes, Terms: m.terms.unpack(b.terms)}
}

// take adds the amounts of a booking to the free amounts throughout w, so many times: -1 books it, and 1
// gives it back.
func (m *Machine) take(b *booking, w bookahead.Interval, times int64) {
	m.index.change(w, times, m.takes(b))
}

// Frame returns the limits of the machine. Its servers are the nodes, and its capacity is the number of
// nodes that are open now. It is a query. O(c log c) for c nodes that are or were closed.
func (m *Machine) Frame() bookahead.Frame {
	n := len(m.given)
	return bookahead.Frame{Now: m.bounds.Now, Horizon: m.bounds.End, Capacity: int64(n - m.closed.count(m.bounds.Now)), Servers: n}
}

// Advance moves the clock to now: the past is forgotten, reservations that have ended are gone, and the
// horizon moves too. The error wraps bookahead.ErrInvalid if the clock would go back, or the horizon
// beyond the axis. A node forgets its past steps only when it is next booked, so that Advance need not
// visit the nodes. It takes O(c) for c chunks when a chunk is over, O(log n) for each of n reservations
// that has ended, and O(k) for k closures when one of them has ended.
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

// Clone returns a copy. Later changes on one side are not seen on the other. O(n + c) for n nodes, c
// chunks and the nodes that are closed: the copy has its own slices of references, and shares steps,
// chunks, facts and reservations. Either side copies a node, or a chunk with its rows, when it first
// writes to it. Clone may run beside queries and other Clones.
func (m *Machine) Clone() *Machine {
	c := *m
	c.index, c.booked, c.closed = m.index.Clone(), m.booked.Clone(), m.closed.Clone()
	return &c
}
