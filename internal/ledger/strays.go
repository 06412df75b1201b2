package ledger

import "slices"

// The directory has room for sparse chapters for each that is in use, and for
// fewest besides: 64 bytes for a chapter of 352.
const (
	sparse = 8
	fewest = 64
)

// stray is a chapter far behind the others.
type stray[E Entry] struct {
	number uint64
	*chapter[E]
}

// cell returns where the ledger refers to a chapter.
func (l *Ledger[E]) cell(at place) **chapter[E] {
	if at.stray {
		return &l.strays[at.chapter].chapter
	}
	return &l.chapters[at.chapter]
}

// number returns the number of a chapter in the sequence of all.
func (l *Ledger[E]) number(at place) uint64 {
	if at.stray {
		return l.strays[at.chapter].number
	}
	return l.base + at.chapter
}

// room returns how long a directory of the chapters that are in use may be.
// O(directory).
func (l *Ledger[E]) room() uint64 {
	used := uint64(0)
	for _, c := range l.chapters {
		if c != nil {
			used++
		}
	}
	return sparse*used + fewest
}

// setAside makes the chapters of the directory strays, so that it can begin at the
// chapter of that number. O(directory).
func (l *Ledger[E]) setAside(number uint64) {
	for i, c := range l.chapters {
		if c != nil {
			l.strays = append(l.strays, stray[E]{l.base + uint64(i), c})
		}
	}
	clear(l.chapters)
	l.chapters, l.base = l.chapters[:0], number
}

// dropStrays drops the strays on which nothing is left, once these are half of them. O(1)
// amortised over the chapters that became strays.
func (l *Ledger[E]) dropStrays() {
	if 2*l.gone <= len(l.strays) {
		return
	}
	l.strays = slices.DeleteFunc(l.strays, func(s stray[E]) bool { return s.chapter == nil })
	l.gone = 0
}
