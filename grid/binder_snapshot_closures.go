package grid

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
	"github.com/bookahead/bookahead/internal/servers"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// writeClosures writes how many servers there are, and the closures. The servers of an extension
// follow from the first and their number.
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

// readClosures returns a binder of the pool that has bound nothing. If the snapshot is of the
// kind, the binder has the closures that it reads.
func (b *Binder) readClosures(r *snapshot.Reader, pool bookahead.Keeper) *Binder {
	if r.Kind() == kindOfBinder {
		frame := pool.Frame()
		switch {
		case frame.Capacity > maxServers:
			r.Fail("capacity", frame.Capacity, "is more servers than fit")
		case changes(pool):
			r.Fail("pool", fmt.Sprintf("%T", pool), "has closures, and the Binder none")
		}
		if r.Err() != nil {
			return nil
		}
		return newBinderOf(pool, frame.Capacity)
	}
	given := int(r.Uint("servers from the start", maxServers))
	added := int(r.Uint("servers added", uint64(maxServers-given)))
	if given < 1 {
		r.Fail("servers from the start", given, "are none")
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
		r.Fail("last closure", 0, "is none, but they are of the kind")
	}
	if r.Err() == nil {
		err := read.verifyClosures()
		if err != nil {
			r.Fail("closures", x.Len(), "do not agree with the pool: "+err.Error())
		}
	}
	return read
}

// read reads the servers of a closure, and notes it.
func (x *shutters) read(r *snapshot.Reader, c *bookahead.Closure) {
	c.Units = int64(r.Uint("servers of a closure", uint64(x.all)))
	n := int(c.Units)
	switch {
	case n == 0:
		r.Fail("servers of a closure", c.ID, "are none")
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
		r.Fail("servers of a closure", n, "are more than the bytes that are left")
	default:
		for _, k := range servers.ReadSet(r, n, int64(x.all)) {
			c.Servers = append(c.Servers, int(k))
			x.close(int(k), c.Interval)
		}
	}
}
