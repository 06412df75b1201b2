package avail

import (
	"cmp"
	"iter"
	"slices"
)

// Runs is an availability vector as the list of its runs of available slots (the list of state
// changes that Stevens et al., §4.1, mention beside the bits). It answers as Vector does, in time
// and memory that grow with the number of runs rather than slots: use it for fine slots and few
// reservations. Its length never changes. The zero Runs has no slots.
//
// The rules of Vector about goroutines and about faults of the program hold here too.
type Runs struct {
	n    int
	runs []Run // in order, none empty, with a gap between any two
}

// NewRuns returns a list for n slots, none of them available. The error wraps
// bookahead.ErrInvalid if n is negative or more than MaxSlots. O(1).
func NewRuns(n int) (*Runs, error) {
	if err := checkSlots("slots", n); err != nil {
		return nil, err
	}
	return &Runs{n: n}, nil
}

// Len returns the number of slots. O(1).
func (r *Runs) Len() int { return r.n }

// after returns the index of the first run that ends after slot i.
func (r *Runs) after(i int) int {
	k, _ := slices.BinarySearchFunc(r.runs, i+1, func(run Run, end int) int {
		return cmp.Compare(run.End, end)
	})
	return k
}

// Get reports whether slot i is available. O(log k) for k runs.
func (r *Runs) Get(i int) bool {
	checkRange("Get", i, i+1, r.n)
	k := r.after(i)
	return k < len(r.runs) && r.runs[k].Start <= i
}

// Set makes the slots [from, to) available. O(k) for k runs.
func (r *Runs) Set(from, to int) {
	checkRange("Set", from, to, r.n)
	if from == to {
		return
	}
	// Runs that overlap or touch [from, to) become one run with it.
	first, last := r.after(from-1), r.after(to)
	joined := Run{from, to}
	if last < len(r.runs) && r.runs[last].Start <= to {
		last++
	}
	if first < last {
		joined.Start = min(from, r.runs[first].Start)
		joined.End = max(to, r.runs[last-1].End)
	}
	r.runs = slices.Replace(r.runs, first, last, joined)
}

// Clear makes the slots [from, to) unavailable. O(k) for k runs.
func (r *Runs) Clear(from, to int) {
	checkRange("Clear", from, to, r.n)
	if from == to {
		return
	}
	first, last := r.after(from), r.after(to)
	var left [2]Run // the rest of the first run and of the last
	kept := left[:0]
	if first < len(r.runs) && r.runs[first].Start < from {
		kept = append(kept, Run{r.runs[first].Start, from})
	}
	if last < len(r.runs) && r.runs[last].Start < to {
		kept = append(kept, Run{to, r.runs[last].End})
		last++
	}
	r.runs = slices.Replace(r.runs, first, last, kept...)
}

// Weight returns the number of available slots (§4.5). O(k) for k runs.
func (r *Runs) Weight() int {
	n := 0
	for _, run := range r.runs {
		n += run.Len()
	}
	return n
}

// Equal reports whether both have the same length and the same slots available.
// O(k) for k runs.
func (r *Runs) Equal(o *Runs) bool { return r.n == o.n && slices.Equal(r.runs, o.runs) }

// Covers reports whether r is available wherever o is: the ≥ between vectors of
// Eq. (3) and (5). Equal lists cover each other. O(k) for k runs in both.
func (r *Runs) Covers(o *Runs) bool {
	checkLens("comparison", r.n, o.n)
	i := 0
	for _, run := range o.runs {
		for i < len(r.runs) && r.runs[i].End < run.End {
			i++
		}
		if i == len(r.runs) || run.Start < r.runs[i].Start {
			return false
		}
	}
	return true
}

// Dominates reports whether r covers o and is available in a slot more. It is a
// strict order: no list dominates its equal. O(k) for k runs in both.
func (r *Runs) Dominates(o *Runs) bool { return r.Covers(o) && !r.Equal(o) }

// All yields the runs of available slots, in order, each as long as it can be.
// O(k) for k runs.
func (r *Runs) All() iter.Seq[Run] { return slices.Values(r.runs) }

// Vector returns the same slots as bits. O(n/64 + k) for k runs.
func (r *Runs) Vector() *Vector {
	v := newVector(r.n)
	for _, run := range r.runs {
		v.Set(run.Start, run.End)
	}
	return v
}

// Clone returns a copy. O(k) for k runs.
func (r *Runs) Clone() *Runs { return &Runs{n: r.n, runs: slices.Clone(r.runs)} }

// String formats the list as Vector does: "0110", slot 0 first. O(n).
func (r *Runs) String() string { return r.Vector().String() }

// Compose returns r ⊕ o, as Vector.Compose does. O(k) for k runs in both.
func (r *Runs) Compose(o *Runs, delay int) *Runs {
	dst := &Runs{n: r.n}
	r.ComposeTo(dst, o, delay)
	return dst
}

// ComposeTo is Compose into dst, which may be r, or o, or both. It allocates if
// dst is an operand, or has no room for the runs. O(k) for k runs in both.
func (r *Runs) ComposeTo(dst, o *Runs, delay int) {
	checkLens("Compose", r.n, o.n)
	checkLens("ComposeTo", r.n, dst.n)
	checkNatural("Compose", delay)
	both := dst.runs[:0]
	if dst == r || dst == o {
		both = nil // the runs that are written would overtake the runs that are read
	}
	near := r.runs
	for _, far := range o.runs[o.after(min(delay, o.n)):] {
		start, end := max(far.Start-delay, 0), far.End-delay
		for len(near) > 0 && near[0].Start < end {
			if near[0].End > start {
				both = append(both, Run{max(start, near[0].Start), min(end, near[0].End)})
			}
			if near[0].End > end {
				break // near[0] may overlap the next run of o as well
			}
			near = near[1:]
		}
	}
	dst.runs = both
}

// Mask returns MUVₖ(r), as Vector.Mask does. O(k) for k runs.
func (r *Runs) Mask(k int) *Runs {
	checkNatural("Mask", k)
	m := r.Clone()
	m.Clear(0, min(k, r.n))
	return m
}

// Starts returns every slot from which b slots in a row are available, as Vector.Starts does.
// O(k) for k runs.
func (r *Runs) Starts(b int) *Runs {
	s := &Runs{n: r.n}
	if b < 1 {
		return s
	}
	for _, run := range r.runs {
		if run.Len() >= b {
			s.runs = append(s.runs, Run{run.Start, run.End - b + 1})
		}
	}
	return s
}

// FirstRun returns R(b), as Vector.FirstRun does. O(k) for k runs before it.
func (r *Runs) FirstRun(b int) (int, bool) { return r.NextRun(0, b) }

// NextRun returns the first slot, at from or later, from which b slots in a row are available, as
// Vector.NextRun does. O(log k + m) for k runs, m of them between from and the result.
func (r *Runs) NextRun(from, b int) (int, bool) {
	checkNatural("NextRun", from)
	if b < 1 || from >= r.n {
		return 0, false
	}
	for _, run := range r.runs[r.after(from):] {
		start := max(run.Start, from)
		if run.End-start >= b {
			return start, true
		}
	}
	return 0, false
}

// EST returns R(b) + b + delay, as Vector.EST does. O(k) for k runs before R(b).
func (r *Runs) EST(b, delay int) (int, bool) {
	checkNatural("EST", delay)
	start, ok := r.FirstRun(b)
	est := start + b + delay
	if !ok || est < delay {
		return 0, false
	}
	return est, true
}
