package main

import (
	"math/rand/v2"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/grid"
)

// drawnMCT is grid.MCT, but chance decides where a request with a deadline goes that
// could start equally early at several providers. The paper says that all of them offer
// the same start for a fixed request (§5.4), and not which of them MCT takes then;
// grid.MCT takes the first, and so does the paper's AR resource priority. Chance depends
// on the request and the seed only.
func drawnMCT(seed uint64) grid.Policy {
	return grid.PolicyFunc(func(b grid.Bids) int {
		r := b.Request()
		if r.Deadline == 0 {
			return grid.MCT.Choose(b)
		}
		var best []int
		var start bookahead.Time
		for k := range b.Len() {
			o, ok := b.Offer(k)
			switch {
			case ok && (len(best) == 0 || o.Start < start):
				best, start = append(best[:0], k), o.Start
			case ok && o.Start == start:
				best = append(best, k)
			}
		}
		if len(best) == 0 {
			return -1
		}
		draw := rand.New(rand.NewPCG(seed^uint64(r.Deadline), uint64(r.Duration)<<16^uint64(r.Units)))
		return best[draw.IntN(len(best))]
	})
}

// askedAll is grid.MCT, except that it asks every provider: the searches of each are
// counted (§3.5).
var askedAll = grid.PolicyFunc(func(b grid.Bids) int {
	for k := range b.Len() {
		b.Offer(k)
	}
	return grid.MCT.Choose(b)
})

// anywhere is the paper's random policy (§5.1): any provider that is large enough, each
// as likely as the others, whether or not it offers anything (grid.Random takes one that
// does). The draws of one simulation are a sequence, and each kind of task has its own
// stream.
func anywhere(seed, stream uint64) grid.Policy {
	rng := rand.New(rand.NewPCG(seed, stream))
	return grid.PolicyFunc(func(b grid.Bids) int {
		var among []int
		for k := range b.Len() {
			if b.Capacity(k) >= b.Request().Units {
				among = append(among, k)
			}
		}
		return among[rng.IntN(len(among))]
	})
}
