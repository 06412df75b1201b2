// Package desk keeps bookings: who has booked which units of several schedules, under one number and
// all or nothing.
package desk
