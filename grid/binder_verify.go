package grid

import (
	"fmt"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// verifyClosures checks that the shutters follow from the closures, and that the pool is closed and
// extended in step with them. O(s l) for s servers with l closures each.
func (b *Binder) verifyClosures() (err error) {
	x, want := b.closed, &shutters{given: b.closed.given, named: map[int][]bookahead.Interval{}}
	for c := range x.All() {
		c.Start = max(c.Start, b.now)
		if c.Added {
			want.extras = append(want.extras, extra{c.Interval, c.Servers[0], c.Servers[len(c.Servers)-1] + 1})
			continue
		}
		for _, k := range c.Servers {
			want.close(k, c.Interval)
		}
	}
	extras := slices.Clone(x.extras)
	for i := range extras {
		extras[i].Start = max(extras[i].Start, b.now)
	}
	if !slices.Equal(extras, want.extras) || x.all != int(b.servers) {
		return fmt.Errorf("grid: of %d servers %v were added, but should have been %v", b.servers, extras, want.extras)
	}
	lacks := map[bookahead.Interval]int64{}
	for _, k := range slices.Sorted(maps.Keys(x.named)) {
		shut := want.closedIn(k, b.now)
		if !slices.Equal(x.closedIn(k, b.now), shut) || len(x.named[k]) != len(want.named[k]) {
			return fmt.Errorf("grid: server %d has the closures %v, but should have %v", k, x.named[k], want.named[k])
		}
		for _, w := range shut {
			lacks[w]++
		}
	}
	if len(x.named) != len(want.named) {
		return fmt.Errorf("grid: %d servers have closures, but should be %d", len(x.named), len(want.named))
	}
	ok := bookahead.View(b.pool, func(p bookahead.Closable) { err = b.verifyPool(p, lacks) })
	if !ok {
		return b.notClosable()
	}
	return err
}

// verifyPool checks that the pool lacks so many units in each stretch, and has the Binder's extensions,
// so that its capacity is the number of open servers.
func (b *Binder) verifyPool(p bookahead.Closable, lacks map[bookahead.Interval]int64) error {
	open := int64(b.closed.given)
	for w, n := range lacks {
		if w.Contains(b.now) {
			open -= n
		}
	}
	for w, list := range b.unitsClosed(p) {
		for _, c := range list {
			lacks[w] -= c.Units
		}
	}
	for _, w := range slices.SortedFunc(maps.Keys(lacks), byTime) {
		if lacks[w] != 0 {
			return fmt.Errorf("grid: in %v the pool closes %d units too few", w, lacks[w])
		}
	}
	want := b.closed.extras
	for c := range p.Closures() {
		if !c.Added {
			continue
		}
		c.Start = max(c.Start, b.now)
		if len(want) == 0 || max(want[0].Start, b.now) != c.Start || want[0].End != c.End || int64(want[0].behind-want[0].first) != c.Units {
			return fmt.Errorf("grid: the pool is extended by %d in %v: others may have changed it", c.Units, c.Interval)
		}
		if c.Contains(b.now) {
			open += c.Units
		}
		want = want[1:]
	}
	frame, _ := bookahead.FrameOf(p)
	if len(want) > 0 || frame.Capacity != open {
		return fmt.Errorf("grid: the pool has %d units for %d servers, and lacks %d extensions", frame.Capacity, open, len(want))
	}
	return nil
}
