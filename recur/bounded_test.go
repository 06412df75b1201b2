package recur

import (
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// These calls walked over days or occurrences, as many as a number in the rule said. Each test counts looks.

// looksOf returns a pattern of a rule, and the looks of a call that follows.
func looksOf(t *testing.T, r Rule, call func(x *pattern)) int64 {
	x, err := patternOf(&r)
	require.NoError(t, err)
	call(x)
	return x.looks
}

// upTo walks over a few occurrences.
func upTo(most int, from, until time.Time) func(x *pattern) {
	return func(x *pattern) {
		for range x.walk(from, until) {
			most--
			if most <= 0 {
				return
			}
		}
	}
}

func utc(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

var anyTime = time.Time{}

// A Count that lies behind a window, or ends long before it, is counted by months.
func TestACountIsReachedWithoutAWalk(t *testing.T) {
	r := Rule{Start: utc(1, 1, 2), Length: time.Hour}
	for count, bound := range map[int]int64{1_000_000: 40_000, 100: 16, math.MaxInt: 16} {
		r.Count = count
		require.LessOrEqual(t, looksOf(t, r, upTo(2, utc(2026, 1, 1), utc(2026, 1, 2))), bound, count)
	}
	r.Count = 1_000_000
	var list []time.Time
	for start := range r.Between(utc(2738, 11, 25), anyTime) {
		list = append(list, start)
	}
	require.Equal(t, []time.Time{utc(2738, 11, 25), utc(2738, 11, 26), utc(2738, 11, 27), utc(2738, 11, 28), utc(2738, 11, 29)}, list)
	require.Equal(t, dayOf(r.Start)+999_999, dayOf(list[4]))
}

// A rule that never matches again is known by the calendar's 400 years, or by the years to 9999.
func TestNeverIsSoonKnown(t *testing.T) {
	for text, bound := range map[string]int64{
		"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30":               0,
		"FREQ=DAILY;BYMONTH=4,6,9,11;BYMONTHDAY=-31":       0,
		"FREQ=DAILY;INTERVAL=7;BYDAY=TU":                   0,
		"FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31":           cycle + 1, // Start is in June
		"FREQ=YEARLY;INTERVAL=100;BYMONTH=2;BYMONTHDAY=29": 200,       // 1999, 2099 ... are no leap years
		"FREQ=WEEKLY;INTERVAL=20871;BYMONTH=2":             40,        // each 400 years, in June
		"FREQ=DAILY;INTERVAL=1048576":                      9,
	} {
		r := recurring(t, text, utc(1999, 6, 7), time.Hour)
		require.LessOrEqual(t, looksOf(t, r, upTo(99, anyTime, anyTime)), bound, text)
	}
}

// The occurrences that run in a window are found by the last that has begun, and not by all that a Length of 292 years
// lets reach into it.
func TestALongLengthIsNotWalkedBack(t *testing.T) {
	r := Rule{Start: utc(1800, 1, 1), Length: math.MaxInt64}
	c := bookahead.Clock{Epoch: utc(2020, 1, 1), Tick: time.Hour}
	require.LessOrEqual(t, looksOf(t, r, func(x *pattern) {
		list, err := x.occurrences(c, ticks(0, 24))
		require.NoError(t, err)
		require.Len(t, list, 1)
	}), int64(16))
	require.LessOrEqual(t, looksOf(t, r, func(x *pattern) {
		list, err := hours(c, ticks(0, 24), []*pattern{x})
		require.NoError(t, err)
		require.Equal(t, []bookahead.Interval{ticks(0, 24)}, list)
	}), int64(24))
}

// With ticks of two centuries nearly no occurrence has a tick of its own, so a list stays short. The occurrences are
// counted, and not the list.
func TestTicksThatAreTooLong(t *testing.T) {
	r := Rule{Start: utc(2000, 1, 1), Length: time.Hour}
	c := bookahead.Clock{Epoch: utc(2000, 1, 1), Tick: 200 * 365 * 24 * time.Hour}
	for name, call := range map[string]func(bookahead.Clock, bookahead.Interval) ([]bookahead.Interval, error){
		"Occurrences": r.Occurrences, "Periods": r.Periods,
	} {
		_, err := call(c, ticks(0, bookahead.MaxTime))
		require.ErrorContains(t, err, "has more than 4096 occurrences", name)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
}

// Hours merges occurrences, so that the list is short although there are many. They are counted, too.
func TestHoursAreBounded(t *testing.T) {
	r := Rule{Start: utc(2000, 1, 1), Length: 24 * time.Hour}
	c := bookahead.Clock{Epoch: utc(2000, 1, 1), Tick: time.Hour}
	list, err := Hours(c, ticks(0, MaxOccurrences*24), r)
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{ticks(0, MaxOccurrences*24)}, list)
	_, err = Hours(c, ticks(0, MaxOccurrences*24+1), r)
	require.ErrorContains(t, err, "has more than 4096 occurrences")
}

// No occurrence is before a window without a start, and none is looked for.
func TestNothingIsBeforeTheBeginning(t *testing.T) {
	r := Rule{Start: utc(2000, 1, 1), Length: time.Hour}
	require.LessOrEqual(t, looksOf(t, r, func(x *pattern) {
		_, _, ok := x.before(anyTime)
		require.False(t, ok)
		_, _, ok = x.before(r.Start)
		require.False(t, ok)
	}), int64(0))
	require.LessOrEqual(t, looksOf(t, r, func(x *pattern) {
		start, _, ok := x.before(r.Start.Add(1))
		require.True(t, ok && start.Equal(r.Start))
	}), int64(8))
}

// Exceptions in the millions cost their own number, and some bytes each.
func TestExceptionsInTheMillions(t *testing.T) {
	r := Rule{Start: utc(1, 1, 2), Length: time.Hour}
	n := 200_000
	for day := range n {
		r.Except = append(r.Except, r.Start.AddDate(0, 0, day))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.LessOrEqual(t, looksOf(t, r, func(x *pattern) {
		for start := range x.walk(anyTime, anyTime) {
			require.Equal(t, n+1, int(dayOf(start)))
			break
		}
	}), int64(2*n+2))
	runtime.ReadMemStats(&after)
	require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(100*n))
	require.LessOrEqual(t, looksOf(t, r, upTo(1, utc(2026, 1, 1), anyTime)), int64(16), "behind all exceptions")
}

// The zone of a file may leave out a day each year. It is no occurrence, and is not counted, and an UNTIL there is the day
// before.
func TestADayLeftOutEachYear(t *testing.T) {
	zone := leaping()
	out := time.Date(2027, 4, 10, 12, 0, 0, 0, zone) // J100 is 10 April
	require.NotEqual(t, 10, out.Day())
	r := Rule{Start: time.Date(2027, 4, 8, 12, 0, 0, 0, zone), Length: time.Hour, Count: 4}
	require.Equal(t, "2027 Apr 8 9 11 12", daysOf(startsOf(r, 9)))
	r.Count = 1000
	list := startsOf(r, 9999)
	require.Equal(t, 1000, len(list))
	require.Equal(t, dayOf(r.Start)+999+3, dayOf(list[999]), "10 April is left out in 2027, 2028 and 2029")
	require.Equal(t, "2027 Apr 8 9", daysOf(startsOf(recurring(t, "FREQ=DAILY;UNTIL=20270410", r.Start, 1), 9)))
	r = Rule{Start: time.Date(2026, 4, 10, 12, 0, 0, 0, time.UTC).In(zone), Length: time.Hour, Freq: Yearly, MonthDays: []int{10}, Months: []time.Month{4}}
	require.Empty(t, startsOf(r, 1))
	require.LessOrEqual(t, looksOf(t, r, upTo(1, anyTime, anyTime)), int64(4*lastYear))
}

// time.FixedZone takes any offset, and a time of such a zone is far from its place in the calendar.
func TestZonesFarFromUTC(t *testing.T) {
	for offset, isRight := range map[int]bool{daySeconds: true, -daySeconds: true, daySeconds + 1: false, -daySeconds - 1: false, math.MaxInt32: false} {
		r := Rule{Start: time.Date(2026, 1, 1, 9, 0, 0, 0, time.FixedZone("odd", offset)), Length: time.Hour}
		require.Equal(t, isRight, r.Check() == nil, offset)
	}
}

// A zone east of UTC begins the year 1 before UTC does, and before the zero time. A zero from is before that, too.
func TestAStartBeforeTheZeroTime(t *testing.T) {
	r := Rule{Start: time.Date(1, 1, 1, 0, 0, 0, 0, time.FixedZone("east", 3600)), Length: time.Hour, Count: 2}
	require.True(t, r.Start.Before(anyTime))
	require.Len(t, startsOf(r, 9), 2)
	require.LessOrEqual(t, looksOf(t, r, func(x *pattern) {
		_, _, ok := x.before(anyTime)
		require.False(t, ok)
	}), int64(0))
	r.Count = 0
	c := bookahead.Clock{Tick: time.Hour} // tick 0 begins at the zero time
	list, err := r.Occurrences(c, ticks(-9, 0))
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{ticks(-1, 0)}, list)
	list, err = Hours(c, ticks(-9, 0), r)
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{ticks(-1, 0)}, list)
}

// The text of a rule is read in proportion to its bytes, and a long list is as quick as a short one afterwards.
func TestALongText(t *testing.T) {
	n := 100_000
	r := recurring(t, "FREQ=MONTHLY;BYMONTHDAY=31"+strings.Repeat(",31", n), utc(2026, 1, 31), time.Hour)
	require.Len(t, r.MonthDays, n+1)
	require.LessOrEqual(t, looksOf(t, r, upTo(12, anyTime, anyTime)), int64(40))
}
