package main

import (
	"math/rand/v2"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
)

const (
	sites     = 6
	meanJobs  = 5    // of a workflow
	linkUnits = 1000 // Mbit/s of each site's access to the network
)

// site is a resource with its access to the network.
type site struct{ processors, access bookahead.Schedule }

// grid books workflows: chains of jobs on random sites, with a transfer of data
// between two that are not on the same one. A job starts when its data have
// arrived. All of a workflow is booked, or nothing.
type grid []site

func openGrid(st structure, units int64, ahead bookahead.Duration) (grid, error) {
	g := make(grid, sites)
	for i := range g {
		var err error
		g[i].processors, err = st.open(units, ahead)
		if err != nil {
			return nil, err
		}
		g[i].access, err = st.open(linkUnits, ahead)
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (g grid) advance(now bookahead.Time) error {
	for _, x := range g {
		if err := x.processors.Advance(now); err != nil {
			return err
		}
		if err := x.access.Advance(now); err != nil {
			return err
		}
	}
	return nil
}

// order makes an order of a booking: the job, or a workflow of a few jobs that are like
// it, with its slack for all of them.
func (e experiment) order(b workload.Booking, rng *rand.Rand) order {
	o := order{submit: b.Submit, job: b.Request, at: []int{0}}
	o.job.Ready -= b.Submit
	o.job.Deadline -= b.Submit
	if !e.flows {
		return o
	}
	o.at = make([]int, 3+rng.IntN(5))
	for i := range o.at {
		o.at[i] = rng.IntN(sites)
	}
	o.transfer = bookahead.Duration(60 + rng.IntN(600))
	o.bandwidth = 50 + rng.Int64N(450)
	o.job.Deadline = o.job.Ready + 3*bookahead.Time(len(o.at))*bookahead.Time(o.job.Duration+o.transfer)
	return o
}

// claimed is a part of a workflow that is booked.
type claimed struct {
	s  bookahead.Schedule
	id bookahead.ID
}

// book books every job and every transfer, each as early as it can be. If one has no place,
// book releases those before it.
func (g grid) book(o order) (err error) {
	var held []claimed
	defer func() {
		if err == nil {
			return
		}
		for _, c := range held {
			if e := c.s.Release(c.id); e != nil {
				err = e
			}
		}
	}()
	t := o.submit + o.job.Ready
	for i, k := range o.at {
		if i > 0 && o.at[i-1] != k {
			r := o.request(t)
			r.Duration, r.Units = o.transfer, o.bandwidth
			end, parts, err := together(r, g[o.at[i-1]].access, g[k].access)
			held = append(held, parts...)
			if err != nil {
				return err
			}
			t = end
		}
		r := o.request(t)
		if r.Validate() != nil { // no time is left
			return bookahead.ErrUnavailable
		}
		res, err := g[k].processors.Reserve(r)
		if err != nil {
			return err
		}
		held = append(held, claimed{g[k].processors, res.ID})
		t = res.End
	}
	return nil
}

// together books r on both schedules at the same time, as early as it can be:
// each in turn says when it could, until they agree.
func together(r bookahead.Request, a, b bookahead.Schedule) (bookahead.Time, []claimed, error) {
	for {
		if r.Validate() != nil {
			return 0, nil, bookahead.ErrUnavailable
		}
		x, err := a.Search(r)
		if err != nil {
			return 0, nil, err
		}
		r.Ready = x.Start
		y, err := b.Search(r)
		if err != nil {
			return 0, nil, err
		}
		if y.Start == x.Start {
			first, err := a.Reserve(x.Request())
			if err != nil {
				return 0, nil, err
			}
			second, err := b.Reserve(y.Request())
			if err != nil {
				return 0, []claimed{{a, first.ID}}, err
			}
			return x.End, []claimed{{a, first.ID}, {b, second.ID}}, nil
		}
		r.Ready = y.Start
	}
}
