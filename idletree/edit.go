package idletree

import (
	"cmp"

	"github.com/bookahead/bookahead"
)

// edit says that the idle period of a server that begins at start used to end at was, and
// now ends at is. A time of 0 stands for no period, or for a period in the past.
type edit struct {
	start, was, is bookahead.Time
	server         int
}

// compare is byStart for edits.
func (e edit) compare(f edit) int {
	c := cmp.Compare(e.start, f.start)
	if c != 0 {
		return c
	}
	return cmp.Compare(f.server, e.server)
}
