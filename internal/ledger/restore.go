package ledger

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// Given reports whether an ID has been given. O(1).
func (l *Ledger[E]) Given(id bookahead.ID) bool { return 0 < id && id <= l.last }

// Restore enters e under an ID that was given before, and whose entry was removed or has ended.
// If the room of the ID was packed away, it comes back in its old place:
//
//	set      ..1....1      restore bit 4      ..1.1..1
//	room     ..1....1                         ..1.1..1
//	entries  [e][e]                           [e][new][e]
//
// A chapter that the directory has dropped comes back as a stray, so that the directory need
// not reach back to it. O(1), and O(s) if the chapter becomes one of s strays.
func (l *Ledger[E]) Restore(id bookahead.ID, e E) {
	l.owner.Renew()
	at := l.reopen(id)
	p := l.own(at)
	bit := uint64(1) << at.bit
	if p.room&bit == 0 {
		p.room |= bit
		var none E
		p.entries = slices.Insert(p.entries, p.rank(at.bit), none)
	}
	if p.set&bit == 0 {
		l.live++
	}
	p.entries[p.rank(at.bit)] = e
	p.set |= bit
	(*l.cell(at)).used |= 1 << at.page
}

// reopen is open for an ID that need not be the highest one.
func (l *Ledger[E]) reopen(id bookahead.ID) place {
	at, ok := l.find(id)
	number := uint64(id) / chapterSize
	switch {
	case ok && at.stray && *l.cell(at) == nil:
		l.gone--
	case ok:
	case number >= l.base:
		return l.open(id)
	default:
		byNumber := func(s stray[E], n uint64) int { return cmp.Compare(s.number, n) }
		i, _ := slices.BinarySearchFunc(l.strays, number, byNumber)
		l.strays = slices.Insert(l.strays, i, stray[E]{number: number})
		at.chapter, at.stray = uint64(i), true
	}
	return at
}

// Resume returns an empty ledger that has given IDs up to last, for entries that come back by
// Restore.
func Resume[E Entry](last bookahead.ID) Ledger[E] { return Ledger[E]{last: last} }
