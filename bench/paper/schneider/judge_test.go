package main

import (
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

// made returns a point with the same values in each repeat.
func made(structure string, slots int, load, success, micros float64) point {
	own := sampleOf(success, success)
	return point{series: series{"x", structure, 8}, slots: slots, load: load,
		success: own, micros: sampleOf(micros, micros), reference: &own}
}

func TestCoarsestSlotsThatAcceptAsMuch(t *testing.T) {
	points := []point{
		made(list.name, 0, 1, 0.8, 5), made(list.name, 0, 2, 0.5, 5),
		made("9 slots", 9, 1, 0.795, 1), made("9 slots", 9, 2, 0.4, 1), // less at one load
		made("90 slots", 90, 1, 0.795, 2), made("90 slots", 90, 2, 0.6, 10), // more is fine
		made("900 slots", 900, 1, 0.8, 100), made("900 slots", 900, 2, 0.5, 100),
	}
	c := claim{Claim: trial.Claim{Where: "§0", What: "The list is faster", Why: "it is short", From: math.Inf(-1), To: -trial.Above}, of: timeRatio,
		a: series{"x", list.name, 8}, b: series{"x", coarsest, 8}, also: []series{{"x", "900 slots", 8}}}
	found, err := findings([]claim{c}, []float64{1, 2}, points)
	require.NoError(t, err)
	require.Len(t, found, 3)
	worst := found[0]
	require.Equal(t, trial.Fails, worst.Verdict)
	require.Equal(t, []string{everyLoad}, worst.In)
	require.Equal(t, "µs of time exclusive list, µs of 90 slots; logarithm of the ratio", worst.Names)
	require.Equal(t, [2]float64{5, 2}, [2]float64{worst.A, worst.B})
	require.InDelta(t, math.Log(2.5), worst.Value.Mean, 1e-12)
	require.Equal(t, "does not hold in 1 of 2, holds in 1; it is short; against 900 slots: time ×0.05, success +0.00 points, time ×0.05, success +0.00 points", worst.Note)
	require.Equal(t, trial.Fails, found[1].Verdict)
	require.Equal(t, trial.Holds, found[2].Verdict)
	require.Equal(t, []string{"load 2"}, found[2].In)

	c.also = nil
	found, err = findings([]claim{c}, []float64{1, 2}, points[:4])
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, trial.Untested, found[0].Verdict)
	require.Equal(t, "no slots accept what the list accepts; it is short", found[0].Note)
}

// TestOtherLeads has a list that is slower at the usual lead, and faster at the shortest.
func TestOtherLeads(t *testing.T) {
	c := claim{Claim: trial.Claim{Where: "§0", What: "The list is faster", Why: "it is short", From: math.Inf(-1), To: -trial.Above}, of: timeRatio,
		a: series{"6", list.name, 8}, b: series{"6", coarsest, 8}, lead: true}
	points := func(micros ...float64) (points []point) {
		for i, figure := range []string{"6", atLead(otherLeads[0]), atLead(otherLeads[1]), atLead(otherLeads[2])} {
			l, s := made(list.name, 0, 1, 0.8, micros[i]), made("9 slots", 9, 1, 0.8, 2)
			l.figure, s.figure = figure, figure
			points = append(points, l, s)
		}
		return points
	}
	found, err := findings([]claim{c}, []float64{1}, points(3, 1, 2, 3))
	require.NoError(t, err)
	require.Len(t, found, 2+2*len(otherLeads))
	require.Equal(t, trial.Untold, found[0].Verdict)
	require.Equal(t, "hangs on the lead, which the paper does not give (at 0 it holds): here it does not hold; it is short", found[0].Note)
	require.Equal(t, trial.Fails, found[1].Verdict, "at each load the verdict is that of the usual lead")
	require.Equal(t, "The list is faster, lead 0", found[2].What)
	require.Equal(t, trial.Holds, found[2].Verdict)

	found, err = findings([]claim{c}, []float64{1}, points(3, 4, 2, 3))
	require.NoError(t, err)
	require.Equal(t, trial.Fails, found[0].Verdict, "it is nowhere faster")
}

// TestAlways compares each list with the fastest slots, and with those that accept most.
func TestAlways(t *testing.T) {
	at := func(figure string, points ...point) []point {
		for i := range points {
			points[i].figure = figure
		}
		return points
	}
	six := at("6", made(list.name, 0, 1, 0.8, 5), made("9 slots", 9, 1, 0.7, 3), made("90 slots", 90, 1, 0.8, 50))
	found := always(six)
	require.Len(t, found, 2)
	require.Equal(t, trial.Holds, found[0].Verdict)
	require.Equal(t, "µs of time exclusive list, µs of 9 slots; logarithm of the ratio", found[0].Names)
	require.Equal(t, trial.Holds, found[1].Verdict)
	require.Equal(t, "success of time exclusive list, success of 90 slots", found[1].Names)
	eight := at("8", made(list.name, 0, 1, 0.8, 5), made("9 slots", 9, 1, 0.9, 2))
	found = always(append(six, eight...))
	require.Equal(t, "does not hold in 1 of 2, holds in 1", found[0].Note)
	require.Equal(t, "does not hold in 1 of 2, holds in 1", found[1].Note)
	require.Empty(t, always(at(atLead(0), eight...)), "the paper has no other leads")
}

// TestEqualIsNotLess: a difference of nothing is alike, and not less.
func TestEqualIsNotLess(t *testing.T) {
	points := []point{made(list.name, 0, 1, 0.8, 5), made("90 slots", 90, 1, 0.8, 5)}
	for _, c := range claims([]int64{64})[:3] {
		c.a, c.b, c.of = series{"x", list.name, 8}, series{"x", "90 slots", 8}, gain
		found, err := findings([]claim{c}, []float64{1}, points)
		require.NoError(t, err)
		want := trial.Fails
		if c.From == -near {
			want = trial.Holds
		}
		require.Equal(t, want, found[0].Verdict, c.What)
	}
}

func TestMissingSeriesIsAnError(t *testing.T) {
	points := []point{made(list.name, 0, 1, 0.8, 5), made("9 slots", 9, 1, 0.8, 1)}
	all := []claim{{Claim: trial.Claim{What: "They are alike", From: -near, To: near}, of: gain, a: series{"x", list.name, 8}, b: series{"x", "9 slots", 8}}}
	_, err := findings(all, []float64{1}, points)
	require.NoError(t, err)
	_, err = findings(all, []float64{1, 2}, points)
	require.EqualError(t, err, `claim "They are alike": time exclusive list of 8 units has 1 points for 2 loads in Figure x`)
	_, err = findings(all, []float64{1}, points[:1])
	require.EqualError(t, err, `claim "They are alike": 9 slots of 8 units has 0 points for 1 loads in Figure x`)
	all[0].b.structure = coarsest
	_, err = findings(all, []float64{1}, points[1:])
	require.Error(t, err)
}

func TestWidePointsAreMarked(t *testing.T) {
	p, wide := made(list.name, 0, 1, 0.8, 5), made("9 slots", 9, 1, 0.8, 5)
	require.True(t, p.converged())
	wide.success.Add(0.1)
	wide.reference = &wide.success
	wide.micros.Add(5)
	require.False(t, wide.converged())
	c := claim{Claim: trial.Claim{From: -1, To: 1}, of: gain, a: series{"x", list.name, 8}, b: series{"x", "9 slots", 8}}
	found, err := findings([]claim{c}, []float64{1}, []point{p, wide})
	require.NoError(t, err)
	require.Equal(t, "rests on points that did not converge", found[1].Note)
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
