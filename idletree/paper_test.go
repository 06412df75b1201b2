package idletree

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// Reference: Castillo, Rouskas and Harfoush, "Resource co-allocation for
// large-scale distributed environments", HPDC 2009.

// The idle periods of Figures 1 and 2. The text gives X, which slots V is in,
// the medians 7 of the starts and 25 of the ends, and who is a candidate and who
// is feasible for the worked request; the numbers that it leaves open are ours.
// Servers are counted from 0 here.
var (
	figureX = Period{bookahead.Interval{Start: 4, End: 25}, 0}
	figureY = Period{bookahead.Interval{Start: 15, End: 34}, 1}
	figureZ = Period{bookahead.Interval{Start: 12, End: 31}, 2}
	figureV = Period{bookahead.Interval{Start: 7, End: 20}, 3}
)

// worked is the request r = (17, 17, 12, 2) of §4.2.
var worked = bookahead.Request{Ready: 17, Duration: 12, Units: 2}

func openSlotted(t rapid.TB, servers int64, c SlottedConfig) *Slotted {
	t.Helper()
	s, err := newSlotted(servers, c, 1)
	require.NoError(t, err)
	return s
}

// bookNamed books one server.
func bookNamed(t *testing.T, s bookahead.Schedule, server int, w bookahead.Interval) {
	t.Helper()
	_, err := s.Reserve(bookahead.Request{
		Ready: w.Start, Deadline: w.End, Duration: w.Len(), Units: 1, Servers: []int{server},
	})
	require.NoError(t, err)
}

// figure1 books two jobs on each server, one before its idle period and one
// after, in a horizon of 42. The tree of slot 2 is built anew, as balanced as in
// the figure, because a tree that has grown need not be so balanced.
func figure1(t *testing.T) *Slotted {
	s := openSlotted(t, 4, SlottedConfig{Horizon: 42, Slot: 10})
	for _, p := range []Period{figureX, figureY, figureZ, figureV} {
		bookNamed(t, s, p.Server, bookahead.Interval{Start: 0, End: p.Start})
		bookNamed(t, s, p.Server, bookahead.Interval{Start: p.End, End: 42})
	}
	slot := *s.slots().at(1)
	slot.root = slot.primary.build(slot.primary.dissolve(slot.root, nil), &room{})
	return s
}

// inSlot lists the idle periods of a slot's tree, in its order.
func inSlot(s *Slotted, number int64) []Period {
	slot := *s.slots().at(number)
	if slot == nil {
		return nil
	}
	var periods []Period
	for _, e := range slot.primary.entries(slot.root, nil) {
		periods = append(periods, Period{bookahead.Interval{Start: -e.key, End: e.end}, int(e.server)})
	}
	return periods
}

// §4.1, Figure 2: a tree has the idle periods that overlap its slot, by start,
// latest first, and a secondary tree by end; V is in the slots 1 and 2 of the
// paper, which counts from 1.
func TestFigure2Tree(t *testing.T) {
	s := figure1(t)
	require.Equal(t, []Period{figureV, figureX}, inSlot(s, 0))
	require.Equal(t, []Period{figureY, figureZ, figureV, figureX}, inSlot(s, 1))
	require.Equal(t, []Period{figureY, figureZ, figureX}, inSlot(s, 2))
	require.Equal(t, []Period{figureY, figureZ}, inSlot(s, 3))

	slot := *s.slots().at(1)
	a := slot.primary.inner[slot.root]
	require.Equal(t, bookahead.Time(7), -a.key, "the median of the starts is in the root")
	require.Equal(t, int32(4), a.size)
	var ends []bookahead.Time
	for _, e := range slot.secondary.entries(a.second, nil) {
		ends = append(ends, e.key)
	}
	require.Equal(t, []bookahead.Time{20, 25, 31, 34}, ends, "their lower median is 25")
}

// §4.2, Figure 2: phase 1 marks X and V, then Z, then Y; phase 2 looks into Y
// first, then into Z, and has found enough.
func TestFigure2Phases(t *testing.T) {
	s := figure1(t)
	slot := *s.slots().at(1)
	marks, candidates := slot.candidates(worked.Ready, nil, &Spent{})
	require.Equal(t, 4, candidates)
	var marked [][]int
	for _, m := range marks {
		var servers []int
		for _, e := range slot.primary.entries(m.tree, nil) {
			servers = append(servers, int(e.server))
		}
		marked = append(marked, servers)
	}
	require.Equal(t, [][]int{{figureV.Server, figureX.Server}, {figureZ.Server}, {figureY.Server}}, marked)

	er := worked.Ready + bookahead.Time(worked.Duration)
	require.Equal(t, []int{figureY.Server, figureZ.Server}, slot.feasible(marks, er, nil, 2, &Spent{}))
	require.Equal(t, []int{figureY.Server, figureZ.Server}, slot.feasible(marks, er, nil, 4, &Spent{}), "X and V end too early")
	require.Equal(t, []int{figureY.Server}, slot.feasible(marks, er, nil, 1, &Spent{}), "the latest start first")

	res, err := s.Reserve(worked)
	require.NoError(t, err)
	require.Equal(t, "#9 [17, 29) [1 2]", res.String())
}

// §4.2, phase 1: of the median that is greater than s_r the left subtree is
// ignored. At 13, Y is no candidate.
func TestStartsThatAreTooLate(t *testing.T) {
	s := figure1(t)
	_, candidates := (*s.slots().at(1)).candidates(13, nil, &Spent{})
	require.Equal(t, 3, candidates)
	_, err := s.Search(bookahead.Request{Ready: 13, Deadline: 18, Duration: 5, Units: 4})
	require.Equal(t, bookahead.ErrUnavailable, err)
	o, err := s.Search(bookahead.Request{Ready: 13, Deadline: 18, Duration: 5, Units: 3})
	require.NoError(t, err)
	require.Equal(t, "[13, 18) [0 2 3]", o.String())
}

// §4.2: "at most two new idle periods will be created: j = (st_i, s_r) and
// k = (e_r, et_i)".
func TestAReservationLeavesAtMostTwoPeriods(t *testing.T) {
	for name, c := range map[string]struct {
		booked bookahead.Interval
		left   []Period
	}{
		"inside": {bookahead.Interval{Start: 17, End: 29}, []Period{
			{bookahead.Interval{Start: 29, End: 34}, 1},
			{bookahead.Interval{Start: 15, End: 17}, 1},
		}},
		"at the start": {bookahead.Interval{Start: 15, End: 29}, []Period{{bookahead.Interval{Start: 29, End: 34}, 1}}},
		"at the end":   {bookahead.Interval{Start: 17, End: 34}, []Period{{bookahead.Interval{Start: 15, End: 17}, 1}}},
		"the whole":    {bookahead.Interval{Start: 15, End: 34}, []Period{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := openSlotted(t, 2, SlottedConfig{Horizon: 42, Slot: 42})
			for k := range 2 {
				bookNamed(t, s, k, bookahead.Interval{Start: 0, End: figureY.Start})
				bookNamed(t, s, k, bookahead.Interval{Start: figureY.End, End: 42})
			}
			other := figureY
			other.Server = 0
			bookNamed(t, s, figureY.Server, c.booked)
			got := slices.DeleteFunc(inSlot(s, 0), func(p Period) bool { return p == other })
			require.Equal(t, c.left, got)
		})
	}
}

// §2: starts are tried every Δt from s_r on; those between are missed.
func TestStepsMissStartsBetween(t *testing.T) {
	for step, want := range map[bookahead.Duration]bookahead.Time{1: 13, 2: 14, 5: 15, 12: 22, 30: 40} {
		s := openSlotted(t, 1, SlottedConfig{Horizon: 100, Slot: 10, Step: step})
		bookNamed(t, s, 0, bookahead.Interval{Start: 10, End: 13})
		o, err := s.Search(bookahead.Request{Ready: 10, Duration: 5, Units: 1})
		require.NoError(t, err)
		require.Equal(t, want, o.Start, "step %d", step)
	}
}

// §2: at most R_max attempts are made. Up to there the answers are those of a
// search that goes on.
func TestAttemptsAreLimited(t *testing.T) {
	const step = 3
	all := openSlotted(t, 5, SlottedConfig{Horizon: 300, Slot: 10, Step: step, Attempts: math.MaxInt})
	few := openSlotted(t, 5, SlottedConfig{Horizon: 300, Slot: 10, Step: step, Attempts: 4})
	rng := rand.New(rand.NewPCG(1, 2))
	failed := 0
	for range 2000 {
		r := bookahead.Request{
			Ready: bookahead.Time(rng.IntN(250)), Duration: bookahead.Duration(1 + rng.IntN(20)),
			Units: 1 + rng.Int64N(5),
		}
		want, effort, wantErr := all.Trace(r)
		if wantErr == nil {
			require.Equal(t, int(want.Start-r.Ready)/step+1, effort.Attempts)
		}
		got, limited, err := few.Trace(r)
		require.Equal(t, min(effort.Attempts, 4), limited.Attempts)
		if effort.Attempts > 4 {
			require.Equal(t, bookahead.ErrUnavailable, err)
			failed++
			continue
		}
		require.Equal(t, wantErr, err)
		require.Equal(t, want, got)
		if err == nil && rng.IntN(3) > 0 {
			_, err = all.Reserve(r)
			require.NoError(t, err)
			_, err = few.Reserve(r)
			require.NoError(t, err)
		}
	}
	require.Greater(t, failed, 100)
}

// §4.2, range searches: they return all that is available in a window, as a look
// into each calendar does. With Δt = 1 the servers chosen are those of Tree.
func TestRangeSearch(t *testing.T) {
	const servers, length = 40, 400
	s := openSlotted(t, servers, SlottedConfig{Horizon: length, Slot: 10, Step: 1, Attempts: math.MaxInt})
	lists, err := NewLists(servers, Config{Horizon: length})
	require.NoError(t, err)
	tree, err := NewTree(servers, Config{Horizon: length})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		w := bookahead.Interval{Start: bookahead.Time(rng.IntN(length))}
		w.End = w.Start + 1 + bookahead.Time(rng.IntN(40))
		free, err := s.RangeQuery(w)
		require.NoError(t, err)
		want, err := lists.RangeQuery(w)
		require.NoError(t, err)
		require.Equal(t, want, free)

		r := bookahead.Request{Ready: w.Start, Duration: w.Len(), Units: 1 + rng.Int64N(8)}
		res, err := s.Reserve(r)
		same, treeErr := tree.Reserve(r)
		require.Equal(t, treeErr, err)
		require.Equal(t, same, res)
		if err != nil {
			continue
		}
		_, err = lists.Reserve(res.Request())
		require.NoError(t, err)
		if old := res.ID - min(res.ID-1, 40); rng.IntN(3) == 0 {
			err = s.Release(old)
			require.Equal(t, err, lists.Release(old))
			require.Equal(t, err, tree.Release(old))
		}
	}
}

// §4.1: "the tree corresponding to the just expired time slot is discarded, and
// a new tree is created for the new slot". An idle period that never ends would
// be in the new one: it is kept apart, and so the new slot is empty.
func TestSlotsAreOpenedAndDiscarded(t *testing.T) {
	s := openSlotted(t, 3, SlottedConfig{Horizon: 40, Slot: 10})
	used := func() (places []int) {
		for i, slot := range s.slots().ring {
			if slot != nil {
				places = append(places, i)
			}
		}
		return places
	}
	require.Empty(t, used(), "what never ends is in no slot")
	require.Equal(t, int32(3), s.slots().endless.size(s.slots().root))

	bookNamed(t, s, 0, bookahead.Interval{Start: 25, End: 30})
	require.Equal(t, []int{0, 1, 2}, used())
	require.Equal(t, []Period{{bookahead.Interval{Start: 0, End: 25}, 0}}, inSlot(s, 1))
	require.Equal(t, int32(3), s.slots().endless.size(s.slots().root), "from 30 on it is idle for ever")

	require.NoError(t, s.Advance(15))
	require.Equal(t, []int{1, 2}, used(), "slot 0 has passed")
	bookNamed(t, s, 1, bookahead.Interval{Start: 52, End: 55})
	require.Equal(t, []Period{{bookahead.Interval{Start: 0, End: 52}, 1}}, inSlot(s, 5), "in the place of slot 0")
	require.Equal(t, []int{0, 1, 2, 3, 4}, used())
	require.NoError(t, s.Advance(1000))
	require.Empty(t, used())
	require.NoError(t, s.Verify())
}

// §4.3: phase 1 takes O(log N), and phase 2 O((log N)²); Figure 7(b) counts the
// operations.
func TestVisitsGrowWithTheLogarithm(t *testing.T) {
	for _, n := range []int{1 << 6, 1 << 10, 1 << 14} {
		rng := rand.New(rand.NewPCG(5, 6))
		slot, list := newSlotTree(1), make([]item, n)
		for k := range list {
			list[k] = item{key: -bookahead.Time(rng.IntN(1000)), end: bookahead.Time(1000 + rng.IntN(1000)), server: int32(k)}
		}
		slices.SortFunc(list, item.compare)
		slot.root = slot.primary.build(list, &room{})
		log := bits.Len(uint(n))
		for range 100 {
			var first, second Spent
			marks, _ := slot.candidates(bookahead.Time(rng.IntN(1000)), nil, &first)
			require.LessOrEqual(t, first.Visits, log)
			found := slot.feasible(marks, bookahead.Time(1000+rng.IntN(1000)), nil, 8, &second)
			require.LessOrEqual(t, second.Visits, 3*log*log+4*len(found))
		}
	}
}
