package spans

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// Verify checks the invariants of the package comment. The error names the one that is broken.
// O(n).
func (x *Index) Verify() error {
	if x.root == nil {
		if x.n != 0 {
			return fmt.Errorf("I5: the index has %d spans, and no root", x.n)
		}
		return nil
	}
	if x.root.inner != nil && x.root.n == 1 {
		return fmt.Errorf("I3: the root has one kid")
	}
	v := verifier{Index: x, soonest: bookahead.MaxTime}
	for nd := x.root; nd.inner != nil; nd = nd.kid[0] {
		v.height++
	}
	err := v.check(x.root, v.height, x.owner == x.root.owner)
	switch {
	case err != nil:
		return err
	case v.n != x.n:
		return fmt.Errorf("I5: the index has %d spans, and says %d", v.n, x.n)
	case v.soonest != x.soonest:
		return fmt.Errorf("I5: the first span ends at %d, and the index says %d", v.soonest, x.soonest)
	}
	return nil
}

// verifier walks through an index from left to right.
type verifier struct {
	*Index
	height  int
	n       int  // spans so far
	last    Span // the last of them
	soonest bookahead.Time
}

// check checks a node of a height, 0 for leaves. owned says whether the index owns all nodes
// above it.
func (v *verifier) check(nd *node, height int, owned bool) error {
	switch {
	case (nd.inner == nil) != (height == 0):
		return fmt.Errorf("I1: leaves are not on one level")
	case nd.n < 1 || nd.n > v.width:
		return fmt.Errorf("I3: a node has %d entries, and the width is %d", nd.n, v.width)
	case nd.owner == v.owner && !owned:
		return fmt.Errorf("I6: a node of the index is below one that is not")
	}
	for i := range nd.n {
		var err error
		if nd.inner == nil {
			err = v.checkSpan(nd.span(i))
		} else {
			err = v.checkEntry(nd, i, height, owned && nd.owner == v.owner)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkSpan checks a span, which comes after the last one.
func (v *verifier) checkSpan(s Span) error {
	switch {
	case s.Empty():
		return fmt.Errorf("I1: the span %v of %d is empty", s.Interval, s.ID)
	case v.n > 0 && compare(v.last, s) >= 0:
		return fmt.Errorf("I1: %v of %d comes after %v of %d", s.Interval, s.ID, v.last.Interval, v.last.ID)
	}
	v.n, v.last, v.soonest = v.n+1, s, min(v.soonest, s.End)
	return nil
}

// checkEntry checks entry i of an inner node, and all below it.
func (v *verifier) checkEntry(nd *node, i, height int, owned bool) error {
	kid := nd.kid[i]
	err := v.check(kid, height-1, owned)
	if err != nil {
		return err
	}
	latest, earliest := kid.extremes()
	switch {
	case nd.start[i] != kid.start[0] || nd.id[i] != kid.id[0]:
		return fmt.Errorf("I1: entry %d of height %d begins with (%d, %d), its kid with (%d, %d)",
			i, height, nd.start[i], nd.id[i], kid.start[0], kid.id[0])
	case nd.end[i] != latest || nd.soonest[i] != earliest:
		return fmt.Errorf("I2: entry %d of height %d says %d and %d, its kid %d and %d",
			i, height, nd.end[i], nd.soonest[i], latest, earliest)
	case int(nd.size[i]) != kid.n:
		return fmt.Errorf("I3: entry %d of height %d says %d entries, and its kid has %d", i, height, nd.size[i], kid.n)
	case i > 0 && nd.kid[i-1].n+kid.n <= v.few():
		return fmt.Errorf("I4: kids %d and %d of height %d have %d entries together", i-1, i, height, nd.kid[i-1].n+kid.n)
	}
	return nil
}
