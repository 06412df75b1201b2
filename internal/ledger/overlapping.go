package ledger

import (
	"cmp"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// Overlapping yields the entries that overlap w and have not ended by now, by the
// start of their Span, then by ID. The ledger must not change meanwhile. It looks at
// all n entries and sorts the k that it yields: O(n + k log k).
func (l *Ledger[E]) Overlapping(w bookahead.Interval, now bookahead.Time) iter.Seq2[bookahead.ID, E] {
	type entry struct {
		id bookahead.ID
		e  E
	}
	return func(yield func(bookahead.ID, E) bool) {
		var list []entry
		for id, e := range l.All(now) {
			if e.Span().Overlaps(w) {
				list = append(list, entry{id, e})
			}
		}
		slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(a.e.Span().Start, b.e.Span().Start) })
		for _, x := range list {
			if !yield(x.id, x.e) {
				return
			}
		}
	}
}
