package carts

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

func (p *profile[U]) verify(now bookahead.Time) ([]slot, error) {
	slots, err := p.check()
	if err != nil {
		return nil, err
	}
	// What has passed is still there, up to a leaf of it.
	for len(slots) > 1 && slots[1].Start <= now {
		slots = slots[1:]
	}
	if slots[0].Start > now {
		return nil, fmt.Errorf("the first slot starts at %d, after %d", slots[0].Start, now)
	}
	slots[0].Start = now
	return slots, nil
}

// check demands that the tree is well formed, and returns its slots.
func (p *profile[U]) check() ([]slot, error) {
	depth := 0
	for nd := p.root; nd.inner != nil; nd = nd.kid[0] {
		depth++
	}
	return p.checkNode(step[U]{nd: p.root, end: bookahead.MaxTime}, depth, true)
}

func (p *profile[U]) checkNode(s step[U], height int, leftmost bool) ([]slot, error) {
	nd := s.nd
	if (nd.inner == nil) != (height == 0) {
		return nil, fmt.Errorf("leaves are not on one level")
	}
	if nd.n < 1 || nd.n > p.width {
		return nil, fmt.Errorf("a node has %d entries", nd.n)
	}
	var slots []slot
	for i := range nd.n {
		if nd.start(i) >= nd.end(i, s.end) && nd.start(i) != bookahead.MaxTime {
			return nil, fmt.Errorf("entry [%d, %d)", nd.start(i), nd.end(i, s.end))
		}
		if height == 0 {
			slots = append(slots, slot{Start: nd.start(i), Free: int64(nd.low[i] + s.acc)})
			continue
		}
		below := step[U]{nd: nd.kid[i], acc: s.acc + nd.add[i], end: nd.end(i, s.end)}
		kids, err := p.checkNode(below, height-1, leftmost && i == 0)
		if err != nil {
			return nil, err
		}
		low, high := kids[0].Free, kids[0].Free
		for _, k := range kids {
			low, high = min(low, k.Free), max(high, k.Free)
		}
		if kids[0].Start != nd.start(i) || low != int64(nd.low[i]+s.acc) || high != int64(nd.high[i]+s.acc) {
			return nil, fmt.Errorf("entry %d of height %d says [%d, %d] from %d: %v", i, height, nd.low[i]+s.acc, nd.high[i]+s.acc, nd.start(i), kids)
		}
		if err := nd.checkRuns(i, s.acc, kids, below.end, height == 1); err != nil {
			return nil, err
		}
		slots = append(slots, kids...)
	}
	return slots, nil
}

// checkRuns demands that no run is longer than the index says, and that it says
// no more than that of a leaf that is not loose.
func (nd *node[U]) checkRuns(i int, acc U, kids []slot, end bookahead.Time, exact bool) error {
	var err error
	nd.learnt().each(func(slot int, b *bounds[U]) {
		units := b.units(acc)
		if units < 1 || err != nil {
			return
		}
		var r run
		since := kids[0].Start
		for j, k := range kids {
			until := end
			if j+1 < len(kids) {
				until = kids[j+1].Start
			}
			if k.Free < int64(units) {
				since = until
			}
			r.best = max(r.best, until-since)
			r.suffix = until - since
			if since == kids[0].Start {
				r.prefix = r.suffix
			}
		}
		w := b.word[i].get()
		got := unpack(w, end-kids[0].Start)
		switch {
		case got.prefix < r.prefix || got.best < r.best || got.suffix < r.suffix:
			err = fmt.Errorf("slot %d: %v is no bound of %v, of %v to %d", slot, got, r, kids, end)
		case exact && w&loose == 0 && got != unpack(pack(r), end-kids[0].Start):
			err = fmt.Errorf("slot %d: %v is not %v, of %v to %d", slot, got, r, kids, end)
		}
	})
	return err
}
