package workload

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/swf"
)

func TestFromSWF(t *testing.T) {
	trace := `; MaxNodes: -1
; MaxProcs: 16
1 30 10 100 4 -1 -1 4 120 -1 1 1 1 -1 1 -1 -1 -1
2 20 10 130 4 -1 -1 8 120 -1 1 1 1 -1 1 -1 -1 -1
3 20 10 50 4 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1
4 25 10 -1 -1 -1 -1 2 60 -1 5 1 1 -1 1 -1 -1 -1
5 26 10 70 -1 -1 -1 -1 60 -1 1 1 1 -1 1 -1 -1 -1
6 27 10 0 4 -1 -1 4 -1 -1 1 1 1 -1 1 -1 -1 -1
7 28 10 70 17 -1 -1 17 60 -1 1 1 1 -1 1 -1 -1 -1
`
	read := func(procs int64) (Import, error) {
		r, err := swf.NewReader(strings.NewReader(trace))
		require.NoError(t, err)
		return FromSWF(r, procs)
	}
	i, err := read(0)
	require.NoError(t, err)
	require.Equal(t, Import{
		Jobs: []Job{
			{Submit: 20, Run: 120, Estimate: 120, Units: 8},
			{Submit: 20, Run: 50, Estimate: 50, Units: 4},
			{Submit: 25, Run: 60, Estimate: 60, Units: 2},
			{Submit: 30, Run: 100, Estimate: 120, Units: 4},
		},
		Procs: 16, NoProcs: 1, NoTime: 1, TooBig: 1, Clipped: 1,
	}, i)
	require.Equal(t, 3, i.Skipped())
	i, err = read(32)
	require.NoError(t, err)
	require.Len(t, i.Jobs, 5)
	_, err = read(-1)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	trace = strings.Join(strings.Split(trace, "\n")[2:], "\n")
	i, err = read(0)
	require.NoError(t, err)
	require.Equal(t, int64(17), i.Procs, "the largest job")
	trace += "nonsense\n"
	_, err = read(0)
	require.ErrorIs(t, err, swf.ErrLine)
}

// TestLublinIsReproducible pins the first jobs of a seed.
func TestLublinIsReproducible(t *testing.T) {
	jobs, err := Lublin{Seed: 1}.Generate(3)
	require.NoError(t, err)
	require.Equal(t, []Job{
		{Submit: 87, Run: 98, Estimate: 98, Units: 1},
		{Submit: 173, Run: 176, Estimate: 176, Units: 8},
		{Submit: 268, Run: 23, Estimate: 23, Units: 1},
	}, jobs, "a seed gives the same jobs for ever")
	more, err := Lublin{Seed: 1}.Generate(1000)
	require.NoError(t, err)
	require.Equal(t, jobs, more[:3])
	other, err := Lublin{Seed: 2}.Generate(3)
	require.NoError(t, err)
	require.NotEqual(t, jobs, other)
}

// TestLublinDistributions compares with the parameters of the model.
func TestLublinDistributions(t *testing.T) {
	const n = 50_000
	jobs, err := Lublin{Seed: 7, Over: 2}.Generate(n)
	require.NoError(t, err)
	require.True(t, slices.IsSortedFunc(jobs, func(a, b Job) int { return int(a.Submit - b.Submit) }))
	var serial, pow2, day, night int
	logRun := 0.0
	for _, j := range jobs {
		require.True(t, j.Units >= 1 && j.Units <= 128 && j.Run >= 1 && j.Run <= 162_754)
		require.True(t, j.Estimate >= j.Run && j.Estimate <= 3*j.Run, "%+v", j)
		if j.Units == 1 {
			serial++
		} else if bits.OnesCount64(uint64(j.Units)) == 1 {
			pow2++
		}
		logRun += math.Log(float64(j.Run)) / n
		switch hour := j.Submit / 3600 % 24; {
		case hour >= 10 && hour < 18:
			day++
		case hour < 6:
			night++
		}
	}
	require.InDelta(t, 0.244, float64(serial)/n, 0.01)
	// All that are meant to be powers of two, and a few others that round to one.
	require.InDelta(t, 0.576, float64(pow2)/n, 0.06)
	require.GreaterOrEqual(t, float64(pow2)/n, 0.57)
	// The mean of a gamma is shape times scale: 3.948 for the short, 9.36 for
	// the long, and the short have 0.78 of the small jobs.
	require.Greater(t, logRun, 0.78*3.948+0.22*9.36)
	require.Less(t, logRun, 0.65*3.948+0.35*9.36)
	require.Greater(t, float64(day)/8, 2*float64(night)/6, "arrivals per hour")
}

func TestLublinLoad(t *testing.T) {
	for _, l := range []Lublin{{Load: 0.5}, {Load: 0.9, Nodes: 1000, Types: true}, {Load: 3, Nodes: 1}} {
		jobs, err := l.Generate(20_000)
		require.NoError(t, err)
		work := 0.0
		for _, j := range jobs {
			require.LessOrEqual(t, j.Units, max(l.Nodes, 128))
			work += float64(j.Run) * float64(j.Units)
		}
		nodes := float64(l.Nodes)
		if nodes == 0 {
			nodes = 128
		}
		require.InEpsilon(t, l.Load, work/(nodes*float64(jobs[len(jobs)-1].Submit)), 0.02, "%+v", l)
	}
}

func TestGammaSampler(t *testing.T) {
	s := newSource(untyped, Lublin{Nodes: 1}, 0)
	for _, p := range [][2]float64{{4.2, 0.94}, {312, 0.03}, {1, 5}} {
		const n = 200_000
		sum, squares := 0.0, 0.0
		for range n {
			x := s.gamma(p[0], p[1])
			sum, squares = sum+x, squares+x*x
		}
		mean := sum / n
		require.InEpsilon(t, p[0]*p[1], mean, 0.01)
		require.InEpsilon(t, p[0]*p[1]*p[1], squares/n-mean*mean, 0.03)
	}
	// Shape 1 is exponential, whose mass is known.
	require.InDelta(t, math.Exp(-1)-math.Exp(-2), gammaMass(1, 1, 1, 2), 1e-7)
}

func TestReservations(t *testing.T) {
	jobs, err := Lublin{Seed: 1}.Generate(2000)
	require.NoError(t, err)
	book := func(fraction float64) []Booking {
		b, err := Reservations{Fraction: fraction, Ahead: 3 * 3600, Slack: 0.5, Seed: 9}.Book(jobs)
		require.NoError(t, err)
		return b
	}
	few, many := book(0.2), book(0.7)
	count := 0
	for i, b := range many {
		require.Equal(t, jobs[i], b.Job)
		require.NoError(t, b.Request.Validate())
		if b.Ahead {
			count++
			require.LessOrEqual(t, b.Request.Ready, b.Submit+3*3600)
			require.Equal(t, b.Request.Ready+bookahead.Time(b.Estimate/2)+bookahead.Time(b.Estimate), b.Request.Deadline)
		} else {
			require.Equal(t, bookahead.Request{Ready: b.Submit, Duration: b.Estimate, Units: b.Units}, b.Request)
		}
		if few[i].Ahead {
			require.Equal(t, few[i], b, "what the smaller share chose stays")
		}
	}
	require.InDelta(t, 0.7, float64(count)/2000, 0.04)
	for _, b := range book(0) {
		require.False(t, b.Ahead)
	}
	for _, b := range book(1) {
		require.True(t, b.Ahead)
	}
	fixed, err := Reservations{Fraction: 1, Ahead: 10}.Book(jobs)
	require.NoError(t, err)
	require.True(t, fixed[0].Request.Fixed())
}

func TestBadInput(t *testing.T) {
	for want, call := range map[string]func() error{
		"Reservations.Fraction NaN is not between 0 and 1": func() error { _, err := Reservations{Fraction: math.NaN()}.Book(nil); return err },
		"Reservations.Fraction 1.5 is not between 0 and 1": func() error { _, err := Reservations{Fraction: 1.5}.Book(nil); return err },
		"Reservations.Ahead -1 is negative":                func() error { _, err := Reservations{Ahead: -1}.Book(nil); return err },
		"Reservations.Slack -1 is not between 0 and 1e6":   func() error { _, err := Reservations{Slack: -1}.Book(nil); return err },
		"Lublin.Nodes -4 is not between 1 and 2^40":        func() error { _, err := Lublin{Nodes: -4}.Generate(1); return err },
		"Lublin.Load NaN is no load":                       func() error { _, err := Lublin{Load: math.NaN()}.Generate(1); return err },
		"Lublin.Load +Inf is no load":                      func() error { _, err := Lublin{Load: math.Inf(1)}.Generate(1); return err },
		"Lublin.Over -0.1 is not between 0 and 1e6":        func() error { _, err := Lublin{Over: -0.1}.Generate(1); return err },
		"n -1 is negative":                                 func() error { _, err := Lublin{}.Generate(-1); return err },
		"time 9223372036854775807 + 10 overflows": func() error {
			_, err := Reservations{Fraction: 1}.Book([]Job{{Submit: math.MaxInt64, Run: 10, Estimate: 10, Units: 1}})
			return err
		},
	} {
		err := call()
		require.ErrorIs(t, err, bookahead.ErrInvalid, want)
		require.EqualError(t, err, "bookahead: "+want)
	}
}
