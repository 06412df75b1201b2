package profile

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Verify checks the invariants of the package comment, and returns the steps from now on. The
// error names the invariant that does not hold. O(v) for each number of units that has bounds.
func (p *Tree[U]) Verify(now bookahead.Time) ([]pool.Step, error) {
	steps, err := p.check()
	if err != nil {
		return nil, err
	}
	// Up to a leaf of past steps is still there.
	for len(steps) > 1 && steps[1].Start <= now {
		steps = steps[1:]
	}
	if steps[0].Start > now {
		return nil, fmt.Errorf("the first step starts at %d, after %d", steps[0].Start, now)
	}
	steps[0].Start = now
	return steps, nil
}

// check is Verify for all steps.
func (p *Tree[U]) check() ([]pool.Step, error) {
	height := p.Shape().Height - 1
	if height != p.height {
		return nil, fmt.Errorf("I3: %d levels above the leaves, and %d are counted", height, p.height)
	}
	root := spot[U]{nd: p.root, end: bookahead.MaxTime}
	return p.checkBelow(root, p.height)
}

// checkBelow checks a node of a height, 0 for leaves, and returns its steps. It goes down first,
// and compares an entry with the steps below it, so that it trusts no number of the kid.
func (p *Tree[U]) checkBelow(s spot[U], height int) ([]pool.Step, error) {
	nd := s.nd
	if (nd.inner == nil) != (height == 0) {
		return nil, fmt.Errorf("I3: leaves are not on one level")
	}
	if nd.n < 1 || nd.n > p.Width {
		return nil, fmt.Errorf("I4: a node has %d entries, and the width is %d", nd.n, p.Width)
	}
	var steps []pool.Step
	for i := range nd.n {
		if nd.start(i) >= nd.end(i, s.end) && nd.start(i) != bookahead.MaxTime {
			return nil, fmt.Errorf("I3: entry [%d, %d)", nd.start(i), nd.end(i, s.end))
		}
		if height == 0 {
			steps = append(steps, pool.Step{Start: nd.start(i), Free: int64(nd.low[i] + s.acc)}) // I1
			continue
		}
		kid := s.below(i)
		below, err := p.checkBelow(kid, height-1)
		if err != nil {
			return nil, err
		}
		if below[0].Start != nd.start(i) {
			return nil, fmt.Errorf("I3: entry %d of height %d starts at %d, its kid at %d", i, height, nd.start(i), below[0].Start)
		}
		low, high := below[0].Free, below[0].Free
		for _, k := range below {
			low, high = min(low, k.Free), max(high, k.Free)
		}
		if low != int64(nd.low[i]+s.acc) || high != int64(nd.high[i]+s.acc) {
			return nil, fmt.Errorf("I2: entry %d of height %d says [%d, %d]: %v", i, height, nd.low[i]+s.acc, nd.high[i]+s.acc, below)
		}
		if err := nd.checkBounds(i, s.acc, below, kid.end, height == 1); err != nil {
			return nil, err
		}
		steps = append(steps, below...)
	}
	return steps, nil
}

// checkBounds checks the bounds of entry i against the steps below it, which end at end.
func (nd *node[U]) checkBounds(i int, acc U, below []pool.Step, end bookahead.Time, leaf bool) error {
	var err error
	span := end - below[0].Start
	nd.learnt().each(func(slot int, b *bounds[U]) {
		units := b.units(acc)
		if units < 1 || err != nil {
			return
		}
		bound := b.word[i].get()
		told, is := unpack(bound, span), runsOf(below, end, int64(units))
		switch {
		case told.prefix < is.prefix || told.best < is.best || told.suffix < is.suffix:
			err = fmt.Errorf("R1: slot %d says %v of runs of %d units, not %v: %v to %d", slot, told, units, is, below, end)
		case leaf && bound&loose == 0 && told != unpack(pack(is), span):
			err = fmt.Errorf("R2: slot %d says %v of runs of %d units, not %v: %v to %d", slot, told, units, is, below, end)
		}
	})
	return err
}

// runsOf returns the runs of n units in some steps, the last of which ends at end. It goes
// through the steps, and since is where the stretch with enough units began that reaches up to
// the step.
func runsOf(steps []pool.Step, end bookahead.Time, n int64) run {
	var r run
	since := steps[0].Start
	for i, s := range steps {
		until := end
		if i+1 < len(steps) {
			until = steps[i+1].Start
		}
		if s.Free < n {
			since = until
		}
		r.best = max(r.best, until-since)
		r.suffix = until - since
		if since == steps[0].Start {
			r.prefix = r.suffix
		}
	}
	return r
}

// Shape says which corners of a tree a test has reached.
type Shape struct {
	Height int // levels
	Bounds int // bounds that are known
	Far    int // nodes whose starts lie so far apart that 32 bits are not enough
	Inner  int // the most entries of an inner node
}

// Shape returns the shape of the tree. O(v) for each number of units that has bounds.
func (p *Tree[U]) Shape() Shape {
	var sh Shape
	p.root.shape(&sh, 1)
	return sh
}

func (nd *node[U]) shape(sh *Shape, level int) {
	sh.Height = max(sh.Height, level)
	if nd.upper != nil {
		sh.Far++
	}
	if nd.inner == nil {
		return
	}
	sh.Inner = max(sh.Inner, nd.n)
	nd.learnt().each(func(_ int, b *bounds[U]) {
		for i := range nd.n {
			if b.word[i].get() != unknown {
				sh.Bounds++
			}
		}
	})
	for _, kid := range nd.kid[:nd.n] {
		kid.shape(sh, level+1)
	}
}
