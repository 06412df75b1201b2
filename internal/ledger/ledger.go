// Package ledger remembers what is booked, by ID.
//
// IDs count up, so they are kept in pages of 64 consecutive ones. A page has a
// bit for each ID that is left, and a bit for each that has room:
//
//	pages   base ─► [ * ][nil][ * ][ * ]
//	                  │
//	page    set     ..1.0..1       two of its 64 reservations are left
//	        room    ..1.1..1
//	        entries [e][ ][e]      in the order of their IDs
//
// A page is packed anew when a quarter of its room is empty.
//
// Pages follow the number of entries, wherever in the sequence they lie; the
// directory has 8 bytes for each 64 IDs given since the oldest that is left. A
// clone copies the directory, and shares all pages until one side writes to
// them.
package ledger

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
)

const pageSize = 64

// Entry is what a structure keeps of a reservation.
type Entry interface {
	// Span is the time for which the reservation is booked.
	Span() bookahead.Interval
}

// Ledger maps IDs to entries. The zero value is an empty ledger.
type Ledger[E Entry] struct {
	last  bookahead.ID // the ID given last
	base  uint64       // number of the page pages[0]
	pages []*page[E]   // nil where nothing is left
	live  int
	sweep int // entries at which ended ones are looked for; at least minSweep
	owner *owner
}

const minSweep = 256

// owner marks the pages that a ledger may write to; the others it shares with
// a clone.
type owner struct{ _ byte }

type page[E Entry] struct {
	owner   *owner
	set     uint64 // the IDs that are left: some of those in room
	room    uint64 // the IDs that entries are for
	entries []E
}

// rank returns the place in entries of the ID with the given bit.
func (p *page[E]) rank(bit uint) int { return bits.OnesCount64(p.room & (1<<bit - 1)) }

// Len returns the number of entries, those included that have ended but were
// not swept out yet. O(1).
func (l *Ledger[E]) Len() int { return l.live }

// Add enters e under the next ID. Now and then it throws out what has ended
// by now, so that the ledger is never more than twice as long as what was live
// at some moment, or as that and its directory. O(1) amortised: one call in many
// walks all of it.
func (l *Ledger[E]) Add(e E, now bookahead.Time) bookahead.ID {
	if l.live >= max(l.sweep, minSweep) {
		l.expire(now)
		l.sweep = max(2*l.live, l.live+len(l.pages))
	}
	id := l.last + 1
	l.last = id
	n, bit := uint64(id)/pageSize, uint(id)%pageSize
	if len(l.pages) == 0 {
		l.base = n
	}
	for n-l.base >= uint64(len(l.pages)) {
		l.pages = append(l.pages, nil)
	}
	if l.pages[n-l.base] == nil {
		l.pages[n-l.base] = &page[E]{owner: l.owner, entries: make([]E, 0, pageSize)}
	}
	p := l.own(n - l.base)
	p.set |= 1 << bit
	p.room |= 1 << bit
	p.entries = append(p.entries, e)
	l.live++
	return id
}

// Get returns the entry of an ID that has not ended by now. O(1).
func (l *Ledger[E]) Get(id bookahead.ID, now bookahead.Time) (e E, ok bool) {
	n, bit := uint64(id)/pageSize, uint(id)%pageSize
	if n < l.base || n-l.base >= uint64(len(l.pages)) {
		return e, false
	}
	p := l.pages[n-l.base]
	if p == nil || p.set&(1<<bit) == 0 {
		return e, false
	}
	e = p.entries[p.rank(bit)]
	if e.Span().End <= now {
		var none E
		return none, false
	}
	return e, true
}

// Set replaces an entry that Get has found. O(1).
func (l *Ledger[E]) Set(id bookahead.ID, e E) {
	p := l.own(uint64(id)/pageSize - l.base)
	p.entries[p.rank(uint(id)%pageSize)] = e
}

// Remove takes an entry out that has not ended by now, and returns it. O(1).
func (l *Ledger[E]) Remove(id bookahead.ID, now bookahead.Time) (E, bool) {
	e, ok := l.Get(id, now)
	if !ok {
		return e, false
	}
	n, bit := uint64(id)/pageSize, uint(id)%pageSize
	p := l.own(n - l.base)
	p.set &^= 1 << bit
	l.live--
	l.shrink(n - l.base)
	l.dropFront()
	return e, true
}

// All yields what has not ended by now, in the order of IDs. The ledger must
// not change meanwhile.
func (l *Ledger[E]) All(now bookahead.Time) iter.Seq2[bookahead.ID, E] {
	return func(yield func(bookahead.ID, E) bool) {
		for i, p := range l.pages {
			if p == nil {
				continue
			}
			for set := p.set; set != 0; set &= set - 1 {
				bit := uint(bits.TrailingZeros64(set))
				id := bookahead.ID((l.base+uint64(i))*pageSize + uint64(bit))
				if e := p.entries[p.rank(bit)]; e.Span().End > now && !yield(id, e) {
					return
				}
			}
		}
	}
}

// Clone returns a copy that shares all pages until either side writes to them.
// It copies the directory.
func (l *Ledger[E]) Clone() Ledger[E] {
	c := *l
	c.pages = slices.Clone(l.pages)
	l.owner, c.owner = new(owner), new(owner)
	return c
}

// own returns page i, copied first if it is shared.
func (l *Ledger[E]) own(i uint64) *page[E] {
	p := l.pages[i]
	if p.owner != l.owner {
		entries := make([]E, len(p.entries), cap(p.entries))
		copy(entries, p.entries)
		p = &page[E]{owner: l.owner, set: p.set, room: p.room, entries: entries}
		l.pages[i] = p
	}
	return p
}

// shrink gives back the room of page i that is no longer needed, unless the
// next ID goes there.
func (l *Ledger[E]) shrink(i uint64) {
	p := l.pages[i]
	left := bits.OnesCount64(p.set)
	switch {
	case left == 0:
		l.pages[i] = nil
	case 4*left <= 3*len(p.entries) && l.base+i != uint64(l.last+1)/pageSize:
		packed := make([]E, 0, left)
		for set := p.set; set != 0; set &= set - 1 {
			packed = append(packed, p.entries[p.rank(uint(bits.TrailingZeros64(set)))])
		}
		p.entries, p.room = packed, p.set
	}
}

// dropFront drops the empty pages in front.
func (l *Ledger[E]) dropFront() {
	front := 0
	for front < len(l.pages) && l.pages[front] == nil {
		front++
	}
	l.pages = l.pages[front:]
	l.base += uint64(front)
}

// expire removes what has ended by now. O(entries + directory).
func (l *Ledger[E]) expire(now bookahead.Time) {
	for i, p := range l.pages {
		if p == nil {
			continue
		}
		ended := uint64(0)
		for set := p.set; set != 0; set &= set - 1 {
			if p.entries[p.rank(uint(bits.TrailingZeros64(set)))].Span().End <= now {
				ended |= set & -set
			}
		}
		if ended == 0 {
			continue
		}
		p = l.own(uint64(i))
		p.set &^= ended
		l.live -= bits.OnesCount64(ended)
		l.shrink(uint64(i))
	}
	l.dropFront()
}
