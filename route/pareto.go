package route

import (
	"iter"

	"github.com/bookahead/bookahead/avail"
)

// Coverer is a cost that reports whether it is at least as good as another in
// every component. Additive is a Coverer, and so are *avail.Vector and *avail.Runs, for which
// more slots are better. A cost of several kinds covers another if each of its parts does.
type Coverer[C any] interface {
	// Covers reports whether the receiver is as good as o, or better, in every
	// component. Equal costs cover each other. Covers is transitive.
	Covers(o C) bool
}

var (
	_ Coverer[Additive]      = Additive(nil)
	_ Coverer[*Candidate]    = (*Candidate)(nil)
	_ Coverer[*avail.Vector] = (*avail.Vector)(nil)
	_ Coverer[*avail.Runs]   = (*avail.Runs)(nil)
)

// Dominates reports whether a is at least as good as b in every component, and
// better in one. Dominates is a strict order: no cost dominates its equal (Eq. (3) of Stevens
// et al. prints one < and one ≥; see Deviations).
func Dominates[C Coverer[C]](a, b C) bool { return a.Covers(b) && !b.Covers(a) }

// Additive is a cost of which less is better in each component: delays, hops,
// prices. Both sides of a comparison have the same length. O(k) for k components.
type Additive []float64

// Covers implements Coverer: ≤ in every component.
func (a Additive) Covers(o Additive) bool {
	for i, x := range o {
		if a[i] > x {
			return false
		}
	}
	return true
}

// Frontier is a set of costs of which none covers another (a Pareto front), each
// with a value. The zero Frontier is empty. A frontier keeps the order of insertion. As long as
// nothing is pruned, two promises hold:
//
//	F1  no cost in the frontier covers another
//	F2  each cost that was ever inserted, or refused, is covered by a cost in the frontier
//
// By F2 a frontier need not remember a cost that it drops. Covers is transitive: the cost that
// covers the dropped cost refuses every cost that the dropped cost would have refused.
type Frontier[C Coverer[C], V any] struct {
	costs  []C
	values []V
}

// Len returns the number of costs.
func (f *Frontier[C, V]) Len() int { return len(f.costs) }

// Covered reports whether some cost in the frontier covers c. O(n) comparisons.
func (f *Frontier[C, V]) Covered(c C) bool {
	for _, have := range f.costs {
		if have.Covers(c) {
			return true
		}
	}
	return false
}

// Insert adds c unless a cost in the frontier covers it, and drops the costs that c
// covers. It reports whether c was added: of equals the first stays. O(n)
// comparisons.
func (f *Frontier[C, V]) Insert(c C, v V) bool {
	if f.Covered(c) {
		return false
	}
	f.prune(func(have C, _ V) bool { return !c.Covers(have) }) // for F1
	f.costs, f.values = append(f.costs, c), append(f.values, v)
	return true
}

// prune drops each cost for which keep returns false. O(n).
func (f *Frontier[C, V]) prune(keep func(C, V) bool) {
	n := 0
	for i, c := range f.costs {
		if keep(c, f.values[i]) {
			f.costs[n], f.values[n] = c, f.values[i]
			n++
		}
	}
	// The rest of the arrays would keep vectors alive that nobody can reach.
	clear(f.costs[n:])
	clear(f.values[n:])
	f.costs, f.values = f.costs[:n], f.values[:n]
}

// All yields the costs and their values, in the order of insertion. The frontier
// must not change meanwhile.
func (f *Frontier[C, V]) All() iter.Seq2[C, V] {
	return func(yield func(C, V) bool) {
		for i, c := range f.costs {
			if !yield(c, f.values[i]) {
				return
			}
		}
	}
}
