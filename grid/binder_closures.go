package grid

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
	"github.com/bookahead/bookahead/internal/limits"
)

// Close implements bookahead.Closable. It closes servers by index, although requests name no
// servers. The pool has one unit less for each server while it was open before. A running
// reservation stays on a closed server. The error also wraps bookahead.ErrInvalid if the pool is
// no bookahead.Closable. O(s l + c) for s servers with l closures each, and c closures of the pool,
// and a Close and an End of the pool for each stretch of time in which servers close or open.
func (b *Binder) Close(c bookahead.Closure) (bookahead.Closure, error) {
	c, err := closures.Check(c, b.now)
	if err != nil {
		return bookahead.Closure{}, err
	}
	c.Servers, err = checkNamed(c, int(b.servers))
	if err != nil {
		return bookahead.Closure{}, err
	}
	c.Units, c.Added = int64(len(c.Servers)), false
	x := b.copied()
	err = b.change(x, c.Servers, func() error {
		for _, k := range c.Servers {
			x.close(k, c.Interval)
		}
		return nil
	})
	if err != nil {
		return bookahead.Closure{}, err
	}
	b.closed = x
	return x.Add(c), nil
}

// Extend implements bookahead.Closable. The new servers have the next indices, up to 1<<24 servers
// in all. The error also wraps bookahead.ErrInvalid if the pool is no bookahead.Closable. O(N/64)
// for N servers, and an Extend of the pool.
func (b *Binder) Extend(c bookahead.Closure) (bookahead.Closure, error) {
	c, err := closures.Check(c, b.now)
	switch {
	case err != nil:
	case c.Servers != nil:
		err = limits.Invalid("Closure.Servers", c.Servers, "are named, but an extension gets the next ones")
	case c.Units < 1:
		err = limits.Invalid("Closure.Units", c.Units, "is less than 1")
	case c.Units > maxServers-b.servers:
		err = limits.Invalid("Closure.Units", c.Units, fmt.Sprintf("and the %d servers that there are are more than the %d that fit", b.servers, maxServers))
	}
	if err != nil {
		return bookahead.Closure{}, err
	}
	ok := bookahead.Update(b.pool, func(p bookahead.Closable) { _, err = p.Extend(c) })
	if !ok {
		err = b.notClosable()
	}
	if err != nil {
		return bookahead.Closure{}, err
	}
	x := b.copied()
	first := x.add(int(c.Units), c.Interval)
	for k := first; k < x.all; k++ {
		c.Servers = append(c.Servers, k)
	}
	c.Added = true
	b.closed, b.servers = x, int64(x.all)
	b.free = b.free.grown(uint(first), uint(x.all))
	return x.Add(c), nil
}

// End implements bookahead.Closable. Costs are those of Close.
func (b *Binder) End(id bookahead.ClosureID, at bookahead.Time) error {
	if b.closed == nil {
		return bookahead.ErrNotFound
	}
	x := b.copied()
	rank := 0 // of an extension among those that are not over
	for c := range x.All() {
		if c.ID < id && c.Added {
			rank++
		}
	}
	c, gone, err := x.List.End(id, at, b.now)
	if err != nil {
		return err
	}
	if !gone.Empty() {
		err = b.change(x, c.Servers, func() error {
			if c.Added {
				x.retract(c.Servers[0], gone.Start, b.now)
				return b.endExtension(rank, gone.Start)
			}
			for _, k := range c.Servers {
				x.reopen(k, c.Interval, max(at, b.now), b.now)
			}
			return nil
		})
	}
	if err == nil {
		b.closed = x
	}
	return err
}

// Closures implements bookahead.Closable. O(n) for n servers of all closures.
func (b *Binder) Closures() iter.Seq[bookahead.Closure] {
	return func(yield func(bookahead.Closure) bool) {
		if b.closed != nil {
			b.closed.All()(yield)
		}
	}
}

// copied returns a copy of the shutters. A change is made on the copy, which is dropped if the
// change fails.
func (b *Binder) copied() *shutters {
	if b.closed == nil {
		n := int(b.servers)
		return &shutters{given: n, all: n, named: map[int][]bookahead.Interval{}}
	}
	return b.closed.clone()
}

func (b *Binder) notClosable() error {
	return limits.Invalid("pool", fmt.Sprintf("%T", b.pool), "is no bookahead.Closable: its capacity cannot change")
}

// change calls f, which changes the shutters of some servers, and closes and opens the units of the
// pool accordingly.
//
// The pool has one closure for each stretch of time in which servers are closed. Its units are the
// number of servers that are closed for exactly this stretch:
//
//	server 2   ├───────────┤                 pool  ├───────────┤               2 units
//	server 4   ├───────────┤    ├────┤                              ├────┤     1 unit
//
// So the pool has few closures, however many servers a closure names.
func (b *Binder) change(x *shutters, servers []int, f func() error) (err error) {
	delta := map[bookahead.Interval]int64{}
	count := func(by int64) {
		for _, k := range servers {
			for _, w := range x.closedIn(k, b.now) {
				delta[w] += by
			}
		}
	}
	ok := bookahead.View(b.pool, func(bookahead.Closable) {})
	if !ok {
		return b.notClosable()
	}
	count(-1)
	err = f()
	if err != nil {
		return err
	}
	count(+1)
	bookahead.Update(b.pool, func(p bookahead.Closable) { err = b.closeUnits(p, delta) })
	return err
}

// closeUnits changes the number of closed units of the pool in each stretch by delta. It replaces all
// closures of the pool for exactly this stretch by one.
func (b *Binder) closeUnits(p bookahead.Closable, delta map[bookahead.Interval]int64) error {
	now := b.unitsClosed(p)
	for _, w := range slices.SortedFunc(maps.Keys(delta), byTime) {
		if delta[w] == 0 {
			continue
		}
		units := delta[w]
		for _, c := range now[w] {
			units += c.Units
		}
		if units > 0 {
			_, err := p.Close(bookahead.Closure{Interval: w, Units: units})
			if err != nil {
				return fmt.Errorf("grid: pool: %w", err)
			}
		}
		for _, c := range now[w] {
			err := p.End(c.ID, b.now)
			if err != nil {
				return fmt.Errorf("grid: pool: %w", err)
			}
		}
	}
	return nil
}

// unitsClosed returns the closures of the pool by their time from now on.
func (b *Binder) unitsClosed(p bookahead.Closable) map[bookahead.Interval][]bookahead.Closure {
	all := map[bookahead.Interval][]bookahead.Closure{}
	for c := range p.Closures() {
		if c.Added {
			continue
		}
		w := bookahead.Interval{Start: max(c.Start, b.now), End: c.End}
		all[w] = append(all[w], c)
	}
	return all
}

// endExtension ends the extension of the pool that has the given rank among its extensions. The
// Binder has the same extensions in the same order.
func (b *Binder) endExtension(rank int, at bookahead.Time) (err error) {
	bookahead.Update(b.pool, func(p bookahead.Closable) {
		for c := range p.Closures() {
			if !c.Added {
				continue
			}
			if rank == 0 {
				err = p.End(c.ID, at)
				return
			}
			rank--
		}
		err = bookahead.ErrNotFound
	})
	if err != nil {
		return fmt.Errorf("grid: pool: %w", err)
	}
	return nil
}

// checkNamed returns the servers that a closure names, in ascending order. The error wraps
// bookahead.ErrInvalid if the closure names no server, or a server twice, or a server that is not one of
// n, or if its Units are not the number of its servers.
func checkNamed(c bookahead.Closure, n int) ([]int, error) {
	switch count := int64(len(c.Servers)); {
	case count == 0:
		return nil, limits.Invalid("Closure.Servers", c.Servers, "names none")
	case c.Units != 0 && c.Units != count:
		return nil, limits.Invalid("Closure.Units", c.Units, fmt.Sprintf("is not the number of servers, %d", count))
	}
	list := slices.Sorted(slices.Values(c.Servers))
	for i, k := range list {
		switch {
		case k < 0:
			return nil, limits.Invalid("Closure.Servers", k, "is negative")
		case k >= n:
			return nil, limits.Invalid("Closure.Servers", k, fmt.Sprintf("is not below the %d servers that there are", n))
		case i > 0 && k == list[i-1]:
			return nil, limits.Invalid("Closure.Servers", k, "is named twice")
		}
	}
	return list, nil
}
