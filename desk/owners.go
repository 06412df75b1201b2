package desk

import (
	"cmp"
	"hash/maphash"
	"iter"
	"math"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// owners lists the bookings of each owner by their start.
type owners struct{ tree *cow.Tree[owned] }

// owned is a booking of an owner. Numbers are compared faster than names, and names that have the same
// number are told apart by the bookings.
type owned struct {
	owner uint64
	start bookahead.Time
	id    BookingID
}

func newOwners() owners {
	less := func(a, b owned) bool {
		return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.start, b.start), cmp.Compare(a.id, b.id)) < 0
	}
	return owners{cow.NewTree(btree.NewG(32, less))}
}

func ownedOf(k *Booking) owned { return owned{maphash.String(seed, k.Owner), k.Start, k.ID} }

func (x *owners) add(k *Booking)    { x.tree.ReplaceOrInsert(ownedOf(k)) }
func (x *owners) remove(k *Booking) { x.tree.Delete(ownedOf(k)) }
func (x *owners) clone() owners     { return owners{x.tree.Clone()} }

// before yields the bookings of an owner that start before a tick, by start and ID; among them may be
// those of other owners. O(log n + k) for the k that it yields.
func (x *owners) before(owner string, t bookahead.Time) iter.Seq[BookingID] {
	return func(yield func(BookingID) bool) {
		number := maphash.String(seed, owner)
		from := owned{number, math.MinInt64, 0}
		x.tree.AscendRange(from, owned{number, t, 0}, func(o owned) bool { return yield(o.id) })
	}
}
