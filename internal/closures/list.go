// Package closures keeps the list of closures and extensions that every Closable schedule has.
package closures

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// List holds the closures and extensions that are not over, in the order of their IDs. The zero
// value is an empty list. The Servers of a closure are never changed, since clones share them.
type List struct {
	last bookahead.ClosureID
	live []bookahead.Closure
	next bookahead.Time // no later than the earliest End
}

// Check returns a closure with the part of its time that lies ahead of now. The error wraps
// bookahead.ErrInvalid if that part is empty.
func Check(c bookahead.Closure, now bookahead.Time) (bookahead.Closure, error) {
	w := c.Interval
	c.Start = max(c.Start, now)
	switch {
	case w.Empty():
		return c, limits.Invalid("Closure.Interval", w, "is empty")
	case c.Empty():
		return c, limits.Invalid("Closure.Interval", w, fmt.Sprintf("ends by now, %d", now))
	}
	return c, nil
}

// Ever reports whether there has been a closure or an extension.
func (l *List) Ever() bool { return l.last > 0 }

// Last returns the ID given last, or 0 if none was given.
func (l *List) Last() bookahead.ClosureID { return l.last }

// Add enters a closure under the next ID, and returns it with that ID. O(1) amortised.
func (l *List) Add(c bookahead.Closure) bookahead.Closure {
	l.last++
	c.ID = l.last
	if len(l.live) == 0 {
		l.next = c.End
	}
	l.next = min(l.next, c.End)
	l.live = append(l.live, c)
	return lent(c)
}

// Has reports whether a closure is not over. O(log c) for c closures.
func (l *List) Has(id bookahead.ClosureID) bool {
	_, ok := l.find(id)
	return ok
}

func (l *List) find(id bookahead.ClosureID) (int, bool) {
	return slices.BinarySearchFunc(l.live, id, func(c bookahead.Closure, id bookahead.ClosureID) int {
		return cmp.Compare(c.ID, id)
	})
}

// End makes a closure end at a time, or at now if that is later. It returns the closure as it was
// before, and the part that is cut off. Errors are those of bookahead.Closable. O(c) for c
// closures.
func (l *List) End(id bookahead.ClosureID, at, now bookahead.Time) (old bookahead.Closure, gone bookahead.Interval, err error) {
	i, ok := l.find(id)
	if !ok {
		return old, gone, bookahead.ErrNotFound
	}
	old = l.live[i]
	at = max(at, now)
	if at > old.End {
		return old, gone, limits.Invalid("at", at, fmt.Sprintf("is after the End %d of closure %d", old.End, id))
	}
	gone = bookahead.Interval{Start: max(at, old.Start), End: old.End}
	if at <= max(old.Start, now) {
		l.live = slices.Delete(l.live, i, i+1)
	} else {
		l.live[i].End = at
		l.next = min(l.next, at)
	}
	return old, gone, nil
}

// Forget drops the closures that are over by now, and reports whether there were any. O(c) if so.
func (l *List) Forget(now bookahead.Time) bool {
	if len(l.live) == 0 || now < l.next {
		return false
	}
	l.live = slices.DeleteFunc(l.live, func(c bookahead.Closure) bool { return c.End <= now })
	l.next = bookahead.MaxTime
	for _, c := range l.live {
		l.next = min(l.next, c.End)
	}
	return true
}

// All yields the closures, by ID. Their Servers are the caller's.
func (l *List) All() iter.Seq[bookahead.Closure] {
	return func(yield func(bookahead.Closure) bool) {
		for _, c := range l.live {
			if !yield(lent(c)) {
				return
			}
		}
	}
}

// lent returns a closure whose Servers are the caller's.
func lent(c bookahead.Closure) bookahead.Closure {
	c.Servers = slices.Clone(c.Servers)
	return c
}

// Clone returns a copy. O(c).
func (l *List) Clone() List {
	c := *l
	c.live = slices.Clone(l.live)
	return c
}
