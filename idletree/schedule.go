package idletree

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// roster is a servers.Roster of this package. The three forms find idle periods in different ways;
// the rest of a schedule is written once, in internal/servers.
type roster interface {
	servers.Roster
	// calendars returns the part that all forms have in common.
	calendars() *fleet
	clone() roster
	// kind returns the kind of a snapshot, and the numbers with which the snapshot begins.
	kind() (string, []uint64)
	// check returns an error if the idle periods do not fit the reservations and closures of s.
	check(s *servers.Servers) error
}

// form is what each of the three forms is.
type form interface {
	bookahead.Keeper
	bookahead.Profiler
	bookahead.Opener
	bookahead.Cloner
	bookahead.Snapshotter
}

// schedule is what Tree, Lists and Slotted embed; the table of the package comment has the
// costs of its methods.
type schedule struct{ s servers.Schedule }

func newSchedule(s servers.Servers, x roster) schedule {
	return schedule{servers.Schedule{Servers: s, Roster: x}}
}

// roster returns the idle periods. A zero schedule has none.
func (x *schedule) roster() roster {
	r, ok := x.s.Roster.(roster)
	if !ok {
		return &fleet{}
	}
	return r
}

func (x *schedule) clone() schedule { return newSchedule(x.s.Servers.Clone(), x.roster().clone()) }

// Search implements bookahead.Schedule. Named servers are looked up in their calendars: O(s log p)
// for s servers with p idle periods, and if too few are free, O((s + i) log p) for the i of these
// idle periods that begin before the start found.
func (x *schedule) Search(r bookahead.Request) (bookahead.Offer, error) { return x.s.Search(r) }

// Openings implements bookahead.Opener, to the tick. It takes a Search wherever the free servers
// become too few.
func (x *schedule) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] {
	return x.s.Openings(r)
}

// Reserve implements bookahead.Schedule.
func (x *schedule) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	return x.s.Reserve(r)
}

// Release implements bookahead.Schedule.
func (x *schedule) Release(id bookahead.ID) error { return x.s.Release(id) }

// SearchFor implements bookahead.Keeper. For a fixed request it looks into the calendar of each
// server held, and takes a Search if servers are added. For any other request it takes O(n)
// Searches for n servers held.
func (x *schedule) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	return x.s.SearchFor(id, r)
}

// Rebook implements bookahead.Keeper. It takes a SearchFor, and a Release and a Reserve of the
// servers that change.
func (x *schedule) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	return x.s.Rebook(id, r)
}

// RangeQuery implements bookahead.Schedule. It sorts the servers.
func (x *schedule) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	return x.s.RangeQuery(w)
}

// Advance implements bookahead.Schedule.
func (x *schedule) Advance(now bookahead.Time) error { return x.s.Advance(now) }

// Blocks implements bookahead.Profiler: one block for each idle period. Tree reads O(log p + k)
// leaves for the k idle periods in w. Lists sorts all p idle periods before the first block. Slotted
// reads slot after slot, in O(log N + k log k) for the k idle periods that begin in the slot.
func (x *schedule) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] { return x.s.Blocks(w) }

// Frame implements bookahead.Keeper. O(1).
func (x *schedule) Frame() bookahead.Frame { return x.s.Frame() }

// Reservations implements bookahead.Keeper. O(n + k log k) for k of n reservations.
func (x *schedule) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return x.s.Reservations(w)
}

// Reservation implements bookahead.Keeper. O(n) for n servers.
func (x *schedule) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	return x.s.Reservation(id)
}

const (
	kindOfTree    = "idletree.Tree"
	kindOfLists   = "idletree.Lists"
	kindOfSlotted = "idletree.Slotted"

	withClosures = " with closures" // of a schedule that has ever had one: a reader must know closures
)
