package main

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/replay"
	"github.com/stretchr/testify/require"
)

func sampleOf(values ...float64) trial.Sample {
	var s trial.Sample
	for _, v := range values {
		s.Add(v)
	}
	return s
}

func TestJudge(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		s        trial.Sample
		from, to float64
		want     outcome
	}{
		"all of it above":           {sampleOf(2, 2.1, 1.9), 0, inf, holds},
		"all of it below":           {sampleOf(-2, -2.1, -1.9), 0, inf, refuted},
		"no difference lies in it":  {sampleOf(2, -2, 1), 0, inf, inconclusive},
		"no difference at all":      {sampleOf(0, 0, 0), 0, inf, inconclusive},
		"alike":                     {sampleOf(0, 0, 0), -near, near, holds},
		"too far to be alike":       {sampleOf(0.1, 0.1, 0.1), -near, near, refuted},
		"one end of it is too far":  {sampleOf(0, 0.01, 0.02), -near, near, inconclusive},
		"wider than to be alike":    {sampleOf(-0.1, 0, 0.1), -near, near, inconclusive},
		"one value":                 {sampleOf(5), 0, inf, inconclusive},
		"nothing that is a number":  {sampleOf(math.NaN(), 1), 0, inf, inconclusive},
		"infinitely more, each way": {sampleOf(inf, -inf, inf), 0, inf, inconclusive},
	} {
		require.Equal(t, c.want, judge(c.s, c.from, c.to), name)
	}
}

func TestJudgeAll(t *testing.T) {
	yes, no, open := sampleOf(1, 1), sampleOf(-1, -1), sampleOf(-1, 1)
	for want, all := range map[string][]trial.Sample{
		"holds":                                 {yes, yes},
		"refuted":                               {no, no},
		"inconclusive":                          {open, open},
		"refuted (at 1 of 3 loads; holds at 1)": {yes, no, open},
		"inconclusive (at 1 of 3 loads; holds at 2)": {yes, open, yes},
	} {
		require.Equal(t, want, judgeAll(all, 0, math.Inf(1)))
	}
}

// made returns a point with the same values in each repeat.
func made(structure string, slots int, load, success, micros float64) point {
	own := sampleOf(success, success)
	return point{figure: "x", structure: structure, slots: slots, units: 8, load: load,
		success: own, micros: sampleOf(micros, micros), reference: &own}
}

func TestCoarsestSlotsThatAcceptAsMuch(t *testing.T) {
	points := []point{
		made(list.name, 0, 1, 0.8, 5), made(list.name, 0, 2, 0.5, 5),
		made("9 slots", 9, 1, 0.795, 1), made("9 slots", 9, 2, 0.4, 1), // less at one load
		made("90 slots", 90, 1, 0.795, 2), made("90 slots", 90, 2, 0.6, 10), // more is fine
		made("900 slots", 900, 1, 0.8, 100), made("900 slots", 900, 2, 0.5, 100),
	}
	c := claim{where: "§0", what: "The list is faster", why: "it is short", of: timeRatio, from: math.Inf(-1), to: 0,
		a: series{"x", list.name, 8}, b: series{"x", coarsest, 8}, also: []series{{"x", "90 slots", 8}, {"x", "900 slots", 8}}}
	var out bytes.Buffer
	require.NoError(t, c.write(&out, collect(points), []float64{1, 2}))
	require.Equal(t, `§0  The list is faster.
      refuted (at 1 of 2 loads; holds at 1): time of time exclusive list over 90 slots: ×2.5 [×2.5, ×2.5]; ×0.5 [×0.5, ×0.5]
      also: success of time exclusive list less 90 slots, in points: +0.50 [+0.50, +0.50]; -10.00 [-10.00, -10.00]
      also: time of time exclusive list over 900 slots: ×0.05 [×0.05, ×0.05]; ×0.05 [×0.05, ×0.05]
      also: success of time exclusive list less 900 slots, in points: +0.00 [+0.00, +0.00]; +0.00 [+0.00, +0.00]
      why: it is short

`, out.String())

	out.Reset()
	c.also = []series{{"x", "9 slots", 8}}
	require.NoError(t, c.write(&out, collect(points[:4]), []float64{1, 2}))
	require.Contains(t, out.String(), "      inconclusive: no slots accept what the list accepts\n"+
		"      also: time of time exclusive list over 9 slots: ")
}

func TestMissingSeriesIsAnError(t *testing.T) {
	points := []point{made(list.name, 0, 1, 0.8, 5), made("9 slots", 9, 1, 0.8, 1)}
	all := []claim{{what: "They are alike", of: gain, from: -near, to: near, a: series{"x", list.name, 8}, b: series{"x", "9 slots", 8}}}
	var out bytes.Buffer
	require.NoError(t, writeClaims(&out, all, []float64{1}, points))
	require.EqualError(t, writeClaims(&out, all, []float64{1, 2}, points),
		`claim "They are alike": no time exclusive list of 8 units at load 2 in Figure x`)
	require.EqualError(t, writeClaims(&out, all, []float64{1}, points[:1]),
		`claim "They are alike": no 9 slots of 8 units at load 1 in Figure x`)
	all[0].b.structure = coarsest
	require.Error(t, writeClaims(&out, all, []float64{1}, points[1:]))
}

func TestWidePointsAreMarked(t *testing.T) {
	p, wide := made(list.name, 0, 1, 0.8, 5), made("9 slots", 9, 1, 0.8, 5)
	require.True(t, p.converged())
	wide.success.Add(0.1)
	wide.reference = &wide.success
	wide.micros.Add(5)
	require.False(t, wide.converged())
	c := claim{of: gain, from: -1, to: 1, a: series{"x", list.name, 8}, b: series{"x", "9 slots", 8}}
	var out bytes.Buffer
	require.NoError(t, c.write(&out, collect([]point{p, wide}), []float64{1}))
	require.Contains(t, out.String(), " (* points that did not converge: 1)\n")
}

func TestRateTakesTheReferenceOfMoreStreams(t *testing.T) {
	reference := sampleOf(0.5, 0.7, 0.6, 0.8)
	p := point{success: sampleOf(0.4, 0.6), micros: sampleOf(1, 1), reference: &reference}
	mean, half := p.rate()
	require.InDelta(t, 0.55, mean, 1e-12, "a tenth less than the reference")
	require.InDelta(t, reference.Half, half, 1e-12, "the difference is certain")
	require.True(t, p.needsMore(0), "there are few")
	for range fewest {
		p.success.Add(0.5)
		p.micros.Add(1)
	}
	require.True(t, p.needsMore(1))
	p.spent = 2
	require.False(t, p.needsMore(1), "no time is left")
}

func TestMeanMicros(t *testing.T) {
	require.InDelta(t, 0.004, meanMicros([]time.Duration{12, 13, 14, 16, 15}, 10), 1e-12)
	require.InDelta(t, 0.03, meanMicros([]time.Duration{40, 5_000_000, 40}, 10), 1e-12, "one was interrupted")
	require.InDelta(t, 0.002, meanMicros([]time.Duration{8, 10, 16}, 10), 1e-12, "none takes less than nothing")
	require.Less(t, replay.ClockOverhead(), time.Millisecond)
}
