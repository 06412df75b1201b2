package plan_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// yard is the schedules of a caller: real ones, and what the oracle knows of them.
type yard struct {
	real  []plan.Schedule
	cells []*cells
	bends bool // whether jobs may bend
}

// layouts are the kinds of the schedules.
var layouts = [][]int{{pool}, {pool, pool}, {machine}, {machine, pool}, {servers}, {servers, pool}, {pool, machine, servers}}

// newYard draws schedules of some kinds.
func newYard(t testing.TB, rng *rand.Rand, kinds []int) yard {
	y := yard{}
	for i, kind := range kinds {
		name := fmt.Sprintf("%c%d", "psn"[kind], i)
		c := &cells{name: name, kind: kind}
		s := plan.Schedule{Name: name}
		if rng.IntN(8) == 0 {
			c.horizon = bookahead.Time(60 + rng.IntN(60))
		}
		switch kind {
		case pool:
			n := int64(3 + rng.IntN(4))
			c.given = [][]int64{{n}}
			p, err := carts.NewIndexed(n, carts.Config{Horizon: bookahead.Duration(c.horizon)})
			require.NoError(t, err)
			s.Pool = p
		case servers:
			n := 3 + rng.IntN(3)
			for range n {
				c.given = append(c.given, []int64{1})
			}
			p, err := idletree.NewTree(int64(n), idletree.Config{Horizon: bookahead.Duration(c.horizon), Prefer: idletree.LowestIndex})
			require.NoError(t, err)
			s.Pool = p
		case machine:
			config := nodes.Config{Resources: []string{"gpus", "cores"}, Horizon: bookahead.Duration(c.horizon)}
			n := 3 + rng.IntN(3)
			for range n {
				v := nodes.Vector{int64(rng.IntN(3)), int64(2 + rng.IntN(3))}
				c.given, config.Nodes = append(c.given, v), append(config.Nodes, v)
			}
			c.racks = [][]int{{0}, {1, 2}}
			if n > 3 {
				c.racks = [][]int{{1, 3}, {0, 2}} // node 4 is in no rack
			}
			config.Levels = []nodes.Level{{Name: "rack", Groups: c.racks}}
			m, err := nodes.New(config)
			require.NoError(t, err)
			s.Nodes = m
		}
		y.cells, y.real = append(y.cells, c), append(y.real, s)
	}
	return y
}

// job draws a job for the yard.
func (y yard) job(rng *rand.Rand, id plan.ID, now bookahead.Time) plan.Job {
	j := plan.Job{
		ID: id, Owner: pick(rng, "ann", "bob", "cy"), Group: pick(rng, "", "g", "h"),
		Priority: int64(rng.IntN(3)), Class: int64(rng.IntN(3)), Preemptible: rng.IntN(3) > 0,
		Submitted: max(0, now-bookahead.Time(rng.IntN(3))),
	}
	if rng.IntN(6) == 0 {
		j.NotBefore = now + bookahead.Time(rng.IntN(12))
	}
	j.Shapes = []plan.Shape{y.shape(rng)}
	for rng.IntN(4) == 0 {
		j.Shapes = append(j.Shapes, y.shape(rng))
	}
	if y.bends {
		for i := range j.Shapes {
			y.bend(rng, &j.Shapes[i])
		}
	}
	return j
}

func pick[T any](rng *rand.Rand, list ...T) T { return list[rng.IntN(len(list))] }

// shape draws parts: few lengths, so that jobs are alike. A machine and servers have one part at most.
func (y yard) shape(rng *rand.Rand) (s plan.Shape) {
	taken := map[int]bool{}
	for len(s) == 0 || len(s) < 3 && rng.IntN(4) == 0 {
		on := rng.IntN(len(y.cells))
		c := y.cells[on]
		if taken[on] && c.kind != pool {
			break
		}
		taken[on] = true
		p := plan.Part{On: c.name, Duration: pick[bookahead.Duration](rng, 1, 2, 3, 4, 6, 8, 11, 16), Units: int64(1 + rng.IntN(3))}
		if len(s) > 0 {
			p.Offset = bookahead.Duration(rng.IntN(3) * 2)
		}
		switch c.kind {
		case pool:
			if rng.IntN(5) == 0 {
				p.Units = c.given[0][0] - int64(rng.IntN(2))
			}
		case servers:
			p.Units = min(p.Units, int64(len(c.given)))
			if rng.IntN(4) == 0 {
				p.Servers = []int{}
				for k := range c.given {
					if rng.IntN(2) == 0 || int64(len(p.Servers)) < p.Units {
						p.Servers = append(p.Servers, k)
					}
				}
			}
		case machine:
			t := &nodes.Request{Each: nodes.Vector{int64(rng.IntN(2)), int64(1 + rng.IntN(2))}}
			switch rng.IntN(7) {
			case 0:
				t.Within = "rack"
			case 1:
				t.PerNode = 1
			case 2:
				t.Head = nodes.Vector{1, 1}
			case 3:
				t.Nodes = []int{0, 2}
			case 4:
				t.Within, t.Except = "rack", []int{1}
			case 5:
				t.Exclusive = true
			}
			p.Tasks = t
		}
		s = append(s, p)
	}
	if rng.IntN(2) == 0 {
		s[0], s[len(s)-1] = s[len(s)-1], s[0]
	}
	return s
}

// config draws the settings of a queue.
func (y yard) config(rng *rand.Rand, o order, b backfill) plan.Config {
	c := plan.Config{Schedules: y.real, Order: o.order, Backfill: b.backfill, Preempt: rng.IntN(2) == 0}
	if rng.IntN(3) == 0 {
		c.Limits.Depth = 1 + rng.IntN(4)
	}
	if rng.IntN(3) == 0 {
		c.Limits.Window = bookahead.Duration(1 + rng.IntN(20))
	}
	if rng.IntN(3) == 0 {
		c.Limits.Resolution = bookahead.Duration(2 + rng.IntN(3))
	}
	if rng.IntN(2) == 0 {
		c.Grace = bookahead.Duration(1 + rng.IntN(5))
	}
	return c
}

// newOracle returns the oracle for a queue on a yard.
func newOracle(y yard, c plan.Config, o order, b backfill) *oracle {
	r := o.rules
	r.promises, r.overtake = b.promises, b.overtake
	x := &oracle{cells: y.cells, config: c, rules: r, groups: map[string]int64{}, owners: map[string]int64{}}
	x.last = make([]bookahead.ID, len(y.cells))
	x.know()
	return x
}
