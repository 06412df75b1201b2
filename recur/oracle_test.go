package recur

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/scheduletest"
)

// The oracle of rules walks over the calendar day by day, and asks of each day whether the rule means it. It
// does not compute with dates: it has a counter for days, weeks, months and years, and learns from a walk over all quarters of
// an hour which days and which times a zone has.

// years is three years of a zone in which clocks change.
type years struct {
	zone       *time.Location
	first      int
	begin, end time.Time
	origin     int64   // the first day that is walked over, since 1970
	days       []bool  // the dates that exist, from origin
	walls      []int64 // when it is a time of day, by quarters from origin: never 0, twice -1, once in seconds since 1970
}

var yearsWithChanges = []struct {
	zone  string
	first int
}{
	{"America/New_York", 2025}, {"Europe/Berlin", 2026}, {"Australia/Lord_Howe", 2023}, {"Pacific/Apia", 2010},
	{"Asia/Kolkata", 2024}, {"America/Sao_Paulo", 2016}, {"Africa/Cairo", 2023}, // the last two change at midnight
}

var allYears = sync.OnceValue(func() (list []*years) {
	for _, z := range yearsWithChanges {
		y := &years{first: z.first, days: make([]bool, 1110), walls: make([]int64, 1110*96)}
		y.zone, _ = time.LoadLocation(z.zone) // a zone that is missing is nil, and panics
		y.begin, y.end = time.Date(z.first, 1, 1, 0, 0, 0, 0, y.zone), time.Date(z.first+3, 1, 1, 0, 0, 0, 0, y.zone)
		y.origin = y.begin.Unix()/(24*60*60) - 3
		for at := y.begin.AddDate(0, 0, -1); at.Before(y.end.AddDate(0, 0, 5)); at = at.Add(15 * time.Minute) {
			_, offset := at.Zone()
			quarter := (at.Unix()+int64(offset))/(15*60) - y.origin*96
			y.days[quarter/96] = true
			if y.walls[quarter] == 0 {
				y.walls[quarter] = at.Unix()
			} else {
				y.walls[quarter] = -1
			}
		}
		list = append(list, y)
	}
	return list
})

// at returns when it is a time of day, which may be one of a later date. Only a time that does not exist, or exists twice, is
// that of time.Date.
func (y *years) at(wall time.Time) time.Time {
	at := y.walls[wall.Unix()/(15*60)-y.origin*96]
	if at <= 0 {
		year, month, day := wall.Date()
		return time.Date(year, month, day, wall.Hour(), wall.Minute(), 0, 0, y.zone)
	}
	return time.Unix(at, 0).In(y.zone)
}

// occurrence is one of a rule.
type occurrence struct{ start, end time.Time }

// calendarDay is a date with its counters since the rule began.
type calendarDay struct {
	year, month, day, weekday  int
	days, weeks, months, years int
}

func monthLength(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// next goes on to the day after. A week begins on a weekday.
func (c *calendarDay) next(weekStart int) {
	c.day++
	c.days++
	c.weekday = (c.weekday + 1) % 7
	if c.weekday == weekStart {
		c.weeks++
	}
	if c.day > monthLength(c.year, c.month) {
		c.day, c.month = 1, c.month+1
		c.months++
	}
	if c.month > 12 {
		c.month, c.year = 1, c.year+1
		c.years++
	}
}

// meant reports whether a rule means a date.
func (c *calendarDay) meant(r *Rule) bool {
	periods := [...]int{Daily: c.days, Weekly: c.weeks, Monthly: c.months, Yearly: c.years}[r.Freq]
	if periods%max(r.Interval, 1) != 0 || len(r.Months) > 0 && !slices.Contains(r.Months, time.Month(c.month)) {
		return false
	}
	if len(r.MonthDays)+len(r.Days)+len(r.Nth) == 0 {
		switch r.Freq {
		case Weekly:
			return c.weekday == int(r.Start.Weekday())
		case Monthly:
			return c.day == r.Start.Day()
		case Yearly:
			return c.day == r.Start.Day() && (len(r.Months) > 0 || c.month == int(r.Start.Month()))
		}
		return true
	}
	length := monthLength(c.year, c.month)
	if len(r.MonthDays) > 0 && !slices.Contains(r.MonthDays, c.day) && !slices.Contains(r.MonthDays, c.day-length-1) {
		return false
	}
	if len(r.Days)+len(r.Nth) == 0 || slices.Contains(r.Days, time.Weekday(c.weekday)) {
		return true
	}
	n, fromEnd := 0, 0
	for d := c.day; d >= 1; d -= 7 {
		n++
	}
	for d := c.day; d <= length; d += 7 {
		fromEnd--
	}
	return slices.Contains(r.Nth, Nth{n, time.Weekday(c.weekday)}) || slices.Contains(r.Nth, Nth{fromEnd, time.Weekday(c.weekday)})
}

// oracle returns the occurrences of a rule that start in a window within the years.
func (y *years) oracle(r Rule, from, until time.Time) (list []occurrence) {
	year, month, day := r.Start.Date()
	weekStart := (r.WeekStart + 1) % 7
	count := 0
	wall := time.Date(year, month, day, r.Start.Hour(), r.Start.Minute(), 0, 0, time.UTC)
	c := calendarDay{year: year, month: int(month), day: day, weekday: int(r.Start.Weekday())}
	for ; c.year < y.first+3; c.next(weekStart) {
		wall := wall.Add(time.Duration(c.days) * 24 * time.Hour)
		if !c.meant(&r) || !y.days[wall.Unix()/(24*60*60)-y.origin] {
			continue
		}
		count++
		if r.Count > 0 && count > r.Count {
			break
		}
		start, end := y.at(wall), y.at(wall.Add(r.Length))
		if !end.After(start) {
			end = start.Add(r.Length)
		}
		isOut := slices.ContainsFunc(r.Except, start.Equal) || !r.Until.IsZero() && start.After(r.Until)
		if !isOut && !start.Before(from) && start.Before(until) {
			list = append(list, occurrence{start, end})
		}
	}
	return list
}

// some returns up to n values of a range, often none.
func some[T ~int](rnd *rand.Rand, n, low, high int) (list []T) {
	if rnd.IntN(2) == 0 {
		return nil
	}
	for range 1 + rnd.IntN(n) {
		v := low + rnd.IntN(high-low+1)
		if v != 0 || low >= 0 {
			list = append(list, T(v))
		}
	}
	return list
}

// draw draws a rule in the years, and a window.
func (y *years) draw(rnd *rand.Rand) (r Rule, from, until time.Time) {
	days := int(y.end.Sub(y.begin).Hours() / 24)
	anyTime := func() time.Time {
		clock := []int{0, 30, 60, 90, 120, 135, 150, 165, 180, 540, 780, 1410}[rnd.IntN(12)]
		return time.Date(y.first, 1, 1+rnd.IntN(days), 0, clock, 0, 0, y.zone)
	}
	r = Rule{
		Start: anyTime(), Freq: Freq(rnd.IntN(4)), Interval: rnd.IntN(4), WeekStart: rnd.IntN(7),
		Length: []time.Duration{30 * time.Minute, time.Hour, 2 * time.Hour, 12 * time.Hour, 24 * time.Hour, 80 * time.Hour}[rnd.IntN(6)],
		Months: some[time.Month](rnd, 4, 1, 12), Days: some[time.Weekday](rnd, 3, 0, 6),
	}
	if rnd.IntN(2) == 0 {
		r.Months = nil
	}
	if r.Freq != Weekly {
		r.MonthDays = some[int](rnd, 4, -31, 31)
	}
	if r.Freq == Monthly || r.Freq == Yearly && r.Months != nil {
		for _, n := range some[int](rnd, 2, -5, 5) {
			r.Nth = append(r.Nth, Nth{n, time.Weekday(rnd.IntN(7))})
		}
	}
	switch rnd.IntN(4) {
	case 0:
		r.Count = 1 + rnd.IntN(30)
	case 1:
		r.Until = anyTime()
	case 2:
		list := y.oracle(r, y.begin, y.end)
		if len(list) > 0 {
			r.Until = list[rnd.IntN(len(list))].start
		}
	}
	if rnd.IntN(3) == 0 {
		for range 1 + rnd.IntN(4) {
			r.Except = append(r.Except, anyTime())
		}
		list := y.oracle(r, y.begin, y.end)
		if len(list) > 0 {
			r.Except = append(r.Except, list[rnd.IntN(len(list))].start.UTC())
		}
	}
	from, until = anyTime(), anyTime()
	if rnd.IntN(2) == 0 {
		from, until = y.begin, y.end
	}
	return r, from, until
}

// expands returns the occurrences of a rule in a window: ours, or in a wrong way.
type expands func(r Rule, from, until time.Time) []occurrence

func expand(r Rule, from, until time.Time) (list []occurrence) {
	for start, end := range r.Between(from, until) {
		list = append(list, occurrence{start, end})
	}
	return list
}

// disagrees says how a way to expand a rule differs from the oracle.
func (y *years) disagrees(r Rule, from, until time.Time, by expands) error {
	want, got := y.oracle(r, from, until), by(r, from, until)
	for i, o := range want {
		if i == len(got) || !got[i].start.Equal(o.start) || !got[i].end.Equal(o.end) {
			return fmt.Errorf("%v from %v for %v without %v, in [%v, %v): occurrence %d is %v, not of %v", r, r.Start, r.Length, r.Except, from, until, i, o, got)
		}
	}
	if len(got) > len(want) {
		return fmt.Errorf("%v from %v, in [%v, %v): %v is too much", r, r.Start, from, until, got[len(want)])
	}
	for i, o := range got {
		if i > 0 && !got[i-1].start.Before(o.start) {
			return fmt.Errorf("%v comes after %v", o.start, got[i-1].start)
		}
	}
	return nil
}

func TestRuleAgainstTheOracle(t *testing.T) {
	list := allYears()
	rnd := rand.New(rand.NewPCG(24, 1))
	occurrences := 0
	cases := scheduletest.Operations() / 8
	for n := range cases {
		y := list[n%len(list)]
		r, from, until := y.draw(rnd)
		require.NoError(t, r.Check())
		require.NoError(t, y.disagrees(r, from, until, expand))
		// The text of a rule is read again as the same rule.
		again, err := ParseRule(r.String(), r.Start, r.Length)
		require.NoError(t, err)
		again.Except = r.Except
		require.True(t, again.Until.Equal(r.Until))
		again.Until = r.Until
		require.Equal(t, r, again)
		occurrences += len(expand(r, from, until))
	}
	t.Logf("%d rules, %d occurrences", cases, occurrences)
}

var ruleFaults = []struct {
	name string
	by   expands
}{
	{"a period off by an hour at a change of clocks", func(r Rule, from, until time.Time) []occurrence {
		name, offset := r.Start.Zone()
		r.Start = r.Start.In(time.FixedZone(name, offset))
		return expand(r, from, until)
	}},
	{"a day of 24 hours", func(r Rule, from, until time.Time) []occurrence {
		list := expand(r, from, until)
		for i := range list {
			list[i].end = list[i].start.Add(r.Length)
		}
		return list
	}},
	{"an occurrence lost", func(r Rule, from, until time.Time) []occurrence {
		list := expand(r, from, until)
		if len(list) > 20 {
			list = slices.Delete(list, 19, 20)
		}
		return list
	}},
	{"a day that the zone has left out", func(r Rule, from, until time.Time) (list []occurrence) {
		x, _ := patternOf(&r)
		last := x.lastDay(until)
		for day, ok := x.next(x.first, last); ok; day, ok = x.next(day+1, last) {
			year, month, d := date(day).Date()
			hour, minute, second := r.Start.Clock()
			start := time.Date(year, month, d, hour, minute, second, 0, r.Start.Location())
			if r.Count == 0 && !start.Before(from) && start.Before(until) && !x.except[start.Unix()] && (r.Until.IsZero() || !start.After(r.Until)) {
				_, end, ok := x.at(day)
				if !ok {
					end = start.Add(r.Length)
				}
				list = append(list, occurrence{start, end})
			}
		}
		if r.Count > 0 {
			return expand(r, from, until)
		}
		return list
	}},
	{"weeks that begin on Monday", func(r Rule, from, until time.Time) []occurrence {
		r.WeekStart = 0
		return expand(r, from, until)
	}},
	{"periods counted from the window", func(r Rule, from, until time.Time) []occurrence {
		if r.Start.Before(from) && r.Count == 0 {
			year, month, day := from.Date()
			hour, minute, second := r.Start.Clock()
			r.Start = time.Date(year, month, day, hour, minute, second, 0, from.Location())
		}
		return expand(r, from, until)
	}},
	{"the last day of a month taken for the 31st", func(r Rule, from, until time.Time) []occurrence {
		r.MonthDays = slices.Clone(r.MonthDays)
		for i, n := range r.MonthDays {
			if n == -1 {
				r.MonthDays[i] = 31
			}
		}
		return expand(r, from, until)
	}},
	{"the fifth taken for the last", func(r Rule, from, until time.Time) []occurrence {
		r.Nth = slices.Clone(r.Nth)
		for i, n := range r.Nth {
			if n.N == 5 {
				r.Nth[i].N = -1
			}
		}
		return expand(r, from, until)
	}},
	{"an exception that does not count", func(r Rule, from, until time.Time) []occurrence {
		if r.Count > 0 {
			all := r
			all.Except = nil
			r.Count += len(expand(all, time.Time{}, time.Time{})) - len(expand(r, time.Time{}, time.Time{}))
		}
		return expand(r, from, until)
	}},
	{"an exception left in", func(r Rule, from, until time.Time) []occurrence {
		r.Except = nil
		return expand(r, from, until)
	}},
	{"a start on the Until lost", func(r Rule, from, until time.Time) []occurrence {
		if !r.Until.IsZero() {
			r.Until = r.Until.Add(-time.Second)
		}
		return expand(r, from, until)
	}},
	{"a Start that does not match", func(r Rule, from, until time.Time) []occurrence {
		list := expand(r, from, until)
		if !r.Start.Before(from) && r.Start.Before(until) && (len(list) == 0 || list[0].start.After(r.Start)) {
			list = slices.Insert(list, 0, occurrence{r.Start, r.Start.Add(r.Length)})
		}
		return list
	}},
}

func TestRuleFaultsAreCaught(t *testing.T) {
	list := allYears()
	for _, f := range ruleFaults {
		t.Run(strings.ReplaceAll(f.name, " ", "_"), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(24, 2))
			for n := range 5000 {
				y := list[n%len(list)]
				r, from, until := y.draw(rnd)
				if y.disagrees(r, from, until, f.by) != nil {
					t.Logf("after %d rules", n+1)
					return
				}
			}
			t.Fatal("not caught")
		})
	}
}
