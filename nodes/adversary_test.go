package nodes

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bookahead/bookahead"
)

// hold takes amounts of a node for a time.
func (m *Machine) hold(k int, start, end bookahead.Time, v Vector) {
	m.index.change(bookahead.Interval{Start: start, End: end}, -1, func(yield func(int, Vector) bool) { yield(k, v) })
}

func TestAdversary(t *testing.T) {
	const n = 2000
	const far = bookahead.Time(10_000_000)
	machine := func(v Vector) *Machine {
		c := Config{Resources: []string{"gpus", "cores"}}
		for range n {
			c.Nodes = append(c.Nodes, v)
		}
		c.Levels = []Level{{Name: "rack"}}
		for i := 0; i < n; i += 20 {
			var g []int
			for j := range 20 {
				g = append(g, i+j)
			}
			c.Levels[0].Groups = append(c.Levels[0].Groups, g)
		}
		m, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	ask := func(name string, m *Machine, r Request) {
		steps := 0
		for k := range m.index.nodes {
			steps += m.index.nodes[k].len()
		}
		began := time.Now()
		o, err := m.Search(r)
		took := time.Since(began)
		q := m.Clone()
		_, _ = q.find(r, true)
		began = time.Now()
		_, _ = q.Search(r)
		t.Logf("%-40s %10v, again after learning %10v  (%d steps, %d chunks) start %d %v", name, took, time.Since(began), steps, len(m.index.chunks), o.Start, err)
	}
	{ // two nodes by turns
		m := machine(Vector{2, 64})
		for k := range n {
			if k < n-2 {
				m.hold(k, 0, far, Vector{1, 0})
			}
		}
		for i := range bookahead.Time(5000) {
			m.hold(n-1, 20*i, 20*i+10, Vector{1, 0})
			m.hold(n-2, 20*i+10, 20*i+20, Vector{1, 0})
		}
		ask("leap: two of the last nodes by turns", m, Request{Duration: 5, Tasks: n + 2, Each: Vector{1, 1}})
		ask("the same for a long window", m, Request{Duration: 9, Tasks: n + 2, Each: Vector{1, 1}})
		ask("the same with a head", m, Request{Duration: 5, Tasks: n + 1, Each: Vector{1, 1}, Head: Vector{1, 0}})
	}
	{ // half of the nodes at once, one too few
		m := machine(Vector{8, 64})
		for k := range n {
			for i := range bookahead.Time(5) {
				at := 200*i + bookahead.Time(k%2)*100 + bookahead.Time(k%7)
				m.hold(k, at, at+100, Vector{8, 64})
			}
			m.hold(k, 1010, far, Vector{8, 0})
		}
		ask("several: half of the nodes by turns", m, Request{Duration: 50, Tasks: n/2 + 1, PerNode: 1, Each: Vector{8, 0}})
		ask("leap: half of the nodes by turns", m, Request{Duration: 50, Tasks: n + 2, PerNode: 2, Each: Vector{1, 0}})
		ask("in a rack", m, Request{Duration: 50, Tasks: 11, PerNode: 1, Each: Vector{8, 0}, Within: "rack"})
		ask("leap in a rack", m, Request{Duration: 50, Tasks: 23, PerNode: 2, Each: Vector{1, 0}, Within: "rack"})
	}
	{ // gaps at random, a little too short
		m := machine(Vector{8, 64})
		rng := rand.New(rand.NewPCG(1, 1))
		for k := range n {
			at := bookahead.Time(rng.IntN(1000))
			for range 5 {
				end := at + 500 + bookahead.Time(rng.IntN(2000))
				m.hold(k, at, end, Vector{int64(5 + rng.IntN(4)), int64(rng.IntN(64))})
				at = end + 90 + bookahead.Time(rng.IntN(10))
			}
			m.hold(k, at, far, Vector{7, 63})
		}
		for _, d := range []bookahead.Duration{10, 50, 95, 100, 1000, 5000} {
			ask("gaps: one task "+time.Duration(d).String(), m, Request{Duration: d, Tasks: 1, Each: Vector{8, 60}})
			ask("gaps: 3/4 of the nodes "+time.Duration(d).String(), m, Request{Duration: d, Tasks: n * 3 / 4, PerNode: 1, Each: Vector{2, 2}})
			ask("gaps: many "+time.Duration(d).String(), m, Request{Duration: d, Tasks: 3 * n, Each: Vector{1, 1}})
			ask("gaps: head "+time.Duration(d).String(), m, Request{Duration: d, Tasks: 2 * n, Each: Vector{1, 1}, Head: Vector{8, 64}})
			ask("gaps: together "+time.Duration(d).String(), m, Request{Duration: d, Tasks: 500, Each: Vector{1, 1}, Head: Vector{4, 4}, Together: "rack"})
			ask("gaps: rack "+time.Duration(d).String(), m, Request{Duration: d, Tasks: 90, Each: Vector{1, 1}, Within: "rack"})
		}
	}
}
