package scheduletest

import (
	"flag"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// bigFault is a pool that is right for small numbers, and wrong at the edges of the numbers.
type bigFault struct {
	oracle.Oracle
	wrong func(p *bigFault, r bookahead.Request) (o bookahead.Offer, err error, done bool)
}

func (p *bigFault) Search(r bookahead.Request) (bookahead.Offer, error) {
	if p.wrong != nil {
		o, err, done := p.wrong(p, r)
		if done {
			return o, err
		}
	}
	return p.Oracle.Search(r)
}

func (p *bigFault) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := p.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	return bookahead.Reservation{ID: p.Book(o), Offer: o}, nil
}

// released ends the walks of TestHuntCatchesFaults, which would go on for years.
var released atomic.Bool

// kept is memory that a fault holds, so that the compiler does not take its allocation away.
var keptByFault []byte

// bigFaults are faults that show only at large numbers.
var bigFaults = map[string]func(p *bigFault, r bookahead.Request) (o bookahead.Offer, err error, done bool){
	"walks from tick to tick": func(p *bigFault, r bookahead.Request) (o bookahead.Offer, err error, done bool) {
		for left := r.Duration; left > 1<<30 && !released.Load(); left-- {
			time.Sleep(time.Millisecond) // a look at a tick
		}
		return o, err, false
	},
	"panics near the end of the axis": func(p *bigFault, r bookahead.Request) (o bookahead.Offer, err error, done bool) {
		if r.Ready > bookahead.MaxTime-3 {
			ticks := make([]int64, 3)
			o.Units = ticks[bookahead.MaxTime-r.Ready+2]
		}
		return o, err, false
	},
	"books although it refuses": func(p *bigFault, r bookahead.Request) (o bookahead.Offer, err error, done bool) {
		o, err = p.Oracle.Search(r)
		if err == bookahead.ErrUnavailable && r.Units > 1<<50 && p.Clock < math.MaxInt64-9 && p.Until() > p.Clock+1 {
			p.Booked[1<<20] = bookahead.Offer{Interval: bookahead.Interval{Start: p.Clock, End: p.Clock + 1}, Units: 1}
		}
		return o, err, true
	},
	"the end wraps": func(p *bigFault, r bookahead.Request) (o bookahead.Offer, err error, done bool) {
		late := r.Ready
		if late < 1<<61 || r.Duration < 2 || r.Units > p.Capacity || p.Check(r) == nil {
			return o, err, false
		}
		if r.Ready > 0 && late+bookahead.Time(r.Duration) < 0 { // the check of the horizon passes
			return o, bookahead.ErrUnavailable, true
		}
		return o, err, false
	},
	"memory for each tick": func(p *bigFault, r bookahead.Request) (o bookahead.Offer, err error, done bool) {
		if r.Duration >= 1<<31 {
			keptByFault = make([]byte, 1<<26) // a bit for each of 2^31 ticks would take more
		}
		return o, err, false
	},
	"memory for each unit": func(p *bigFault, r bookahead.Request) (o bookahead.Offer, err error, done bool) {
		if r.Units >= 1<<20 {
			keptByFault = make([]byte, 16<<20)
		}
		return o, err, false
	},
	"late at 2^61": func(p *bigFault, r bookahead.Request) (o bookahead.Offer, err error, done bool) {
		o, err = p.Oracle.Search(r)
		if err == nil && o.Start >= 1<<61 && o.End < p.Until()-1 && r.Deadline == 0 {
			o.Start++
			o.End++
		}
		return o, err, true
	},
	"rounds as a float does": func(p *bigFault, r bookahead.Request) (o bookahead.Offer, err error, done bool) {
		o, err = p.Oracle.Search(r)
		if err == nil && r.Deadline == 0 {
			start := bookahead.Time(float64(o.Start))
			if start > o.Start && start < p.Until()-bookahead.Time(r.Duration) {
				o.Start, o.End = start, start+bookahead.Time(r.Duration)
			}
		}
		return o, err, true
	},
	"units in 32 bits": func(p *bigFault, r bookahead.Request) (o bookahead.Offer, err error, done bool) {
		if r.Units > math.MaxInt32 && int64(int32(r.Units)) > 0 {
			r.Units = int64(int32(r.Units))
			o, err = p.Oracle.Search(r)
			return o, err, true
		}
		return o, err, false
	},
	"none": nil,
}

// huntedFault returns a target with one of bigFaults.
func huntedFault(name string) Target {
	target := Target{Name: name, Made: true}
	target.New = func(c Config) (bookahead.Schedule, error) {
		x, err := oracle.NewSteps(target.rules(c))
		if err != nil {
			return nil, err
		}
		return &bigFault{*x, bigFaults[name]}, nil
	}
	return target
}

// TestHuntCatchesFaults checks that Hunt finds each fault of bigFaults, and none where there is
// none.
func TestHuntCatchesFaults(t *testing.T) {
	t.Cleanup(func() {
		released.Store(true)
		require.NoError(t, flag.Set("rapid.shrinktime", "30s"))
	})
	require.NoError(t, flag.Set("rapid.shrinktime", "10ms")) // each shorter history would hang as well
	for name := range bigFaults {
		if raceEnabled && (name == "memory for each tick" || name == "memory for each unit") {
			continue // memory is not measured
		}
		patience, tries := huntPatience, 3
		if name == "walks from tick to tick" {
			patience, tries = 300*time.Millisecond, 1
		}
		rec := &recorder{}
		for seed := 1; seed <= tries && !rec.failed; seed++ {
			rec.check(seed, func(t *rapid.T) { hunt(t, patience, &slowest{}, hunted(huntedFault(name))) })
		}
		require.Equal(t, name != "none", rec.failed, "%s\n%s", name, rec.log)
	}
}
