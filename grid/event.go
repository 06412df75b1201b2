package grid

import "github.com/bookahead/bookahead"

// event is the start or the end of a reservation.
type event struct {
	bookahead.Time
	id bookahead.ID
}

func earlier(a, b event) bool { return a.Time < b.Time || a.Time == b.Time && a.id < b.id }
