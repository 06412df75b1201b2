package window

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// The best window is shorter than the slow node needs, and starts with the slot of that node. The
// node is too slow for the round that finds the window:
//
//	tick      0         8   10  13
//	price     10            1
//	node 0    ├────────────────────    5 ticks: [8, 13) costs 2×10 + 3×1 = 23 of 30
//	node 1              ├──────────    10 ticks, and too dear
func TestTariffStopsAtTheStartsOfSlowerNodes(t *testing.T) {
	e := environment(t, []Node{
		{Performance: 2, Price: 10, Tariff: []Rate{{10, 1}}},
		{Performance: 1, Price: 100},
	}, Slot{0, span(0, 100)}, Slot{1, span(8, 60)})
	for _, shape := range []Shape{Square, Tight} {
		j := Job{Nodes: 1, Volume: 10, Budget: 30, Shape: shape}
		for _, c := range []Criterion{EarliestStart, EarliestFinish} {
			o, err := Exact(e, j, c)
			require.NoError(t, err)
			require.Equal(t, span(8, 13), o.Interval)
			require.True(t, o.Proven())
			for _, search := range searches(c) {
				w, err := search(e, j)
				require.NoError(t, err)
				require.Equal(t, span(8, 13), w.Interval)
				require.Equal(t, 23.0, w.Cost)
			}
		}
	}
}

// Two nodes share the rates of one tariff, and the first node only the front of them.
func TestTariffsThatShareAPrefix(t *testing.T) {
	base := []Rate{{5, 9}, {20, 1}}
	e := environment(t, []Node{
		{Performance: 1, Price: 9, Tariff: base[:1]},
		{Performance: 1, Price: 9, Tariff: base},
	}, Slot{0, span(0, 100)}, Slot{1, span(0, 100)})
	j := Job{Nodes: 1, Volume: 10, Budget: 30}
	w, err := FirstFit(e, j)
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(20), w.Start)
	o, err := Exact(e, j, Cheapest)
	require.NoError(t, err)
	require.Equal(t, 10.0, o.Cost)
}

// The first start at which a task is affordable lies between the starts that FirstFit and Exact
// try. ExactPlacement tries each tick.
func TestTariffsBetweenTheStartsTried(t *testing.T) {
	e := environment(t, []Node{{Performance: 1, Price: 10, Tariff: []Rate{{10, 1}}}}, Slot{0, span(0, 100)})
	j := Job{Nodes: 1, Volume: 5, Budget: 25}
	w, err := FirstFit(e, j)
	require.NoError(t, err)
	require.Equal(t, span(10, 15), w.Interval)
	o, err := Exact(e, j, EarliestStart)
	require.NoError(t, err)
	require.Equal(t, span(10, 15), o.Interval)
	o, err = ExactPlacement(e, j, EarliestStart)
	require.NoError(t, err)
	require.Equal(t, span(8, 13), o.Interval)
	require.Equal(t, 23.0, o.Cost)
}

// ExactPlacement tries each tick of a long slot, and keeps none of them.
func TestTicksAreNotCollected(t *testing.T) {
	e := environment(t, []Node{{Performance: 1, Price: 2, Tariff: []Rate{{10, 1}}}}, Slot{0, span(0, 1<<40)})
	c := Criterion{Value: Near.Value}
	s, err := newSearch(e, Job{Nodes: 1, Volume: 5, Budget: 30, Effort: bookahead.Effort{Steps: 1_000_000}})
	require.NoError(t, err)
	x := newExact(s, c, halves)
	x.run()
	require.True(t, s.meter.Stopped())
	require.Greater(t, x.best.start, bookahead.Time(100_000))
	require.Empty(t, x.room.starts)
}
