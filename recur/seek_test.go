package recur

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/scheduletest"
)

// century draws a rule with a long Interval and few days, in UTC, whose gaps are years.
func century(rnd *rand.Rand) Rule {
	r := Rule{Start: time.Date(1880+rnd.IntN(40), time.Month(1+rnd.IntN(12)), 1+rnd.IntN(31), 9, 0, 0, 0, time.UTC), Length: 1, Freq: Freq(rnd.IntN(4)), WeekStart: rnd.IntN(7)}
	switch rnd.IntN(3) {
	case 0:
		r.Interval = rnd.IntN(10)
	case 1:
		r.Interval = rnd.IntN(400)
	case 2:
		r.Interval = []int{7, 12, 28, 29, 30, 31, 35, 52, 100, 364, 365, 366, 1461, 36524}[rnd.IntN(14)]
	}
	if rnd.IntN(3) > 0 {
		r.Months = some[time.Month](rnd, 2, 1, 12)
	}
	if r.Freq != Weekly && rnd.IntN(3) > 0 {
		r.MonthDays = some[int](rnd, 2, 27, 31)
		if rnd.IntN(3) == 0 {
			r.MonthDays = some[int](rnd, 2, -31, -27)
		}
	}
	r.Days = some[time.Weekday](rnd, 2, 0, 6)
	if r.Freq == Monthly || r.Freq == Yearly && r.Months != nil {
		for _, n := range some[int](rnd, 2, -5, 5) {
			r.Nth = append(r.Nth, Nth{n, time.Weekday(rnd.IntN(7))})
		}
	}
	return r
}

// walked returns the days of a rule from Start on, by a walk over all days of two centuries.
func walked(r *Rule) (list []int64) {
	y, m, d := r.Start.Date()
	c := calendarDay{year: y, month: int(m), day: d, weekday: int(r.Start.Weekday())}
	for ; c.year < 2105; c.next((r.WeekStart + 1) % 7) {
		if c.meant(r) {
			list = append(list, dayOf(r.Start)+int64(c.days))
		}
	}
	return list
}

// The days that a search finds, forward and backward, are those of a walk over all days, and so is the day of a Count.
func TestSeekAgainstAWalk(t *testing.T) {
	rnd := rand.New(rand.NewPCG(38, 3))
	last := dayOf(time.Date(2104, 12, 31, 0, 0, 0, 0, time.UTC))
	days := 0
	for range scheduletest.Operations() / 100 {
		r := century(rnd)
		want := walked(&r)
		x, err := patternOf(&r)
		require.NoError(t, err)
		var got, back []int64
		for day, ok := x.next(x.first, last); ok; day, ok = x.next(day+1, last) {
			got = append(got, day)
		}
		require.Equal(t, want, got, "%v from %v", r, r.Start)
		for day, ok := x.previous(last); ok; day, ok = x.previous(day - 1) {
			back = append(back, day)
		}
		slices.Reverse(back)
		require.Equal(t, want, back, "%v from %v", r, r.Start)
		days += len(want)
		if len(want) > 0 {
			x.Count = 1 + rnd.IntN(len(want))
			require.Equal(t, want[x.Count-1], x.dayOfCount(last), "%v from %v", r, r.Start)
			x.Count = len(want) + 1
			require.Equal(t, last, x.dayOfCount(last))
		}
		// From anywhere.
		from := x.first + rnd.Int64N(last-x.first)
		i, _ := slices.BinarySearch(want, from)
		day, ok := x.next(from, last)
		require.Equal(t, i < len(want), ok)
		require.True(t, !ok || day == want[i])
		day, ok = x.previous(from - 1)
		require.Equal(t, i > 0, ok)
		require.True(t, !ok || day == want[i-1])
	}
	t.Logf("%d days", days)
}

// The months and days are numbered as package time has them, in all years.
func TestDaysAreNumbered(t *testing.T) {
	for m := int64(0); m < 12*lastYear; m++ {
		first := time.Date(1+int(m/12), time.Month(m%12+1), 1, 0, 0, 0, 0, time.UTC)
		day := monthStart(m)
		if !date(day).Equal(first) || dayOf(first) != day || monthOf(day) != m || monthOf(day-1) != m-1 {
			t.Fatal(first)
		}
	}
	require.Equal(t, time.Monday, date(0).Weekday())
}

// February stays among the months of a rule that means its 29th alone, also over a century without a leap year.
func TestTheLeapDay(t *testing.T) {
	r := recurring(t, "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=4", time.Date(2092, 1, 1, 9, 0, 0, 0, time.UTC), time.Hour)
	require.Equal(t, "2092 Feb 29 2096 Feb 29 2104 Feb 29 2108 Feb 29", daysOf(startsOf(r, 9)))
}
