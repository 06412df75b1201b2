package main

import (
	"math"
	"slices"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/paper/trial"
)

// point is one mark in a figure.
type point struct {
	series
	slots           int           // 0 for a list
	load            float64       // work that is submitted over the work that the system can do meanwhile
	gap             float64       // mean time between first submissions, as drawn from
	interarrival    *trial.Sample // mean time between submissions, as it came out
	success, micros trial.Sample
	// reference is the success of the structure that meets all streams, those of
	// this one and more.
	reference *trial.Sample
	leads     bool          // whether it is its own
	spent     time.Duration // on all repeats
}

// Half widths of intervals that need no further repeat.
const (
	narrowSuccess = 0.02 // of the success rate
	narrowGained  = near // of its difference from that of the reference
	narrowTime    = 0.10 // of the time, over its mean

	fewest = 5 // repeats
)

// narrowReference is the half width that is left to the reference, as squares add up.
var narrowReference = math.Sqrt(narrowSuccess*narrowSuccess - narrowGained*narrowGained)

// gained is by how much p's success differs from that of the reference.
func (p point) gained() trial.Sample {
	return trial.Pairs(p.success, *p.reference, func(a, b float64) float64 { return a - b })
}

// rate returns the success rate and the half width of its interval. A stream that is hard
// for one structure is hard for all. So the rate is that of the reference, from many
// streams, plus the difference from it, which a few streams tell.
func (p point) rate() (mean, half float64) {
	d := p.gained()
	return p.reference.Mean + d.Mean, math.Hypot(p.reference.Half, d.Half)
}

// converged reports whether the intervals of p are narrow.
func (p point) converged() bool {
	_, half := p.rate()
	return half <= narrowSuccess && p.timed()
}

func (p point) timed() bool { return p.micros.Half <= narrowTime*p.micros.Mean }

// needsMore reports whether p needs another repeat: it is not narrow, and has not
// spent most.
func (p point) needsMore(most time.Duration) bool {
	narrow := p.gained().Half <= narrowGained
	if p.leads {
		narrow = p.success.Half <= narrowReference
	}
	return len(p.success.Values) < fewest || p.spent < most && !(narrow && p.timed())
}

// sweep measures each structure at a load, until its intervals are narrow or as often
// as is allowed. All structures meet the same streams, repeat by repeat; the reference
// meets each of them.
func sweep(e experiment, s settings, load float64, progress trial.Progress) ([]point, error) {
	gap, err := gapFor(e, load, s.seed)
	if err != nil {
		return nil, err
	}
	var between trial.Sample
	points := make([]point, len(e.structures))
	for i, st := range e.structures {
		points[i] = point{series: series{e.figure, st.name, e.units}, slots: st.slots, load: load, gap: gap, interarrival: &between,
			reference: &points[reference].success, leads: i == reference}
	}
	k := 0
	more := func(p point) bool { return k < s.repeats && p.needsMore(s.most) }
	for ; slices.ContainsFunc(points, more); k++ {
		started := time.Now()
		stream, err := newStream(e, gap, load, s.length, s.seed+uint64(k))
		if err != nil {
			return nil, err
		}
		made := time.Since(started)
		between.Add(stream.interarrival(bookahead.Time(e.ahead)))
		for i, st := range e.structures {
			p := &points[i]
			if !more(*p) && !p.leads {
				continue
			}
			progress.Now("Figure %s, %d units, load %g, repeat %d, %s", e.figure, e.units, load, k+1, st.name)
			started = time.Now()
			sys, err := e.open(st)
			if err != nil {
				return nil, err
			}
			success, micros, err := measure(sys, stream)
			if err != nil {
				return nil, err
			}
			p.spent += made + time.Since(started)
			p.success.Add(success)
			p.micros.Add(micros)
		}
	}
	progress.Done("Figure %s, %d units, load %g: %d repeats, %d of %d points as exact as in full",
		e.figure, e.units, load, k, count(points, point.converged), len(points))
	return points, nil
}

// count returns how many points are as asked for.
func count(points []point, which func(point) bool) int {
	n := 0
	for _, p := range points {
		if which(p) {
			n++
		}
	}
	return n
}
