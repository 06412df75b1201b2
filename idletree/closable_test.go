package idletree

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// yard is a Tree that a test drives by hand.
type yard struct {
	*testing.T
	*Tree
}

func newYard(t *testing.T, servers int64) *yard {
	x, err := NewTree(servers, Config{Horizon: 100})
	require.NoError(t, err)
	return &yard{t, x}
}

func (y *yard) close(start, end bookahead.Time, servers ...int) bookahead.ClosureID {
	y.Helper()
	c, err := y.Close(bookahead.Closure{Interval: during(start, end), Servers: servers})
	require.NoError(y, err)
	require.NoError(y, y.Verify())
	return c.ID
}

func (y *yard) end(id bookahead.ClosureID, at bookahead.Time) {
	y.Helper()
	require.NoError(y, y.End(id, at))
	require.NoError(y, y.Verify())
}

func (y *yard) book(start, end bookahead.Time, servers ...int) bookahead.ID {
	y.Helper()
	o := bookahead.Offer{Interval: during(start, end), Units: int64(len(servers)), Servers: servers}
	res, err := y.Reserve(o.Request())
	require.NoError(y, err)
	return res.ID
}

// idle checks the idle periods of a server that end after now.
func (y *yard) idle(server int, want ...bookahead.Interval) {
	y.Helper()
	require.NoError(y, y.Verify())
	var got []bookahead.Interval
	for _, p := range y.tree().periods([]int{server}, rest(y.s.Now)) {
		got = append(got, p.Interval)
	}
	require.Equal(y, want, got)
}

// over checks the overbooked stretches from now on.
func (y *yard) over(want ...string) {
	y.Helper()
	var got []string
	for o := range y.Overbooked(rest(0)) {
		got = append(got, fmt.Sprint(o.Interval, o.Servers))
		require.EqualValues(y, len(o.Servers), o.Units)
	}
	require.Equal(y, want, got)
}

const forEver = bookahead.MaxTime

func TestTwoClosuresOnOneServer(t *testing.T) {
	y := newYard(t, 2)
	first := y.close(10, 30, 1)
	second := y.close(20, forEver, 0, 1)
	y.idle(1, during(0, 10))
	y.end(second, 25)
	y.idle(1, during(0, 10), rest(30)) // the first closes it until 30
	y.idle(0, during(0, 20), rest(25))
	y.end(first, 15)
	y.idle(1, during(0, 10), during(15, 20), rest(25))
	y.end(second, 20) // it would be empty, so it has never been
	y.idle(1, during(0, 10), rest(15))
	require.Equal(t, bookahead.ErrNotFound, y.End(second, 20))
	y.end(first, 0)
	y.idle(1, rest(0))
	require.Empty(t, slices.Collect(y.Closures()))
	require.Equal(t, bookahead.ClosureID(3), y.close(0, 1, 0), "IDs are used up")
}

func TestClosureOverARunningReservation(t *testing.T) {
	y := newYard(t, 2)
	id := y.book(5, 40, 0, 1)
	require.NoError(t, y.Advance(10))
	y.close(0, 20, 1)
	y.close(30, 60, 0, 1)
	y.over("[10, 20) [1]", "[30, 40) [0 1]")
	require.True(t, y.Overbooks(id))
	require.Equal(t, int64(1), y.Frame().Capacity)
	require.Equal(t, 2, y.Frame().Servers)
	y.idle(1, rest(60))
	require.NoError(t, y.Release(id))
	y.over()
	y.idle(0, during(10, 30), rest(60))
	y.idle(1, during(20, 30), rest(60))
	require.False(t, y.Overbooks(id))
}

func TestRebookWhereItIsClosed(t *testing.T) {
	y := newYard(t, 3)
	id := y.book(10, 40, 0, 1)
	y.close(20, 30, 0)
	y.close(35, 50, 1, 2)
	rebook := func(start, end bookahead.Time, units int64, want string) {
		t.Helper()
		res, err := bookahead.Resize(y, id, during(start, end), units)
		if want == "" {
			require.Equal(t, bookahead.ErrUnavailable, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, want, res.String())
		require.NoError(t, y.Verify())
	}
	y.over("[20, 30) [0]", "[35, 40) [1]")
	rebook(10, 45, 2, "") // server 1 is closed from 40 on, and so is server 2
	rebook(5, 40, 2, "#1 [5, 40) [0 1]")
	rebook(5, 38, 2, "#1 [5, 38) [0 1]")
	y.over("[20, 30) [0]", "[35, 38) [1]")
	rebook(5, 40, 2, "") // the servers given back are closed
	rebook(5, 32, 1, "#1 [5, 32) [0]")
	y.idle(1, during(0, 35), rest(50))
	y.over("[20, 30) [0]")
	rebook(25, 28, 1, "#1 [25, 28) [0]")
	y.idle(0, during(0, 20), rest(30))
	y.over("[25, 28) [0]")
	require.NoError(t, y.Release(id))
	y.idle(0, during(0, 20), rest(30))
}

func TestExtensionAndItsEnd(t *testing.T) {
	y := newYard(t, 1)
	c, err := y.Extend(bookahead.Closure{Interval: during(10, 50), Units: 2})
	require.NoError(t, err)
	require.Equal(t, bookahead.Closure{ID: 1, Interval: during(10, 50), Units: 2, Servers: []int{1, 2}, Added: true}, c)
	require.Equal(t, bookahead.Frame{Horizon: 100, Capacity: 1, Servers: 3}, y.Frame())
	y.idle(2, during(10, 50))
	id := y.book(20, 45, 0, 2)
	y.close(40, 60, 2)
	y.over("[40, 45) [2]")
	require.NoError(t, y.Advance(15))
	require.Equal(t, int64(3), y.Frame().Capacity)
	y.end(1, 30) // early
	y.over("[30, 45) [2]")
	y.idle(1, during(10, 30))
	y.end(2, 40)
	y.over("[30, 45) [2]")
	second, err := y.Extend(bookahead.Closure{Interval: rest(0), Units: 1})
	require.NoError(t, err)
	require.Equal(t, []int{3}, second.Servers, "indices are not used again")
	require.NoError(t, y.Advance(30))
	require.Equal(t, []bookahead.Closure{second}, slices.Collect(y.Closures()))
	require.Equal(t, bookahead.Frame{Now: 30, Horizon: 130, Capacity: 2, Servers: 4}, y.Frame())
	y.close(0, 99, 1, 2) // servers that have gone can be closed all the same
	y.idle(2)
	_, err = y.Search(bookahead.Request{Duration: 1, Units: 3})
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.NoError(t, y.Release(id))
	y.over()
	y.idle(2)
}

// A closure that has ended before it began leaves no trace, not even in the choice of servers, which goes by
// their idle time.
func TestCloseAndEndLeaveEveryChoice(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		x, err := NewTree(6, Config{})
		require.NoError(t, err)
		if seed%2 == 1 { // and calendars that are trees
			x.tree().most = 2
		}
		var ids []bookahead.ID
		for range 40 {
			now := x.Frame().Now
			switch rng.IntN(4) {
			case 0, 1:
				at := now + bookahead.Time(rng.IntN(20))
				res, err := x.Reserve(bookahead.Request{Ready: at, Duration: bookahead.Duration(1 + rng.IntN(9)), Units: 1 + rng.Int64N(4)})
				require.NoError(t, err)
				ids = append(ids, res.ID)
			case 2:
				if len(ids) > 0 {
					_ = x.Release(ids[rng.IntN(len(ids))])
				}
			case 3:
				require.NoError(t, x.Advance(now+bookahead.Time(rng.IntN(4))))
			}
			before := stateOf(x)
			start := x.Frame().Now + bookahead.Time(rng.IntN(12)) - 4
			w := during(start, start+bookahead.Time(5+rng.IntN(20)))
			c, err := x.Close(bookahead.Closure{Interval: w, Servers: rng.Perm(6)[:1+rng.IntN(6)]})
			require.NoError(t, err)
			require.NoError(t, x.Verify())
			require.NoError(t, x.End(c.ID, start-bookahead.Time(rng.IntN(2))))
			require.NoError(t, x.Verify())
			require.Equal(t, before, stateOf(x), "seed %d", seed)
		}
	}
}

// stateOf returns the idle periods, and since when each server has been idle.
func stateOf(x *Tree) (state struct {
	periods []Period
	idleFor []uint64
}) {
	f := x.tree()
	state.periods = f.periods(nil, rest(f.now))
	for k := range f.idle {
		state.idleFor = append(state.idleFor, f.idleFor(k))
	}
	return state
}

func TestClosuresInSnapshotsAndClones(t *testing.T) {
	y := newYard(t, 3)
	id := y.book(10, 30, 0, 1)
	plain, err := y.MarshalBinary()
	require.NoError(t, err)
	require.NotContains(t, string(plain), "closures")
	require.NoError(t, y.Advance(15))
	y.close(20, forEver, 1, 2)
	_, err = y.Extend(bookahead.Closure{Interval: during(5, 40), Units: 2})
	require.NoError(t, err)
	data, err := y.MarshalBinary()
	require.NoError(t, err)
	require.ErrorIs(t, new(Lists).UnmarshalBinary(data), bookahead.ErrInvalid)

	read := &yard{t, &Tree{}}
	require.NoError(t, read.UnmarshalBinary(data))
	clone := &yard{t, y.Clone().(*Tree)}
	y.end(1, 0)
	y.end(2, 0)
	require.NoError(t, y.Release(id))
	for _, y := range []*yard{read, clone} {
		again, err := y.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, data, again)
		y.over("[20, 30) [1]")
		y.idle(4, during(15, 40))
		y.end(1, 25)
		y.over("[20, 25) [1]")
		y.idle(2, during(0, 20), rest(25))
	}
	y.Adopt(clone.Tree)
	y.over("[20, 25) [1]")
}

func TestLiftAndBack(t *testing.T) {
	y := newYard(t, 3)
	id := y.book(0, 30, 0, 1)
	other := y.book(30, 60, 1)
	require.NoError(t, y.Advance(10))
	closure := y.close(40, 50, 1)
	before, err := y.MarshalBinary()
	require.NoError(t, err)

	back, err := y.Lift(id)
	require.NoError(t, err)
	y.idle(0, rest(10))
	require.NoError(t, back())
	require.Equal(t, bookahead.ErrUnavailable, back(), "it is back")
	res, err := y.Reservation(id)
	require.NoError(t, err)
	require.Equal(t, "#1 [0, 30) [0 1]", res.String())
	after, err := y.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, before, after)

	back, err = y.Lift(other) // lies on a closure
	require.NoError(t, err)
	require.Equal(t, bookahead.ErrUnavailable, back())
	y.end(closure, 0)
	require.NoError(t, back())
	res, err = y.ReserveAs(id, bookahead.Request{Duration: 5, Units: 1})
	require.ErrorIs(t, err, bookahead.ErrInvalid, "it is booked: %v", res)
	_, err = y.ReserveAs(9, bookahead.Request{Duration: 5, Units: 1})
	require.ErrorIs(t, err, bookahead.ErrInvalid, "there is none")
	back, err = y.Lift(id)
	require.NoError(t, err)
	res, err = y.ReserveAs(id, bookahead.Request{Ready: 20, Duration: 5, Units: 2})
	require.NoError(t, err)
	require.Equal(t, id, res.ID)
	require.Equal(t, bookahead.ErrUnavailable, back(), "its ID is taken")
	require.NoError(t, y.Verify())
	_, err = y.Lift(7)
	require.Equal(t, bookahead.ErrNotFound, err)
}

// Two of four servers fail: those who were on them move to the others, or later.
func TestDisplace(t *testing.T) {
	y := newYard(t, 4)
	y.book(0, 20, 0, 1)
	y.book(20, 40, 1, 2)
	y.book(30, 50, 3)
	require.NoError(t, y.Advance(10))
	y.close(10, 35, 1, 2)
	d, err := bookahead.Displace(y.Tree, bookahead.Force{})
	require.NoError(t, err)
	y.over()
	var got []string
	for _, m := range d.Moved {
		got = append(got, fmt.Sprint(m.From, " → ", m.To))
	}
	require.Equal(t, []string{"#1 [0, 20) [0 1] → #1 [10, 20) [0 3]", "#2 [20, 40) [1 2] → #2 [35, 55) [1 2]"}, got)
}

// Nothing changes if a closure makes no sense.
func TestClosuresThatMakeNoSense(t *testing.T) {
	y := newYard(t, 3)
	require.NoError(t, y.Advance(10))
	y.close(10, 20, 0)
	_, err := y.Extend(bookahead.Closure{Interval: during(10, 20), Units: 1})
	require.NoError(t, err)
	before, err := y.MarshalBinary()
	require.NoError(t, err)
	w := during(10, 20)
	for want, c := range map[string]bookahead.Closure{
		"Closure.Interval [20, 20) is empty":                          {Interval: during(20, 20), Servers: []int{0}},
		"Closure.Interval [5, 10) ends by now, 10":                    {Interval: during(5, 10), Servers: []int{0}},
		"Closure.Servers [] names none":                               {Interval: w, Units: 1},
		"Closure.Servers -1 is negative":                              {Interval: w, Servers: []int{1, -1}},
		"Closure.Servers 4 is not below the 4 servers that there are": {Interval: w, Servers: []int{4}},
		"Closure.Servers 1 is named twice":                            {Interval: w, Servers: []int{1, 0, 1}},
		"Closure.Units 3 is not the number of servers, 2":             {Interval: w, Servers: []int{1, 0}, Units: 3},
		"Closure.Units -2 is not the number of servers, 2":            {Interval: w, Servers: []int{1, 0}, Units: -2},
		"Closure.Units 9 is not the number of servers, 1":             {Interval: w, Servers: []int{1}, Units: 9, Added: true},
	} {
		_, err := y.Close(c)
		require.EqualError(t, err, "bookahead: "+want)
	}
	for want, c := range map[string]bookahead.Closure{
		"Closure.Interval [20, 19) is empty":                                                 {Interval: during(20, 19), Units: 1},
		"Closure.Units 0 is less than 1":                                                     {Interval: w},
		"Closure.Servers [7] are named, but an extension chooses its own":                    {Interval: w, Units: 1, Servers: []int{7}},
		"Closure.Units 16777213 exceeds the limit of 16777216 servers, with 4 there already": {Interval: w, Units: 1<<24 - 3},
	} {
		_, err := y.Extend(c)
		require.EqualError(t, err, "bookahead: "+want)
	}
	require.ErrorIs(t, y.End(1, 21), bookahead.ErrInvalid)
	require.Equal(t, bookahead.ErrNotFound, y.End(3, 15))
	after, err := y.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, before, after)
	_, err = new(Tree).Extend(bookahead.Closure{Interval: w, Units: 1})
	require.ErrorIs(t, err, bookahead.ErrInvalid, "a zero Tree knows no servers, and cannot tell")
}

// A closure until further notice is over when the clock comes to the end of the axis.
func TestClosureAtTheEndOfTheAxis(t *testing.T) {
	x, err := NewTree(2, Config{Origin: forEver - 10})
	require.NoError(t, err)
	y := &yard{t, x}
	y.close(0, forEver, 1)
	y.book(forEver-9, forEver, 0)
	y.close(forEver-1, forEver, 0)
	y.over(fmt.Sprintf("[%d, %d) [0]", forEver-1, forEver))
	require.NoError(t, y.Advance(forEver-1))
	require.NoError(t, y.Verify())
	require.Zero(t, y.Frame().Capacity)
	require.NoError(t, y.Advance(forEver))
	require.NoError(t, y.Verify())
	require.Empty(t, slices.Collect(y.Closures()))
	y.over()
	require.Equal(t, int64(2), y.Frame().Capacity)
}
