package grid

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// Frame implements bookahead.Keeper by that of the pool. O(1).
func (b *Binder) Frame() bookahead.Frame { return b.pool.Frame() }

// Reservations implements bookahead.Keeper by that of the pool. The reservations name no servers;
// Servers and Running do.
func (b *Binder) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return b.pool.Reservations(w)
}

// Reservation implements bookahead.Keeper by that of the pool. The reservation names no servers;
// Servers does.
func (b *Binder) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return b.pool.Reservation(id)
}

// Clone implements bookahead.Cloner: the pool is cloned too. It returns nil if the pool cannot be
// cloned. It takes a Clone of the pool, and O(N/64 + n log n) for N servers and n reservations.
func (b *Binder) Clone() bookahead.Schedule {
	pool, ok := bookahead.Clone(b.pool)
	if !ok {
		return nil
	}
	c := newBinderOf(pool)
	c.free = b.free.clone()
	c.booked = maps.Clone(b.booked) // slices of servers are shared: they are replaced, and never changed
	for id, res := range c.booked {
		if res.Servers == nil {
			c.waiting.ReplaceOrInsert(event{res.Start, id})
		} else {
			c.running.ReplaceOrInsert(event{res.End, id})
		}
	}
	return c
}

// Verify checks that each running reservation has as many servers as units, that no two run on one
// server, and that no other server is bound. It checks that the pool has the same reservations, and
// passes its own Verify, if it has one. O(n log n) for n reservations, and a Verify of the pool.
func (b *Binder) Verify() error {
	free := allFree(uint(b.servers))
	for _, id := range slices.Sorted(maps.Keys(b.booked)) {
		res := b.booked[id]
		_, waits := b.waiting.Get(event{res.Start, id})
		_, runs := b.running.Get(event{res.End, id})
		if waits == runs || runs != (res.Start <= b.now) || res.End <= b.now || res.ID != id {
			return fmt.Errorf("grid: at %d, %v waits: %t, runs: %t", b.now, res, waits, runs)
		}
		has := int64(len(res.Servers))
		if runs && has != res.Units || waits && res.Servers != nil {
			return fmt.Errorf("grid: %v has %d servers", res, has)
		}
		own, err := b.pool.Reservation(id)
		if err != nil || own.Interval != res.Interval || own.Units != res.Units {
			return fmt.Errorf("grid: %v is %v in the pool, %v: others may have changed it", res, own, err)
		}
		for _, k := range res.Servers {
			if !free.has(k) {
				return fmt.Errorf("grid: server %d of %v is taken twice", k, res)
			}
			free.remove(k)
		}
	}
	if !free.equal(b.free) || b.waiting.Len()+b.running.Len() != len(b.booked) {
		return fmt.Errorf("grid: free are %v, not %v; %d wait, %d run, of %d",
			slices.Collect(b.free.lowest), slices.Collect(free.lowest), b.waiting.Len(), b.running.Len(), len(b.booked))
	}
	return verify(b.pool)
}

func (b *Binder) members() []bookahead.Schedule { return []bookahead.Schedule{b.pool} }
