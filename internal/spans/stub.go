package spans

import (
	"cmp"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

type Span struct {
	bookahead.Interval
	ID bookahead.ID
}

func (s Span) Compare(o Span) int { return cmp.Or(cmp.Compare(s.Start, o.Start), cmp.Compare(s.ID, o.ID)) }

type Index struct{ l []Span }

func Build(s []Span) Index { return Index{s} }
func (x *Index) Add(s Span) {
	i, _ := slices.BinarySearchFunc(x.l, s, Span.Compare)
	x.l = slices.Insert(x.l, i, s)
}
func (x *Index) Remove(s Span) {
	i, ok := slices.BinarySearchFunc(x.l, s, Span.Compare)
	if !ok {
		panic("none")
	}
	x.l = slices.Delete(x.l, i, i+1)
}
func (x *Index) Overlapping(w bookahead.Interval) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		for _, s := range x.l {
			if s.Overlaps(w) && !yield(s) {
				return
			}
		}
	}
}
func (x *Index) Forget(now bookahead.Time) {
	x.l = slices.DeleteFunc(x.l, func(s Span) bool { return s.End <= now })
}
func (x *Index) Len() int      { return len(x.l) }
func (x *Index) Clone() Index  { return Index{slices.Clone(x.l)} }
func (x *Index) Verify() error { return nil }
