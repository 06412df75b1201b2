package sim

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// entry is a task in a local queue, with what decisions need of it.
type entry struct {
	key      int64
	task     int32
	rank     int32 // breaks ties
	units    int64
	estimate bookahead.Duration
	// id and start are of the reservation that Conservative has made for it; 0 if
	// there is none.
	id    bookahead.ID
	start bookahead.Time
}

func byTurn(a, b entry) int {
	if c := cmp.Compare(a.key, b.key); c != 0 {
		return c
	}
	return cmp.Compare(a.rank, b.rank)
}

// queue holds entries in order of their turns.
type queue []entry

func (q *queue) insert(e entry) {
	i, _ := slices.BinarySearchFunc(*q, e, byTurn)
	*q = slices.Insert(*q, i, e)
}

// sort puts entries whose keys have changed in order.
func (q queue) sort() {
	if !slices.IsSortedFunc(q, byTurn) {
		slices.SortFunc(q, byTurn)
	}
}
