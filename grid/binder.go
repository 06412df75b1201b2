package grid

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/google/btree"
)

// Binder is a pool that chooses the servers of each reservation when the reservation
// starts: the free servers of lowest index. A reservation keeps its servers to its end.
// By Proposition 1 of Kurowski et al. (§3.2) there are always enough free servers.
//
// Offers and reservations name no servers; Servers and Running do. A running reservation changes
// servers only if it is rebooked.
//
// The Proposition needs units that may lie on any servers, and servers that are all alike. Servers
// that close are not alike: the pool may have a unit at each tick, and yet no server is open throughout
// a reservation. So the servers of a Binder never close; those of an idletree.Tree and the nodes of a
// nodes.Machine do.
//
// A Binder is right for one kind of unit: cores on which nothing else is booked, or nodes that are
// always booked as a whole. It is not enough where a task takes several resources of one node, is given
// its node when it is booked, or must lie in one rack with others. In a measurement, two pools booked
// jobs, one pool of GPUs and one of cores, and the jobs got their nodes at the start. At a load of 70 %
// on 100 nodes, 6.8 % of the jobs for a part of a node and 15 % of the jobs for whole nodes found too
// few nodes. Package nodes has the figures, and BenchmarkPools there prints them.
type Binder struct {
	pool    bookahead.Keeper
	now     bookahead.Time
	servers int64
	free    freeSet
	booked  map[bookahead.ID]bookahead.Reservation // a running reservation has its servers
	waiting *btree.BTreeG[event]                   // the starts to come
	running *btree.BTreeG[event]                   // the ends of running reservations
}

var _ interface {
	bookahead.Keeper
	bookahead.Opener
	bookahead.LatestSearcher
	bookahead.Cloner
	bookahead.Snapshotter
} = (*Binder)(nil)

// maxServers bounds the memory of a Binder to 2 MB, besides the memory for its
// reservations.
const maxServers = 1 << 24

// NewBinder returns a binder of as many servers as the pool has units. Reservations that the
// pool holds already are bound as if they had just been made, by start, then by ID. The pool
// must not be a Broker or a Binder, and must be used only through the binder from then on. It
// must have no closures or extensions, then or later, because nobody knows on which servers. The error wraps
// bookahead.ErrInvalid. O(N/64 + n log n) for N servers and n reservations.
func NewBinder(pool bookahead.Keeper) (*Binder, error) {
	if err := limits.CheckNil("pool", pool); err != nil {
		return nil, err
	}
	for _, s := range sources(pool) {
		if _, ok := s.(composite); ok {
			return nil, limits.Invalid("pool", fmt.Sprintf("%T", pool), fmt.Sprintf("books on a %T: the units of a Binder must be those of one pool", s))
		}
	}
	frame := pool.Frame()
	if changes(pool) {
		return nil, limits.Invalid("pool", fmt.Sprintf("%T", pool), "has closures or extensions, but their servers are unknown")
	}
	if frame.Servers > 0 {
		return nil, limits.Invalid("pool", fmt.Sprintf("%T", pool), "has servers already")
	}
	if frame.Capacity > maxServers {
		return nil, limits.Invalid("pool", frame.Capacity, fmt.Sprintf("units are more than the %d servers that fit", maxServers))
	}
	b := newBinderOf(pool)
	for res := range pool.Reservations(frame.Window()) {
		b.enter(res, nil)
	}
	return b, nil
}

// changes reports whether a pool has closures or extensions, or is overbooked since one.
func changes(pool bookahead.Keeper) (found bool) {
	bookahead.View(pool, func(p bookahead.Closable) {
		for range p.Closures() {
			found = true
		}
		for range p.Overbooked(bookahead.Interval{End: bookahead.MaxTime}) {
			found = true
		}
	})
	return found
}

// newBinderOf returns a binder of a pool, without reservations.
func newBinderOf(pool bookahead.Keeper) *Binder {
	frame := pool.Frame()
	return &Binder{
		pool:    pool,
		now:     frame.Now,
		servers: frame.Capacity,
		free:    allFree(uint(frame.Capacity)),
		booked:  map[bookahead.ID]bookahead.Reservation{},
		waiting: btree.NewG(32, earlier),
		running: btree.NewG(32, earlier),
	}
}

// Search implements bookahead.Schedule by the Search of the pool.
func (b *Binder) Search(r bookahead.Request) (bookahead.Offer, error) { return b.pool.Search(r) }

// SearchLatest implements bookahead.LatestSearcher by that of the pool.
func (b *Binder) SearchLatest(r bookahead.Request) (bookahead.Offer, error) {
	return bookahead.SearchLatest(b.pool, r)
}

// Openings implements bookahead.Opener by that of the pool.
func (b *Binder) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] {
	return bookahead.Openings(b.pool, r)
}

// SearchFor implements bookahead.Keeper by that of the pool.
func (b *Binder) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	return b.pool.SearchFor(id, r)
}

// Rebook implements bookahead.Keeper by that of the pool. A running reservation stays on its
// servers. If it needs fewer, it gives back the highest; if it needs more, it also gets the lowest
// free servers. It takes a Rebook of the pool, and O(log n + u log u) for n reservations and u servers.
func (b *Binder) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	res, err := b.pool.Rebook(id, r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	keep := b.booked[id].Servers
	b.drop(id)
	b.enter(res, keep)
	return res, nil
}

// RangeQuery implements bookahead.Schedule by that of the pool.
func (b *Binder) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	return b.pool.RangeQuery(w)
}

// Reserve implements bookahead.Schedule. A reservation that starts now is bound now. It
// takes a Reserve of the pool, and O(log n) for n reservations.
func (b *Binder) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	res, err := b.pool.Reserve(r)
	if err != nil {
		return res, err
	}
	b.enter(res, nil)
	return res, nil
}

// enter lets a reservation wait, or binds it if it has started. A rebooked reservation keeps
// servers of its own.
func (b *Binder) enter(res bookahead.Reservation, keep []int) {
	b.booked[res.ID] = res
	b.waiting.ReplaceOrInsert(event{res.Start, res.ID})
	if res.Start <= b.now {
		b.bind(res.ID, keep)
	}
}

// Release implements bookahead.Schedule. The servers of a running reservation are free
// from now on. It takes a Release of the pool, and O(log n + u) for n reservations and u
// servers.
func (b *Binder) Release(id bookahead.ID) error {
	if err := b.pool.Release(id); err != nil {
		return err
	}
	b.drop(id)
	return nil
}

// Advance implements bookahead.Schedule. Reservations that end by now give their servers
// back, and reservations that start by now are bound: in the order of time, ends before
// starts, and then by ID. So one long step of the clock leads to the same servers as many
// short steps. It takes an Advance of the pool, and O(log n + u) for each start and end of
// u servers.
func (b *Binder) Advance(now bookahead.Time) error {
	if err := b.pool.Advance(now); err != nil {
		return err
	}
	b.now = now
	for {
		start, ok := b.waiting.Min()
		if !ok || start.Time > now {
			break
		}
		b.waiting.DeleteMin()
		b.end(start.Time)
		b.bind(start.id, nil)
	}
	b.end(now)
	return nil
}

// end drops the reservations that have ended by now.
func (b *Binder) end(now bookahead.Time) {
	for {
		e, ok := b.running.Min()
		if !ok || e.Time > now {
			return
		}
		b.running.DeleteMin()
		b.drop(e.id)
	}
}

// bind gives a reservation that starts, or is rebooked, its servers: first the lowest of the servers that
// it keeps, which ascend, and then the lowest free servers.
func (b *Binder) bind(id bookahead.ID, keep []int) {
	res := b.booked[id]
	n := int(res.Units)
	res.Servers = append(make([]int, 0, n), keep[:min(n, len(keep))]...)
	for _, k := range res.Servers {
		b.free.remove(k)
	}
	for k := range b.free.lowest {
		if len(res.Servers) == n {
			break
		}
		res.Servers = append(res.Servers, k)
	}
	if len(res.Servers) < n {
		panic(fmt.Sprintf("grid: %v starts and only %d servers are free: the pool has been used elsewhere", res, len(res.Servers)))
	}
	for _, k := range res.Servers {
		b.free.remove(k)
	}
	slices.Sort(res.Servers)
	b.booked[id] = res
	b.waiting.Delete(event{res.Start, id})
	b.running.ReplaceOrInsert(event{res.End, id})
}

// drop takes a reservation out of the books, and frees its servers.
func (b *Binder) drop(id bookahead.ID) {
	res := b.booked[id]
	delete(b.booked, id)
	b.waiting.Delete(event{res.Start, id})
	b.running.Delete(event{res.End, id})
	for _, k := range res.Servers {
		b.free.add(k)
	}
}

// Servers returns the servers on which a reservation runs, in ascending order; nil if the
// reservation has not started. It returns bookahead.ErrNotFound if the ID is not booked, or
// its reservation has ended. O(u) for u servers.
func (b *Binder) Servers(id bookahead.ID) ([]int, error) {
	res, ok := b.booked[id]
	if !ok {
		return nil, bookahead.ErrNotFound
	}
	return slices.Clone(res.Servers), nil
}

// Running yields the running reservations with their servers, by ID. Nothing may be
// written meanwhile. O(n log n) for n running reservations.
func (b *Binder) Running() iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		var list []bookahead.Reservation
		b.running.Ascend(func(e event) bool {
			res := b.booked[e.id]
			res.Servers = slices.Clone(res.Servers)
			list = append(list, res)
			return true
		})
		slices.SortFunc(list, func(x, y bookahead.Reservation) int { return cmp.Compare(x.ID, y.ID) })
		for _, res := range list {
			if !yield(res) {
				return
			}
		}
	}
}
