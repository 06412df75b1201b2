package ledger

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/radix"
)

// Overlapping yields the entries that overlap w and have not ended by now, by the
// start of their Span, then by ID. The ledger must not change meanwhile. It looks at
// all n entries and sorts the k that it yields: O(n + k log k).
func (l *Ledger[E]) Overlapping(w bookahead.Interval, now bookahead.Time) iter.Seq2[bookahead.ID, E] {
	return l.Where(now, func(e E) bool { return e.Span().Overlaps(w) })
}

// Where is Overlapping for the entries for which keep returns true.
func (l *Ledger[E]) Where(now bookahead.Time, keep func(E) bool) iter.Seq2[bookahead.ID, E] {
	type entry struct {
		id bookahead.ID
		e  E
	}
	return func(yield func(bookahead.ID, E) bool) {
		var list []entry
		for id, e := range l.All(now) {
			if keep(e) {
				list = radix.Append(list, entry{id, e})
			}
		}
		radix.Sort(list, func(x *entry) bookahead.Time { return x.e.Span().Start })
		for _, x := range list {
			if !yield(x.id, x.e) {
				return
			}
		}
	}
}
