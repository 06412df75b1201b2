package nodes

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// The baseline and the machine agree on each start, so that the benchmarks compare two answers to
// one question.
func TestLeapfrogStartsAsTheMachine(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		c := Config{Origin: 5, Resources: []string{"gpus", "cores", "bytes"}, Levels: []Level{{Name: "rack"}}}
		for k := range 12 {
			c.Nodes = append(c.Nodes, Vector{3 + rng.Int64N(2), 4, 2 + rng.Int64N(3)})
			if k%3 == 0 {
				c.Levels[0].Groups = append(c.Levels[0].Groups, []int{k, k + 1, k + 2})
			}
		}
		m, err := New(c)
		require.NoError(t, err)
		l, err := newLeapfrog(c, m)
		require.NoError(t, err)
		for range 1000 {
			leapfrogStep(t, rng, c, m, &l)
		}
		require.NoError(t, l.verify())
	}
}

// The baseline does not pay for memory.
func TestLeapfrogDoesNotAllocate(t *testing.T) {
	x, err := newGangCluster(gangState{nodes: 40, live: 200, mode: "backlog", policy: "lowest"}, 1)
	require.NoError(t, err)
	l, err := newLeapfrog(x.c, x.m)
	require.NoError(t, err)
	jobs := []Request{x.next(), x.next(), x.next()}
	jobs[0].Within, jobs[0].Tasks = "rack", 7
	require.Zero(t, testing.AllocsPerRun(10, func() {
		for _, r := range jobs {
			l.search(r)
		}
	}))
}

// leapfrogStep does one thing to a machine and to its pools.
func leapfrogStep(t *testing.T, rng *rand.Rand, c Config, m *Machine, l **leapfrog) {
	switch x := rng.IntN(20); {
	case x < 13:
		r := leapfrogRequest(rng, m.Frame().Now)
		at, ok := (*l).search(r)
		o, err := m.Search(r)
		require.Equal(t, err == nil, ok, "%+v", r)
		if !ok {
			require.ErrorIs(t, err, bookahead.ErrUnavailable)
			return
		}
		require.Equal(t, o.Start, at, "%+v", r)
		if x > 0 {
			res, err := m.Reserve(r)
			require.NoError(t, err)
			require.NoError(t, (*l).book(res))
		}
	case x < 16:
		ids := (*l).live()
		if len(ids) == 0 {
			return
		}
		id := ids[rng.IntN(len(ids))]
		if m.Release(id) == nil {
			require.NoError(t, (*l).release(id))
		} else {
			(*l).ended(id)
		}
	case x < 19:
		now := m.Frame().Now + bookahead.Time(rng.IntN(6))
		require.NoError(t, m.Advance(now))
		(*l).advance(now)
	case rng.IntN(20) == 0: // the pools are built anew from the reservations
		var err error
		*l, err = newLeapfrog(c, m)
		require.NoError(t, err)
	}
}

func leapfrogRequest(rng *rand.Rand, now bookahead.Time) Request {
	r := Request{
		Ready: now - 2 + bookahead.Time(rng.IntN(30)), Duration: 1 + bookahead.Duration(rng.IntN(12)),
		Tasks: 1 + rng.Int64N(6), Each: Vector{rng.Int64N(6), rng.Int64N(5), rng.Int64N(4)}, PerNode: 1,
	}
	r.Each[rng.IntN(3)] = 0
	r.Each[rng.IntN(3)] = 1 + rng.Int64N(3)
	if rng.IntN(4) == 0 {
		r.Within, r.Tasks = "rack", 1+rng.Int64N(4)
	}
	if rng.IntN(4) == 0 {
		r.Deadline = r.Ready + bookahead.Time(r.Duration) + bookahead.Time(rng.IntN(30))
		r.Deadline = max(r.Deadline, 1)
	}
	return r
}
