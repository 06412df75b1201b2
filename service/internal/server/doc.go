// Package server answers over HTTP: the API under /v1 with its description, feeds of calendars, event streams, health and
// metrics, and the pages of package page.
//
// Files:
//
//	server.go      New, and the order in which a request passes the doors
//	doors.go       who asks, how often, how much, for how long; headers
//	problems.go    errors become problems of RFC 9457
//	operations.go  how an operation is registered
//	schedules.go, bookings.go, series.go, outages.go, quotas.go
//	               the operations
//	streams.go     event streams
//	feeds.go       iCalendar
//	health.go      health
package server
