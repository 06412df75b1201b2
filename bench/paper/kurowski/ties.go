package main

import (
	"errors"
	"math/rand/v2"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
)

// ties lets chance decide where a request with a deadline goes that could start
// equally early at several providers. The paper says that all of them offer the same
// start for a fixed request (§5.4), and not which of them MCT takes then; sim.MCT
// takes the first, and so does the paper's AR resource priority.
//
// Whom chance decides against finds no place for the request. Chance depends on the
// request and the seed only, so that each provider comes to the same decision.
type ties struct {
	all  []bookahead.Schedule
	seed uint64
}

// drawTies makes providers share ties.
func drawTies(providers []sim.Provider, seed uint64) {
	t := &ties{seed: seed}
	for i := range providers {
		t.all = append(t.all, providers[i].Schedule)
		providers[i].Schedule = tied{providers[i].Schedule, t}
	}
}

// tied is one of the providers.
type tied struct {
	bookahead.Schedule
	ties *ties
}

// Search implements bookahead.Schedule. Batch tasks search without a deadline, and
// so do AR tasks that will be late; where these could start equally early, the
// first provider takes them.
func (s tied) Search(r bookahead.Request) (bookahead.Offer, error) {
	if r.Deadline == 0 {
		return s.Schedule.Search(r)
	}
	return s.ties.search(s.Schedule, r)
}

// search answers for one of all.
func (t *ties) search(at bookahead.Schedule, r bookahead.Request) (bookahead.Offer, error) {
	var best []bookahead.Schedule
	var offer bookahead.Offer
	for _, s := range t.all {
		o, err := s.Search(r)
		switch {
		case errors.Is(err, bookahead.ErrUnavailable):
			continue
		case err != nil:
			return o, err
		case len(best) == 0 || o.Start < offer.Start:
			best, offer = append(best[:0], s), o
		case o.Start == offer.Start:
			best = append(best, s)
		}
	}
	if len(best) == 0 {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	draw := rand.New(rand.NewPCG(t.seed^uint64(r.Deadline), uint64(r.Duration)<<16^uint64(r.Units)))
	if best[draw.IntN(len(best))] != at {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return offer, nil
}
