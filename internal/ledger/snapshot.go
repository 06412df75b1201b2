package ledger

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// Write writes the ID given last and the entries that have not ended by now, in the order of IDs.
// It writes the times of an entry itself, and calls rest for the other parts.
func (l *Ledger[E]) Write(w *snapshot.Writer, now bookahead.Time, rest func(E)) {
	w.Uint(uint64(l.last))
	before, start := bookahead.ID(0), now
	for id, e := range l.All(now) {
		span := e.Span()
		w.Uint(uint64(id - before))
		w.Int(int64(span.Start - start))
		w.Uint(uint64(span.End - span.Start))
		rest(e)
		before, start = id, span.Start
	}
	w.Uint(0) // no more
}

// Read reads the output of Write: entries that have not ended by the start of
// bookable, and end by its end. It takes memory in proportion to the entries, however
// far apart their IDs are.
func Read[E Entry](r *snapshot.Reader, bookable bookahead.Interval, rest func(bookahead.Interval) E) Ledger[E] {
	var l Ledger[E]
	l.owner.Renew()
	l.last = bookahead.ID(r.Uint("last ID", snapshot.MaxID))
	id, start := bookahead.ID(0), bookable.Start
	alike := 1 // entries of the page before: the next page usually has as many
	for {
		step := r.Uint("ID", uint64(l.last-id))
		if step == 0 {
			l.sweep = 2 * l.live
			return l
		}
		id += bookahead.ID(step)
		start += bookahead.Time(r.Int("start"))
		length := r.Time("duration")
		if start < 0 || length < 1 || length > bookable.End-start || start+length <= bookable.Start {
			r.Fail("reservation", fmt.Sprintf("#%d at %d for %d", id, start, length), "does not end between now and the horizon")
		}
		if r.Err() != nil {
			return l
		}
		e := rest(bookahead.Interval{Start: start, End: start + length})
		at := l.open(id)
		c := l.ownChapter(at)
		p := &c.pages[at.page]
		c.mine |= 1 << at.page
		if p.room == 0 {
			p.entries = make([]E, 0, alike)
			alike = 0
		}
		alike++
		l.enter(at, e)
	}
}
