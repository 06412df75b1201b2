// Package page has the pages of the service, rendered on the server. They work without scripts. One script, which is not built, adds
// live changes, dragging, and the earliest place while somebody types.
//
//	/                              the schedules
//	/schedules/{name}              a day, a week or a month as a picture and a table, and a form that books
//	/bookings/{id}                 a booking: change, commit, end and cancel
//	/mine                          the caller's bookings, quotas and calendar
//	/operate                       for operators: outages, use and the audit
//	/static/…                      style and script, with a sum of their bytes in their names
//
// Nothing comes from elsewhere, and nothing inline is allowed but the style of package gantt, by its sum: a nonce would need
// a picture that is made anew for each answer, and would allow whatever else got hold of it.
//
// Files:
//
//	page.go       New, routes, and how a page is rendered
//	static.go     embedded files, and the content security policy
//	times.go      what clocks show, and when; also when clocks change
//	form.go       fields become wishes, and wishes fields
//	chart.go      a window of a schedule, as a picture
//	schedule.go   the pages of schedules, and booking
//	booking.go    the page of a booking, and what can be done to it
//	mine.go       the caller's bookings
//	operate.go    the operator's view
//	templates/    HTML
//	static/       style and script
package page
