package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/plan"
	"github.com/bookahead/bookahead/scheduletest"
	"github.com/bookahead/bookahead/slotted"
)

// drawLocal draws any policy that is valid.
func drawLocal(t *rapid.T) (Local, turn) {
	o := rapid.SampledFrom(turns).Draw(t, "order")
	l := Local{
		Order: o.Order, Preempt: o.preempt,
		Backfill: rapid.SampledFrom([]plan.Backfill{plan.None(), plan.FirstFit(), plan.EASY(1), plan.Conservative()}).Draw(t, "backfill"),
	}
	if !l.promises() {
		l.Period = bookahead.Duration(rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "period"))
	}
	return l, o
}

// drawTasks draws tasks of which a share are AR tasks.
func drawTasks(t *rapid.T, units int64, ar bool) []Task {
	draw := func(label string, low, high int) int { return rapid.IntRange(low, high).Draw(t, label) }
	tasks := make([]Task, draw("tasks", 0, 25))
	for i := range tasks {
		estimate := draw("estimate", 1, 12)
		submit := bookahead.Time(draw("submit", 0, 40))
		x := Task{
			Job: workload.Job{
				Submit: submit, Run: bookahead.Duration(draw("run", 1, estimate)),
				Estimate: bookahead.Duration(estimate), Units: int64(draw("units", 1, int(units))),
			},
			Ready:    submit,
			Priority: draw("priority", 0, 3),
			User:     int64(draw("user", 0, 2)),
			AR:       ar && draw("AR", 0, 2) == 0,
		}
		if x.AR || draw("later", 0, 5) == 0 {
			x.Ready += bookahead.Time(draw("ahead", 0, 10))
		}
		if x.AR && rapid.Bool().Draw(t, "due") {
			x.Due = x.Ready + bookahead.Time(estimate+draw("slack", 0, 8))
		}
		tasks[i] = x
	}
	return tasks
}

// pools are structures that are exact.
var pools = []func(units int64) (bookahead.Schedule, error){
	func(units int64) (bookahead.Schedule, error) { return carts.NewIndexed(units, carts.Config{}) },
	func(units int64) (bookahead.Schedule, error) { return carts.NewFlat(units, carts.Config{}) },
	func(units int64) (bookahead.Schedule, error) {
		return slotted.NewIndexed(units, slotted.Config{Horizon: oracleTicks, Slot: 1})
	},
	func(units int64) (bookahead.Schedule, error) {
		pool, err := carts.NewFlat(units, carts.Config{})
		if err != nil {
			return nil, err
		}
		return grid.NewBinder(pool)
	},
}

// often is rapid.Check as often as BOOKAHEAD_OPS says, 5 000 times if nothing: some
// faults show only in workloads that are rare.
func often(t *testing.T, property func(*rapid.T)) {
	for range max(1, scheduletest.Operations()/2000) {
		rapid.Check(t, property)
		if t.Failed() {
			return
		}
	}
}

// TestAgainstTheOracle: for every policy, every task has the same start, end and
// promise as in the simulation that looks at everything at every tick.
func TestAgainstTheOracle(t *testing.T) {
	often(t, func(t *rapid.T) {
		units := int64(rapid.IntRange(1, 6).Draw(t, "capacity"))
		local, turn := drawLocal(t)
		c := Config{
			Providers: []Provider{{Units: units, Local: local}},
			ARFirst:   rapid.Bool().Draw(t, "AR first"),
			Strict:    rapid.Bool().Draw(t, "strict"),
		}
		tasks := drawTasks(t, units+1, true)
		for i := range tasks {
			if tasks[i].Units > units && rapid.IntRange(0, 9).Draw(t, "too big") > 0 {
				tasks[i].Units = 1
			}
		}
		want := simulate(c, turn, tasks)
		s, err := rapid.SampledFrom(pools).Draw(t, "pool")(units)
		require.NoError(t, err)
		c.Providers[0].Schedule = s
		r, err := Run(c, tasks)
		require.NoError(t, err)
		for i := range tasks {
			require.Equal(t, want[i], r.Outcomes[i], "task %d: %+v\nof %+v\nwith %+v %v %v\nwant %+v\ngot  %+v", i, tasks[i], tasks, c.Providers[0].Local, units, c.ARFirst, want, r.Outcomes)
		}
	})
}
