package bookahead_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
)

func ExampleResize() {
	s, _ := idletree.NewTree(4, idletree.Config{})
	_, _ = s.Reserve(bookahead.Request{Ready: 20, Duration: 10, Units: 1, Servers: []int{0}})
	res, _ := s.Reserve(bookahead.Request{Ready: 5, Duration: 10, Units: 2, Servers: []int{0, 1}})
	resize := func(end bookahead.Time, units int64) (bookahead.Reservation, error) {
		return bookahead.Resize(s, res.ID, bookahead.Interval{Start: 5, End: end}, units)
	}
	fmt.Println(resize(15, 3)) // another server
	fmt.Println(resize(25, 2)) // longer: 0 is booked at 20
	_ = s.Advance(10)
	_, _ = s.Reserve(bookahead.Request{Ready: 25, Duration: 10, Units: 1, Servers: []int{1}})
	_, err := resize(30, 2) // it runs, and must stay on 1
	fmt.Println(err)
	// Output:
	// #2 [5, 15) [0 1 2] <nil>
	// #2 [5, 25) [1 2] <nil>
	// bookahead: no capacity for the request
}

// verified is a schedule that can look for faults.
type verified interface {
	bookahead.Keeper
	Verify() error
}

func openServers(t *testing.T, capacity int64) []verified {
	tree, err := idletree.NewTree(capacity, idletree.Config{Horizon: 100, Prefer: idletree.LowestIndex})
	require.NoError(t, err)
	lists, err := idletree.NewLists(capacity, idletree.Config{Horizon: 100})
	require.NoError(t, err)
	slotted, err := idletree.NewSlotted(capacity, idletree.SlottedConfig{Horizon: 100, Slot: 10})
	require.NoError(t, err)
	vectors, err := avail.NewSchedule(capacity, avail.Config{Horizon: 100})
	require.NoError(t, err)
	sets, err := carts.NewSR(capacity, carts.Config{Horizon: 100})
	require.NoError(t, err)
	return []verified{tree, lists, slotted, vectors, sets}
}

// The changes of a reservation, on each structure that knows its servers. It begins with servers
// 1 and 3 of 5 in [10, 20); another has 3 in [30, 40), and a third has 0 in [0, 5).
func TestResizeOnServers(t *testing.T) {
	at := func(start, end bookahead.Time) bookahead.Interval { return bookahead.Interval{Start: start, End: end} }
	steps := []struct {
		name  string
		now   bookahead.Time
		id    bookahead.ID
		to    bookahead.Interval
		units int64
		want  string // "" if it is unavailable
	}{
		{"shrink in time", 0, 1, at(12, 18), 2, "#1 [12, 18) [1 3]"},
		{"extend", 0, 1, at(8, 25), 2, "#1 [8, 25) [1 3]"},
		{"one server must be left", 0, 1, at(8, 35), 2, "#1 [8, 35) [0 1]"},
		{"move", 0, 1, at(50, 60), 2, "#1 [50, 60) [0 1]"},
		{"move back over its own time", 0, 1, at(45, 55), 2, "#1 [45, 55) [0 1]"},
		{"to where both are taken", 0, 1, at(3, 55), 5, ""},
		{"to where one is taken", 0, 1, at(30, 40), 5, ""},
		{"grow", 0, 1, at(10, 20), 4, "#1 [10, 20) [0 1 2 3]"},
		{"shrink", 0, 1, at(10, 20), 2, "#1 [10, 20) [0 1]"},
		{"a start in the past", 6, 1, at(2, 20), 2, "#1 [6, 20) [0 1]"},
		{"it runs now: longer", 10, 1, at(6, 32), 2, "#1 [6, 32) [0 1]"},
		{"longer, and more", 10, 1, at(9, 34), 4, "#1 [6, 34) [0 1 2 4]"},
		{"all, but one is taken", 10, 1, at(9, 34), 5, ""},
		{"all, for less", 10, 1, at(9, 30), 5, "#1 [6, 30) [0 1 2 3 4]"},
		{"longer, but one is taken", 11, 1, at(9, 34), 5, ""},
		{"longer without it", 11, 1, at(9, 34), 4, "#1 [6, 34) [0 1 2 4]"},
		{"the other may move", 12, 2, at(33, 40), 1, "#2 [33, 40) [3]"},
		{"and does", 12, 2, at(34, 40), 5, "#2 [34, 40) [0 1 2 3 4]"},
		{"it cannot go on", 12, 1, at(6, 35), 1, ""},
		{"nor begin anew", 12, 1, at(50, 60), 1, ""},
		{"a later start is not read", 12, 1, at(20, 30), 1, "#1 [6, 30) [0]"},
		{"beyond the horizon", 12, 2, at(40, 113), 1, ""},
		{"to the horizon", 12, 2, at(40, 112), 1, "#2 [40, 112) [0]"},
	}
	for _, s := range openServers(t, 5) {
		for _, o := range []bookahead.Offer{
			{Interval: at(10, 20), Units: 2, Servers: []int{1, 3}},
			{Interval: at(30, 40), Units: 1, Servers: []int{3}},
			{Interval: at(0, 5), Units: 1, Servers: []int{0}},
		} {
			_, err := s.Reserve(o.Request())
			require.NoError(t, err)
		}
		for _, c := range steps {
			name := fmt.Sprintf("%T, %s", s, c.name)
			require.NoError(t, s.Advance(c.now))
			before := fmt.Sprint(slices.Collect(s.Reservations(s.Frame().Window())))
			got, err := bookahead.Resize(s, c.id, c.to, c.units)
			require.NoError(t, s.Verify(), name)
			if c.want == "" {
				require.Equal(t, bookahead.ErrUnavailable, err, name)
				require.Equal(t, before, fmt.Sprint(slices.Collect(s.Reservations(s.Frame().Window()))), name)
				continue
			}
			require.NoError(t, err, name)
			require.Equal(t, c.want, got.String(), name)
		}
		for want, c := range map[string]struct {
			id    bookahead.ID
			to    bookahead.Interval
			units int64
		}{
			"bookahead: to [20, 20) is empty":                               {1, at(20, 20), 1},
			"bookahead: to [2, 12) ends by now, or by the Start that stays": {1, at(2, 12), 1},
			"bookahead: Request.Units 0 is less than 1":                     {1, at(20, 30), 0},
			"bookahead: no such reservation":                                {3, at(20, 30), 1},
			"bookahead: no capacity for the request":                        {2, at(112, 113), 1},
		} {
			before := fmt.Sprint(slices.Collect(s.Reservations(s.Frame().Window())))
			_, err := bookahead.Resize(s, c.id, c.to, c.units)
			require.EqualError(t, err, want, "%T", s)
			require.Equal(t, before, fmt.Sprint(slices.Collect(s.Reservations(s.Frame().Window()))), "%T", s)
		}
	}
}

// Resize of a pool, bare and behind a lock. 3 of 4 units are booked in [10, 20).
func TestResize(t *testing.T) {
	at := func(start, end bookahead.Time) bookahead.Interval { return bookahead.Interval{Start: start, End: end} }
	for _, c := range []struct {
		name  string
		now   bookahead.Time
		to    bookahead.Interval
		units int64
		want  string // the reservation, or the error
	}{
		{"longer, and more", 0, at(8, 22), 4, "#1 [8, 22) 4"},
		{"moved", 0, at(30, 35), 3, "#1 [30, 35) 3"},
		{"a start in the past", 6, at(2, 20), 3, "#1 [6, 20) 3"},
		{"all of it in the past", 6, at(2, 6), 3, "bookahead: to [2, 6) ends by now, or by the Start that stays"},
		{"running, its Start stays", 12, at(15, 30), 3, "#1 [10, 30) 3"},
		{"running, ends by now", 12, at(10, 12), 3, "bookahead: to [10, 12) ends by now, or by the Start that stays"},
		{"running, to the horizon", 12, at(10, 112), 1, "#1 [10, 112) 1"},
		{"running, beyond the horizon", 12, at(10, 113), 1, "bookahead: no capacity for the request"},
		{"more than there are", 0, at(10, 20), 5, "bookahead: no capacity for the request"},
		{"to nothing", 0, at(10, 10), 3, "bookahead: to [10, 10) is empty"},
		{"to no units", 0, at(10, 20), 0, "bookahead: Request.Units 0 is less than 1"},
		{"ended", 20, at(30, 40), 3, "bookahead: no such reservation"},
	} {
		for _, locked := range []bool{false, true} {
			flat, err := carts.NewFlat(4, carts.Config{Horizon: 100})
			require.NoError(t, err)
			var k bookahead.Keeper = flat
			if locked {
				k = bookahead.Locked(flat)
			}
			_, err = k.Reserve(bookahead.At(10, 10, 3))
			require.NoError(t, err)
			require.NoError(t, k.Advance(c.now))
			before := slices.Collect(k.Reservations(k.Frame().Window()))
			res, err := bookahead.Resize(k, 1, c.to, c.units)
			require.NoError(t, flat.Verify(), c.name)
			if err != nil {
				require.EqualError(t, err, c.want, c.name)
				require.Zero(t, res, c.name)
				require.Equal(t, before, slices.Collect(k.Reservations(k.Frame().Window())), c.name)
				continue
			}
			require.Equal(t, c.want, res.String(), c.name)
		}
	}
}

// An unknown ID is reported first, whatever the new time and size.
func TestResizeOfNothing(t *testing.T) {
	s, err := carts.NewFlat(1, carts.Config{})
	require.NoError(t, err)
	_, err = bookahead.Resize(s, 7, bookahead.Interval{}, 0)
	require.Equal(t, bookahead.ErrNotFound, err)
}
