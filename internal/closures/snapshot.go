package closures

import (
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// Write writes the ID given last and the closures, in the order of IDs. It writes the times of a
// closure and whether it is an extension, and calls rest for the other parts.
func (l *List) Write(w *snapshot.Writer, rest func(bookahead.Closure)) {
	w.Uint(uint64(l.last))
	before := bookahead.ClosureID(0)
	for _, c := range l.live {
		w.Uint(uint64(c.ID - before))
		added := uint64(0)
		if c.Added {
			added = 1
		}
		w.Uint(added)
		w.Uint(uint64(c.Start))
		w.Uint(uint64(c.End - c.Start))
		rest(c)
		before = c.ID
	}
	if l.last > 0 {
		w.Uint(0) // no more
	}
}

// Read reads the output of Write: closures that are not over by now. It takes memory in
// proportion to the bytes.
func Read(r *snapshot.Reader, now bookahead.Time, rest func(*bookahead.Closure)) List {
	l := List{last: bookahead.ClosureID(r.Uint("last closure", math.MaxUint64-1<<32)), next: bookahead.MaxTime}
	id := bookahead.ClosureID(0)
	for l.last > 0 {
		step := r.Uint("closure", uint64(l.last-id))
		if step == 0 || r.Err() != nil {
			break
		}
		id += bookahead.ClosureID(step)
		c := bookahead.Closure{ID: id, Added: r.Uint("extension", 1) == 1}
		c.Start = r.Time("start of a closure")
		length := r.Time("length of a closure")
		if length < 1 || length > bookahead.MaxTime-c.Start || c.Start+length <= now {
			r.Fail("closure", id, "is empty, or does not end between now and the end of the axis")
		}
		c.End = c.Start + length
		rest(&c)
		if r.Err() != nil {
			break
		}
		l.live = append(l.live, c)
		l.next = min(l.next, c.End)
	}
	return l
}
