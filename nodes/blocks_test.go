package nodes

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A search that has passed a block leaves a fact about it, which denies what is not alike, and which goes when something
// is given back.
func TestABlockIsLearntAndDoubted(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus"}, Nodes: []Vector{{8}, {8}}})
	require.NoError(t, err)
	x := m.index
	x.limit, x.perBlock = 1, 4
	var ids []bookahead.ID
	for i := range bookahead.Time(40) {
		for k := range 2 {
			res, err := m.Reserve(Request{Ready: 10 * i, Deadline: 10*i + 10, Duration: 10, Tasks: 1, Each: Vector{6 + int64(i)%2}, Nodes: []int{k}})
			require.NoError(t, err)
			ids = append(ids, res.ID)
		}
	}
	x.build()
	require.NoError(t, m.Verify())
	require.Greater(t, len(x.far.starts), 3)

	denied := func(r Request) (n int) {
		var q query
		require.NoError(t, m.ask(r, &q))
		for _, f := range x.far.facts {
			if x.denies(f, q.need[:], q.d, q.few) {
				n++
			}
		}
		return n
	}
	r := Request{Duration: 25, Tasks: 2, PerNode: 1, Each: Vector{4}}
	require.Zero(t, denied(r))
	res, err := m.Reserve(r)
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(400), res.Start)
	all := len(x.far.starts) - 1 // but for the block of the start
	require.Equal(t, all, denied(r))
	require.Equal(t, all, denied(Request{Duration: 5, Tasks: 2, PerNode: 1, Each: Vector{5}}), "another that is no smaller")
	require.Zero(t, denied(Request{Duration: 5, Tasks: 2, PerNode: 1, Each: Vector{1}}))

	c := m.Clone()
	require.NoError(t, m.Release(ids[21])) // in [100, 110)
	require.Less(t, denied(r), all)
	require.Positive(t, denied(r))
	m, x = c, c.index
	require.Equal(t, all, denied(r), "a clone keeps its own")
}

// The groups that a head takes are as many as gather says, with equal groups, groups without room, and heads that take all.
func TestGroupsAreThoseOfGather(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 5))
	for range 20_000 {
		groups := 1 + rng.IntN(5)
		q := query{together: &level{count: groups}, bundle: 1}
		if rng.IntN(2) == 0 { // each group is two groups of bundles
			q.bundle, q.bundled = 1+rng.Int64N(3), &level{count: 2 * groups}
		}
		q.tasks = q.bundle * (1 + rng.Int64N(12))
		var seats []seat
		for k := range 1 + rng.IntN(8) {
			fit, cell := rng.Int64N(4), rng.IntN(2*groups)
			seats = append(seats, seat{Candidate: Candidate{Node: k, Fit: fit}, beside: rng.Int64N(fit + 1), group: cell / 2})
			q.together.of = append(q.together.of, cell/2)
			if q.bundled != nil {
				q.bundled.of = append(q.bundled.of, cell)
			}
		}
		room := q.stockOf(seats)
		x := q.roomsOf(room)
		all := room.room
		for i := range seats {
			s, with := seats[i], seats[i].withHead()
			room.change(&s, &with)
			if room.room >= q.tasks {
				want := int64(count(q.gather(room, room.stay(), s.group)))
				require.Equal(t, want, x.groups(q.tasks, s.group, room.room-all), "%+v of %+v", s, seats)
			}
			room.change(&with, &s)
		}
	}
}

// From any step before it, the step of a time is found.
func TestStepsBehind(t *testing.T) {
	s := newSteps(newPacking(Vector{9}), 0, Vector{9})
	for i := range bookahead.Time(40) {
		s.change(bookahead.Interval{Start: 3 * i, End: 3*i + 2}, Vector{1 + int64(i)%3}, -1)
	}
	for at := range bookahead.Time(130) {
		for i := range s.at(at) + 1 {
			require.Equal(t, s.at(at), s.behind(i, at))
		}
	}
}
