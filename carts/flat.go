package carts

import (
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// Flat keeps the slots in a sorted array, as published. It is simple and compact, and hard to
// beat up to a few hundred reservations.
type Flat struct{ exact }

// NewFlat returns a pool of capacity units. The error wraps bookahead.ErrInvalid.
func NewFlat(capacity int64, c Config) (*Flat, error) {
	x, err := open(capacity, c, newArray)
	if err != nil {
		return nil, err
	}
	return &Flat{x}, nil
}

// Clone implements bookahead.Cloner. O(v).
func (f *Flat) Clone() bookahead.Schedule { return &Flat{f.clone()} }

// Adopt implements bookahead.Displacer. O(1).
func (f *Flat) Adopt(clone bookahead.Schedule) { *f = *clone.(*Flat) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. O(n log n).
func (f *Flat) UnmarshalBinary(data []byte) error { return f.read(data, newArray) }

// array is the profile of a Flat.
type array struct {
	start []bookahead.Time // when slot i starts; start[0] is now
	free  []int64          // units in slot i; neighbours differ
}

func newArray(_ int64, slots []slot) profileOf {
	a := &array{}
	for _, s := range slots {
		a.start = append(a.start, s.Start)
		a.free = append(a.free, s.Free)
	}
	return a
}

func (a *array) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	t := first // the candidate: n units are free from t up to here
	for i := a.at(first); i < len(a.free) && t <= last; i++ {
		end := a.end(i)
		if a.free[i] < n {
			t = end
		} else if end-t >= d {
			return t, true
		}
	}
	return 0, false
}

func (a *array) Latest(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	end := last + d // all ends after this are ruled out
	for i := a.at(end - 1); end-d >= first; i-- {
		if a.free[i] < n {
			end = a.start[i]
		} else if a.start[i] <= end-d {
			return end - d, true
		}
	}
	return 0, false
}

func (a *array) Least(w bookahead.Interval) int64 {
	i := a.at(w.Start)
	free := a.free[i]
	for i := i + 1; i < len(a.start) && a.start[i] < w.End; i++ {
		free = min(free, a.free[i])
	}
	return free
}

func (a *array) Until(t bookahead.Time, n int64, limit bookahead.Time) bookahead.Time {
	for i := a.at(t); i < len(a.start) && a.start[i] < limit; i++ {
		if a.free[i] < n {
			return a.start[i]
		}
	}
	return limit
}

func (a *array) Steps(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return func(yield func(bookahead.Time, int64) bool) {
		for i := a.at(t); i < len(a.start); i++ {
			if !yield(a.end(i), a.free[i]) {
				return
			}
		}
	}
}

func (a *array) Forget(now bookahead.Time) {
	past := 0
	for past+1 < len(a.start) && a.start[past+1] <= now {
		past++
	}
	a.start, a.free = a.start[past:], a.free[past:]
	a.start[0] = now
}

func (a *array) clone() profileOf { return &array{slices.Clone(a.start), slices.Clone(a.free)} }

func (a *array) verify(bookahead.Time) ([]slot, error) {
	if len(a.free) != len(a.start) {
		return nil, fmt.Errorf("%d starts, %d numbers", len(a.start), len(a.free))
	}
	slots := make([]slot, len(a.start))
	for i := range slots {
		slots[i] = slot{Start: a.start[i], Free: a.free[i]}
	}
	return slots, nil
}

// at returns the slot that contains t, which is not in the past.
func (a *array) at(t bookahead.Time) int {
	i, found := slices.BinarySearch(a.start, t)
	if !found {
		i--
	}
	return i
}

// end returns where slot i ends.
func (a *array) end(i int) bookahead.Time {
	if i+1 < len(a.start) {
		return a.start[i+1]
	}
	return bookahead.MaxTime
}

func (a *array) Change(w bookahead.Interval, delta int64) {
	i := a.split(w.Start)
	j := a.split(w.End)
	for k := i; k < j; k++ {
		a.free[k] += delta
	}
	// The later edge first: to merge i removes a slot, and j would be off by one after that.
	a.merge(j)
	a.merge(i)
}

// split makes a slot start at t, and returns its index.
func (a *array) split(t bookahead.Time) int {
	i, found := slices.BinarySearch(a.start, t)
	if !found {
		a.start = slices.Insert(a.start, i, t)
		a.free = slices.Insert(a.free, i, a.free[i-1])
	}
	return i
}

// merge joins slot i to the slot before if both have the same free units.
func (a *array) merge(i int) {
	if i > 0 && a.free[i] == a.free[i-1] {
		a.start = slices.Delete(a.start, i, i+1)
		a.free = slices.Delete(a.free, i, i+1)
	}
}
