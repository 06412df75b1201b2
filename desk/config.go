package desk

import (
	"cmp"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Config holds the settings of New.
type Config struct {
	// Origin is the time of the clock at first; at least 0.
	Origin bookahead.Time
	// Keep is how many ticks the desk keeps a booking that is over, for the calendar and for its key; 0 forgets
	// the booking at once.
	Keep bookahead.Duration
	// Effort is how many steps the search for the decision on one command may take; DefaultEffort if 0. A step takes
	// some tens of nanoseconds: "Work that is bounded" of the package says what counts. A command that has used them up
	// is refused, with an error that wraps bookahead.ErrStopped and says how far it came. Desks that shall decide alike,
	// such as replicas, need the same Effort. A log that is replayed does not, since it has the decisions.
	Effort int64
	// Limits bound the memory that a command can ask for by a number.
	Limits Limits
}

// check checks the fields that New and Read have in common.
func (c *Config) check() error {
	switch {
	case c.Keep < 0:
		return limits.Invalid("Config.Keep", c.Keep, "is negative")
	case c.Effort < 0:
		return limits.Invalid("Config.Effort", c.Effort, "is negative")
	}
	return c.Limits.check()
}

// DefaultEffort is how many steps a command may take if Config.Effort is 0: about a second of work, and up to five where each
// search is for most of a million servers.
const DefaultEffort = 1 << 24

// Limits bound the counts of things that take more memory than the bytes of the command that asks for them. They are checked
// before anything is made. A field that is 0 stands for its default, and all defaults together suit a machine of 4 GiB. A
// snapshot may have more, since its bytes bound what is read.
type Limits struct {
	// Servers is how many servers all Servers of the desk may have together, with those that Extend adds; 1<<20 if 0. A
	// server takes some 400 bytes.
	Servers int64
	// Nodes is how many nodes all Nodes of the desk may have together, with those that Extend adds; 1<<17 if 0. A node of
	// one resource takes some 300 bytes, and a node of eight some 2 KB when much is booked.
	Nodes int64
	// Groups is how many groups the levels of one Nodes may have together; 1<<16 if 0.
	Groups int64
	// Open is how many opening hours the Terms of a schedule may have; 1<<12 if 0.
	Open int64
	// Occurrences is how many windows a BookSeries or a Continue may have, 1<<10 if 0, and Parts is how many parts all of
	// these may have together, 1<<14 if 0.
	Occurrences, Parts int64
}

// DefaultLimits returns the limits of a desk whose Config names none.
func DefaultLimits() Limits {
	return Limits{Servers: 1 << 20, Nodes: 1 << 17, Groups: 1 << 16, Open: 1 << 12, Occurrences: 1 << 10, Parts: 1 << 14}
}

// withDefaults returns the limits with their defaults.
func (x Limits) withDefaults() Limits {
	usual := DefaultLimits()
	return Limits{
		Servers:     cmp.Or(x.Servers, usual.Servers),
		Nodes:       cmp.Or(x.Nodes, usual.Nodes),
		Groups:      cmp.Or(x.Groups, usual.Groups),
		Open:        cmp.Or(x.Open, usual.Open),
		Occurrences: cmp.Or(x.Occurrences, usual.Occurrences),
		Parts:       cmp.Or(x.Parts, usual.Parts),
	}
}

func (x *Limits) check() error {
	for _, one := range []struct {
		name string
		n    int64
	}{{"Servers", x.Servers}, {"Nodes", x.Nodes}, {"Groups", x.Groups}, {"Open", x.Open}, {"Occurrences", x.Occurrences}, {"Parts", x.Parts}} {
		if one.n < 0 {
			return limits.Invalid("Config.Limits."+one.name, one.n, "is negative")
		}
	}
	return nil
}

// atMost returns an error that wraps bookahead.ErrInvalid if there would be more of something than a limit. has are there
// already.
func atMost(field string, asks, has, most int64, limit string) error {
	switch {
	case asks <= most-has:
		return nil
	case has == 0:
		return limits.Invalid(field, asks, fmt.Sprintf("is more than Config.Limits.%s, %d", limit, most))
	}
	return limits.Invalid(field, asks, fmt.Sprintf("and the %d that the desk has are more than Config.Limits.%s, %d", has, limit, most))
}

// MaxWaiting is how many bookings may wait at once, since a command that may make room looks for a place for each of
// them. One more is refused with bookahead.ErrUnavailable.
const MaxWaiting = 1 << 12
