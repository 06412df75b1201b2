// Package ledger keeps reservations by ID.
//
// IDs count up, so they are kept in pages of 64 consecutive IDs, and the pages in chapters of 8.
// A page has a bit for each ID that is still booked (set), and a bit for each ID that has an
// entry (room):
//
//	chapters  base ─► [ * ][nil][ * ][ * ]
//	                    │
//	chapter   used    1.....1.             pages that still have entries
//	          pages   [p0][p1] ...  [p7]
//	                        │
//	page      set     ..1.0..1             two of its 64 reservations are still booked
//	          room    ..1.1..1
//	          entries [e][ ][e]            in the order of their IDs
//
// A page is packed anew when a quarter of its room is empty. So an entry is two reads away from
// the directory, which is so small that it stays in the caches.
//
// Chapters follow the number of entries, wherever in the sequence they lie: an entry that lies
// alone has a chapter of 352 bytes. A few entries that live long must not stretch the directory
// over all IDs given since. So when the directory has to grow and hardly any of it is in use, its
// chapters become strays, a sorted list in front of it, and the directory begins anew at the next
// ID.
//
//	strays    (3, * ) (90, * )             numbers far apart, two reservations that live long
//	chapters  base 7000 ─► [ * ][ * ]
//
// So the directory and the strays follow the number of entries too. A clone copies both, and
// shares everything else until one side writes to it.
package ledger

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

const (
	pageSize    = 64  // IDs
	chapterSize = 512 // IDs
)

// Entry is the part of a reservation that a structure keeps.
type Entry interface {
	// Span is the time for which the reservation is booked.
	Span() bookahead.Interval
}

// Ledger maps IDs to entries. The zero value is an empty ledger.
type Ledger[E Entry] struct {
	last     bookahead.ID  // the ID given last
	base     uint64        // number of the chapter chapters[0]
	chapters []*chapter[E] // nil where no entry is left
	strays   []stray[E]    // chapters before base, by number
	gone     int           // strays without entries
	live     int           // entries, with those that have ended but are not swept out yet
	sweep    int           // entries at which ended ones are looked for; at least minSweep
	owner    cow.Owner     // of the chapters that the ledger may write to
}

const minSweep = 256

type chapter[E Entry] struct {
	owner cow.Owner
	used  uint8 // the pages that still have entries
	mine  uint8 // the pages whose entries no clone shares
	pages [chapterSize / pageSize]page[E]
}

type page[E Entry] struct {
	set     uint64 // the IDs that are still booked: a part of room
	room    uint64 // the IDs that have an entry
	entries []E
}

// place says where the entry of an ID is.
type place struct {
	chapter uint64 // in the directory, or among the strays
	stray   bool
	page    uint
	bit     uint
}

// find returns the place of an ID, and false if there is no chapter for it.
func (l *Ledger[E]) find(id bookahead.ID) (place, bool) {
	number := uint64(id) / chapterSize
	at := place{chapter: number - l.base, page: uint(id) % chapterSize / pageSize, bit: uint(id) % pageSize}
	if at.chapter < uint64(len(l.chapters)) { // an ID before base has wrapped around to a large number
		return at, true
	}
	if len(l.strays) == 0 {
		return at, false
	}
	i, ok := slices.BinarySearchFunc(l.strays, number, func(s stray[E], n uint64) int { return cmp.Compare(s.number, n) })
	if ok {
		at.chapter, at.stray = uint64(i), true
	}
	return at, ok
}

// rank returns the index in entries of the ID with the given bit.
func (p *page[E]) rank(bit uint) int { return bits.OnesCount64(p.room & (1<<bit - 1)) }

// clear empties the entries of some IDs, so that the memory to which they refer can go.
func (p *page[E]) clear(ids uint64) {
	var none E
	for ; ids != 0; ids &= ids - 1 {
		p.entries[p.rank(uint(bits.TrailingZeros64(ids)))] = none
	}
}

// Len returns the number of entries, including those that have ended but were not swept out yet.
// O(1).
func (l *Ledger[E]) Len() int { return l.live }

// Add enters e under the next ID. Add sweeps out ended entries once the ledger has doubled since
// the last sweep. So the ledger is never more than twice as long as the entries that were live at
// some moment, or as these and the directory. O(1) amortised: one call in many walks the whole
// ledger.
func (l *Ledger[E]) Add(e E, now bookahead.Time) bookahead.ID {
	l.owner.Renew()
	if l.live >= max(l.sweep, minSweep) {
		l.expire(now)
		l.sweep = max(2*l.live, l.live+len(l.chapters)+len(l.strays))
	}
	l.last++
	at := l.open(l.last)
	p := l.own(at)
	if cap(p.entries) == 0 {
		p.entries = make([]E, 0, pageSize)
	}
	l.enter(at, e)
	if at.bit == 0 {
		l.leave(l.last - 1)
	}
	return l.last
}

// leave packs the page of an ID, because no more IDs come to it.
func (l *Ledger[E]) leave(id bookahead.ID) {
	at, ok := l.find(id)
	if ok && *l.cell(at) != nil {
		l.strike(at, 0)
	}
}

// open makes the directory reach up to an ID, and returns its place.
func (l *Ledger[E]) open(id bookahead.ID) place {
	number := uint64(id) / chapterSize
	if len(l.chapters) == 0 {
		l.base = number
	}
	n := number - l.base + 1
	if n > uint64(cap(l.chapters)) && n > l.room() {
		l.setAside(number)
		n = 1
	}
	more := int(n) - len(l.chapters)
	if more > 0 {
		l.chapters = append(l.chapters, make([]*chapter[E], more)...)
	}
	at, _ := l.find(id)
	return at
}

// enter adds the entry of an ID that is higher than all others, to a page that is
// owned.
func (l *Ledger[E]) enter(at place, e E) {
	c := *l.cell(at)
	p := &c.pages[at.page]
	c.used |= 1 << at.page
	p.set |= 1 << at.bit
	p.room |= 1 << at.bit
	p.entries = append(p.entries, e)
	l.live++
}

// Get returns the entry of an ID that has not ended by now. O(1).
func (l *Ledger[E]) Get(id bookahead.ID, now bookahead.Time) (e E, ok bool) {
	at, ok := l.find(id)
	if !ok {
		return e, false
	}
	c := *l.cell(at)
	if c == nil {
		return e, false
	}
	p := &c.pages[at.page]
	if p.set&(1<<at.bit) == 0 {
		return e, false
	}
	e = p.entries[p.rank(at.bit)]
	if e.Span().End <= now {
		var none E
		return none, false
	}
	return e, true
}

// Set replaces an entry that Get has found. O(1).
func (l *Ledger[E]) Set(id bookahead.ID, e E) {
	l.owner.Renew()
	at, _ := l.find(id)
	p := l.own(at)
	p.entries[p.rank(at.bit)] = e
}

// Remove takes out an entry that has not ended by now, and returns it. O(1).
func (l *Ledger[E]) Remove(id bookahead.ID, now bookahead.Time) (E, bool) {
	e, ok := l.Get(id, now)
	if !ok {
		return e, false
	}
	l.owner.Renew()
	at, _ := l.find(id)
	l.strike(at, 1<<at.bit)
	l.dropFront()
	return e, true
}

// All yields the entries that have not ended by now, in the order of IDs. The ledger must
// not change meanwhile.
func (l *Ledger[E]) All(now bookahead.Time) iter.Seq2[bookahead.ID, E] {
	return func(yield func(bookahead.ID, E) bool) {
		for at, p := range l.inUse {
			first := l.number(at)*chapterSize + uint64(at.page)*pageSize
			for set := p.set; set != 0; set &= set - 1 {
				bit := uint(bits.TrailingZeros64(set))
				e := p.entries[p.rank(bit)]
				if e.Span().End > now && !yield(bookahead.ID(first+uint64(bit)), e) {
					return
				}
			}
		}
	}
}

// inUse yields the pages that still have entries, in the order of IDs.
func (l *Ledger[E]) inUse(yield func(place, *page[E]) bool) {
	for i := range l.strays {
		if !l.pagesOf(place{chapter: uint64(i), stray: true}, yield) {
			return
		}
	}
	for i := range l.chapters {
		if !l.pagesOf(place{chapter: uint64(i)}, yield) {
			return
		}
	}
}

// pagesOf is inUse for one chapter. It returns false if yield does.
func (l *Ledger[E]) pagesOf(at place, yield func(place, *page[E]) bool) bool {
	c := *l.cell(at)
	if c == nil {
		return true
	}
	for used := c.used; used != 0; used &= used - 1 {
		at.page = uint(bits.TrailingZeros8(used))
		if !yield(at, &c.pages[at.page]) {
			return false
		}
	}
	return true
}

// Clone returns a copy that shares all chapters until either side writes to them.
// It copies the directory and the strays. Clone may run beside reads and other Clones.
func (l *Ledger[E]) Clone() Ledger[E] {
	l.owner.Share()
	c := *l
	c.chapters, c.strays = slices.Clone(l.chapters), slices.Clone(l.strays)
	return c
}

// ownChapter returns the chapter of a place, made if there is none and copied if a clone shares
// it.
func (l *Ledger[E]) ownChapter(at place) *chapter[E] {
	cell := l.cell(at)
	c := *cell
	switch {
	case c == nil:
		c = &chapter[E]{owner: l.owner}
	case c.owner != l.owner:
		c = &chapter[E]{owner: l.owner, used: c.used, pages: c.pages}
	}
	*cell = c
	return c
}

// own returns a page whose entries may be written to; they are copied first if a clone shares
// them.
func (l *Ledger[E]) own(at place) *page[E] {
	c := l.ownChapter(at)
	p := &c.pages[at.page]
	if c.mine&(1<<at.page) == 0 {
		c.mine |= 1 << at.page
		p.entries = append(make([]E, 0, cap(p.entries)), p.entries...)
		p.clear(p.room &^ p.set)
	}
	return p
}

// strike removes the IDs with these bits from a page, and gives back room that is no longer
// needed, unless the next ID goes to this page.
func (l *Ledger[E]) strike(at place, ids uint64) {
	c := l.ownChapter(at)
	p := &c.pages[at.page]
	p.set &^= ids
	if c.mine&(1<<at.page) != 0 {
		p.clear(ids)
	}
	l.live -= bits.OnesCount64(ids)
	left := bits.OnesCount64(p.set)
	if left == 0 {
		c.used &^= 1 << at.page
	}
	next := l.last + 1
	here := l.number(at) == uint64(next)/chapterSize // the next ID goes to this chapter, so it stays
	switch {
	case here && at.page == uint(next)%chapterSize/pageSize:
	case left == 0 && c.used == 0 && !here:
		*l.cell(at) = nil
		if at.stray {
			l.gone++
		}
	case left == 0:
		*p = page[E]{}
	case 4*left <= 3*len(p.entries):
		packed := make([]E, 0, left)
		for set := p.set; set != 0; set &= set - 1 {
			packed = append(packed, p.entries[p.rank(uint(bits.TrailingZeros64(set)))])
		}
		c.mine |= 1 << at.page
		p.entries, p.room = packed, p.set
	}
}

// dropFront drops the empty chapters at the front of the directory.
func (l *Ledger[E]) dropFront() {
	l.dropStrays()
	front := 0
	for front < len(l.chapters) && l.chapters[front] == nil {
		front++
	}
	l.chapters = l.chapters[front:]
	l.base += uint64(front)
}

// expire removes the entries that have ended by now. O(entries + directory).
func (l *Ledger[E]) expire(now bookahead.Time) {
	for at, p := range l.inUse {
		ended := uint64(0)
		for set := p.set; set != 0; set &= set - 1 {
			if p.entries[p.rank(uint(bits.TrailingZeros64(set)))].Span().End <= now {
				ended |= set & -set
			}
		}
		if ended != 0 {
			l.strike(at, ended)
		}
	}
	l.dropFront()
}
