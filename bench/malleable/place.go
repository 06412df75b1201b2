package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/volume"
)

// request is for the same rates on all links of a path. A job is a request for a path of one link, the machine.
type request struct {
	path   []int // numbers of links
	counts bool  // in a summary
	volume.Request
}

// place books the requests in turn on links of some capacity, and returns the stretches of each; none if it is refused.
func (p policy) place(ctx context.Context, capacity int64, stream []request) ([][]volume.Stretch, error) {
	links, plans := map[int]*carts.Indexed{}, make([][]volume.Stretch, len(stream))
	for i, r := range stream {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s: stopped when %d of %d requests were placed: %w", p.name, i, len(stream), ctx.Err())
		}
		var path []*carts.Indexed
		for _, number := range r.path {
			if links[number] == nil {
				s, err := carts.NewIndexed(capacity, carts.Config{})
				if err != nil {
					return nil, err
				}
				links[number] = s
			}
			path = append(path, links[number])
		}
		s, err := narrow(capacity, path, r.Request)
		if err != nil {
			return nil, err
		}
		plans[i], err = p.plan(s, r.Request)
		if err == nil {
			err = book(path, plans[i])
		}
		if err != nil && !errors.Is(err, bookahead.ErrUnavailable) {
			return nil, fmt.Errorf("%s: request %d: %w", p.name, i, err)
		}
	}
	return plans, nil
}

// narrow returns a pool that has, at each tick from the ready time to the deadline, the free units of the fullest link of a path:
//
//	link a    5 5 3 3 3 5 5
//	link b    5 4 4 4 5 5 2
//	narrow    5 4 3 3 3 5 2
//
// A rate is free on all links throughout some time if and only if it is free on this pool.
func narrow(capacity int64, path []*carts.Indexed, r volume.Request) (*carts.Indexed, error) {
	if len(path) == 1 {
		return path[0], nil
	}
	w := bookahead.Interval{Start: r.Ready, End: r.Deadline}
	list := []bookahead.Step{{Interval: w, Free: capacity}}
	for _, s := range path {
		steps, _ := bookahead.Steps(s, w)
		list = least(list, slices.Collect(steps))
	}
	var booked []bookahead.Offer
	for _, s := range list {
		if s.Free < capacity {
			booked = append(booked, bookahead.Offer{Interval: s.Interval, Units: capacity - s.Free})
		}
	}
	return carts.NewIndexed(capacity, carts.Config{Origin: w.Start, Horizon: w.Len(), Booked: booked})
}

// least returns the lesser of two step functions of the same window, cut wherever one of them is.
func least(a, b []bookahead.Step) (list []bookahead.Step) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		both := bookahead.Step{Interval: a[i].Intersect(b[j].Interval), Free: min(a[i].Free, b[j].Free)}
		list = append(list, both)
		if a[i].End == both.End {
			i++
		}
		if b[j].End == both.End {
			j++
		}
	}
	return list
}

// book reserves the stretches of a plan on all links of a path. They are free there, so an error is a fault of the plan.
func book(path []*carts.Indexed, plan []volume.Stretch) error {
	for _, s := range path {
		for _, part := range plan {
			_, err := s.Reserve(bookahead.At(part.Start, part.Len(), part.Units))
			if err != nil {
				return fmt.Errorf("a stretch is not free: %v", err)
			}
		}
	}
	return nil
}
