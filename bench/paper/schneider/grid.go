package main

import (
	"math/rand/v2"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
)

const (
	sites     = 6
	siteUnits = 128
	meanJobs  = 5    // of a workflow
	linkUnits = 1000 // Mbit/s of each site's access to the network
)

// site is a resource with its access to the network.
type site struct{ processors, access bookahead.Schedule }

// grid books workflows: chains of jobs on random sites, with a transfer of data
// between two that are not on the same one. A job starts when its data have
// arrived. All of a workflow is booked, or nothing.
func grid(s settings, progress func(string, ...any)) ([]point, error) {
	s.jobs = max(1, s.jobs/3) // workflows have more jobs
	return sweep("9", siteUnits, []structure{slots(9_000), slots(90_000), list}, s, progress,
		func(st structure, gap, load float64, seed uint64) (success, micros float64, err error) {
			const share = float64(sites) / meanJobs // of what a site is offered, as first jobs of workflows
			requests, err := bookings(siteUnits, gap/share, load*share, s.jobs, seed)
			if err != nil {
				return 0, 0, err
			}
			all := make([]site, sites)
			for i := range all {
				if all[i].processors, err = st.open(siteUnits); err != nil {
					return 0, 0, err
				}
				if all[i].access, err = st.open(linkUnits); err != nil {
					return 0, 0, err
				}
			}
			rng := rand.New(rand.NewPCG(seed, 9))
			accepted, took := 0, time.Duration(0)
			for _, b := range requests {
				for _, x := range all {
					if err := x.processors.Advance(b.Submit); err != nil {
						return 0, 0, err
					}
					if err := x.access.Advance(b.Submit); err != nil {
						return 0, 0, err
					}
				}
				w := newWorkflow(b, rng)
				started := time.Now()
				ok, err := w.book(all)
				took += time.Since(started)
				if err != nil {
					return 0, 0, err
				}
				if ok {
					accepted++
				}
			}
			n := float64(len(requests))
			return float64(accepted) / n, float64(took.Nanoseconds()) / 1000 / n, nil
		})
}

// workflow is a chain of jobs. The one that was drawn tells the size of each,
// and together they have its slack.
type workflow struct {
	ready, deadline bookahead.Time
	job             bookahead.Request
	at              []int // the site of each
	transfer        bookahead.Duration
	bandwidth       int64
}

func newWorkflow(b workload.Booking, rng *rand.Rand) workflow {
	w := workflow{job: b.Request, ready: b.Request.Ready}
	w.at = make([]int, 3+rng.IntN(5))
	for i := range w.at {
		w.at[i] = rng.IntN(sites)
	}
	w.transfer = bookahead.Duration(60 + rng.IntN(600))
	w.bandwidth = 50 + rng.Int64N(450)
	steps := bookahead.Time(len(w.at))
	w.deadline = w.ready + 3*steps*bookahead.Time(w.job.Duration+w.transfer)
	return w
}

// claimed is a part of a workflow that is booked.
type claimed struct {
	s  bookahead.Schedule
	id bookahead.ID
}

// book books every job and every transfer, each as early as it can be, or gives
// back what it has booked.
func (w workflow) book(all []site) (ok bool, err error) {
	var held []claimed
	defer func() {
		if !ok {
			for _, c := range held {
				if e := c.s.Release(c.id); e != nil && err == nil {
					err = e
				}
			}
		}
	}()
	t := w.ready
	for i, k := range w.at {
		if i > 0 && w.at[i-1] != k {
			r := bookahead.Request{Ready: t, Deadline: w.deadline, Duration: w.transfer, Units: w.bandwidth}
			end, parts, err := together(r, all[w.at[i-1]].access, all[k].access)
			if err != nil {
				return false, none(err)
			}
			held = append(held, parts...)
			t = end
		}
		r := w.job
		if r.Ready, r.Deadline = t, w.deadline; r.Validate() != nil { // no time is left
			return false, nil
		}
		res, err := all[k].processors.Reserve(r)
		if err != nil {
			return false, none(err)
		}
		held = append(held, claimed{all[k].processors, res.ID})
		t = res.End
	}
	return true, nil
}

// none turns the normal outcome of a search into no error.
func none(err error) error {
	if err == bookahead.ErrUnavailable {
		return nil
	}
	return err
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
