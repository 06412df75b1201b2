package sim

import (
	"cmp"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/plan"
)

// witness is a schedule with dynamic binding that looks, at each tick, at who runs
// on which server.
type witness struct {
	*grid.Binder
	t    require.TestingT
	now  bookahead.Time
	busy []int // servers that run something, at each tick
}

func (w *witness) look(until bookahead.Time) {
	for ; w.now < until; w.now++ {
		require.NoError(w.t, w.Binder.Advance(w.now))
		seen := map[int]bool{}
		for res := range w.Running() {
			require.Len(w.t, res.Servers, int(res.Units))
			for _, s := range res.Servers {
				require.False(w.t, seen[s], "server %d runs two tasks at %d", s, w.now)
				seen[s] = true
			}
		}
		w.busy = append(w.busy, len(seen))
	}
}

func (w *witness) Advance(now bookahead.Time) error {
	w.look(now)
	return w.Binder.Advance(now)
}

func newWitness(t require.TestingT, units int64) *witness {
	pool, err := carts.NewFlat(units, carts.Config{})
	require.NoError(t, err)
	b, err := grid.NewBinder(pool)
	require.NoError(t, err)
	return &witness{Binder: b, t: t}
}

// drawGrid draws a grid of one to three providers with any policies.
func drawGrid(t *rapid.T) (Config, []*witness) {
	placements := []Placement{{}, {Policy: grid.ShortestQueue}, {Policy: grid.Random(7)}, {Policy: grid.LeastLoaded}, {Policy: grid.Priority}}
	c := Config{
		Batch:   rapid.SampledFrom(placements).Draw(t, "batch"),
		AR:      rapid.SampledFrom(placements).Draw(t, "AR"),
		Search:  rapid.SampledFrom([]Steps{{}, {2, 5}}).Draw(t, "search"),
		Period:  bookahead.Duration(rapid.SampledFrom([]int{0, 0, 5}).Draw(t, "grid period")),
		ARFirst: rapid.Bool().Draw(t, "AR first"),
		Strict:  rapid.Bool().Draw(t, "strict"),
	}
	var witnesses []*witness
	for range rapid.IntRange(1, 3).Draw(t, "providers") {
		units := int64(rapid.IntRange(1, 5).Draw(t, "capacity"))
		w := newWitness(t, units)
		witnesses = append(witnesses, w)
		local, _ := drawLocal(t)
		c.Providers = append(c.Providers, Provider{w, units, local})
	}
	return c, witnesses
}

// TestInvariants holds for every policy, at every level.
func TestInvariants(t *testing.T) {
	often(t, func(t *rapid.T) {
		c, witnesses := drawGrid(t)
		tasks := drawTasks(t, 5, true)
		r, err := Run(c, tasks)
		require.NoError(t, err)
		require.Len(t, r.Outcomes, len(tasks))
		used := map[[2]int64]int64{} // by provider and tick
		for i, o := range r.Outcomes {
			task := tasks[i]
			if o.Rejected {
				require.Equal(t, -1, o.Provider)
				require.Zero(t, o.End)
				fits := false
				for _, p := range c.Providers {
					fits = fits || p.Units >= task.Units
				}
				if fits && !task.AR {
					require.Fail(t, "a batch task that fits is rejected")
				}
				continue
			}
			require.GreaterOrEqual(t, o.Start, task.Ready, "no task starts before it is ready")
			require.Equal(t, o.Start+bookahead.Time(task.Run), o.End, "every task runs to its end")
			if task.AR {
				require.Equal(t, o.Promised, o.Start, "an AR task starts with its reservation")
				require.Zero(t, o.Preempted)
				require.Positive(t, o.Attempts)
				if c.Strict && task.Due != 0 {
					require.LessOrEqual(t, o.Start+bookahead.Time(task.Estimate), task.Due)
				}
			} else if l := c.Providers[o.Provider].Local; o.Promised != Never && l.promises() && o.Preempted == 0 {
				require.LessOrEqual(t, o.Start, o.Promised, "a promise is kept")
			}
			for tick := o.Start; tick < o.End; tick++ {
				used[[2]int64{int64(o.Provider), int64(tick)}] += task.Units
			}
		}
		for at, units := range used {
			require.LessOrEqual(t, units, c.Providers[at[0]].Units, "provider %d at %d", at[0], at[1])
			require.LessOrEqual(t, units, int64(witnesses[at[0]].busy[at[1]]), "what runs has servers")
		}
	})
}

// TestNothingIdles: under FirstFit no task waits that fits, and under None the first one does not. Nor does it
// under EASY, where no other can come before it that has been promised its units. A task fits at a tick if there is room for it, to the end of its
// estimate, beside running and booked tasks.
func TestNothingIdles(t *testing.T) {
	often(t, func(t *rapid.T) {
		const units = 5
		l, turn := drawLocal(t)
		l.Period = 0
		l.Preempt = false // runs that were cut short are not in the result
		tasks := drawTasks(t, units, true)
		r, err := Run(Config{Providers: []Provider{{newWitness(t, units), units, l}}}, tasks)
		require.NoError(t, err)
		for now := range bookahead.Time(300) {
			free := free(tasks, r.Outcomes, units, now)
			fits := func(i int) bool {
				for _, f := range free[:tasks[i].Estimate] {
					if f < tasks[i].Units {
						return false
					}
				}
				return true
			}
			head := -1
			for i, o := range r.Outcomes {
				if tasks[i].AR || tasks[i].Ready > now || now >= o.Start {
					continue
				}
				if l.Backfill == plan.FirstFit() {
					require.False(t, fits(i), "at %d task %d waits and fits", now, i)
				}
				before := func(a, b *Task) int {
					return cmp.Or(cmp.Compare(turn.key(a, 0), turn.key(b, 0)), cmp.Compare(a.Ready, b.Ready))
				}
				if head < 0 || before(&tasks[i], &tasks[head]) < 0 {
					head = i
				}
			}
			if head >= 0 && !turn.moves && (!l.promises() || turn.arrival && l.Backfill == plan.EASY(1)) {
				require.False(t, fits(head), "at %d task %d is the first and fits", now, head)
			}
		}
	})
}

// free returns the free units of each of 20 ticks from now on, as a policy sees them after
// its decision.
func free(tasks []Task, out []Outcome, units int64, now bookahead.Time) []int64 {
	free := make([]int64, 20)
	for k := range free {
		free[k] = units
		at := now + bookahead.Time(k)
		for i, o := range out {
			known := o.Start <= now || tasks[i].AR && tasks[i].Submit <= now
			end := o.Start + bookahead.Time(tasks[i].Estimate)
			if o.End <= now { // the units that it gave back are known
				end = o.End
			}
			if known && o.Start <= at && at < end {
				free[k] -= tasks[i].Units
			}
		}
	}
	return free
}

// TestDeterminism: a run can be repeated, and does not depend on how the schedule is
// built.
func TestDeterminism(t *testing.T) {
	often(t, func(t *rapid.T) {
		c, _ := drawGrid(t)
		tasks := drawTasks(t, 5, true)
		first, err := Run(c, tasks)
		require.NoError(t, err)
		for k := range c.Providers {
			c.Providers[k].Schedule, err = carts.NewIndexed(c.Providers[k].Units, carts.Config{})
			require.NoError(t, err)
		}
		second, err := Run(c, tasks)
		require.NoError(t, err)
		first.Operations, second.Operations = Operations{}, Operations{}
		require.Equal(t, first, second)
	})
}

// broken fails after so many calls.
type broken struct {
	bookahead.Schedule
	left int
}

var errBroken = errors.New("broken")

func (b *broken) Clone() bookahead.Schedule {
	s, _ := bookahead.Clone(b.Schedule)
	return &broken{s, b.left}
}

func (b *broken) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	b.left--
	if b.left < 0 {
		return bookahead.Reservation{}, errBroken
	}
	return b.Schedule.Reserve(r)
}

func TestAFaultOfAScheduleEndsTheRun(t *testing.T) {
	for _, fill := range []plan.Backfill{plan.None(), plan.FirstFit(), plan.EASY(1), plan.Conservative()} {
		for left := range 4 {
			p := machine(t, Local{Backfill: fill})
			p.Schedule = &broken{p.Schedule, left}
			_, err := Run(Config{Providers: []Provider{p}}, []Task{
				batch(0, 5, 9, 4), batch(1, 5, 9, 4), ahead(2, 4, 0, 1, 1, 1), batch(3, 5, 9, 4), batch(3, 5, 9, 4),
			})
			require.ErrorIs(t, err, errBroken)
			require.ErrorContains(t, err, "at ")
		}
	}
}
