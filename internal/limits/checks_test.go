package limits

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// refused checks that an error wraps ErrInvalid and names a field.
func refused(t *testing.T, err error, field string) {
	t.Helper()
	var invalid *bookahead.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.Equal(t, field, invalid.Field)
}

func TestNewRefuses(t *testing.T) {
	for field, open := range map[string]func() (Limits, error){
		"capacity":       func() (Limits, error) { return New(0, 0, 0) },
		"Config.Origin":  func() (Limits, error) { return New(1, -1, 0) },
		"Config.Horizon": func() (Limits, error) { return New(1, 0, -1) },
	} {
		_, err := open()
		refused(t, err, field)
	}
	_, err := New(1, 1, math.MaxInt64)
	require.ErrorContains(t, err, "overflows")
	l, err := New(1, 0, math.MaxInt64)
	require.NoError(t, err)
	require.Equal(t, bookahead.MaxTime, l.End)
}

// An invalid request is reported before a request that does not fit, and only schedules that know
// servers accept their names.
func TestNamedServers(t *testing.T) {
	l, err := New(4, 10, 20)
	require.NoError(t, err)
	r := bookahead.Request{Ready: 12, Duration: 5, Units: 2, Servers: []int{3, 0}}
	_, _, err = l.Starts(r)
	refused(t, err, "Request.Servers")
	named := l
	named.Servers = 4
	first, last, err := named.Starts(r)
	require.NoError(t, err)
	require.Equal(t, [2]bookahead.Time{12, 25}, [2]bookahead.Time{first, last})

	r.Servers = []int{0, 4}
	_, _, err = named.Starts(r)
	refused(t, err, "Request.Servers")
	r.Servers = nil
	first, last, err = named.Starts(r)
	require.NoError(t, err)
	require.Equal(t, [2]bookahead.Time{12, 25}, [2]bookahead.Time{first, last})

	late := bookahead.Request{Ready: 30, Duration: 5, Units: 2}
	for _, l := range []Limits{l, named} {
		_, _, err := l.Starts(late)
		require.Equal(t, bookahead.ErrUnavailable, err)
	}
	late.Servers = []int{1, 9}
	_, _, err = named.Starts(late)
	refused(t, err, "Request.Servers")
	_, _, err = l.Starts(late)
	refused(t, err, "Request.Servers")

	_, _, err = l.Starts(bookahead.Request{Duration: 1, Units: 5, Servers: []int{1}})
	refused(t, err, "Request.Servers") // fewer than units: Validate is first
	_, _, err = l.Starts(bookahead.Request{Duration: 1, Units: 5})
	require.Equal(t, bookahead.ErrUnavailable, err, "law 9")
	_, _, err = l.Starts(bookahead.Request{Duration: 1})
	refused(t, err, "Request.Units")
}

func TestWindowIsCut(t *testing.T) {
	l, err := New(4, 10, 20)
	require.NoError(t, err)
	span := func(start, end bookahead.Time) bookahead.Interval { return bookahead.Interval{Start: start, End: end} }
	for given, want := range map[bookahead.Interval]bookahead.Interval{
		span(12, 15):                       span(12, 15),
		span(9, 11):                        span(10, 11),
		span(29, 31):                       span(29, 30),
		span(math.MinInt64, math.MaxInt64): span(10, 30),
	} {
		got, err := l.Window(given)
		require.NoError(t, err)
		require.Equal(t, want, got, given)
	}
	for _, outside := range []bookahead.Interval{span(5, 10), span(30, 31)} {
		got, err := l.Window(outside)
		require.NoError(t, err)
		require.True(t, got.Empty(), outside)
	}
	for _, empty := range []bookahead.Interval{span(12, 12), span(13, 12)} {
		_, err := l.Window(empty)
		refused(t, err, "window")
	}
}

// The clock and the horizon are written; the end follows from them.
func TestReadWhatWasWritten(t *testing.T) {
	for _, horizon := range []bookahead.Duration{0, 20} {
		l, err := New(math.MaxInt64, 10, horizon)
		require.NoError(t, err)
		require.NoError(t, l.Advance(15))
		w := snapshot.Begin("limits")
		l.Write(w)
		data, err := w.End()
		require.NoError(t, err)
		r := snapshot.Open(data, "limits")
		read := Read(r)
		require.NoError(t, r.Close())
		require.Equal(t, l, read)
		require.Equal(t, horizon, read.Horizon())
		require.Equal(t, bookahead.Frame{Now: 15, Horizon: l.End, Capacity: math.MaxInt64}, read.Frame())
		require.NoError(t, read.Advance(16))
		require.NoError(t, l.Advance(16))
		require.Equal(t, l, read)
	}
	for _, numbers := range [][]uint64{
		{0, 1, 1}, {1 << 63, 1, 1}, {1, 1 << 63, 1}, {1, 1, math.MaxInt64}, {1, 1},
	} {
		w := snapshot.Begin("limits")
		for _, n := range numbers {
			w.Uint(n)
		}
		data, err := w.End()
		require.NoError(t, err)
		r := snapshot.Open(data, "limits")
		require.Zero(t, Read(r))
		require.ErrorIs(t, r.Close(), bookahead.ErrInvalid, numbers)
	}
}
