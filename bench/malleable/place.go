package main

import (
	"cmp"
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
	comes  bookahead.Time // by its ready time
	path   []int          // numbers of links
	counts bool           // in a summary
	volume.Request
}

// world has the links, and the plans of the requests that are accepted.
type world struct {
	policy
	capacity int64
	stream   []request
	links    map[int]*carts.Indexed
	plans    [][]volume.Stretch
	held     [][]held // by request
}

// held is a reservation of a part of a plan on a link.
type held struct {
	link *carts.Indexed
	id   bookahead.ID
}

// place books the requests as they come on links of some capacity, and returns the stretches of each; none if it is refused.
func (p policy) place(ctx context.Context, capacity int64, stream []request) ([][]volume.Stretch, error) {
	w := world{p, capacity, stream, map[int]*carts.Indexed{}, make([][]volume.Stretch, len(stream)), make([][]held, len(stream))}
	var live []int // accepted, and not done
	for i, r := range stream {
		err := ctx.Err()
		for _, number := range r.path {
			if err == nil && w.links[number] == nil {
				w.links[number], err = carts.NewIndexed(capacity, carts.Config{})
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: stopped when %d of %d requests were placed: %w", p.name, i, len(stream), err)
		}
		live = slices.DeleteFunc(live, func(k int) bool { return w.last(k).End <= r.comes })
		again := []int{i}
		for _, k := range live {
			if p.anew != nil && w.movable(k, i) {
				again = append(again, k)
			}
		}
		err = w.plan(r.comes, again)
		if err == nil {
			live = append(live, i)
		} else if !errors.Is(err, bookahead.ErrUnavailable) {
			return nil, fmt.Errorf("%s: request %d: %w", p.name, i, err)
		}
	}
	return w.plans, nil
}

// last returns the last stretch of a request.
func (w *world) last(k int) volume.Stretch { return w.plans[k][len(w.plans[k])-1] }

// movable reports whether the plan of a request may change for another one: they meet on a link, and work at a fixed rate has
// not begun.
func (w *world) movable(k, other int) bool {
	begun := w.rates != nil && w.last(k).Start < w.stream[other].comes
	return !begun && slices.ContainsFunc(w.stream[k].path, func(l int) bool { return slices.Contains(w.stream[other].path, l) })
}

// plan plans some requests from now on. If one of them has no place then, the error is bookahead.ErrUnavailable, and all plans are
// as before. Past parts of plans are booked no more: nothing is planned beside them.
func (w *world) plan(now bookahead.Time, again []int) error {
	left, old := map[int]volume.Request{}, map[int][]volume.Stretch{}
	for _, k := range again {
		r := w.stream[k].Request
		r.Ready = max(r.Ready, now)
		old[k] = w.plans[k]
		w.plans[k], r.Volume = before(now, w.plans[k], r.Volume)
		left[k] = r
		err := w.release(k)
		if err != nil {
			return err
		}
	}
	if w.anew != nil {
		slices.SortFunc(again, func(a, b int) int { return cmp.Or(cmp.Compare(w.anew(left[a]), w.anew(left[b])), cmp.Compare(a, b)) })
	}
	for _, k := range again {
		s, err := w.narrow(w.stream[k].path, left[k])
		if err != nil {
			return err
		}
		plan, err := w.policy.plan(s, left[k])
		if errors.Is(err, bookahead.ErrUnavailable) {
			return cmp.Or(w.undo(again, old), err)
		}
		if err == nil {
			err = w.book(k, plan)
		}
		if err != nil {
			return err
		}
		w.plans[k] = join(w.plans[k], plan)
	}
	return nil
}

// undo gives some requests their old plans back.
func (w *world) undo(again []int, old map[int][]volume.Stretch) error {
	for _, k := range again {
		err := w.release(k)
		if err != nil {
			return err
		}
	}
	for _, k := range again {
		w.plans[k] = old[k]
		err := w.book(k, old[k])
		if err != nil {
			return err
		}
	}
	return nil
}

// book reserves a plan on all links of its path. It is free there, so an error is a fault.
func (w *world) book(k int, plan []volume.Stretch) error {
	for _, number := range w.stream[k].path {
		for _, part := range plan {
			res, err := w.links[number].Reserve(bookahead.At(part.Start, part.Len(), part.Units))
			if err != nil {
				return fmt.Errorf("a stretch is not free: %v", err)
			}
			w.held[k] = append(w.held[k], held{w.links[number], res.ID})
		}
	}
	return nil
}

// release releases all that a request holds.
func (w *world) release(k int) error {
	for _, h := range w.held[k] {
		err := h.link.Release(h.id)
		if err != nil {
			return err
		}
	}
	w.held[k] = nil
	return nil
}

// narrow returns a pool that has, at each tick from the ready time to the deadline, the free units of the fullest link of a path:
//
//	link a    5 5 3 3 3 5 5
//	link b    5 4 4 4 5 5 2
//	narrow    5 4 3 3 3 5 2
//
// A rate is free on all links throughout some time if and only if it is free on this pool.
func (w *world) narrow(path []int, r volume.Request) (*carts.Indexed, error) {
	if len(path) == 1 {
		return w.links[path[0]], nil
	}
	window := bookahead.Interval{Start: r.Ready, End: r.Deadline}
	list := []bookahead.Step{{Interval: window, Free: w.capacity}}
	for _, number := range path {
		steps, _ := bookahead.Steps(w.links[number], window)
		list = volume.Meet(list, slices.Collect(steps))
	}
	var booked []bookahead.Offer
	for _, s := range list {
		if s.Free < w.capacity {
			booked = append(booked, bookahead.Offer{Interval: s.Interval, Units: w.capacity - s.Free})
		}
	}
	return carts.NewIndexed(w.capacity, carts.Config{Origin: window.Start, Horizon: window.Len(), Booked: booked})
}

// before returns the part of a plan that lies before a time, and the volume that is left then.
func before(now bookahead.Time, plan []volume.Stretch, left int64) (done []volume.Stretch, rest int64) {
	for _, s := range plan {
		s.End = min(s.End, now)
		if !s.Empty() {
			done = append(done, s)
			left -= s.Units * int64(s.Len())
		}
	}
	return done, left
}

// join returns both plans as one.
func join(a, b []volume.Stretch) []volume.Stretch {
	n := len(a)
	if n > 0 && len(b) > 0 && a[n-1].End == b[0].Start && a[n-1].Units == b[0].Units {
		a[n-1].End = b[0].End
		b = b[1:]
	}
	return append(a, b...)
}
