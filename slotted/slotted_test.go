package slotted

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

var forms = []struct {
	name string
	open func(int64, Config) (bookahead.Schedule, error)
}{
	{"Scan", func(capacity int64, c Config) (bookahead.Schedule, error) { return NewScan(capacity, c) }},
	{"Indexed", func(capacity int64, c Config) (bookahead.Schedule, error) { return NewIndexed(capacity, c) }},
	{"Indexed-of-4", func(capacity int64, c Config) (bookahead.Schedule, error) { return newIndexed(capacity, c, 4) }},
}

func target(form int, slot bookahead.Duration) scheduletest.Target {
	f := forms[form]
	return scheduletest.Target{
		Name: fmt.Sprintf("slotted.%s-%d", f.name, slot), Bounded: true, Slot: slot,
		New: func(c scheduletest.Config) (bookahead.Schedule, error) {
			return f.open(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon, Slot: slot})
		},
		Booked: func(c scheduletest.Config, booked []bookahead.Offer) (bookahead.Schedule, error) {
			return f.open(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon, Slot: slot, Booked: booked})
		},
	}
}

func TestConformance(t *testing.T) {
	for form := range forms {
		for _, slot := range []bookahead.Duration{1, 5} {
			target := target(form, slot)
			t.Run(target.Name, func(t *testing.T) { scheduletest.Run(t, target) })
		}
	}
}

func FuzzScan(f *testing.F) { scheduletest.Fuzz(f, target(0, 3)) }

func FuzzIndexed(f *testing.F) { scheduletest.Fuzz(f, target(2, 3)) }

// Found by the suite: the number stored for a slot, without the add of its block, must not wrap
// around where the capacity is the largest.
func TestLargestCapacity(t *testing.T) {
	for _, f := range forms {
		s, err := f.open(math.MaxInt64, Config{Horizon: 64})
		require.NoError(t, err)
		_, err = s.Reserve(bookahead.Request{Duration: 4, Units: 1})
		require.NoError(t, err)
		require.NoError(t, s.Advance(33))
		o, err := s.Search(bookahead.Request{Ready: 72, Duration: 1, Units: math.MaxInt64})
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(72), o.Start, f.name)
	}
}

// Found by the suite: the end of a block may lie beyond the end of the axis.
func TestEndOfTheAxis(t *testing.T) {
	for _, f := range forms {
		s, err := f.open(1, Config{Origin: math.MaxInt64 - 64, Horizon: 64})
		require.NoError(t, err)
		a, err := s.RangeQuery(bookahead.Interval{Start: math.MaxInt64 - 2, End: math.MaxInt64})
		require.NoError(t, err)
		require.Equal(t, int64(1), a.Free, f.name)
	}
}

// longJobs is a workload of jobs of up to 20 000 slots, the same each time: the reservations to
// make first, and the requests to search for then.
func longJobs(slots int) (booked, searched []bookahead.Request) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		booked = append(booked, bookahead.Request{
			Ready:    bookahead.Time(rng.IntN(slots)),
			Duration: bookahead.Duration(1 + rng.IntN(20_000)),
			Units:    1 + rng.Int64N(64),
		})
	}
	for range 1000 {
		searched = append(searched, bookahead.Request{
			Ready:    bookahead.Time(rng.IntN(slots / 2)),
			Duration: bookahead.Duration(1 + rng.IntN(20_000)),
			Units:    100,
		})
	}
	return booked, searched
}

const manySlots = 900_000 // the most of Schneider and Linnert's experiments

func TestLongJobsHaveTheSameAnswers(t *testing.T) {
	booked, searched := longJobs(manySlots)
	scan, err := NewScan(128, Config{Horizon: manySlots})
	require.NoError(t, err)
	indexed, err := NewIndexed(128, Config{Horizon: manySlots})
	require.NoError(t, err)
	for _, r := range booked {
		want, wantErr := scan.Reserve(r)
		got, err := indexed.Reserve(r)
		require.Equal(t, wantErr, err)
		require.Equal(t, want, got)
	}
	found := 0
	for _, r := range searched {
		want, wantErr := scan.Search(r)
		got, err := indexed.Search(r)
		require.Equal(t, wantErr, err)
		require.Equal(t, want, got)
		if err == nil && got.Start > r.Ready {
			found++
		}
	}
	require.Greater(t, found, len(searched)/4, "the workload makes searches wait")
}

// BenchmarkLongJobs searches 900 000 slots for a place after long reservations.
// Each form meets the same requests in the same order, again and again.
func BenchmarkLongJobs(b *testing.B) {
	booked, searched := longJobs(manySlots)
	for _, f := range forms[:2] {
		b.Run(fmt.Sprintf("impl=slotted.%s/op=search/slots=%d", f.name, manySlots), func(b *testing.B) {
			s, err := f.open(128, Config{Horizon: manySlots})
			if err != nil {
				b.Fatal(err)
			}
			for _, r := range booked {
				_, _ = s.Reserve(r)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				_, _ = s.Search(searched[i])
				i = (i + 1) % len(searched)
			}
		})
	}
}
