package pieces

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/internal/structures"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/scheduletest"
	"github.com/bookahead/bookahead/slotted"
)

const (
	capacity = 3
	horizon  = 20
)

// drawRule draws a rule, often an empty one.
func drawRule(rng *rand.Rand) (rule Rule) {
	if rng.IntN(2) == 0 {
		rule.Least = bookahead.Duration(rng.IntN(5))
	}
	if rng.IntN(2) == 0 {
		rule.Gap = bookahead.Duration(rng.IntN(5))
	}
	if rng.IntN(2) == 0 {
		rule.Restart = bookahead.Duration(rng.IntN(8))
	}
	return rule
}

func drawRequest(rng *rand.Rand) bookahead.Request {
	r := bookahead.Request{Ready: bookahead.Time(rng.IntN(6) - 1), Duration: bookahead.Duration(1 + rng.IntN(8)), Units: 1 + rng.Int64N(capacity)}
	if rng.IntN(2) == 0 {
		r.Deadline = max(0, r.Ready) + bookahead.Time(r.Duration) + bookahead.Time(rng.IntN(horizon))
	}
	return r
}

// fixed is a schedule that takes no more than it is asked for.
func fixed(s bookahead.Keeper) bool {
	res, err := s.Reserve(bookahead.At(1, 1, capacity))
	if err != nil {
		return false
	}
	before, _ := s.RangeQuery(bookahead.Interval{Start: 0, End: 1})
	after, _ := s.RangeQuery(bookahead.Interval{Start: 2, End: horizon})
	return res.Len() == 1 && before.Free == capacity && after.Free == capacity
}

// TestAgainstBruteForce tries an eighth as many requests as BOOKAHEAD_OPS says, on each structure.
func TestAgainstBruteForce(t *testing.T) {
	for _, st := range structures.All() {
		open := func() bookahead.Keeper {
			s, err := st.New(capacity, structures.Config{Horizon: horizon})
			require.NoError(t, err)
			return s
		}
		if st.Answers == "" || !fixed(open()) { // it may not find the earliest place, or take more than it is asked for
			continue
		}
		t.Run(st.Name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(43, uint64(len(st.Name))))
			var n tally
			for range scheduletest.Operations() / 150 {
				s := open()
				for range rng.IntN(10) {
					_, _ = s.Reserve(bookahead.Request{
						Ready: bookahead.Time(rng.IntN(horizon)), Duration: bookahead.Duration(1 + rng.IntN(4)), Units: 1 + rng.Int64N(capacity),
					})
				}
				if rng.IntN(3) == 0 {
					require.NoError(t, s.Advance(bookahead.Time(rng.IntN(4))))
				}
				for range 20 {
					r, rule := drawRequest(rng), drawRule(rng)
					if s.Frame().Servers > 0 && rng.IntN(3) == 0 {
						r.Servers = rng.Perm(capacity)[:max(r.Units, rng.Int64N(capacity+1))]
					}
					free := func(w bookahead.Interval) bool {
						a, err := s.RangeQuery(w)
						require.NoError(t, err)
						if r.Servers == nil {
							return a.Free >= r.Units
						}
						servers := int64(0)
						for _, k := range a.Servers {
							for _, named := range r.Servers {
								if k == named {
									servers++
								}
							}
						}
						return servers >= r.Units
					}
					in := s.Frame().Between(r.Ready, r.Deadline)
					plan, err := Search(s, r, rule, bookahead.Effort{})
					n.compare(t, free, in, r.Duration, rule, plan, err)
				}
			}
			n.enough(t)
		})
	}
}

// A gang changes its nodes between two pieces.
func TestNodesAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 2))
	var n tally
	for range scheduletest.Operations() / 150 {
		m, err := nodes.New(nodes.Config{
			Resources: []string{"gpus", "cores"}, Horizon: horizon,
			Nodes:  []nodes.Vector{{2, 3}, {2, 3}, {2, 3}, {1, 4}},
			Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 1}, {2, 3}}}},
		})
		require.NoError(t, err)
		for range rng.IntN(12) {
			_, _ = m.Reserve(nodes.Request{
				Ready: bookahead.Time(rng.IntN(horizon)), Duration: bookahead.Duration(1 + rng.IntN(4)),
				Tasks: 1 + rng.Int64N(3), Each: nodes.Vector{rng.Int64N(3), 1 + rng.Int64N(3)},
			})
		}
		for range 20 {
			plain, rule := drawRequest(rng), drawRule(rng)
			r := nodes.Request{
				Ready: plain.Ready, Deadline: plain.Deadline, Duration: plain.Duration,
				Tasks: plain.Units, Each: nodes.Vector{1, 1 + rng.Int64N(3)}, PerNode: rng.Int64N(2),
			}
			if rng.IntN(3) == 0 {
				r.Within = "rack"
			}
			in := m.Frame().Between(r.Ready, r.Deadline)
			free := func(w bookahead.Interval) bool {
				room := [2]int64{}
				for k := range 4 {
					least := nodes.Vector{math.MaxInt64, math.MaxInt64}
					for _, v := range m.Free(k, w) {
						least[0], least[1] = min(least[0], v[0]), min(least[1], v[1])
					}
					n := min(least[0], least[1]/r.Each[1])
					if r.PerNode > 0 {
						n = min(n, r.PerNode)
					}
					room[k/2] += n
				}
				if r.Within == "" {
					return room[0]+room[1] >= r.Tasks
				}
				return max(room[0], room[1]) >= r.Tasks
			}
			plan, err := SearchNodes(m, r, rule, bookahead.Effort{})
			n.compare(t, free, in, r.Duration, rule, plan, err)
		}
	}
	n.enough(t)
}

// Laws that need no oracle.
func TestLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 3))
	for range scheduletest.Operations() / 10 {
		s, err := idletree.NewTree(capacity, idletree.Config{Horizon: horizon})
		require.NoError(t, err)
		for range rng.IntN(10) {
			_, _ = s.Reserve(bookahead.Request{
				Ready: bookahead.Time(rng.IntN(horizon)), Duration: bookahead.Duration(1 + rng.IntN(4)), Units: 1 + rng.Int64N(capacity),
			})
		}
		r, rule := drawRequest(rng), drawRule(rng)
		end := func(change func(*bookahead.Request, *Rule)) bookahead.Time {
			r, rule := r, rule
			change(&r, &rule)
			plan, err := Search(s, r, rule, bookahead.Effort{})
			if err != nil {
				return bookahead.MaxTime
			}
			return plan[len(plan)-1].End
		}
		is := end(func(*bookahead.Request, *Rule) {})
		require.LessOrEqual(t, end(func(_ *bookahead.Request, rule *Rule) { rule.Gap = 0 }), is)
		require.LessOrEqual(t, end(func(_ *bookahead.Request, rule *Rule) { rule.Least /= 2 }), is)
		require.LessOrEqual(t, end(func(_ *bookahead.Request, rule *Rule) { rule.Restart /= 2 }), is)
		require.GreaterOrEqual(t, end(func(r *bookahead.Request, _ *Rule) { r.Units++ }), is)
		if rule.Gap > 0 {
			require.LessOrEqual(t, end(func(_ *bookahead.Request, rule *Rule) { rule.Gap++ }), is)
		}
		if r.Deadline != 0 {
			require.LessOrEqual(t, end(func(r *bookahead.Request, _ *Rule) { r.Deadline++ }), is)
		}
		whole := bookahead.MaxTime
		o, err := s.Search(r)
		if err == nil {
			whole = o.End
		}
		require.LessOrEqual(t, is, whole)
		require.Equal(t, whole, end(func(r *bookahead.Request, rule *Rule) { rule.Least = r.Duration }), "in one piece: a plain search")

		list, err := Reserve(s, r, rule, bookahead.Effort{})
		if is == bookahead.MaxTime {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, is, list[len(list)-1].End)
		require.NoError(t, s.Verify())
	}
}

func TestRefusals(t *testing.T) {
	s, err := carts.NewIndexed(capacity, carts.Config{})
	require.NoError(t, err)
	good := bookahead.Request{Duration: 1, Units: 1}
	for field, rule := range map[string]Rule{"Rule.Least": {Least: -1}, "Rule.Gap": {Gap: -1}, "Rule.Restart": {Restart: -1}} {
		_, err = Search(s, good, rule, bookahead.Effort{})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, field)
	}
	_, err = Search(s, bookahead.Request{Units: 1}, Rule{}, bookahead.Effort{})
	require.ErrorContains(t, err, "Request.Duration")
	_, err = Search(s, good, Rule{}, bookahead.Effort{Steps: -1})
	require.ErrorContains(t, err, "Effort.Steps")
	_, err = Reserve(struct{ bookahead.Schedule }{s}, good, Rule{}, bookahead.Effort{})
	require.ErrorContains(t, err, "has no Frame")
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{8}}})
	require.NoError(t, err)
	_, err = ReserveNodes(m, nodes.Request{Duration: 1, Tasks: 1, Each: nodes.Vector{1, 1}}, Rule{}, bookahead.Effort{})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, err = SearchNodes(m, nodes.Request{Duration: 1, Tasks: 9, Each: nodes.Vector{1}}, Rule{}, bookahead.Effort{})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
}

// Work in pieces waits for no rack.
func TestPatienceIsNotRead(t *testing.T) {
	m, err := nodes.New(nodes.Config{
		Resources: []string{"gpus"}, Nodes: []nodes.Vector{{8}, {8}, {8}}, Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 2}, {1}}}},
	})
	require.NoError(t, err)
	_, err = m.Reserve(nodes.Request{Duration: 4, Tasks: 1, Each: nodes.Vector{8}, Nodes: []int{2}})
	require.NoError(t, err)
	r := nodes.Request{Duration: 6, Deadline: 8, Tasks: 2, Each: nodes.Vector{8}, Together: "rack", Patience: 5}
	list, err := ReserveNodes(m, r, Rule{}, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, bookahead.Interval{Start: 0, End: 6}, list[0].Interval)
}

// The largest numbers neither overflow nor take long.
func TestLargeNumbers(t *testing.T) {
	pool, err := carts.NewIndexed(capacity, carts.Config{})
	require.NoError(t, err)
	servers, err := idletree.NewTree(capacity, idletree.Config{})
	require.NoError(t, err)
	const most = math.MaxInt64
	for _, s := range []bookahead.Keeper{pool, servers} {
		_, err = s.Reserve(bookahead.At(100, 10, capacity))
		require.NoError(t, err)
		for _, rule := range []Rule{{}, {Least: most}, {Gap: most}, {Restart: most}, {most, most, most}, {Least: 1 << 62, Restart: 1 << 62}} {
			for _, d := range []bookahead.Duration{50, 200, 1 << 62, most - 200, most} {
				plan, err := Search(s, bookahead.Request{Duration: d, Units: 1}, rule, bookahead.Effort{})
				if d == most {
					require.ErrorIs(t, err, bookahead.ErrUnavailable)
					continue
				}
				require.NoError(t, err, "%v %v", d, rule)
				switch {
				case d < 100:
					require.Equal(t, []bookahead.Interval{{Start: 0, End: 50}}, plan)
				case rule.Restart > 0 || rule.Least > 100:
					require.Equal(t, bookahead.Interval{Start: 110, End: 110 + bookahead.Time(d)}, plan[0])
				default:
					require.Equal(t, []bookahead.Interval{{Start: 0, End: 100}, {Start: 110, End: 10 + bookahead.Time(d)}}, plan)
				}
			}
		}
	}
}

// A search that its effort stops returns nothing.
func TestEffort(t *testing.T) {
	s, err := idletree.NewTree(capacity, idletree.Config{})
	require.NoError(t, err)
	for i := range bookahead.Time(100) {
		_, err = s.Reserve(bookahead.At(3*i, bookahead.Duration(1+i%3), 1+int64(i)%capacity))
		require.NoError(t, err)
	}
	r := bookahead.Request{Duration: 100, Units: 2}
	best, err := Search(s, r, Rule{}, bookahead.Effort{})
	require.NoError(t, err)
	for steps := int64(1); ; steps += steps/8 + 1 {
		plan, err := Search(s, r, Rule{}, bookahead.Effort{Steps: steps})
		if err == nil {
			require.Equal(t, best, plan)
			require.Greater(t, steps, int64(1000))
			break
		}
		require.ErrorIs(t, err, bookahead.ErrStopped)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Reserve(s, r, Rule{}, bookahead.Effort{Context: ctx})
	require.ErrorIs(t, err, context.Canceled)
}

// Slots are whole, so that two pieces may need the same one: then none is booked. The servers are free in
//
//	0   [0, 20)
//	1   [0, 100)
//	2           [10, 100)
func TestWideSlots(t *testing.T) {
	s, err := avail.NewSchedule(3, avail.Config{Horizon: 100, Slot: 10})
	require.NoError(t, err)
	for _, r := range []bookahead.Request{
		{Ready: 20, Deadline: 100, Duration: 80, Units: 1, Servers: []int{0}}, {Deadline: 10, Duration: 10, Units: 1, Servers: []int{2}},
	} {
		_, err = s.Reserve(r)
		require.NoError(t, err)
	}
	before, err := s.MarshalBinary()
	require.NoError(t, err)
	r, rule := bookahead.Request{Duration: 40, Units: 2}, Rule{Least: 15}
	plan, err := Search(s, r, rule, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{{Start: 0, End: 15}, {Start: 15, End: 40}}, plan)
	list, err := Reserve(s, r, rule, bookahead.Effort{})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	require.Empty(t, list)
	for res := range s.Reservations(bookahead.Interval{Start: 0, End: 100}) {
		require.LessOrEqual(t, res.ID, bookahead.ID(2))
	}
	require.NoError(t, s.Verify())
	after, err := s.MarshalBinary()
	require.NoError(t, err)
	require.Len(t, after, len(before))

	pool, err := slotted.NewIndexed(capacity, slotted.Config{Slot: 10, Horizon: 100})
	require.NoError(t, err)
	_, err = pool.Reserve(bookahead.At(20, 10, capacity))
	require.NoError(t, err)
	list, err = Reserve(pool, bookahead.Request{Ready: 5, Duration: 20, Units: 3}, Rule{}, bookahead.Effort{})
	require.NoError(t, err)
	require.Len(t, list, 2)
}

// Of plans that end alike, one without needless pieces is returned.
func TestNoNeedlessPieces(t *testing.T) {
	s, err := idletree.NewTree(3, idletree.Config{})
	require.NoError(t, err)
	take := func(k int, w bookahead.Interval) {
		_, err := s.Reserve(bookahead.Request{Ready: w.Start, Deadline: w.End, Duration: w.Len(), Units: 1, Servers: []int{k}})
		require.NoError(t, err)
	}
	take(0, bookahead.Interval{Start: 8, End: 100}) // free in [0, 8)
	take(1, bookahead.Interval{Start: 0, End: 5})   // in [5, 14)
	take(1, bookahead.Interval{Start: 14, End: 100})
	take(2, bookahead.Interval{Start: 0, End: 6}) // from 6 on
	plan, err := Search(s, bookahead.Request{Duration: 15, Units: 1}, Rule{}, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{{Start: 0, End: 6}, {Start: 6, End: 15}}, plan)

	pool, err := carts.NewIndexed(1, carts.Config{})
	require.NoError(t, err)
	_, err = pool.Reserve(bookahead.At(1, 4, 1))
	require.NoError(t, err)
	plan, err = Search(pool, bookahead.Request{Duration: 8, Units: 1}, Rule{Restart: 1}, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{{Start: 5, End: 13}}, plan)
}

// A pool that is asked where a piece fits has the same plans as one that tells its free units, also far along the axis.
func TestSeekLikeFill(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 10))
	several := 0
	for range scheduletest.Operations() / 50 {
		s, err := carts.NewIndexed(capacity, carts.Config{})
		require.NoError(t, err)
		base := []bookahead.Time{0, 1 << 40, bookahead.MaxTime - 1<<20}[rng.IntN(3)]
		scale := int64(1) << rng.IntN(14)
		for range rng.IntN(30) {
			_, err = s.Reserve(bookahead.Request{
				Ready: base + bookahead.Time(rng.Int64N(30*scale)), Duration: bookahead.Duration(1 + rng.Int64N(4*scale)), Units: 1 + rng.Int64N(capacity),
			})
			require.NoError(t, err)
		}
		r := bookahead.Request{Ready: base, Duration: bookahead.Duration(1 + rng.Int64N(20*scale)), Units: 1 + rng.Int64N(capacity)}
		rule := drawRule(rng)
		rule.Least, rule.Gap, rule.Restart = rule.Least*bookahead.Duration(scale), rule.Gap*bookahead.Duration(scale), rule.Restart*bookahead.Duration(scale)
		fill, err := Search(s, r, rule, bookahead.Effort{})
		seek, otherErr := Search(struct{ bookahead.Keeper }{s}, r, rule, bookahead.Effort{})
		require.Equal(t, err, otherErr)
		require.Equal(t, fill, seek)
		if len(fill) > 1 {
			several++
		}
	}
	require.Greater(t, 500*several+10_000, scheduletest.Operations())
}

// TestLocked sees through Locked.
func TestLocked(t *testing.T) {
	x, err := carts.NewIndexed(capacity, carts.Config{})
	require.NoError(t, err)
	_, err = x.Reserve(bookahead.At(2, 3, capacity))
	require.NoError(t, err)
	list, err := Reserve(bookahead.Locked(x), bookahead.Request{Duration: 4, Units: 2}, Rule{}, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, bookahead.Interval{Start: 0, End: 2}, list[0].Interval)
	require.Equal(t, bookahead.Interval{Start: 5, End: 7}, list[1].Interval)
}

// A view of adjacent servers is asked like any other schedule.
func TestViewOfNeighbours(t *testing.T) {
	tree, err := idletree.NewTree(4, idletree.Config{})
	require.NoError(t, err)
	_, err = tree.Reserve(bookahead.Request{Ready: 0, Duration: 3, Units: 1, Servers: []int{1}})
	require.NoError(t, err)
	_, err = tree.Reserve(bookahead.Request{Ready: 5, Duration: 9, Units: 1, Servers: []int{3}})
	require.NoError(t, err)
	view, err := tree.Within(idletree.Layout{Adjacent: true})
	require.NoError(t, err)
	plan, err := Search(view, bookahead.Request{Duration: 6, Units: 2}, Rule{}, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(6), plan[len(plan)-1].End, "%v", plan)
}
