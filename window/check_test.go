package window

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func span(start, end bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: start, End: end}
}

// TestInvalid gives arguments that make no sense, and expects the field to be named.
func TestInvalid(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		field string
		nodes []Node
		slots []Slot
	}{
		{"nodes[0].Performance", []Node{{Performance: 0}}, nil},
		{"nodes[1].Performance", []Node{{Performance: 1}, {Performance: -1}}, nil},
		{"nodes[0].Performance", []Node{{Performance: nan}}, nil},
		{"nodes[0].Performance", []Node{{Performance: inf}}, nil},
		{"nodes[0].Price", []Node{{Performance: 1, Price: -1}}, nil},
		{"nodes[0].Price", []Node{{Performance: 1, Price: nan}}, nil},
		{"nodes[0].Price", []Node{{Performance: 1, Price: inf}}, nil},
		{"nodes[0].Price", []Node{{Performance: 1, Price: 1e201}}, nil},
		{"nodes[0].Quality", []Node{{Performance: 1, Quality: nan}}, nil},
		{"nodes[0].Quality", []Node{{Performance: 1, Quality: -1e201}}, nil},
		{"nodes[0].Quality", []Node{{Performance: 1, Quality: -inf}}, nil},
		{"slots[0]", []Node{{Performance: 1}}, []Slot{{1, span(0, 1)}}},
		{"slots[0]", []Node{{Performance: 1}}, []Slot{{-1, span(0, 1)}}},
		{"slots[0]", []Node{{Performance: 1}}, []Slot{{0, span(-1, 1)}}},
		{"slots[0]", []Node{{Performance: 1}}, []Slot{{0, span(2, 2)}}},
		{"slots[1]", []Node{{Performance: 1}, {Performance: 1}}, []Slot{{0, span(5, 6)}, {1, span(4, 6)}}},
		{"slots[1]", []Node{{Performance: 1}}, []Slot{{0, span(5, 7)}, {0, span(6, 8)}}},
	} {
		_, err := New(c.nodes, c.slots)
		requireField(t, c.field, err)
	}
	for field, tariff := range map[string][]Rate{
		"nodes[0].Tariff[0].From":  {{-1, 1}},
		"nodes[0].Tariff[1].From":  {{4, 1}, {4, 2}},
		"nodes[0].Tariff[0].Price": {{4, -1}},
		"nodes[0].Tariff[1].Price": {{4, 1}, {5, nan}},
		"nodes[0].Tariff[2].Price": {{4, 1}, {5, 1}, {6, 1e201}},
	} {
		_, err := New([]Node{{Performance: 1, Tariff: tariff}}, nil)
		requireField(t, field, err)
	}
	bad := []Rate{{4, 1}, {5, 1}, {5, 1}} // the first node shares the part that is in order
	_, err := New([]Node{{Performance: 1, Tariff: bad[:2]}, {Performance: 1, Tariff: bad[:1]}, {Performance: 1, Tariff: bad}}, nil)
	requireField(t, "nodes[2].Tariff[2].From", err)

	e, err := New([]Node{{Performance: 1}, {Performance: 1}}, []Slot{{0, span(0, 5)}, {1, span(0, 5)}})
	require.NoError(t, err)
	good := Job{Nodes: 2, Volume: 3, Budget: 1}
	for field, spoil := range map[string][]func(j *Job){
		"Job.Nodes":          {func(j *Job) { j.Nodes = 0 }, func(j *Job) { j.Nodes = -1 }, func(j *Job) { j.Nodes = 3 }},
		"Job.MinPerformance": {func(j *Job) { j.MinPerformance = -1 }, func(j *Job) { j.MinPerformance = nan }, func(j *Job) { j.MinPerformance = inf }},
		"Job.Volume":         {func(j *Job) { j.Volume = 0 }, func(j *Job) { j.Volume = nan }, func(j *Job) { j.Volume = inf }},
		"Job.Budget":         {func(j *Job) { j.Budget = 0 }, func(j *Job) { j.Budget = -2 }, func(j *Job) { j.Budget = nan }},
		"Job.Deadline":       {func(j *Job) { j.Deadline = -1 }, func(j *Job) { j.Ready, j.Deadline = 4, 4 }},
		"Job.Shape":          {func(j *Job) { j.Shape = 3 }, func(j *Job) { j.Shape = -1 }},
		"Effort.Steps":       {func(j *Job) { j.Effort.Steps = -1 }},
	} {
		for _, f := range spoil {
			j := good
			f(&j)
			for _, search := range searches(Quality) {
				_, err := search(e, j)
				requireField(t, field, err)
			}
		}
	}
	for _, search := range searches(Quality) {
		_, err := search(e, good)
		require.NoError(t, err)
	}
	for i, search := range searches(Criterion{}) {
		if _, err := search(e, good); i > 0 {
			requireField(t, "Criterion.Value", err)
		}
	}
	_, err = MaxQ(e, good, Quality, Program{})
	requireField(t, "Program.Steps", err)
	_, err = MaxQ(e, good, Quality, Program{Steps: mostCells / 3})
	requireField(t, "Program.Steps", err)
	wide := make([]Node, 200)
	var slots []Slot
	for i := range wide {
		wide[i].Performance = 1
		slots = append(slots, Slot{i, span(0, 5)})
	}
	_, err = MaxQ(environment(t, wide, slots...), good, Quality, Program{Steps: mostCells / 4})
	requireField(t, "Program.Steps", err)
	good.Budget = inf
	_, err = MaxQ(e, good, Quality, Program{Steps: 1})
	requireField(t, "Job.Budget", err)
	o, err := Exact(e, good, Quality)
	require.NoError(t, err)
	require.True(t, o.Proven())
}

// TestCriterionNotFinite has criteria that are not finite on one node, and a bound.
func TestCriterionNotFinite(t *testing.T) {
	e := environment(t, []Node{{Performance: 1, Price: 1, Quality: 1}, {Performance: 1, Price: 1, Quality: 2}}, Slot{0, span(0, 9)}, Slot{1, span(0, 9)})
	j := Job{Nodes: 2, Volume: 3, Budget: 9}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e221} {
		value := func(n Node, _ Slot, _ bookahead.Time, _ bookahead.Duration) float64 {
			if n.Quality == 2 {
				return bad
			}
			return 1
		}
		bound := func(n Node, s Slot, first, _ bookahead.Time, short, _ bookahead.Duration) float64 {
			return value(n, s, first, short)
		}
		for _, c := range []Criterion{{Value: value}, {Value: value, Monotone: true}} {
			for i, search := range searches(c) {
				if w, err := search(e, j); i > 0 {
					requireField(t, "Criterion.Value", err)
					require.Empty(t, w)
				}
			}
		}
		o, err := Exact(e, j, Criterion{Value: Quality.Value, Bound: bound})
		requireField(t, "Criterion.Bound", err)
		require.Empty(t, o)
	}
}

// searches are all algorithms.
func searches(c Criterion) []func(e *Environment, j Job) (Window, error) {
	return []func(e *Environment, j Job) (Window, error){
		FirstFit,
		func(e *Environment, j Job) (Window, error) { return MultipleBest(e, j, c) },
		func(e *Environment, j Job) (Window, error) { return MaxQLite(e, j, c) },
		func(e *Environment, j Job) (Window, error) { return MaxQ(e, j, c, Program{Steps: 50}) },
		func(e *Environment, j Job) (Window, error) { o, err := Exact(e, j, c); return o.Window, err },
		func(e *Environment, j Job) (Window, error) {
			o, err := ExactPlacement(e, j, c)
			return o.Window, err
		},
	}
}

func requireField(t require.TestingT, field string, err error) {
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	var invalid *bookahead.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, field, invalid.Field)
}

// FuzzChecks gives anything to New and to all searches. None may panic, and all
// windows must keep the rules.
func FuzzChecks(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, 4.0, int64(0), int64(9), int64(3), int64(12), 2, 5.0, 20.0, int64(0), int64(0), false)
	f.Add(1e-300, 1e300, 0.0, 1e308, int64(0), int64(math.MaxInt64), int64(1), int64(math.MaxInt64), 1, 1e300, 1e308, int64(-5), int64(7), true)
	f.Add(math.NaN(), 1.0, 1.0, 1.0, int64(5), int64(3), int64(-1), int64(2), 0, 0.0, math.Inf(1), int64(9), int64(3), true)
	f.Fuzz(func(t *testing.T, p, q, price, budget float64, a, b, c, d int64, n int, volume, other float64, ready, deadline int64, rough bool) {
		nodes := []Node{{Performance: p, Price: price, Quality: q}, {Performance: q, Price: other, Quality: p}, {Performance: p + 1, Price: price / 2, Quality: other}}
		slots := []Slot{{0, span(bookahead.Time(a), bookahead.Time(b))}, {1, span(bookahead.Time(a), bookahead.Time(d))},
			{2, span(bookahead.Time(c), bookahead.Time(d))}}
		e, err := New(nodes, slots)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			return
		}
		j := Job{Nodes: n, Volume: volume, Budget: budget, Ready: bookahead.Time(ready), Deadline: bookahead.Time(deadline)}
		if rough {
			j.Shape = Rough
		} else if n%2 == 0 {
			j.Shape = Tight
		}
		for _, criterion := range criteria[:7] {
			for _, search := range searches(criterion) {
				w, err := search(e, j)
				if err != nil {
					require.True(t, err == bookahead.ErrUnavailable || j.validate(3) != nil || math.IsInf(budget, 1), err)
					continue
				}
				require.NoError(t, j.validate(3))
				require.Len(t, w.Tasks, n)
				require.False(t, w.Cost > budget*(1+2*slack))
				for _, task := range w.Tasks {
					require.Equal(t, task.Interval, e.slots[task.Slot].Intersect(task.Interval))
				}
			}
		}
	})
}
