package recur

import "time"

const (
	dayOfUnix  = 719162 // the day 1970-01-01
	daySeconds = 24 * 60 * 60
)

// mod returns a modulo n, from 0 to n-1 also for a negative a.
func mod(a, n int64) int64 { return (a%n + n) % n }

// dayOf returns the number of a day in the zone of a time.
func dayOf(t time.Time) int64 {
	_, offset := t.Zone()
	at := t.Unix() + int64(offset)
	return (at-mod(at, daySeconds))/daySeconds + dayOfUnix
}

// date returns the midnight of a day in UTC, of which only the date counts.
func date(day int64) time.Time { return time.Unix((day-dayOfUnix)*daySeconds, 0).UTC() }

// monthOf returns the number of the month in which a day lies.
func monthOf(day int64) int64 {
	y, m, _ := date(day).Date()
	return 12*int64(y-1) + int64(m-1)
}

// monthsBefore are the days of a year that is no leap year before each month.
var monthsBefore = [...]int64{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}

// monthDays returns the length of a month, from 0 for January, of a year that is no leap year.
func monthDays(m int64) int { return int(monthsBefore[m+1] - monthsBefore[m]) }

// monthStart returns the first day of a month.
func monthStart(m int64) int64 {
	y := m / 12 // whole years before
	day := 365*y + y/4 - y/100 + y/400 + monthsBefore[m%12]
	isLeap := (y+1)%4 == 0 && ((y+1)%100 != 0 || (y+1)%400 == 0)
	if isLeap && m%12 >= 2 {
		day++
	}
	return day
}
