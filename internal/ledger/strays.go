package ledger

import "slices"

// The directory may be as long as sparse chapters for each chapter in use, and fewest more: 64
// bytes for a chapter of 352 bytes.
const (
	sparse = 8
	fewest = 64
)

// stray is a chapter that lies far before the others.
type stray[E Entry] struct {
	number uint64
	*chapter[E]
}

// cell returns the pointer by which the ledger refers to a chapter.
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

// room returns how long the directory may be for the chapters that are in use. O(directory).
func (l *Ledger[E]) room() uint64 {
	used := uint64(0)
	for _, c := range l.chapters {
		if c != nil {
			used++
		}
	}
	return sparse*used + fewest
}

// setAside makes the chapters of the directory strays, so that the directory can begin at the
// chapter with the given number. O(directory).
func (l *Ledger[E]) setAside(number uint64) {
	for i, c := range l.chapters {
		if c != nil {
			l.strays = append(l.strays, stray[E]{l.base + uint64(i), c})
		}
	}
	clear(l.chapters)
	l.chapters, l.base = l.chapters[:0], number
}

// dropStrays drops the empty strays, once these are half of the strays. O(1) amortised over the
// chapters that became strays.
func (l *Ledger[E]) dropStrays() {
	if 2*l.gone <= len(l.strays) {
		return
	}
	l.strays = slices.DeleteFunc(l.strays, func(s stray[E]) bool { return s.chapter == nil })
	l.gone = 0
}
