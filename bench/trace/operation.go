package trace

import (
	"fmt"
	"strconv"

	"github.com/bookahead/bookahead"
)

// Kind is the kind of an operation.
type Kind uint8

// The kinds of operations, and Booked, which is there before them.
const (
	Booked Kind = iota
	Reserve
	Search
	Release
	Advance
	kinds
)

// form is how an operation is written.
type form struct {
	name   string
	fields []string
}

// forms has the name of each kind, and those of its fields.
var forms = [kinds]form{
	Booked:  {"booked", []string{"number", "start", "duration", "units"}},
	Reserve: {"reserve", []string{"number", "ready", "duration", "units", "deadline"}},
	Search:  {"search", []string{"ready", "duration", "units", "deadline"}},
	Release: {"release", []string{"number"}},
	Advance: {"advance", []string{"now"}},
}

// String returns the name of the kind, as it stands in a trace.
func (k Kind) String() string {
	if k < kinds {
		return forms[k].name
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Operation is a line of a trace. Fields that its kind has no use for are 0.
type Operation struct {
	Kind   Kind
	Number int64 // of the reservation: Booked, Reserve, Release
	// At is the start (Booked), the time from which on to search (Reserve, Search), or the
	// time that it is (Advance).
	At       bookahead.Time
	Duration bookahead.Duration // Booked, Reserve, Search
	Units    int64              // Booked, Reserve, Search
	Deadline bookahead.Time     // Reserve, Search; 0 is none
}

// Request returns the request of a Reserve or a Search.
func (o Operation) Request() bookahead.Request {
	return bookahead.Request{Ready: o.At, Duration: o.Duration, Units: o.Units, Deadline: o.Deadline}
}

// Offer returns the place of a Booked.
func (o Operation) Offer() bookahead.Offer {
	return bookahead.Offer{Interval: bookahead.Interval{Start: o.At, End: o.At + bookahead.Time(o.Duration)}, Units: o.Units}
}

// String formats the operation as a line of a trace, without the line's end.
func (o Operation) String() string { return string(o.append(nil)) }

// field returns where a number of a line lies.
func (o *Operation) field(name string) *int64 {
	switch name {
	case "number":
		return &o.Number
	case "duration":
		return (*int64)(&o.Duration)
	case "units":
		return &o.Units
	case "deadline":
		return (*int64)(&o.Deadline)
	}
	return (*int64)(&o.At) // start, ready, now
}

// append adds the line to b.
func (o Operation) append(b []byte) []byte {
	b = append(b, o.Kind.String()...)
	if o.Kind >= kinds {
		return b
	}
	for _, name := range forms[o.Kind].fields {
		b = append(b, ' ')
		b = strconv.AppendInt(b, *o.field(name), 10)
	}
	return b
}
