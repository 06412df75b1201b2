package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/plan"
	"github.com/bookahead/bookahead/slotted"
)

// TestMetrics works out every number by hand: on 4 units,
//
//	task  ready  start  end  wait  flow  due  late  estimate  units
//	0     10     10     16   0     6     -    -     8         4
//	1     12     22     26   10    14    -    -     4         1
//	2     14     18     22   4     8     18   4     4         4
//	3     14     rejected
func TestMetrics(t *testing.T) {
	r, err := Run(Config{Providers: []Provider{machine(t, Local{})}}, []Task{
		batch(10, 6, 8, 4), batch(12, 4, 4, 1), ahead(11, 14, 18, 4, 4, 4), batch(14, 1, 1, 5),
	})
	require.NoError(t, err)
	require.Equal(t, Metrics{
		Tasks: 4, AR: 1, Rejected: 1, RejectionRate: 0.25,
		MeanWait: 14 / 3.0, MeanFlow: 28 / 3.0, MeanTardiness: 4, MaxWait: 10,
		MeanTemporal: (0 + 10/4.0 + 4/4.0) / 3,
		Makespan:     16,
		Utilisation:  (6*4 + 4*1 + 4*4) / (4 * 16.0), Each: []float64{(6*4 + 4*1 + 4*4) / (4 * 16.0)},
		MeanAttempts: 2,
	}, r.Metrics())
	require.Equal(t, []Class{{0, 4, 2, (10/4.0 + 4/4.0) / 2, 10 / 4.0}, {4, 8, 1, 0, 0}}, r.TemporalPenalty(4))
	require.Equal(t, []Class{{0, 2, 1, 10, 10}, {2, 4, 2, 2, 4}}, r.Classes(2,
		func(i int) int64 { return r.Tasks[i].Units }, func(i int) float64 { return float64(r.Wait(i)) }))
	// Two searches for the AR task, and one to book it; one at 10 for the first task, and at 12, 16 and 22 for the second.
	// Those that end are released. The clock moves to 10, 11, 12, 16, 22 and 26: nothing
	// becomes free at 18.
	require.Equal(t, Operations{Search: 7, Reserve: 3, Release: 2, Advance: 6}, r.Operations)
	require.Equal(t, 18, r.Operations.Total())
	require.Equal(t, 1, r.LongQueue)
	require.Zero(t, Result{}.Metrics().MeanWait)
}

// TestLost: the work of a run before it gave way is lost, and does not count as used.
func TestLost(t *testing.T) {
	r, err := Run(Config{Providers: []Provider{machine(t, Local{Order: plan.ByPriority(), Preempt: true})}}, []Task{batch(0, 5, 5, 3), batch(2, 5, 5, 4).with(1)})
	require.NoError(t, err)
	require.InDelta(t, 2*3, r.Lost, 0)
	m := r.Metrics()
	require.Equal(t, 1, m.Preempted)
	require.InDelta(t, (5*3+5*4)/(4*12.0), m.Utilisation, 1e-12)
}

// TestUtilisationOfProviders is the mean of each provider's, whatever their sizes.
func TestUtilisationOfProviders(t *testing.T) {
	r := Result{
		Tasks:    []Task{batch(0, 10, 10, 2), batch(0, 5, 5, 1)},
		Outcomes: []Outcome{{Start: 0, End: 10, Provider: 0}, {Start: 0, End: 5, Provider: 1}},
		Units:    []int64{2, 10},
	}
	m := r.Metrics()
	require.Equal(t, []float64{1, 0.05}, m.Each)
	require.InDelta(t, 0.525, m.Utilisation, 1e-12)
}

// TestTwoLevels: who goes where, by hand, on two machines of 4 units.
func TestTwoLevels(t *testing.T) {
	full := func(due bookahead.Time) Task { return ahead(0, 0, due, 10, 10, 4) }
	static := Config{
		Batch: Placement{grid.ShortestQueue, grid.Dedicated(0)}, AR: Placement{grid.MCT, grid.Dedicated(1)},
	}
	for _, c := range []struct {
		name      string
		grid      Config
		tasks     []Task
		providers []int
		starts    []bookahead.Time
	}{
		{"MCT: the earliest start, the first of several", Config{},
			[]Task{full(0), full(0), full(0)}, []int{0, 1, 0}, []bookahead.Time{0, 0, 10}},
		{"MCT does not look at the due date", Config{AR: Placement{Policy: grid.MCT}},
			[]Task{full(25), full(25), full(25)}, []int{0, 1, 0}, []bookahead.Time{0, 0, 10}},
		{"resource priority: the first that can by the due date", Config{AR: Placement{Policy: grid.Priority}},
			[]Task{full(25), full(25), full(25)}, []int{0, 0, 1}, []bookahead.Time{0, 10, 0}},
		{"resource priority: the earliest if none can", Config{AR: Placement{Policy: grid.Priority}, Batch: Placement{Policy: grid.ShortestQueue}},
			[]Task{full(10), full(10), full(10), batch(0, 1, 1, 1)}, []int{0, 1, 0, 0}, []bookahead.Time{0, 0, 10, 20}},
		{"static partition", static,
			[]Task{full(0), full(0), batch(0, 3, 3, 4), batch(0, 3, 3, 4)}, []int{1, 1, 0, 0}, []bookahead.Time{0, 10, 0, 3}},
		{"shortest queue: who runs does not count", Config{Batch: Placement{Policy: grid.ShortestQueue}},
			[]Task{batch(0, 9, 9, 4), batch(1, 9, 9, 4), batch(2, 9, 9, 4), batch(3, 9, 9, 4)},
			[]int{0, 0, 1, 1}, []bookahead.Time{0, 9, 2, 11}},
		{"MCT for batch tasks: where it could be booked first", Config{Batch: Placement{Policy: grid.MCT}},
			[]Task{batch(0, 9, 9, 4), batch(1, 7, 7, 4), batch(2, 9, 9, 4), batch(3, 1, 1, 4)},
			[]int{0, 1, 1, 1}, []bookahead.Time{0, 1, 8, 17}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.grid.Providers = []Provider{machine(t, Local{}), machine(t, Local{})}
			r, err := Run(c.grid, c.tasks)
			require.NoError(t, err)
			for i, o := range r.Outcomes {
				require.Equal(t, c.providers[i], o.Provider, "task %d", i)
				require.Equal(t, c.starts[i], o.Start, "task %d", i)
			}
		})
	}
}

func TestStaticPartitionRejectsWhatItsPartCannotTake(t *testing.T) {
	small, err := carts.NewFlat(2, carts.Config{})
	require.NoError(t, err)
	r, err := Run(Config{
		Providers: []Provider{machine(t, Local{}), {Schedule: small, Units: 2}},
		AR:        Placement{Partition: grid.Dedicated(1)},
	}, []Task{ahead(0, 0, 0, 1, 1, 3), batch(0, 1, 1, 3)})
	require.NoError(t, err)
	require.True(t, r.Outcomes[0].Rejected)
	require.False(t, r.Outcomes[1].Rejected)
}

func TestRandomFollowsItsSeed(t *testing.T) {
	run := func(seed uint64) []int {
		tasks := make([]Task, 64)
		for i := range tasks {
			tasks[i] = batch(0, 1, 1, 1)
		}
		r, err := Run(Config{Providers: []Provider{machine(t, Local{}), machine(t, Local{})}, Batch: Placement{Policy: grid.Random(seed)}}, tasks)
		require.NoError(t, err)
		var where []int
		for _, o := range r.Outcomes {
			where = append(where, o.Provider)
		}
		return where
	}
	require.Equal(t, run(1), run(1))
	require.NotEqual(t, run(1), run(2))
	require.Contains(t, run(1), 0)
	require.Contains(t, run(1), 1)
}

// TestSlots: on a structure that rounds, a task starts when the schedule has a place
// for it, though nobody ends then.
func TestSlots(t *testing.T) {
	for _, fill := range []plan.Backfill{plan.None(), plan.FirstFit(), plan.EASY(1), plan.Conservative()} {
		s, err := slotted.NewIndexed(4, slotted.Config{Horizon: 600, Slot: 60})
		require.NoError(t, err)
		r, err := Run(Config{Providers: []Provider{{s, 4, Local{Backfill: fill}}}}, []Task{
			batch(0, 70, 70, 4), batch(1, 10, 10, 4), batch(2, 5, 5, 1),
		})
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(120), r.Outcomes[1].Start, "%T", fill)
	}
}

// TestSlotsAndPromises: a place that Conservative gave to one who joined the queue is
// taken up in time.
func TestSlotsAndPromises(t *testing.T) {
	s, err := slotted.NewIndexed(4, slotted.Config{Horizon: 600, Slot: 60})
	require.NoError(t, err)
	r, err := Run(Config{Providers: []Provider{{s, 4, Local{Backfill: plan.Conservative()}}}}, []Task{
		batch(0, 70, 70, 2), batch(0, 190, 190, 2), batch(1, 10, 10, 4), batch(100, 10, 10, 2),
	})
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(240), r.Outcomes[2].Start)
	require.Equal(t, bookahead.Time(120), r.Outcomes[3].Start, "nobody ends at 120")
}

// TestBeyondTheHorizon: a task that is too long for the horizon is rejected, and holds up
// nobody for ever.
func TestBeyondTheHorizon(t *testing.T) {
	for _, fill := range []plan.Backfill{plan.None(), plan.FirstFit(), plan.EASY(1), plan.Conservative()} {
		s, err := carts.NewFlat(4, carts.Config{Horizon: 50})
		require.NoError(t, err)
		r, err := Run(Config{Providers: []Provider{{s, 4, Local{Backfill: fill}}}}, []Task{
			batch(0, 5, 5, 4), batch(1, 5, 51, 1), batch(2, 5, 5, 4), ahead(3, 60, 0, 5, 5, 1), batch(3, 40, 40, 4),
		})
		require.NoError(t, err)
		var rejected []bool
		for _, o := range r.Outcomes {
			rejected = append(rejected, o.Rejected)
		}
		require.Equal(t, []bool{false, true, false, true, false}, rejected, "%T", fill)
	}
}

func TestFromJobs(t *testing.T) {
	require.Equal(t, []Task{batch(5, 3, 4, 2)}, FromJobs([]workload.Job{{Submit: 5, Run: 3, Estimate: 4, Units: 2}}))
}

func TestInvalid(t *testing.T) {
	one := func(l Local) []Provider { return []Provider{machine(t, l)} }
	for field, c := range map[string]Config{
		"Config.Providers [] are none":         {},
		"Config.Period -1 is negative":         {Providers: one(Local{}), Period: -1},
		"Config.Providers[0].Schedule":         {Providers: []Provider{{Units: 1}}},
		"Config.Providers[0].Units 0":          {Providers: []Provider{{Schedule: one(Local{})[0].Schedule}}},
		"Config.Providers[0].Local.Period -1":  {Providers: one(Local{Period: -1})},
		"Local.Period 5 is not for a Backfill": {Providers: one(Local{Period: 5, Backfill: plan.EASY(1)})},
		"Steps.Step 0 is less than 1":          {Providers: one(Local{}), Search: Steps{0, 1}},
		"Steps.Tries 0 is less than 1":         {Providers: one(Local{}), Search: Steps{1, 0}},
	} {
		_, err := Run(c, nil)
		require.ErrorIs(t, err, bookahead.ErrInvalid, field)
		require.ErrorContains(t, err, field)
	}
	early, due := batch(5, 1, 1, 1), batch(5, 1, 1, 1)
	early.Ready, due.Due = 4, 9
	for field, task := range map[string]Task{
		"task 0: bookahead: Task.Submit -1 is negative": batch(-1, 1, 1, 1),
		"Task.Ready 4 is before Task.Submit 5":          early,
		"Task.Units 0":                                  batch(0, 1, 1, 0),
		"Task.Run 0":                                    batch(0, 0, 1, 1),
		"Task.Estimate 1 is less than Task.Run 2":       batch(0, 2, 1, 1),
		"after Task.Ready 9223372036854775807 overfl":   batch(bookahead.MaxTime, 1, 1, 1),
		"Task.Due 9 is set, but the task is no AR task": due,
		"Task.Due 3 is before Ready + Estimate = 4":     ahead(0, 2, 3, 1, 2, 1),
	} {
		_, err := Run(Config{Providers: one(Local{})}, []Task{task})
		require.ErrorIs(t, err, bookahead.ErrInvalid, field)
		require.ErrorContains(t, err, field)
	}
}
