// Package recur turns the calendar on a wall into ticks, and ticks into a calendar: rules that recur in a time zone, opening
// hours, months as periods, and iCalendar (RFC 5545). It knows times and intervals only, and no schedule, so its intervals
// serve all packages.
//
//	"every second Tuesday, 9 to 11"      Rule ──► Between       times on the wall
//	FREQ=WEEKLY;INTERVAL=2;BYDAY=TU       ▲ │
//	    ParseRule, Rule.String ───────────┘ ├───► Occurrences   ticks: one interval for each, for a series of bookings
//	                                        ├───► Periods       ticks: from each to the next, for a quota by month
//	                            rules ──────┴───► Hours         ticks: where one of the rules holds, for opening hours
//
//	ticks, titles  Event ──► WriteCalendar  iCalendar, to which calendars can subscribe
//
// A bookahead.Clock says which tick runs at which time. A Rule counts days of the calendar, so 9 o'clock stays 9 o'clock when
// clocks change, and a day of the change has 23 or 25 hours of ticks.
//
// # Every call ends
//
// A rule may come from a user, so no number in it makes a call long. The days of a month are the bits of a number, and
// months that cannot match are passed over by arithmetic:
//
//	BYMONTH=2;BYMONTHDAY=30       no month is left, and no month is looked at
//	29 February, each 100 years   a look for each period, until all 400 years of the calendar have been seen
//	COUNT=9223372036854775807     whole months are counted, and the years end at 9999
//	a Length of 292 years         those that reach into a window are found from its start, by the last that has begun
//
// The costs of Between say how many looks there are. A call that makes a list has at most MaxOccurrences of each rule, and
// otherwise refuses.
//
// # Files
//
//	rule.go       Rule, and its checks
//	pattern.go    a rule in a form that is asked for the days of a month
//	days.go       the numbers of days and months
//	seek.go       the next day of a rule, and the one before
//	count.go      the day on which a Count ends
//	between.go    the occurrences of a rule on the wall
//	hours.go      the same in ticks: Occurrences, Periods and Hours
//	rrule.go      a rule as RRULE text
//	calendar.go   events as iCalendar
package recur
