package idletree

import (
	"cmp"

	"github.com/bookahead/bookahead"
)

// Period is an idle period: a server is free from Start to End, and booked or closed
// before and after. One that never ends has End = bookahead.MaxTime, whatever
// the horizon. The first of a server has Start = the origin, or the Start of the extension
// that added the server.
type Period struct {
	bookahead.Interval
	Server int
}

// byStart orders periods by their start, and of those that start together the
// higher server first: read backwards, this is the order in which the first
// found are taken.
func byStart(a, b Period) int {
	if c := cmp.Compare(a.Start, b.Start); c != 0 {
		return c
	}
	return cmp.Compare(b.Server, a.Server)
}

func byServer(a, b Period) int { return cmp.Compare(a.Server, b.Server) }

func (p Period) block() bookahead.Block {
	return bookahead.Block{Interval: p.Interval, Units: 1, Servers: []int{p.Server}}
}
