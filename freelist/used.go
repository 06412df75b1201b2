package freelist

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Used keeps the blocks of used capacity: one for each stretch of time in which the used units do
// not change, and none where nothing is used (§6). An AVL tree over the starts finds the first
// block of a window. Without the tree (NewUsedList) the list is walked from its head.
type Used struct{ exact }

// NewUsed returns a pool of capacity units whose list has an AVL tree. The error
// wraps bookahead.ErrInvalid. O(n log n) for n reservations in Config.Booked.
func NewUsed(capacity int64, c Config) (*Used, error) { return newUsed(capacity, c, indexed()) }

// NewUsedList returns a pool of capacity units whose list has no tree: the
// baseline of §8.2. The error wraps bookahead.ErrInvalid. O(n log n) for n
// reservations in Config.Booked.
func NewUsedList(capacity int64, c Config) (*Used, error) { return newUsed(capacity, c, &used{}) }

func newUsed(capacity int64, c Config, like *used) (*Used, error) {
	x, err := open(capacity, c, like)
	if err != nil {
		return nil, err
	}
	return &Used{x}, nil
}

// Clone implements bookahead.Cloner. O(b log b) with the tree, O(b) without.
func (l *Used) Clone() bookahead.Schedule { return &Used{l.clone()} }

// UnmarshalBinary implements encoding.BinaryUnmarshaler, as bookahead.Snapshotter says. It reads
// the snapshot of any pool that is exact to the tick. A zero value gets the AVL tree, and a list
// of NewUsedList stays without. O(n log n).
func (l *Used) UnmarshalBinary(data []byte) error {
	if l.s.Profile == nil {
		return l.read(data, indexed())
	}
	return l.read(data, l.profile())
}

// used is the list of Used.
type used struct {
	timeline
	capacity int64
}

// indexed returns an empty list with an AVL tree.
func indexed() *used { return &used{timeline: timeline{index: &avl{}}} }

func (l *used) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	t, _, ok := l.find(first, last, d, n)
	return t, ok
}

// find is Search. It also returns the last block that was in the way, or, if none was, the first
// block that it looked at: Book starts there.
func (l *used) find(first, last, d bookahead.Time, n int64) (bookahead.Time, *block, bool) {
	t, most := first, l.capacity-n
	from := l.after(first)
	for b := from; b != nil && b.Start-t < d; b = b.next {
		if b.units <= most {
			continue
		}
		t, from = b.End, b
		if t > last {
			return 0, nil, false
		}
	}
	return t, from, true
}

func (l *used) Book(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	t, from, ok := l.find(first, last, d, n)
	if ok {
		l.add(from, bookahead.Interval{Start: t, End: t + d}, n)
	}
	return t, ok
}

func (l *used) Change(w bookahead.Interval, delta int64) { l.add(nil, w, -delta) }

func (l *used) Least(w bookahead.Interval) int64 {
	most := int64(0)
	for b := l.after(w.Start); b != nil && b.Start < w.End; b = b.next {
		most = max(most, b.units)
	}
	return l.capacity - most
}

func (l *used) Steps(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return func(yield func(bookahead.Time, int64) bool) {
		for end, used := range l.steps(t) {
			if !yield(end, l.capacity-used) {
				return
			}
		}
	}
}

func (l *used) Forget(now bookahead.Time) { l.forget(now) }

// blocks yields the units that the used blocks leave free, one block at a time.
func (l *used) blocks(w bookahead.Interval, yield func(bookahead.Block) bool) {
	t := w.Start
	for b := l.after(t); b != nil && b.Start < w.End; b = b.next {
		between := bookahead.Interval{Start: t, End: b.Start}
		if !cut(w, between, l.capacity, yield) || !cut(w, b.Interval, l.capacity-b.units, yield) {
			return
		}
		t = b.End
	}
	cut(w, rest(t), l.capacity, yield)
}

func (l *used) clone() list { return &used{l.timeline.clone(), l.capacity} }

func (l *used) made(capacity int64, steps []pool.Step) list {
	made := &used{capacity: capacity}
	if l.index != nil {
		made.index = &avl{}
	}
	made.generate(steps, func(s pool.Step) int64 { return capacity - s.Free })
	return made
}
