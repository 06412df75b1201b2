package api

import "time"

// Booking is a booking as its caller may see it.
type Booking struct {
	ID       uint64     `json:"id"`
	Owner    string     `json:"owner,omitempty"`
	Title    string     `json:"title,omitempty"`
	Labels   []string   `json:"labels,omitempty"`
	Priority int64      `json:"priority,omitempty"`
	State    string     `json:"state" enum:"held,booked,running,ended,cancelled,expired,displaced,waiting"`
	Start    *time.Time `json:"start,omitempty" doc:"Left out while it waits."`
	End      *time.Time `json:"end,omitempty"`
	Expires  *time.Time `json:"expires,omitempty" doc:"When a hold expires, or until when the booking waits."`
	Ready    *time.Time `json:"ready,omitempty"`
	Deadline *time.Time `json:"deadline,omitempty"`
	Series   uint64     `json:"series,omitempty" doc:"The series to which it belongs."`
	Mine     bool       `json:"mine" doc:"Whether the caller may change it."`
	Places   []Place    `json:"places"`
	Past     []Place    `json:"past,omitempty" doc:"Places that it used until it moved or changed."`
	Wish     *Wish      `json:"wish,omitempty" doc:"As it was last asked for. Only an answer about one booking has it, for a caller who may change the booking."`
	ETag     string     `json:"etag" doc:"Changes with the booking: send it as If-Match."`
}

// Place is where a part lies.
type Place struct {
	Schedule string    `json:"schedule"`
	Start    time.Time `json:"start"`
	End      time.Time `json:"end"`
	Units    int64     `json:"units"`
	Servers  []int     `json:"servers,omitempty"`
	Nodes    []NodeUse `json:"nodes,omitempty"`
	Before   Duration  `json:"before,omitempty" doc:"Nobody else has the units for so long before, as somebody sets up."`
	After    Duration  `json:"after,omitempty"`
}

// NodeUse is tasks on a node.
type NodeUse struct {
	Node  int   `json:"node"`
	Tasks int64 `json:"tasks"`
}

// Book is the body of a booking.
type Book struct {
	Wish
	Hold    *time.Time `json:"hold,omitempty" doc:"Until when it is held: it expires unless it is committed before."`
	Wait    *time.Time `json:"wait,omitempty" doc:"Until when it waits for a place, if there is none now."`
	Preempt string     `json:"preempt,omitempty" enum:"lower,anybody" doc:"Whose bookings give way. Only an operator may say so."`
}

// Refusal says why a wish has no place.
type Refusal struct {
	Reasons      []string   `json:"reasons,omitempty" doc:"What is in the way, each alone; or all together."`
	Together     bool       `json:"together,omitempty" doc:"No reason is in the way alone, but all are together."`
	Next         *time.Time `json:"next,omitempty" doc:"The earliest start without the deadline."`
	Alternatives []Offer    `json:"alternatives,omitempty"`
}

// Offer is a place that is free, and a wish that books it.
type Offer struct {
	Start  time.Time `json:"start"`
	End    time.Time `json:"end"`
	Places []Place   `json:"places"`
	Wish   Wish      `json:"wish" doc:"Books this place, as long as it is free."`
	Text   string    `json:"text,omitempty" doc:"How it differs from what was asked for."`
}

// Filter is the query of a calendar: which bookings are asked for. A zero field sets no condition.
type Filter struct {
	From     time.Time `query:"from" doc:"Only bookings that have a place behind it."`
	Until    time.Time `query:"until" doc:"Only bookings that have a place before it."`
	Schedule string    `query:"schedule" maxLength:"256"`
	Owner    string    `query:"owner" maxLength:"256"`
	Label    string    `query:"label" maxLength:"1024"`
	States   []string  `query:"state,explode" nullable:"false" maxItems:"8" enum:"held,booked,running,ended,cancelled,expired,displaced,waiting"`
	Series   uint64    `query:"series"`
	Cursor   string    `query:"cursor" maxLength:"128" doc:"The next of the page before."`
	Limit    int       `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

// Page is some items of a longer list.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty" doc:"The cursor of the next page; left out at the end."`
}

// Series is a wish that is booked once in each of several windows.
type Series struct {
	Wish
	From   time.Time `json:"from" doc:"The first day, the wall clock of each start, and with zone the zone."`
	Zone   string    `json:"zone,omitempty" maxLength:"64" doc:"The time zone whose clocks count, such as Europe/Berlin; that of the service if left out."`
	Window Duration  `json:"window" maxLength:"32" doc:"How long after its start an occurrence must be over."`
	Rule   string    `json:"rule" maxLength:"512" doc:"An RRULE of RFC 5545, such as FREQ=WEEKLY;BYDAY=TU;COUNT=10."`
	Partly bool      `json:"partly,omitempty" doc:"Book as many as fit."`
}

// SeriesBooked is the answer to a Series.
type SeriesBooked struct {
	ID       uint64    `json:"id"`
	Bookings []Booking `json:"bookings"`
	Refused  []Window  `json:"refused,omitempty" doc:"The windows that have no place."`
}

// Window is a stretch of time.
type Window struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}
