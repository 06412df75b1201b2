package recur

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the tests need the zones, wherever they run

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// zone returns a time zone.
func zone(t testing.TB, name string) *time.Location {
	z, err := time.LoadLocation(name)
	require.NoError(t, err)
	return z
}

// recurring returns the rule of an RRULE.
func recurring(t testing.TB, text string, start time.Time, length time.Duration) Rule {
	r, err := ParseRule(text, start, length)
	require.NoError(t, err)
	return r
}

// startsOf returns the first starts of a rule, at most so many.
func startsOf(r Rule, most int) (list []time.Time) {
	for start := range r.Between(time.Time{}, time.Time{}) {
		if len(list) == most {
			break
		}
		list = append(list, start)
	}
	return list
}

// The examples of RFC 5545, section 3.8.5.3, as far as a Rule has their parts: all are at 9:00 in New York. A list that ends
// with "..." goes on.
var examplesOfRFC = []struct{ start, rule, days string }{
	{"1997-09-02", "FREQ=DAILY;COUNT=10", "1997 Sep 2 3 4 5 6 7 8 9 10 11"},
	{"1997-09-02", "FREQ=DAILY;INTERVAL=2", "1997 Sep 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 Oct 2 4 6 ..."},
	{"1997-09-02", "FREQ=DAILY;INTERVAL=10;COUNT=5", "1997 Sep 2 12 22 Oct 2 12"},
	{"1997-09-02", "FREQ=WEEKLY;COUNT=10", "1997 Sep 2 9 16 23 30 Oct 7 14 21 28 Nov 4"},
	{"1997-09-02", "FREQ=WEEKLY;UNTIL=19971224T000000Z", "1997 Sep 2 9 16 23 30 Oct 7 14 21 28 Nov 4 11 18 25 Dec 2 9 16 23"},
	{"1997-09-02", "FREQ=WEEKLY;INTERVAL=2;WKST=SU", "1997 Sep 2 16 30 Oct 14 28 Nov 11 25 Dec 9 23 1998 Jan 6 20 Feb 3 17 ..."},
	{"1997-09-02", "FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH", "1997 Sep 2 4 9 11 16 18 23 25 30 Oct 2"},
	{"1997-09-02", "FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH", "1997 Sep 2 4 9 11 16 18 23 25 30 Oct 2"},
	{"1997-09-01", "FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR",
		"1997 Sep 1 3 5 15 17 19 29 Oct 1 3 13 15 17 27 29 31 Nov 10 12 14 24 26 28 Dec 8 10 12 22"},
	{"1997-09-02", "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH", "1997 Sep 2 4 16 18 30 Oct 2 14 16"},
	{"1997-09-05", "FREQ=MONTHLY;COUNT=10;BYDAY=1FR", "1997 Sep 5 Oct 3 Nov 7 Dec 5 1998 Jan 2 Feb 6 Mar 6 Apr 3 May 1 Jun 5"},
	{"1997-09-05", "FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR", "1997 Sep 5 Oct 3 Nov 7 Dec 5"},
	{"1997-09-07", "FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU", "1997 Sep 7 28 Nov 2 30 1998 Jan 4 25 Mar 1 29 May 3 31"},
	{"1997-09-22", "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO", "1997 Sep 22 Oct 20 Nov 17 Dec 22 1998 Jan 19 Feb 16"},
	{"1997-09-28", "FREQ=MONTHLY;BYMONTHDAY=-3", "1997 Sep 28 Oct 29 Nov 28 Dec 29 1998 Jan 29 Feb 26 ..."},
	{"1997-09-02", "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15", "1997 Sep 2 15 Oct 2 15 Nov 2 15 Dec 2 15 1998 Jan 2 15"},
	{"1997-09-30", "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1", "1997 Sep 30 Oct 1 31 Nov 1 30 Dec 1 31 1998 Jan 1 31 Feb 1"},
	{"1997-09-10", "FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15", "1997 Sep 10 11 12 13 14 15 1999 Mar 10 11 12 13"},
	{"1997-09-02", "FREQ=MONTHLY;INTERVAL=2;BYDAY=TU", "1997 Sep 2 9 16 23 30 Nov 4 11 18 25 1998 Jan 6 13 20 27 Mar 3 10 17 24 31 ..."},
	{"1997-06-10", "FREQ=YEARLY;COUNT=10;BYMONTH=6,7", "1997 Jun 10 Jul 10 1998 Jun 10 Jul 10 1999 Jun 10 Jul 10 2000 Jun 10 Jul 10 2001 Jun 10 Jul 10"},
	{"1997-03-10", "FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3",
		"1997 Mar 10 1999 Jan 10 Feb 10 Mar 10 2001 Jan 10 Feb 10 Mar 10 2003 Jan 10 Feb 10 Mar 10"},
	{"1997-03-13", "FREQ=YEARLY;BYMONTH=3;BYDAY=TH", "1997 Mar 13 20 27 1998 Mar 5 12 19 26 1999 Mar 4 11 18 25 ..."},
	{"1997-06-05", "FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8", "1997 Jun 5 12 19 26 Jul 3 10 17 24 31 Aug 7 14 21 28 1998 Jun 4 11 18 25 Jul 2 ..."},
	{"1997-09-03", "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "1998 Feb 13 Mar 13 Nov 13 1999 Aug 13 2000 Oct 13 ..."},
	{"1997-09-13", "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13", "1997 Sep 13 Oct 11 Nov 8 Dec 13 1998 Jan 10 Feb 7 Mar 7 Apr 11 May 9 Jun 13 ..."},
	{"1996-11-05", "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "1996 Nov 5 2000 Nov 7 2004 Nov 2 ..."},
	{"1997-08-05", "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "1997 Aug 5 10 19 24"},
	{"1997-08-05", "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "1997 Aug 5 17 19 31"},
	{"2007-01-15", "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5", "2007 Jan 15 30 Feb 15 Mar 15 30"},
	{"1997-03-10", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "1997 Nov 27 1998 Nov 26 1999 Nov 25 ..."}, // not of the RFC: Thanksgiving
}

// daysOf writes days as the examples do.
func daysOf(list []time.Time) string {
	var out []string
	last := time.Time{}
	for _, t := range list {
		if t.Year() != last.Year() {
			out = append(out, t.Format("2006"))
		}
		if t.Year() != last.Year() || t.Month() != last.Month() {
			out = append(out, t.Format("Jan"))
		}
		out, last = append(out, t.Format("2")), t
	}
	return strings.Join(out, " ")
}

func TestRuleExamplesOfRFC5545(t *testing.T) {
	city := zone(t, "America/New_York")
	for _, e := range examplesOfRFC {
		day, err := time.ParseInLocation("2006-01-02 15", e.start+" 09", city)
		require.NoError(t, err)
		r := recurring(t, e.rule, day, time.Hour)
		days, open := strings.CutSuffix(e.days, " ...")
		most := math.MaxInt
		if open {
			most = len(regexp.MustCompile(`\b\d\d?\b`).FindAllString(days, -1))
		}
		list := startsOf(r, most)
		require.Equal(t, days, daysOf(list), e.rule)
		for _, start := range list {
			require.Equal(t, "09:00", start.Format("15:04"))
		}
	}
	// Every day in January, for three years, in two ways; and an UNTIL is the last start itself.
	day := time.Date(1998, time.January, 1, 9, 0, 0, 0, city)
	a := startsOf(recurring(t, "FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA", day, 1), 999)
	require.Len(t, a, 93)
	require.Equal(t, a, startsOf(recurring(t, "FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1", day, 1), 999))
	require.Len(t, startsOf(recurring(t, "FREQ=DAILY;UNTIL=20000131T135959Z;BYMONTH=1", day, 1), 999), 92)
	// Every day until Christmas Eve, which has changed its clocks in between.
	daily := startsOf(recurring(t, "FREQ=DAILY;UNTIL=19971224T000000Z", time.Date(1997, time.September, 2, 9, 0, 0, 0, city), 1), 999)
	require.Len(t, daily, 113)
	require.Equal(t, "Dec 23 09:00 EST", daily[112].Format("Jan 2 15:04 MST"))
}

// The tables in the documentation of Rule, about nights in which clocks change.
func TestRuleAtChangesOfClocks(t *testing.T) {
	for _, e := range []struct {
		zone, day, clock string
		length           time.Duration
		want             string
	}{
		{"Europe/Berlin", "2026-03-29", "02:30", 90 * time.Minute, "03:30 CEST to 04:00 CEST"},
		{"America/New_York", "2026-03-08", "02:30", 90 * time.Minute, "01:30 EST to 04:00 EDT"},
		{"Europe/Berlin", "2026-10-25", "02:30", 90 * time.Minute, "02:30 CET to 04:00 CET"},
		{"America/New_York", "2026-11-01", "01:30", 150 * time.Minute, "01:30 EDT to 04:00 EST"},
		{"Europe/Berlin", "2026-03-29", "08:00", 12 * time.Hour, "08:00 CEST to 20:00 CEST"},
		{"Europe/Berlin", "2026-03-28", "22:00", 8 * time.Hour, "22:00 CET to 06:00 CEST"},
		// 2:30 to 3:00 would begin at 3:30 and end at 3:00, so it lasts its length.
		{"Europe/Berlin", "2026-03-29", "02:30", 30 * time.Minute, "03:30 CEST to 04:00 CEST"},
		{"Australia/Lord_Howe", "2026-10-04", "02:15", 30 * time.Minute, "02:45 +11 to 03:15 +11"},
	} {
		z := zone(t, e.zone)
		change, err := time.ParseInLocation("2006-01-02", e.day, z)
		require.NoError(t, err)
		clock, err := time.Parse("15:04", e.clock)
		require.NoError(t, err)
		y, m, d := change.Date()
		r := Rule{Start: time.Date(y, m, d-3, clock.Hour(), clock.Minute(), 0, 0, z), Length: e.length}
		n := 0
		for start, end := range r.Between(time.Time{}, time.Time{}) {
			n++
			if n == 4 {
				require.Equal(t, e.want, start.Format("15:04 MST")+" to "+end.Format("15:04 MST"))
				break
			}
		}
	}
}

// Samoa left out 30 December 2011.
func TestRuleOnADayThatTheZoneLeavesOut(t *testing.T) {
	z := zone(t, "Pacific/Apia")
	for _, hour := range []int{0, 9, 12, 13, 23} {
		r := Rule{Start: time.Date(2011, time.December, 28, hour, 30, 0, 0, z), Length: 24 * time.Hour, Count: 4}
		require.Equal(t, "2011 Dec 28 29 31 2012 Jan 1", daysOf(startsOf(r, 9)), "at %d", hour)
		var over time.Time
		for start, end := range r.Between(time.Time{}, time.Time{}) {
			require.True(t, over.IsZero() || over.Equal(start), "from %v to %v", over, start)
			over = end
		}
	}
	// An UNTIL on that day is the day before.
	r := recurring(t, "FREQ=DAILY;UNTIL=20111230", time.Date(2011, time.December, 28, 15, 0, 0, 0, z), 1)
	require.Equal(t, "2011 Dec 28 29", daysOf(startsOf(r, 9)))
}

func TestRuleOfStartsThatDoNotMatch(t *testing.T) {
	wednesday := time.Date(2026, time.January, 7, 9, 0, 0, 0, time.UTC)
	r := Rule{Start: wednesday, Length: time.Hour, Freq: Weekly, Interval: 2, Days: []time.Weekday{time.Tuesday, time.Thursday}, Count: 3}
	require.Equal(t, "2026 Jan 8 20 22", daysOf(startsOf(r, 9)))
	r.Except = []time.Time{wednesday, time.Date(2026, time.January, 20, 10, 0, 0, 0, time.FixedZone("", 3600))}
	require.Equal(t, "2026 Jan 8 22", daysOf(startsOf(r, 9)), "an exception counts")
}

// Rules that never match, or have begun long ago, are walked in bounded time.
func TestRuleBoundsItsWalk(t *testing.T) {
	start := time.Date(2026, time.January, 31, 9, 0, 0, 0, time.UTC)
	for _, r := range []Rule{
		{Freq: Monthly, MonthDays: []int{30}, Months: []time.Month{time.February}},
		{Freq: Yearly, MonthDays: []int{31}, Months: []time.Month{time.June}},
		{Freq: Daily, MonthDays: []int{-31}, Months: []time.Month{time.April}},
		{Freq: Monthly, Interval: 12, MonthDays: []int{31}, Months: []time.Month{time.March}},
		{Freq: Weekly, Interval: maxInterval},
	} {
		r.Start, r.Length = start, time.Hour
		require.NoError(t, r.Check())
		require.LessOrEqual(t, len(startsOf(r, 9)), 1)
	}
	// Short months are left out.
	r := Rule{Start: start, Length: time.Hour, Freq: Monthly}
	require.Equal(t, "2026 Jan 31 Mar 31 May 31 Jul 31 Aug 31 Oct 31 Dec 31", daysOf(startsOf(r, 7)))
	// Far ahead, and behind all years.
	for start := range r.Between(time.Date(9000, 2, 1, 0, 0, 0, 0, time.UTC), time.Date(9000, 4, 1, 0, 0, 0, 0, time.UTC)) {
		require.Equal(t, "9000-03-31", start.Format(time.DateOnly))
	}
	for _, far := range []time.Time{time.Unix(math.MaxInt64, 0), time.Unix(math.MinInt64, 0), time.Unix(1<<60, 0), time.Unix(-1<<60, 0)} {
		for range r.Between(far, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
			t.Fatal("an occurrence before the rule")
		}
	}
	n := 0
	for range r.Between(time.Unix(-1<<60, 0), time.Unix(1<<60, 0)) {
		n++
	}
	require.Equal(t, 7*(lastYear-2025), n)
	last := Rule{Start: time.Date(9999, 12, 30, 9, 0, 0, 0, time.UTC), Length: time.Hour}
	require.Len(t, startsOf(last, 9), 2)
}

func TestRuleCheck(t *testing.T) {
	good := Rule{Start: time.Date(2026, time.January, 7, 9, 0, 0, 0, time.UTC), Length: time.Hour}
	require.NoError(t, good.Check())
	for field, spoil := range map[string]func(r *Rule){
		"Rule.Start":        func(r *Rule) { r.Start = time.Time{} },
		"Rule.Start ":       func(r *Rule) { r.Start = r.Start.Add(1) },
		"Rule.Start  ":      func(r *Rule) { r.Start = r.Start.AddDate(9000, 0, 0) },
		"Rule.Length":       func(r *Rule) { r.Length = 0 },
		"Rule.Length ":      func(r *Rule) { r.Length = -time.Hour },
		"Rule.Freq":         func(r *Rule) { r.Freq = Yearly + 1 },
		"Rule.Interval":     func(r *Rule) { r.Interval = -1 },
		"Rule.Interval ":    func(r *Rule) { r.Interval = maxInterval + 1 },
		"Rule.WeekStart":    func(r *Rule) { r.WeekStart = 7 },
		"Rule.WeekStart ":   func(r *Rule) { r.WeekStart = -1 },
		"Rule.Months[1]":    func(r *Rule) { r.Months = []time.Month{1, 13} },
		"Rule.MonthDays[0]": func(r *Rule) { r.MonthDays = []int{0} },
		"Rule.MonthDays[1]": func(r *Rule) { r.MonthDays = []int{31, -32} },
		"Rule.MonthDays":    func(r *Rule) { r.Freq, r.MonthDays = Weekly, []int{1} },
		"Rule.Days[0]":      func(r *Rule) { r.Days = []time.Weekday{7} },
		"Rule.Nth[0].N":     func(r *Rule) { r.Freq, r.Nth = Monthly, []Nth{{6, time.Monday}} },
		"Rule.Nth[0].Day":   func(r *Rule) { r.Freq, r.Nth = Monthly, []Nth{{1, -1}} },
		"Rule.Nth":          func(r *Rule) { r.Freq, r.Nth = Weekly, []Nth{{1, time.Monday}} },
		"Rule.Nth ":         func(r *Rule) { r.Freq, r.Nth = Yearly, []Nth{{1, time.Monday}} },
		"Rule.Until":        func(r *Rule) { r.Until = r.Start.Add(1) },
		"Rule.Until ":       func(r *Rule) { r.Until = r.Start.AddDate(9000, 0, 0) },
		"Rule.Count":        func(r *Rule) { r.Count = -1 },
		"Rule.Count ":       func(r *Rule) { r.Count, r.Until = 1, r.Start },
	} {
		r := good
		spoil(&r)
		err := r.Check()
		var invalid *bookahead.InvalidError
		require.ErrorAs(t, err, &invalid, field)
		require.Equal(t, strings.TrimSpace(field), invalid.Field)
		require.Empty(t, startsOf(r, 1))
		_, err = r.Occurrences(bookahead.Clock{}, bookahead.Interval{Start: 0, End: 9})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		_, err = Hours(bookahead.Clock{}, bookahead.Interval{Start: 0, End: 9}, good, r)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
}

// A walk may be left, and taken again.
func TestRuleBetweenIsAQuery(t *testing.T) {
	r := Rule{Start: time.Date(2026, time.January, 7, 9, 0, 0, 0, time.UTC), Length: time.Hour, Count: 5}
	for range r.Between(time.Time{}, time.Time{}) {
		break
	}
	require.Len(t, startsOf(r, 9), 5)
	require.Len(t, startsOf(r, 2), 2)
	clone := r
	clone.Except = slices.Clone(r.Except)
	require.Equal(t, clone, r)
}
