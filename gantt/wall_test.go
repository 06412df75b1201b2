package gantt

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

func zone(t testing.TB, name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Skip(err) // no time zones on this machine
	}
	return z
}

func labels(a Axis, w bookahead.Interval, letters int) (list []string) {
	for _, m := range a.marks(w, letters, 2) {
		list = append(list, m.label)
	}
	return list
}

// Days begin at 0:00 also after clocks were changed, and hours are the hours that clocks show.
func TestWallClockWhereClocksChange(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	const hours = 60
	spring, err := WallClock(bookahead.Clock{Epoch: time.Date(2024, 3, 30, 7, 30, 0, 0, berlin), Tick: time.Minute})
	require.NoError(t, err)
	require.Equal(t, []string{"Sun 31 Mar", "Mon 1 Apr", "Tue 2 Apr"}, labels(spring, bookahead.Interval{Start: 0, End: 72 * hours}, 60))
	require.Equal(t, []string{"18:00", "Sun 31 Mar", "06:00", "12:00", "18:00", "Mon 1 Apr", "06:00"},
		labels(spring, bookahead.Interval{Start: 10 * hours, End: 47 * hours}, 100))
	// Clocks go from 2 to 3 o'clock, which is 17 hours and a half later.
	require.Equal(t, []string{"01:00", "03:00", "04:00"}, labels(spring, bookahead.Interval{Start: 17 * hours, End: 20 * hours}, 30))
	times, ok := spring.wallTimes(bookahead.Interval{Start: 16 * hours, End: 23 * hours}, 2*hours)
	require.True(t, ok)
	require.Equal(t, []bookahead.Time{16*hours + 30, 19*hours + 30, 21*hours + 30}, times, "at 0, 4 and 6 o'clock")
	autumn, err := WallClock(bookahead.Clock{Epoch: time.Date(2024, 10, 26, 7, 30, 0, 0, berlin), Tick: time.Minute})
	require.NoError(t, err)
	require.Equal(t, []string{"Sun 27 Oct", "Mon 28 Oct", "Tue 29 Oct"}, labels(autumn, bookahead.Interval{Start: 0, End: 75 * hours}, 60))
	require.Equal(t, []string{"18:00", "Sun 27 Oct", "06:00", "12:00"}, labels(autumn, bookahead.Interval{Start: 10 * hours, End: 30 * hours}, 60))
}

// Where clocks go forward at midnight, the day begins at one o'clock.
func TestWallClockWithoutMidnight(t *testing.T) {
	a, err := WallClock(bookahead.Clock{Epoch: time.Date(2018, 11, 3, 12, 0, 0, 0, zone(t, "America/Sao_Paulo")), Tick: time.Minute})
	require.NoError(t, err)
	require.Equal(t, []string{"18:00", "Sun 4 Nov", "06:00", "12:00", "18:00", "Mon 5 Nov"}, labels(a, bookahead.Interval{Start: 1, End: 36 * 60}, 90))
	require.Equal(t, "Sun 4 Nov", a.format(12*60))
}

// Marks are the ticks at which clocks show a multiple of their step: all of them, but for hours that come
// twice, of which either is marked.
func TestWallClockAgainstEachTick(t *testing.T) {
	names := []string{"Europe/Berlin", "Australia/Lord_Howe", "America/Havana", "America/Sao_Paulo", "UTC"}
	zones := map[string]*time.Location{}
	for _, name := range names {
		zones[name] = zone(t, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		at := zones[rapid.SampledFrom(names).Draw(t, "zone")]
		epoch := time.Date(2018, 1, 1, rapid.IntRange(0, 24*400).Draw(t, "epoch"), 30, 0, 0, at)
		tick := rapid.SampledFrom([]time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute}).Draw(t, "tick")
		clock := bookahead.Clock{Epoch: epoch, Tick: tick}
		a, err := WallClock(clock)
		require.NoError(t, err)
		start := bookahead.Time(rapid.IntRange(-3000, 3000).Draw(t, "start"))
		w := bookahead.Interval{Start: start, End: start + bookahead.Time(rapid.IntRange(1, 3000).Draw(t, "length"))}
		step := rapid.SampledFrom([]time.Duration{30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, day, 2 * day, 7 * day}).Draw(t, "step")
		got, ok := a.wallTimes(w, bookahead.Duration(step/tick))
		require.True(t, ok)
		marked := map[string]bool{}
		for i, m := range got {
			require.True(t, w.Contains(m))
			require.True(t, i == 0 || got[i-1] < m)
			wall, err := clock.Wall(m)
			require.NoError(t, err)
			marked[wall.Format("2006-01-02 15:04")] = true
		}
		want := 0
		for m := w.Start; m < w.End; m++ {
			wall, err := clock.Wall(m)
			require.NoError(t, err)
			year, month, date := wall.Date()
			apart := time.Date(year, month, date, 0, 0, 0, 0, time.UTC).Sub(time.Date(epoch.Year(), epoch.Month(), epoch.Day(), 0, 0, 0, 0, time.UTC))
			reads := wall.Format("2006-01-02 15:04")
			begins := wall.Add(-time.Nanosecond).Day() != date
			due := wall.Hour()*60+wall.Minute() == 0 || begins
			if step < day {
				due = due || time.Duration(wall.Hour()*60+wall.Minute())*time.Minute%step == 0
			} else {
				due = due && apart%step == 0
			}
			switch {
			case marked[reads]:
				require.True(t, due, reads)
				want++
			case due:
				// The hour comes twice, and the other one lies outside of w.
				_, before := wall.Add(-2 * time.Hour).Zone()
				_, after := wall.Add(2 * time.Hour).Zone()
				require.Less(t, after, before, reads)
			}
		}
		require.GreaterOrEqual(t, want, len(got))
	})
}

// Wall time that is too far away is marked by ticks.
func TestWallClockFarAway(t *testing.T) {
	a, err := WallClock(bookahead.Clock{Epoch: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)})
	require.NoError(t, err)
	require.NotEmpty(t, labels(a, bookahead.Interval{Start: 0, End: bookahead.MaxTime}, 100))
	require.NotEmpty(t, labels(a, bookahead.Interval{Start: bookahead.MaxTime - 1000, End: bookahead.MaxTime}, 100))
	require.Equal(t, []string{"Mon 1 Jan", "Mon 11 Mar", "Mon 20 May"}, labels(a, bookahead.Interval{Start: 0, End: 200 * 86400}, 40))
}
