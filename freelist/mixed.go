package freelist

import (
	"iter"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Mixed keeps rectangles of free capacity of any shape (§5): a reservation is
// cut out of the blocks that it meets, in the order of their starts, and what is
// given back is put in as it was. Blocks are joined when they are alike in time,
// or in units and touch.
type Mixed struct {
	pool    pool.Pool
	byStart *btree.BTreeG[rectangle]
	byEnd   *btree.BTreeG[rectangle] // the same ones
}

// rectangle is a block of the mixed list. No two have the same times.
type rectangle struct {
	bookahead.Interval
	units int64
}

var (
	_ bookahead.Schedule = (*Mixed)(nil)
	_ bookahead.Profiler = (*Mixed)(nil)
	_ bookahead.Cloner   = (*Mixed)(nil)
)

// NewMixed returns a pool of capacity units. The error wraps ErrInvalid.
func NewMixed(capacity int64, c Config) (*Mixed, error) {
	p, err := pool.New(capacity, c.Origin, c.Horizon)
	if err != nil {
		return nil, err
	}
	l := &Mixed{pool: p}
	l.byStart = btree.NewG(16, func(a, b rectangle) bool { return a.Start < b.Start || a.Start == b.Start && a.End < b.End })
	l.byEnd = btree.NewG(16, func(a, b rectangle) bool { return a.End < b.End || a.End == b.End && a.Start < b.Start })
	l.put(rectangle{rest(c.Origin), capacity})
	return l, nil
}

// Search implements bookahead.Schedule: it adds up the blocks from start to
// start, less those that have ended. O(b).
func (l *Mixed) Search(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := l.pool.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	d := bookahead.Time(r.Duration)
	start, enough := first, false // since when there has been enough
	for w, free := range l.sweep(first) {
		if w.Start > last && !enough {
			break
		}
		if free < r.Units {
			enough = false
			continue
		}
		if !enough {
			start, enough = w.Start, true
		}
		if w.End-start >= d {
			if start > last {
				break
			}
			return pool.OfferAt(start, r), nil
		}
	}
	return bookahead.Offer{}, bookahead.ErrUnavailable
}

// sweep yields each stretch of time from t on in which the same blocks are, and
// the sum of their units. O(b).
func (l *Mixed) sweep(t bookahead.Time) iter.Seq2[bookahead.Interval, int64] {
	return func(yield func(bookahead.Interval, int64) bool) {
		starts, stopStarts := iter.Pull(l.from(l.byStart, rectangle{}))
		defer stopStarts()
		ends, stopEnds := iter.Pull(l.from(l.byEnd, rectangle{Interval: bookahead.Interval{End: t + 1}}))
		defer stopEnds()
		next, more := starts()
		gone, left := ends()
		for free := int64(0); left; {
			for more && next.Start <= t {
				if next.End > t {
					free += next.units
				}
				next, more = starts()
			}
			for left && gone.End <= t {
				free -= gone.units
				gone, left = ends()
			}
			w := rest(t)
			if more {
				w.End = min(w.End, next.Start)
			}
			if left {
				w.End = min(w.End, gone.End)
			}
			if w.Empty() || !yield(w, free) {
				return
			}
			t = w.End
		}
	}
}

// from yields the blocks of a tree from pivot on.
func (*Mixed) from(tree *btree.BTreeG[rectangle], pivot rectangle) iter.Seq[rectangle] {
	return func(yield func(rectangle) bool) { tree.AscendGreaterOrEqual(pivot, yield) }
}

// Reserve implements bookahead.Schedule. O(b + m log b).
func (l *Mixed) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := l.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	l.take(o.Interval, o.Units)
	return l.pool.Enter(o), nil
}

// Release implements bookahead.Schedule. O(log b) for each block that is joined.
func (l *Mixed) Release(id bookahead.ID) error {
	b, err := l.pool.Strike(id)
	if err != nil {
		return err
	}
	l.put(rectangle{b.Interval, b.Units})
	return nil
}

// RangeQuery implements bookahead.Schedule. O(b).
func (l *Mixed) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := l.pool.Window(w)
	if err != nil || w.Empty() {
		return bookahead.Availability{}, err
	}
	least, t := l.pool.Capacity, w.Start
	for s, free := range l.sweep(w.Start) {
		least, t = min(least, free), s.End
		if t >= w.End {
			return bookahead.Availability{Free: least}, nil
		}
	}
	return bookahead.Availability{}, nil
}

// Advance implements bookahead.Schedule. O(log b) for each block that has begun.
func (l *Mixed) Advance(now bookahead.Time) error {
	if err := l.pool.Advance(now); err != nil {
		return err
	}
	for {
		b, ok := l.byStart.Min()
		if !ok || b.Start >= now {
			return nil
		}
		l.drop(b)
		b.Start = now
		if !b.Empty() {
			l.put(b)
		}
	}
}

// Blocks implements bookahead.Profiler: the blocks of the list, which overlap.
func (l *Mixed) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return inWindow(&l.pool, w, func(w bookahead.Interval, yield func(bookahead.Block) bool) {
		l.byStart.Ascend(func(b rectangle) bool {
			return b.Start < w.End && cut(w, b.Interval, b.units, yield)
		})
	})
}

// Clone implements bookahead.Cloner. O(1), but for 8 bytes for each 64 IDs that
// were given since the oldest reservation that is live.
func (l *Mixed) Clone() bookahead.Schedule {
	return &Mixed{pool: l.pool.Clone(), byStart: l.byStart.Clone(), byEnd: l.byEnd.Clone()}
}

// take cuts units out of the blocks throughout w, which holds as many.
func (l *Mixed) take(w bookahead.Interval, units int64) {
	for units > 0 {
		// The first block that holds the start of w gives what it has, as far
		// as it reaches; what it lacks is taken from the next, and the same
		// again behind it.
		var b rectangle
		l.byStart.Ascend(func(it rectangle) bool {
			b = it
			return !it.Contains(w.Start)
		})
		part := b.Intersect(w)
		given := min(b.units, units)
		l.drop(b)
		for _, left := range []rectangle{
			{bookahead.Interval{Start: b.Start, End: part.Start}, b.units},
			{part, b.units - given},
			{bookahead.Interval{Start: part.End, End: b.End}, b.units},
		} {
			if !left.Empty() && left.units > 0 {
				l.put(left)
			}
		}
		if behind := (bookahead.Interval{Start: part.End, End: w.End}); !behind.Empty() {
			l.take(behind, units)
		}
		w, units = part, units-given
	}
}

// put adds a block, joined with those that it can be joined with.
func (l *Mixed) put(b rectangle) {
	if same, ok := l.byStart.Get(b); ok {
		l.drop(same)
		b.units += same.units
		l.put(b)
		return
	}
	for it := range l.from(l.byEnd, rectangle{Interval: bookahead.Interval{End: b.Start}}) {
		if it.End != b.Start {
			break
		}
		if it.units == b.units {
			l.drop(it)
			l.put(rectangle{bookahead.Interval{Start: it.Start, End: b.End}, b.units})
			return
		}
	}
	for it := range l.from(l.byStart, rectangle{Interval: bookahead.Interval{Start: b.End}}) {
		if it.Start != b.End {
			break
		}
		if it.units == b.units {
			l.drop(it)
			l.put(rectangle{bookahead.Interval{Start: b.Start, End: it.End}, b.units})
			return
		}
	}
	l.byStart.ReplaceOrInsert(b)
	l.byEnd.ReplaceOrInsert(b)
}

func (l *Mixed) drop(b rectangle) {
	l.byStart.Delete(b)
	l.byEnd.Delete(b)
}
