package idletree

import (
	"cmp"

	"github.com/bookahead/bookahead"
)

// Period is an idle period: a server is free from Start to End, and booked or closed before and
// after. A period that never ends has End = bookahead.MaxTime, whatever the horizon. The first
// period of a server starts at the origin, or at the Start of the extension that added the server.
type Period struct {
	bookahead.Interval
	Server int
}

// byStart orders periods by start, and puts the higher server first if starts are equal. A search
// reads this order backwards, so that it finds the latest start first, and the lowest server first
// among equal starts.
func byStart(a, b Period) int {
	c := cmp.Compare(a.Start, b.Start)
	if c != 0 {
		return c
	}
	return cmp.Compare(b.Server, a.Server)
}

func byServer(a, b Period) int { return cmp.Compare(a.Server, b.Server) }

func (p Period) block() bookahead.Block {
	return bookahead.Block{Interval: p.Interval, Units: 1, Servers: []int{p.Server}}
}
