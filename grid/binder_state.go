package grid

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

var (
	_ bookahead.Lister   = (*Binder)(nil)
	_ bookahead.Framer   = (*Binder)(nil)
	_ bookahead.Verifier = (*Binder)(nil)
)

// Frame implements bookahead.Framer, as the pool does. The frame of a pool that does
// not tell its horizon ends with the axis. O(1).
func (b *Binder) Frame() bookahead.Block {
	if f, ok := b.pool.(bookahead.Framer); ok {
		return f.Frame()
	}
	return bookahead.Block{Interval: bookahead.Interval{Start: b.now, End: bookahead.MaxTime}, Units: b.servers}
}

// Reservations implements bookahead.Lister. They name no servers: Servers does, for
// those that run. O(n log n).
func (b *Binder) Reservations() iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		for _, id := range slices.Sorted(maps.Keys(b.booked)) {
			res := b.booked[id]
			res.Servers = nil
			if !yield(res) {
				return
			}
		}
	}
}

// Reservation implements bookahead.Lister. It names no servers: Servers does. O(1).
func (b *Binder) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	res, ok := b.booked[id]
	if !ok {
		return bookahead.Reservation{}, bookahead.ErrNotFound
	}
	res.Servers = nil
	return res, nil
}

// Verify implements bookahead.Verifier: what runs has as many servers as it wants,
// no other runs on them, nothing else is bound, and the pool finds no fault, if it
// can look for any. O(n log n) for n reservations, and what the pool takes.
func (b *Binder) Verify() error {
	free := allFree(uint(b.servers))
	for _, id := range slices.Sorted(maps.Keys(b.booked)) {
		res := b.booked[id]
		_, waits := b.waiting.Get(event{res.Start, id})
		_, runs := b.running.Get(event{res.End, id})
		if waits == runs || runs != (res.Start <= b.now) || res.End <= b.now || res.ID != id {
			return fmt.Errorf("grid: at %d, %v waits: %t, runs: %t", b.now, res, waits, runs)
		}
		if want := int64(len(res.Servers)); runs && want != res.Units || waits && res.Servers != nil {
			return fmt.Errorf("grid: %v has %d servers", res, want)
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
	if v, ok := b.pool.(bookahead.Verifier); ok {
		return v.Verify()
	}
	return nil
}
