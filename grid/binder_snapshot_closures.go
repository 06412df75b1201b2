package grid

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
	"github.com/bookahead/bookahead/internal/servers"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// writeClosures writes the number of servers, and the closures. Of the servers of an extension, only the
// first and their number are written.
func (b *Binder) writeClosures(w *snapshot.Writer) {
	x := b.closed
	w.Uint(uint64(x.given))
	w.Uint(uint64(x.all - x.given))
	x.Write(w, func(c bookahead.Closure) {
		w.Uint(uint64(c.Units))
		if c.Added {
			w.Uint(uint64(c.Servers[0]))
		} else {
			servers.WriteSet(w, c.Servers)
		}
	})
}

// readClosures returns a binder of the pool without reservations. If the snapshot is of the kind with
// closures, it reads them.
func (b *Binder) readClosures(r *snapshot.Reader, pool bookahead.Keeper) *Binder {
	if r.Kind() == kindOfBinder {
		frame := pool.Frame()
		switch {
		case frame.Capacity > maxServers:
			r.Fail("capacity", frame.Capacity, fmt.Sprintf("is more than %d", maxServers))
		case changes(pool):
			r.Fail("pool", fmt.Sprintf("%T", pool), "has closures, and the Binder has none")
		}
		if r.Err() != nil {
			return nil
		}
		return newBinderOf(pool, frame.Capacity)
	}
	given := int(r.Uint("servers from the start", maxServers))
	added := int(r.Uint("servers added", uint64(maxServers-given)))
	if given < 1 {
		r.Fail("servers from the start", given, "is less than 1")
	}
	r.Afford("servers added", uint64(added), 8)
	if r.Err() != nil {
		return nil
	}
	read := newBinderOf(pool, int64(given+added))
	x := &shutters{given: given, all: given + added, named: map[int][]bookahead.Interval{}}
	x.List = closures.Read(r, read.now, func(c *bookahead.Closure) { x.read(r, c) })
	read.closed = x
	if r.Err() == nil && !x.Ever() {
		r.Fail("last closure", 0, "is less than 1, but the snapshot is of the kind with closures")
	}
	if r.Err() == nil {
		err := read.verifyClosures()
		if err != nil {
			r.Fail("closures", x.Len(), "do not agree with the pool: "+err.Error())
		}
	}
	return read
}

// read reads the servers of a closure, and adds it.
func (x *shutters) read(r *snapshot.Reader, c *bookahead.Closure) {
	c.Units = int64(r.Uint("servers of a closure", uint64(x.all)))
	n := int(c.Units)
	switch {
	case n == 0:
		r.Fail("servers of a closure", n, "is less than 1")
	case c.Added:
		first, last := int(r.Uint("first server of an extension", uint64(x.all-n))), x.given
		if len(x.extras) > 0 {
			last = x.extras[len(x.extras)-1].behind
		}
		if first < last {
			r.Fail("first server of an extension", first, fmt.Sprintf("is below %d", last))
			return
		}
		for k := first; k < first+n; k++ {
			c.Servers = append(c.Servers, k)
		}
		x.extras = append(x.extras, extra{c.Interval, first, first + n})
	case n > r.Left():
		r.Fail("servers of a closure", n, fmt.Sprintf("is more than the %d bytes left", r.Left()))
	default:
		for _, k := range servers.ReadSet(r, n, int64(x.all)) {
			c.Servers = append(c.Servers, int(k))
			x.close(int(k), c.Interval)
		}
	}
}
