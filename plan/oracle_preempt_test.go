package plan_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// crowdedYard returns a pool of 12 units, or 4 nodes, or both.
func crowdedYard(t *testing.T, rng *rand.Rand) (y yard) {
	kinds := pick(rng, []int{pool}, []int{machine}, []int{pool, machine})
	for _, kind := range kinds {
		c := &cells{kind: kind, name: "pool"}
		s := plan.Schedule{Name: "pool"}
		if kind == pool {
			p, err := carts.NewIndexed(12, carts.Config{})
			require.NoError(t, err)
			c.given, s.Pool = [][]int64{{12}}, p
		} else {
			c.name, s.Name = "nodes", "nodes"
			config := nodes.Config{Resources: []string{"gpus", "cores"}, Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2, 3}}}}}
			for range 4 {
				v := nodes.Vector{3, int64(4 + rng.IntN(2))}
				c.given, config.Nodes = append(c.given, v), append(config.Nodes, v)
			}
			c.racks = config.Levels[0].Groups
			m, err := nodes.New(config)
			require.NoError(t, err)
			s.Nodes = m
		}
		y.cells, y.real = append(y.cells, c), append(y.real, s)
	}
	return y
}

// TestVictims has up to a dozen running jobs, and compares those that give way with the best of all sets.
func TestVictims(t *testing.T) {
	for seed := range uint64(operations() / 50) {
		rng := rand.New(rand.NewPCG(seed, 2))
		y := crowdedYard(t, rng)
		b := backfills[rng.IntN(len(backfills))]
		c := plan.Config{Schedules: y.real, Order: orders[0].order, Backfill: b.backfill, Preempt: true}
		r := newRigOn(t, seed, rng, y, c, orders[0], b)
		job := func(units int64, d bookahead.Duration) plan.Job {
			r.jobs++
			p := plan.Part{On: y.cells[rng.IntN(len(y.cells))].name, Units: units, Duration: d}
			if p.On == "nodes" {
				p.Tasks = &nodes.Request{Each: nodes.Vector{1, int64(1 + rng.IntN(2))}, Within: pick(rng, "", "", "rack")}
			}
			return plan.Job{ID: plan.ID(fmt.Sprint(r.jobs)), Priority: int64(rng.IntN(3)), Shapes: []plan.Shape{{p}}}
		}
		enter := func(j plan.Job) {
			r.note("submit %s", text(j))
			r.sameError("Submit", nil, r.queue.Submit(j))
			r.oracle.enter(j, nil)
		}
		next := func(now bookahead.Time) { // and all proposals start
			r.note("pass at %d", now)
			got, err := r.queue.Pass(t.Context(), now)
			r.sameError("Pass", nil, err)
			want := r.oracle.pass(now)
			r.results(want, got)
			r.check()
			for _, s := range want.Starts {
				for _, v := range s.Victims {
					r.requeue(now, v)
				}
				r.start(s.Job)
			}
		}
		now := bookahead.Time(0)
		for range 3 + rng.IntN(8) {
			j := job(int64(1+rng.IntN(3)), bookahead.Duration(20+rng.IntN(10)))
			j.Class, j.Preemptible = int64(rng.IntN(2)), rng.IntN(8) > 0
			enter(j)
			if rng.IntN(3) == 0 {
				next(now)
				now++
			}
		}
		next(now)
		for range 1 + rng.IntN(2) {
			j := job(int64(3+rng.IntN(7)), 10)
			j.Class = 2
			enter(j)
		}
		next(now)
		next(now + 1)
	}
}
