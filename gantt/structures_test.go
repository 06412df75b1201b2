package gantt

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/internal/structures"
)

const ahead = 120 // how far ahead the structures can be booked, in ticks

// Every Profiler can be drawn, behind a lock or not, and the profile agrees with the schedule
// at each tick.
func TestEveryProfiler(t *testing.T) {
	const capacity = 4
	open := func(t require.TestingT, st structures.Structure) bookahead.Keeper {
		s, err := st.New(capacity, structures.Config{Horizon: ahead, Slot: 5})
		require.NoError(t, err)
		return s
	}
	for _, st := range structures.All() {
		if _, ok := open(t, st).(bookahead.Profiler); !ok {
			continue
		}
		t.Run(st.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				schedule := open(t, st)
				if rapid.Bool().Draw(t, "locked") {
					schedule = bookahead.Locked(schedule)
				}
				book(t, schedule, capacity)
				now := bookahead.Time(rapid.IntRange(0, 20).Draw(t, "now"))
				require.NoError(t, schedule.Advance(now))
				start := rapid.Int64Range(0, ahead-1).Draw(t, "from")
				w := bookahead.Interval{Start: bookahead.Time(start), End: bookahead.Time(rapid.Int64Range(start+1, ahead+50).Draw(t, "to"))}
				f, ok := bookahead.FrameOf(schedule)
				require.True(t, ok)

				p, err := ProfileOf(st.Name, schedule, capacity, w)
				require.NoError(t, err)
				for k := 1; k < len(p.levels); k++ {
					require.Less(t, p.levels[k-1].at, p.levels[k].at)
					require.NotEqual(t, p.levels[k-1].used, p.levels[k].used, "a level that changes nothing")
				}
				chart := Chart{Window: w, Profiles: []Profile{p}}
				for at := w.Start; at < w.End; at++ {
					if !f.Window().Contains(at) {
						require.EqualValues(t, -1, usedAt(&p, at), "nothing is known of %d", at)
						continue
					}
					free, err := schedule.RangeQuery(bookahead.Interval{Start: at, End: at + 1})
					require.NoError(t, err)
					require.Equal(t, capacity-free.Free, usedAt(&p, at), "at %d", at)
				}
				if st.Servers {
					chart.Rows = capacity
					chart.Bars, err = BusyBars(schedule, capacity, w)
					require.NoError(t, err)
					requireBusy(t, schedule, chart.Bars, capacity, w.Intersect(f.Window()))
					for _, b := range chart.Bars {
						require.Equal(t, b.Interval, b.Intersect(f.Window()))
					}
				} else {
					_, err = BusyBars(schedule, capacity, w)
					if len(p.levels) > 1 || len(p.levels) == 1 && p.levels[0].used < capacity { // something is free
						require.ErrorContains(t, err, "names no servers")
					}
				}
				parse(t, draw(t, &chart))
			})
		})
	}
}

func book(t *rapid.T, s bookahead.Schedule, capacity int64) {
	for range rapid.IntRange(0, 12).Draw(t, "reservations") {
		_, err := s.Reserve(bookahead.Request{
			Ready:    bookahead.Time(rapid.IntRange(0, 90).Draw(t, "ready")),
			Duration: bookahead.Duration(rapid.IntRange(1, 25).Draw(t, "duration")),
			Units:    rapid.Int64Range(1, capacity).Draw(t, "units"),
		})
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrUnavailable)
		}
	}
}

// usedAt returns the used amount of a profile at a tick; -1 if it is not drawn there.
func usedAt(p *Profile, at bookahead.Time) int64 {
	used := int64(-1)
	for _, l := range p.levels {
		if l.at <= at && p.window.Contains(at) {
			used = l.used
		}
	}
	return used
}

// requireBusy checks that bars cover the time that is not free, and none of it twice.
func requireBusy(t require.TestingT, s bookahead.Schedule, bars []Bar, servers int, w bookahead.Interval) {
	for at := w.Start; at < w.End; at++ {
		free, err := s.RangeQuery(bookahead.Interval{Start: at, End: at + 1})
		require.NoError(t, err)
		times := make([]int, servers)
		for _, b := range bars {
			if b.Contains(at) {
				times[b.Row]++
			}
		}
		want := make([]int, servers)
		for k := range want {
			want[k] = 1
		}
		for _, k := range free.Servers {
			want[k] = 0
		}
		require.Equal(t, want, times, "at %d", at)
	}
}

// broken lists blocks that no schedule should.
type broken struct {
	bookahead.Profiler
	block bookahead.Block
}

func (b broken) Blocks(bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) { yield(b.block) }
}

func TestBrokenBlocks(t *testing.T) {
	w := bookahead.Interval{Start: -5, End: 10}
	in := bookahead.Interval{Start: 0, End: 5}
	for _, c := range []struct {
		block       bookahead.Block
		profile, bb string
	}{
		{bookahead.Block{Interval: bookahead.Interval{Start: 10, End: 12}, Units: 1, Servers: []int{0}}, "block [10, 12) 1 is empty or outside", "block [10, 12) is empty or outside"},
		{bookahead.Block{Interval: in, Units: 0}, "block [0, 5) 0 is", "block [0, 5) names no servers"},
		{bookahead.Block{Interval: in, Units: 3, Servers: []int{0, 1, 2}}, "capacity 2 is less than the units free at 0", "servers 2 does not include server 2"},
		{bookahead.Block{Interval: in, Units: 3, Servers: []int{-1}}, "capacity 2 is less than", "servers 2 does not include server -1"},
	} {
		_, err := ProfileOf("", broken{block: c.block}, 2, w)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, c.profile)
		_, err = BusyBars(broken{block: c.block}, 2, w)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, c.bb)
	}
	_, err := BusyBars(broken{}, 2, bookahead.Interval{Start: 3, End: 3})
	require.ErrorContains(t, err, "window [3, 3) is empty")
}

// A schedule that lists no free blocks, such as a Broker, cannot be drawn, locked or not.
func TestOnlyProfilersAreDrawn(t *testing.T) {
	pool, err := carts.NewIndexed(2, carts.Config{})
	require.NoError(t, err)
	broker, err := grid.NewBroker(grid.Config{}, pool)
	require.NoError(t, err)
	w := bookahead.Interval{Start: 0, End: 10}
	for want, s := range map[string]bookahead.Schedule{
		"bookahead: schedule *grid.Broker is no bookahead.Profiler":      broker,
		"bookahead: schedule *bookahead.locked is no bookahead.Profiler": bookahead.Locked(broker),
		"bookahead: schedule <nil> is no bookahead.Profiler":             nil,
	} {
		_, err := ProfileOf("", s, 2, w)
		require.EqualError(t, err, want)
		_, err = BusyBars(s, 2, w)
		require.EqualError(t, err, want)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
}
