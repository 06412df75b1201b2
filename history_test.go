package bookahead_test

import (
	"iter"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// drawn returns a number from low to high.
func drawn[N ~int | ~int64](t *rapid.T, low, high N, label string) N {
	return N(rapid.Int64Range(int64(low), int64(high)).Draw(t, label))
}

// drawWindow returns a window that may begin before now, end beyond the horizon, or be empty.
func drawWindow(t *rapid.T, s bookahead.Keeper) bookahead.Interval {
	now := s.Frame().Now
	start := now + drawn[bookahead.Time](t, -20, 150, "start")
	switch drawn(t, 0, 9, "window") {
	case 0:
		start = now - 30
	case 1:
		return bookahead.Interval{Start: start, End: start - 1}
	case 2:
		return bookahead.Interval{Start: now + horizon - 50, End: now + horizon + 50}
	case 3:
		return bookahead.Interval{Start: -5, End: bookahead.MaxTime}
	}
	return bookahead.Interval{Start: start, End: start + drawn[bookahead.Time](t, 0, 150, "length")}
}

// drawHistory returns a copy of an empty schedule, with a random history.
func drawHistory(t *rapid.T, empty bookahead.Keeper) bookahead.Keeper {
	s, ok := bookahead.Clone(empty)
	require.True(t, ok)
	for range drawn(t, 0, 25, "calls") {
		now := s.Frame().Now
		r := bookahead.Request{
			Ready:    now + drawn[bookahead.Time](t, 0, 150, "ready"),
			Duration: drawn[bookahead.Duration](t, 1, 60, "duration"),
			Units:    drawn[int64](t, 1, units, "units"),
		}
		ids := []bookahead.ID{1}
		for res := range s.Reservations(s.Frame().Window()) {
			ids = append(ids, res.ID)
		}
		var err error
		switch drawn(t, 0, 12, "call") {
		case 0, 1:
			err = s.Release(rapid.SampledFrom(ids).Draw(t, "released"))
		case 2:
			_, err = s.Rebook(rapid.SampledFrom(ids).Draw(t, "rebooked"), r)
		case 3, 4:
			err = s.Advance(now + drawn[bookahead.Time](t, 0, 40, "passed"))
		case 5:
			err = drawClosure(t, s, r)
		default:
			_, err = s.Reserve(r)
		}
		if err != bookahead.ErrUnavailable && err != bookahead.ErrNotFound {
			if err != nil {
				require.ErrorIs(t, err, bookahead.ErrInvalid)
			}
		}
	}
	return s
}

// drawClosure closes units or servers for the time of a request, or adds some, if the schedule
// is Closable.
func drawClosure(t *rapid.T, s bookahead.Keeper, r bookahead.Request) (err error) {
	bookahead.Update(s, func(s bookahead.Closable) {
		c := bookahead.Closure{Interval: bookahead.Interval{Start: r.Ready, End: r.Ready + bookahead.Time(r.Duration)}, Units: r.Units}
		if rapid.Bool().Draw(t, "extend") {
			_, err = s.Extend(c)
			return
		}
		f, ok := bookahead.FrameOf(s)
		if ok && f.Servers > 0 {
			c.Units, c.Servers = 0, []int{drawn(t, 0, f.Servers-1, "server")}
		}
		_, err = s.Close(c)
	})
	return err
}

// tick is a tick, with everything that a naive computation needs to know about it.
type tick struct {
	at   bookahead.Time
	free int64
	used int64
}

// ticks asks a schedule about each tick of w, cut to the time that can be booked.
func ticks(t require.TestingT, s bookahead.Keeper, w bookahead.Interval) (list []tick) {
	w = w.Intersect(s.Frame().Window())
	booked := slices.Collect(s.Reservations(s.Frame().Window()))
	for at := w.Start; at < w.End; at++ {
		a, err := s.RangeQuery(bookahead.Interval{Start: at, End: at + 1})
		require.NoError(t, err)
		now := tick{at: at, free: a.Free}
		for _, res := range booked {
			if res.Contains(at) {
				now.used += res.Units
			}
		}
		list = append(list, now)
	}
	return list
}

// framed is the interface that the functions on a profile need.
type framed interface {
	bookahead.Profiler
	bookahead.Keeper
}

// counted counts the blocks that are asked for.
type counted struct {
	framed
	blocks *int
}

func (c counted) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		for b := range c.framed.Blocks(w) {
			*c.blocks++
			if !yield(b) {
				return
			}
		}
	}
}
