package nodes

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// adversary is a machine that someone has filled so that a search takes long.
func adversary(tb testing.TB, n int, v Vector) *Machine {
	c := Config{Resources: []string{"gpus", "cores"}, Levels: []Level{{Name: "rack"}}}
	for k := range n {
		c.Nodes = append(c.Nodes, v)
		if k%20 == 0 {
			c.Levels[0].Groups = append(c.Levels[0].Groups, nil)
		}
		c.Levels[0].Groups[k/20] = append(c.Levels[0].Groups[k/20], k)
	}
	m, err := New(c)
	require.NoError(tb, err)
	return m
}

// hold takes amounts of a node for a time.
func (m *Machine) hold(k int, start, end bookahead.Time, v Vector) {
	m.index.change(bookahead.Interval{Start: start, End: end}, -1, func(yield func(int, Vector) bool) { yield(k, v) })
}

const farAhead = bookahead.Time(10_000_000)

// byTurns returns a machine on which two nodes lose and gain room by turns, so many times, and all
// others have room for one task of a GPU.
func byTurns(tb testing.TB, n, turns int) *Machine {
	m := adversary(tb, n, Vector{2, 64})
	for k := range n - 2 {
		m.hold(k, 0, farAhead, Vector{1, 0})
	}
	for i := range bookahead.Time(turns) {
		m.hold(n-1, 20*i, 20*i+10, Vector{1, 0})
		m.hold(n-2, 20*i+10, 20*i+20, Vector{1, 0})
	}
	return m
}

// shortGaps returns a machine whose nodes have gaps that are a little too short, at random.
func shortGaps(tb testing.TB, n int) *Machine {
	m := adversary(tb, n, Vector{8, 64})
	rng := rand.New(rand.NewPCG(1, 1))
	for k := range n {
		at := bookahead.Time(rng.IntN(1000))
		for range 5 {
			end := at + 500 + bookahead.Time(rng.IntN(2000))
			m.hold(k, at, end, Vector{int64(5 + rng.IntN(4)), int64(rng.IntN(64))})
			at = end + 90 + bookahead.Time(rng.IntN(10))
		}
		m.hold(k, at, farAhead, Vector{7, 63})
	}
	return m
}

// A search is right also where leap sweeps, with a head and without.
func TestByTurns(t *testing.T) {
	const n, turns = 70, 200
	m := byTurns(t, n, turns)
	for _, d := range []bookahead.Duration{1, 5, 10, 11} {
		for _, tasks := range []int64{n - 1, n, n + 1, n + 2, n + 3} {
			for _, head := range []Vector{nil, {1, 0}, {2, 0}, {0, 64}} {
				r := Request{Duration: d, Tasks: tasks, Each: Vector{1, 1}, Head: head}
				want, wantErr := m.plainSearch(r, 0)
				got, err := m.Search(r)
				require.Equal(t, wantErr, err)
				require.Equal(t, want, got, "%+v", r)
			}
		}
	}
}

// BenchmarkAdversary is the longest single searches that we could provoke, with 2 000 nodes of 24 000 to 26 000
// steps in all.
func BenchmarkAdversary(b *testing.B) {
	const n = 2000
	turns, gaps := byTurns(b, n, 5000), shortGaps(b, n)
	for _, x := range []struct {
		name string
		m    *Machine
		r    Request
	}{
		{"turns", turns, Request{Duration: 5, Tasks: n + 2, Each: Vector{1, 1}}},
		{"turns+head", turns, Request{Duration: 5, Tasks: n + 1, Each: Vector{1, 1}, Head: Vector{1, 0}}},
		{"gaps/one", gaps, Request{Duration: 1000, Tasks: 1, Each: Vector{8, 60}}},
		{"gaps/many", gaps, Request{Duration: 1000, Tasks: 3 * n, Each: Vector{1, 1}}},
		{"gaps/head", gaps, Request{Duration: 1000, Tasks: 2 * n, Each: Vector{1, 1}, Head: Vector{8, 64}}},
		{"gaps/rack", gaps, Request{Duration: 1000, Tasks: 90, Each: Vector{1, 1}, Within: "rack"}},
		{"gaps/together+head", gaps, Request{Duration: 10, Tasks: 500, Each: Vector{1, 1}, Head: Vector{4, 4}, Together: "rack"}},
	} {
		b.Run(x.name, func(b *testing.B) {
			for b.Loop() {
				_, _ = x.m.Search(x.r)
			}
		})
	}
}
