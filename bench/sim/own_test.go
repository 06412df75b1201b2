package sim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
)

// area is an Order of another package: the task with the least units times ticks is next.
type area struct{}

func (area) Key(t *sim.Task, _ int64) int64 { return t.Units * int64(t.Estimate) }
func (area) Moves() bool                    { return false }
func (area) Preempts() bool                 { return false }

// narrow is a Backfill of another package: it protects the head like EASY, but only tasks
// of at most so many units overtake.
type narrow struct{ units int64 }

func (narrow) Promises() bool                 { return true }
func (n narrow) Open(q *sim.Queue) sim.Filler { return &narrowing{narrow: n, q: q} }

type narrowing struct {
	narrow
	q    *sim.Queue
	head bookahead.ID
}

func (f *narrowing) may(w *sim.Waiting) bool { return w.Units <= f.units }

func (f *narrowing) Join(w *sim.Waiting) bool { return f.may(w) && f.q.Start(w) }

func (f *narrowing) Pass() {
	for again := true; again; {
		if f.head != 0 {
			f.q.Withdraw(f.head)
			f.head = 0
		}
		f.q.StartHeads()
		if head := f.q.Head(); head != nil {
			if res, ok := f.q.Promise(head); ok {
				f.head = res.ID
				f.q.Wake(res.Start)
			}
		}
		again = f.q.Overtake(false, f.may)
	}
}

// emptiest is a Placement of another package: the provider with the most units that are
// free when the task comes in, of those with the shortest queue.
var emptiest = sim.Placement{Policy: grid.PolicyFunc(func(b grid.Bids) int {
	best, most := -1, int64(-1)
	for k := range b.Len() {
		if !b.Takes(k) || best >= 0 && b.Queue(k) > b.Queue(best) {
			continue
		}
		a, err := b.Provider(k).RangeQuery(bookahead.Interval{Start: b.Earliest(), End: b.Earliest() + 1})
		if err == nil && (a.Free > most || best >= 0 && b.Queue(k) < b.Queue(best)) {
			best, most = k, a.Free
		}
	}
	return best
})}

// TestPoliciesOfOnesOwn: an Order, a Backfill and a Placement that this package could not
// see, by hand.
func TestPoliciesOfOnesOwn(t *testing.T) {
	task := func(submit bookahead.Time, run bookahead.Duration, units int64) sim.Task {
		return sim.Task{Job: workload.Job{Submit: submit, Run: run, Estimate: run, Units: units}, Ready: submit}
	}
	for _, c := range []struct {
		name   string
		units  []int64 // of each machine
		local  sim.Local
		batch  sim.Placement
		tasks  []sim.Task
		starts string
	}{
		// Areas of 6 and 4 wait behind the first task.
		{"order", []int64{4}, sim.Local{Order: area{}}, sim.Placement{},
			[]sim.Task{task(0, 10, 4), task(1, 2, 3), task(2, 4, 1)}, "0@0 10@0 10@0"},
		{"order, one after the other", []int64{4}, sim.Local{Order: area{}}, sim.Placement{},
			[]sim.Task{task(0, 10, 4), task(1, 2, 4), task(2, 1, 4)}, "0@0 11@0 10@0"},
		// The task of 4 units is promised tick 10; of those that fit until then, the task of
		// 1 unit may overtake, and the task of 2 units may not.
		{"backfill", []int64{4}, sim.Local{Backfill: narrow{1}}, sim.Placement{},
			[]sim.Task{task(0, 10, 2), task(1, 5, 4), task(2, 8, 2), task(3, 7, 1)}, "0@0 10@0 15@0 3@0"},
		{"EASY lets both", []int64{4}, sim.Local{Backfill: sim.EASY{}}, sim.Placement{},
			[]sim.Task{task(0, 10, 2), task(1, 5, 4), task(2, 8, 2), task(3, 7, 1)}, "0@0 10@0 2@0 15@0"},
		// 4 and 6 units, then 4 and 1, then 2 and 1.
		{"placement", []int64{4, 6}, sim.Local{}, emptiest,
			[]sim.Task{task(0, 9, 5), task(1, 9, 2), task(2, 9, 2)}, "0@1 1@0 2@0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := sim.Config{Batch: c.batch}
			for _, units := range c.units {
				pool, err := carts.NewFlat(units, carts.Config{})
				require.NoError(t, err)
				config.Providers = append(config.Providers, sim.Provider{Schedule: pool, Units: units, Local: c.local})
			}
			r, err := sim.Run(config, c.tasks)
			require.NoError(t, err)
			got := ""
			for i, o := range r.Outcomes {
				if i > 0 {
					got += " "
				}
				got += fmt.Sprintf("%d@%d", o.Start, o.Provider)
			}
			require.Equal(t, c.starts, got)
		})
	}
}
