package grid

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Binder is a pool that knows, of each reservation that has started, which
// servers it runs on. They are chosen at its start, those with the lowest index
// that are free then, and stay the same to its end. That there are enough is
// Proposition 1 of Kurowski et al. (§3.2).
//
// Offers and reservations name no servers; Servers and Running do.
type Binder struct {
	pool    bookahead.Schedule
	now     bookahead.Time
	servers int64 // how many there are
	free    freeSet
	booked  map[bookahead.ID]bookahead.Reservation // with servers, once it runs
	waiting *btree.BTreeG[event]                   // starts that are to come
	running *btree.BTreeG[event]                   // ends of those that have started
}

var (
	_ bookahead.Schedule = (*Binder)(nil)
	_ bookahead.Offerer  = (*Binder)(nil)
)

// event is the start or the end of a reservation.
type event struct {
	bookahead.Time
	id bookahead.ID
}

func earlier(a, b event) bool { return a.Time < b.Time || a.Time == b.Time && a.id < b.id }

// maxServers bounds the memory of a Binder to 2 MB, and what it holds for the
// reservations.
const maxServers = 1 << 24

// NewBinder returns a binder of as many servers as the pool has units. The pool
// must be empty, no Broker, Desk or Binder, and is used through the binder alone from
// then on. The error wraps bookahead.ErrInvalid. A RangeQuery, two Searches at most, and O(N/64) for N servers.
func NewBinder(pool bookahead.Schedule) (*Binder, error) {
	if err := limits.CheckNil("pool", pool); err != nil {
		return nil, err
	}
	if err := checkPlain(pool); err != nil {
		return nil, err
	}
	all, err := pool.RangeQuery(bookahead.Interval{Start: 0, End: bookahead.MaxTime})
	if err != nil {
		return nil, err
	}
	if all.Servers != nil {
		return nil, limits.Invalid("pool", fmt.Sprintf("%T", pool), "has servers already")
	}
	frame := bookahead.Block{Units: all.Free}
	f, tells := pool.(bookahead.Framer)
	if tells {
		frame = f.Frame()
	}
	if frame.Units < 1 || frame.Units > maxServers {
		return nil, limits.Invalid("pool", frame.Units, fmt.Sprintf("units are free, not 1 to %d", maxServers))
	}
	if !tells {
		return interrogated(pool, all.Free)
	}
	if all.Free < frame.Units && !frame.Empty() {
		return nil, limits.Invalid("pool", fmt.Sprintf("%T", pool), "is not empty")
	}
	return newBinderOf(pool, frame), nil
}

// checkPlain returns an error that wraps bookahead.ErrInvalid if there is more to a pool
// than units, of which any will do: the providers of a Broker have units of their own,
// the holds of a Desk expire, and a Binder has servers.
func checkPlain(pool bookahead.Schedule) error {
	for _, s := range sources(pool) {
		switch s.(type) {
		case *Broker, *Desk, *Binder:
			return limits.Invalid("pool", fmt.Sprintf("%T", pool), fmt.Sprintf("books on a %T: the units of a Binder must be those of one pool", s))
		}
	}
	return nil
}

// interrogated returns the binder of a pool that does not tell its frame, and has so
// many units free throughout. Only if nothing is booked is one unit more than the
// capacity.
func interrogated(pool bookahead.Schedule, units int64) (*Binder, error) {
	if _, err := pool.Search(bookahead.Request{Duration: 1, Units: units + 1}); !errors.Is(err, bookahead.ErrInvalid) {
		return nil, limits.Invalid("pool", fmt.Sprintf("%T", pool), "is not empty")
	}
	o, err := pool.Search(bookahead.Request{Duration: 1, Units: units})
	if err != nil {
		return nil, err
	}
	return newBinderOf(pool, bookahead.Block{Interval: o.Interval, Units: units}), nil // all can start now
}

// newBinderOf returns a binder that has bound nothing, of a pool with so many units
// from the start of the frame on.
func newBinderOf(pool bookahead.Schedule, frame bookahead.Block) *Binder {
	return &Binder{
		pool:    pool,
		now:     frame.Start,
		servers: frame.Units,
		free:    allFree(uint(frame.Units)),
		booked:  map[bookahead.ID]bookahead.Reservation{},
		waiting: btree.NewG(32, earlier),
		running: btree.NewG(32, earlier),
	}
}

// Search implements bookahead.Schedule, as the pool does.
func (b *Binder) Search(r bookahead.Request) (bookahead.Offer, error) { return b.pool.Search(r) }

// Offers implements bookahead.Offerer, as the pool does.
func (b *Binder) Offers(r bookahead.Request) iter.Seq[bookahead.Offer] {
	return bookahead.Offers(b.pool, r)
}

// RangeQuery implements bookahead.Schedule, as the pool does.
func (b *Binder) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	return b.pool.RangeQuery(w)
}

// Reserve implements bookahead.Schedule. What starts at once is bound at once.
// It takes what the pool takes, and O(log n) for n reservations.
func (b *Binder) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	res, err := b.pool.Reserve(r)
	if err != nil {
		return res, err
	}
	b.enter(res, nil)
	return res, nil
}

// enter lets a reservation wait, or binds it if it starts at once.
func (b *Binder) enter(res bookahead.Reservation, keep []int) {
	b.booked[res.ID] = res
	b.waiting.ReplaceOrInsert(event{res.Start, res.ID})
	if res.Start <= b.now {
		b.bind(res.ID, keep)
	}
}

// Release implements bookahead.Schedule. The servers of a running reservation
// are free from now on. It takes what the pool takes, and O(log n + u) for n
// reservations and u servers.
func (b *Binder) Release(id bookahead.ID) error {
	if err := b.pool.Release(id); err != nil {
		return err
	}
	b.drop(id)
	return nil
}

// Advance implements bookahead.Schedule. What ends by now gives its servers
// back, and what starts by now is bound, in the order in which that happens,
// ends first and then by ID: how far the clock is moved at a time makes no
// difference. It takes what the pool takes, and O(log n + u) for each start and
// end of u servers.
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

// end drops what has ended by now.
func (b *Binder) end(now bookahead.Time) {
	for e, ok := b.running.Min(); ok && e.Time <= now; e, ok = b.running.Min() {
		b.running.DeleteMin()
		b.drop(e.id)
	}
}

// bind gives a reservation that starts its servers: those to keep first, and then
// the lowest that are free.
func (b *Binder) bind(id bookahead.ID, keep []int) {
	res := b.booked[id]
	keep = keep[:min(int64(len(keep)), res.Units)]
	for _, k := range keep {
		b.free.remove(k)
	}
	res.Servers = append(make([]int, 0, res.Units), keep...)
	for k := range b.free.lowest {
		if int64(len(res.Servers)) == res.Units {
			break
		}
		res.Servers = append(res.Servers, k)
	}
	if int64(len(res.Servers)) < res.Units {
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

// drop forgets a reservation, and frees its servers.
func (b *Binder) drop(id bookahead.ID) {
	res := b.booked[id]
	delete(b.booked, id)
	b.waiting.Delete(event{res.Start, id})
	b.running.Delete(event{res.End, id})
	for _, k := range res.Servers {
		b.free.add(k)
	}
}

// Pool returns the pool, for queries that it can answer and the binder cannot,
// such as Blocks. What writes must go through the binder.
func (b *Binder) Pool() bookahead.Schedule { return b.pool }

// Servers returns the servers on which a reservation runs, in ascending order, and nil
// if it has not started. It returns bookahead.ErrNotFound if the ID is not booked, or
// its reservation has ended. O(u) for u servers.
func (b *Binder) Servers(id bookahead.ID) ([]int, error) {
	res, ok := b.booked[id]
	if !ok {
		return nil, bookahead.ErrNotFound
	}
	return slices.Clone(res.Servers), nil
}

// Running yields the reservations that have started and not ended, with their
// servers, by ID. O(n log n) for n of them. Nothing may be written meanwhile.
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
