// Package office carries out what callers of the service want: it makes commands of the desk from wishes, and answers from
// bookings. It knows wall time, and asks who somebody is before each change; the desk knows ticks alone, and decides.
//
//	o.Look(ctx, caller)     a Look at the desk: all queries, with the answers that the caller may see
//	o.Book(ctx, caller, …)  a change: one command, whose answer is on the disks of most members
//
// Files:
//
//	problem.go    what can be wrong with a call
//	office.go     Open, the member and its clock; each change
//	setup.go      the schedules, terms and quotas of the file come to the desk
//	times.go      wall time and ticks
//	wish.go       wishes become requests
//	look.go       queries: schedules, bookings, outages, quotas and use
//	offers.go     places that are free, reasons and alternatives
//	asked.go      the wish of a booking
//	book.go       bookings: made, changed, given up
//	series.go     bookings that recur
//	outages.go    closures
//	events.go     events for callers
//	calendar.go   iCalendar
//	join.go       a member that has lost its disk
//	closed.go     the desk of a service that is stopped
package office
