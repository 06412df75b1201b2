package main

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/trace"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/freelist"
)

// planner is a row of the table.
type planner struct {
	name string // a word
	open trace.Opener
	most int // bookings at the start; 0 is no limit. A list would take hours to fill.
}

// planners returns the planners to be compared. The first is the default of the library, and the measure
// of the others. All of them find the earliest start.
func planners() []planner {
	return []planner{
		{name: "carts.Indexed", open: bulk(carts.NewIndexed, inCarts)},
		{name: "carts.BTree", open: bulk(carts.NewBTree, inCarts)},
		{name: "carts.Flat", open: bulk(carts.NewFlat, inCarts)},
		{name: "freelist.Used", open: bulk(freelist.NewUsed, inFreelist), most: 10_000},
		{name: "google/btree", open: behind(newTree)},
		{name: "rdleal/intervalst", open: behind(newIntervals)},
		{name: "sorted-slice", open: behind(newSlice)},
	}
}

func inCarts(h trace.Header, booked []bookahead.Offer) carts.Config {
	return carts.Config{Origin: h.Origin, Horizon: h.Horizon, Booked: booked}
}

func inFreelist(h trace.Header, booked []bookahead.Offer) freelist.Config {
	return freelist.Config{Origin: h.Origin, Horizon: h.Horizon, Booked: booked}
}

// bulk returns the Opener of a structure of ours, which takes all booked lines in one go.
func bulk[S bookahead.Schedule, C any](create func(int64, C) (S, error), config func(trace.Header, []bookahead.Offer) C) trace.Opener {
	return func(h trace.Header, booked []bookahead.Offer) (trace.Planner, []bookahead.ID, error) {
		s, err := create(h.Capacity, config(h, booked))
		return s, inOrder(len(booked)), err
	}
}

// choose returns the planners with these names, behind the default, which the others are measured
// by.
func choose(names []string) ([]planner, error) {
	all := planners()
	chosen := all[:1]
	for _, name := range names {
		i := slices.IndexFunc(all, func(p planner) bool { return p.name == name })
		switch {
		case i < 0:
			return nil, fmt.Errorf("%q is none of %s", name, known(all))
		case i > 0:
			chosen = append(chosen[:len(chosen):len(chosen)], all[i])
		}
	}
	return chosen, nil
}

func known(all []planner) string {
	text := ""
	for _, p := range all {
		text += ", " + p.name
	}
	return text[2:]
}
