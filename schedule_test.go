package bookahead_test

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/scheduletest"
)

// plain hides the abilities of a schedule.
type plain struct{ bookahead.Schedule }

// TestOffersFallsBack compares a structure's own Offers with repeated Search.
func TestOffersFallsBack(t *testing.T) {
	s, err := carts.NewFlat(4, carts.Config{Horizon: 60})
	require.NoError(t, err)
	for _, r := range []bookahead.Request{{Ready: 3, Duration: 9, Units: 2}, {Ready: 8, Duration: 9, Units: 2}, {Ready: 30, Duration: 2, Units: 4}} {
		_, err := s.Reserve(r)
		require.NoError(t, err)
	}
	for _, r := range []bookahead.Request{
		{Duration: 3, Units: 1}, {Duration: 3, Units: 3}, {Ready: 5, Duration: 20, Units: 2, Deadline: 50},
		{Duration: 61, Units: 1}, {Duration: 0, Units: 1}, {Duration: 3, Units: 5}, {Ready: 5, Duration: 3, Units: 4, Deadline: 8},
	} {
		var own, searched []bookahead.Offer
		for o := range bookahead.Offers(s, r) {
			own = append(own, o)
		}
		for o := range bookahead.Offers(plain{s}, r) {
			searched = append(searched, o)
		}
		require.Equal(t, searched, own, "%+v", r)
	}
}

// TestOffersAtTheEndOfTheAxis: Offers must stop there, and not wrap around.
func TestOffersAtTheEndOfTheAxis(t *testing.T) {
	s, err := carts.NewFlat(1, carts.Config{})
	require.NoError(t, err)
	r := bookahead.Request{Ready: math.MaxInt64 - 12, Duration: 10, Units: 1}
	for _, s := range []bookahead.Schedule{s, plain{s}} {
		n := 0
		for range bookahead.Offers(s, r) {
			n++
		}
		require.Equal(t, 3, n)
	}
}

// TestLocked books from many goroutines at once: as many reservations succeed as fit.
func TestLocked(t *testing.T) {
	pool, err := carts.NewFlat(10, carts.Config{})
	require.NoError(t, err)
	s := bookahead.Locked(pool)
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 100 {
				res, err := s.Reserve(bookahead.Request{Duration: 10, Units: 3})
				if err != nil {
					t.Error(err)
					return
				}
				bookahead.View(s, func(s bookahead.Schedule) {
					a, err := s.RangeQuery(res.Interval)
					if err != nil || a.Free < 0 || a.Free > 7 {
						t.Errorf("%+v is free, %v", a, err)
					}
				})
				if res.ID%2 == 0 {
					if err := s.Release(res.ID); err != nil {
						t.Error(err)
					}
				}
			}
		}()
	}
	wg.Wait()
	_, err = s.Search(bookahead.Request{Duration: 1, Units: 11})
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.NoError(t, s.Advance(5000))
	a, err := s.RangeQuery(bookahead.Interval{Start: 5000, End: 6000})
	require.NoError(t, err)
	require.Equal(t, int64(10), a.Free)
}

// TestEachMethodLocks calls each method beside methods that write, for the race detector to see.
func TestEachMethodLocks(t *testing.T) {
	pool, err := carts.NewFlat(10, carts.Config{})
	require.NoError(t, err)
	s := bookahead.Locked(pool)
	r := bookahead.Request{Duration: 10, Units: 3}
	var wg sync.WaitGroup
	for _, call := range []func(i int) error{
		func(int) error { _, err := s.Search(r); return err },
		func(int) error { _, err := s.Reserve(r); return err },
		func(int) error { _, err := s.RangeQuery(bookahead.Interval{Start: 0, End: 1 << 40}); return err },
		func(i int) error { return s.Advance(bookahead.Time(i)) },
		func(int) error { bookahead.View(s, func(s bookahead.Schedule) { _, _ = s.Search(r) }); return nil },
		func(int) error { bookahead.Update(s, func(s bookahead.Schedule) { _, _ = s.Reserve(r) }); return nil },
		func(i int) error {
			if err := s.Release(bookahead.ID(i + 1)); err != nil && err != bookahead.ErrNotFound {
				return err
			}
			return nil
		},
	} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 300 {
				if err := call(i); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
}

// TestLockedConforms runs the whole suite through the lock.
func TestLockedConforms(t *testing.T) {
	t.Setenv("BOOKAHEAD_OPS", "5000")
	scheduletest.Run(t, scheduletest.Target{Name: "Locked", Made: true, New: func(c scheduletest.Config) (bookahead.Schedule, error) {
		s, err := carts.NewFlat(c.Capacity, carts.Config{Origin: c.Origin, Horizon: c.Horizon})
		if err != nil {
			return nil, err
		}
		return bookahead.Locked(s), nil
	}})
}
