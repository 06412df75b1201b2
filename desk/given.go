package desk

import (
	"hash/fnv"

	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/internal/limits"
)

// Given carries out another command, given that a booking is still as the caller has seen it, and says who has asked. So
// two people who change one booking at the same time do not undo each other's changes, and a log says by whom each
// command is:
//
//	ann reads #7, sum 5c19                 bob reads #7, sum 5c19
//	Given{By: "ann", ID: 7, Sum: 5c19, Change{...}}       #7 has the sum 80f2 now
//	                                       Given{By: "bob", ID: 7, Sum: 5c19, Cancel{7}}: ErrChanged
//
// The answer, the events and the errors are those of the command alone.
type Given struct {
	// By is who asks; at most MaxText bytes. Only logs have it.
	By string
	// ID is a booking whose Sum is still the Sum given; otherwise the command is refused with ErrChanged. 0 sets no
	// condition, and then Sum is 0 too.
	ID  BookingID
	Sum uint64
	// Command is what is carried out. It is no Given. Nil does nothing: By is a note then, which a replicated log has and
	// a Log passes over.
	Command Command
}

// Sum returns a number that changes with the booking: with its request, its state or its places. Two bookings that differ have
// the same sum once in 2^64 times. It is the FNV-1a of the fields that callers see, so it is the same on every machine,
// in one version of this package. O(n) for n parts and past pieces.
func (b Booking) Sum() uint64 {
	data, _ := code.Append(nil, b.code) // every booking can be written
	h := fnv.New64a()
	h.Write(data)
	return h.Sum64()
}

func (Given) verb() string { return "given" }

func (c Given) check() error {
	err := checkText("Given.By", c.By)
	switch {
	case err != nil:
		return err
	case c.ID == 0 && c.Sum != 0:
		return limits.Invalid("Given.Sum", c.Sum, "is given without an ID")
	case c.Command == nil:
		return nil
	}
	err = limits.CheckNil("Given.Command", c.Command)
	if err != nil {
		return err
	}
	if c.Command.verb() == c.verb() {
		return limits.Invalid("Given.Command", c.Command.verb(), "is within another already")
	}
	return c.Command.check()
}

// actOf returns the command that is carried out: the one within a Given, and else c itself. Neither is a pointer.
func actOf(c Command) Command {
	c = plainCommand(c)
	g, ok := c.(Given)
	if !ok || g.Command == nil {
		return c
	}
	return plainCommand(g.Command)
}
