package grid

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/freelist"
)

// shut closes servers, or units if none are named.
func shut(t require.TestingT, c bookahead.Closable, start, end bookahead.Time, servers ...int) bookahead.Closure {
	done, err := c.Close(bookahead.Closure{Interval: span(start, end), Servers: servers})
	require.NoError(t, err)
	return done
}

// extend adds units, or servers.
func extend(t require.TestingT, c bookahead.Closable, start, end bookahead.Time, units int64) bookahead.Closure {
	done, err := c.Extend(bookahead.Closure{Interval: span(start, end), Units: units})
	require.NoError(t, err)
	return done
}

// steps returns the free units at each tick of a window.
func steps(t require.TestingT, s bookahead.Schedule, start, end bookahead.Time) (list []int64) {
	for at := start; at < end; at++ {
		list = append(list, freeIn(t, s, at, at+1))
	}
	return list
}

// over returns all stretches that are overbooked.
func over(c bookahead.Closable) string {
	list := []string{}
	for o := range c.Overbooked(span(0, bookahead.MaxTime)) {
		list = append(list, fmt.Sprintf("{%v %d %v}", o.Interval, o.Units, o.Servers))
	}
	return fmt.Sprint(list)
}

// Closures of one server are one in the pool where they overlap or touch, and the pool has one
// closure for all servers that are closed alike.
func TestClosedServersAreUnitsOfThePool(t *testing.T) {
	b := newBinder(t, 4)
	pool := b.Pool().(bookahead.Closable)
	first := shut(t, b, 2, 5, 1, 3)
	require.Equal(t, bookahead.Closure{ID: 1, Interval: span(2, 5), Units: 2, Servers: []int{1, 3}}, first)
	shut(t, b, 4, 7, 3)
	shut(t, b, 7, 9, 3, 0)
	require.NoError(t, b.Verify())
	require.Equal(t, []int64{4, 4, 2, 2, 2, 3, 3, 2, 2, 4}, steps(t, b, 0, 10))
	var units []string
	for c := range pool.Closures() {
		units = append(units, fmt.Sprint(c.Interval, c.Units))
	}
	require.ElementsMatch(t, []string{"[2, 5) 1", "[2, 9) 1", "[7, 9) 1"}, units)

	require.NoError(t, b.End(2, 5)) // #3 goes on
	require.NoError(t, b.Verify())
	require.Equal(t, []int64{4, 4, 2, 2, 2, 4, 4, 2, 2, 4}, steps(t, b, 0, 10))
	require.NoError(t, b.End(1, 0)) // it has never been
	require.NoError(t, b.Verify())
	require.Equal(t, []int64{4, 4, 4, 4, 3, 4, 4, 2, 2, 4}, steps(t, b, 0, 10))
	require.Equal(t, bookahead.ErrNotFound, b.End(1, 0))
	require.ErrorIs(t, b.End(3, 10), bookahead.ErrInvalid)
	require.NoError(t, b.Advance(5))
	require.Equal(t, bookahead.ErrNotFound, b.End(2, 9))
	require.Equal(t, []bookahead.Closure{{ID: 3, Interval: span(7, 9), Units: 2, Servers: []int{0, 3}}}, slices.Collect(b.Closures()))
	require.NoError(t, b.End(3, 7))
	require.Empty(t, slices.Collect(pool.Closures()))
	require.NoError(t, b.Verify())
}

// Added servers have the next indices, and are closed before their time and after it.
func TestABinderIsExtended(t *testing.T) {
	b := newBinder(t, 2)
	more := extend(t, b, 3, 6, 2)
	require.Equal(t, bookahead.Closure{ID: 1, Interval: span(3, 6), Units: 2, Servers: []int{2, 3}, Added: true}, more)
	shut(t, b, 0, 9, 3) // closed where it is not there, too
	require.NoError(t, b.Verify())
	require.Equal(t, []int64{2, 2, 2, 3, 3, 3, 2}, steps(t, b, 0, 7))
	require.EqualValues(t, 2, b.Frame().Capacity)
	reserve(t, b, 3, 3, 3)
	require.NoError(t, b.Advance(3))
	require.EqualValues(t, 3, b.Frame().Capacity)
	require.Equal(t, "[#1 [3, 6) [0 1 2]]", fmt.Sprint(slices.Collect(b.Running())))
	require.Equal(t, "[]", over(b))
	require.NoError(t, b.End(1, 5))
	require.NoError(t, b.Verify())
	require.Equal(t, "[{[5, 6) 1 [2]}]", over(b))
	require.Equal(t, []int64{0, 0, 0, 2}, steps(t, b, 3, 7))
	require.NoError(t, b.Advance(6))
	require.EqualValues(t, 2, b.Frame().Capacity)
	more = extend(t, b, 0, bookahead.MaxTime, 1) // index 4: the others are gone for ever
	require.Equal(t, []int{4}, more.Servers)
	reserve(t, b, 6, 2, 3)
	require.Equal(t, "[#2 [6, 8) [0 1 4]]", fmt.Sprint(slices.Collect(b.Running())))
	require.NoError(t, b.Verify())
}

// Servers that stay open are taken first: those that close soonest after the reservation at first, and those
// that never close at last. Then come servers that close in it, the latest first. Ties go to the lowest.
func TestBindingKnowsClosures(t *testing.T) {
	closing := func() *Binder {
		b := newBinder(t, 5) // as in the picture of choose
		shut(t, b, 7, 10, 1)
		shut(t, b, 3, 6, 2)
		shut(t, b, 5, 7, 3)
		shut(t, b, 4, 10, 4)
		return b
	}
	for n, want := range [][]int{1: {3}, 2: {1, 3}, 3: {0, 1, 3}} {
		if n == 0 {
			continue
		}
		b := closing()
		res := reserve(t, b, 0, 5, int64(n))
		list, err := b.Servers(res.ID)
		require.NoError(t, err)
		require.Equal(t, want, list)
		require.NoError(t, b.Verify())
	}
	b := closing()
	long := reserve(t, b, 0, 5, 3)
	_, err := b.Rebook(long.ID, bookahead.At(0, 3, 4))
	require.NoError(t, err)
	list, err := b.Servers(long.ID)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 2, 3}, list, "2 closes just behind it")
	_, err = b.Rebook(long.ID, bookahead.At(0, 9, 1))
	require.NoError(t, err)
	list, err = b.Servers(long.ID)
	require.NoError(t, err)
	require.Equal(t, []int{0}, list, "the one that stays open")
	require.NoError(t, b.Verify())
}

// The pool has a unit at each tick, and yet no server stays open: Proposition 1 speaks of
// servers that are alike.
func TestAReservationMayFindNoServer(t *testing.T) {
	b := newBinder(t, 2)
	shut(t, b, 6, 10, 0)
	shut(t, b, 0, 6, 1)
	res := reserve(t, b, 0, 10, 1)
	require.Equal(t, "[#1 [0, 10) [0]]", fmt.Sprint(slices.Collect(b.Running())))
	require.Equal(t, "[{[6, 10) 1 [0]}]", over(b))
	require.True(t, b.Overbooks(res.ID))
	require.NoError(t, b.Verify())
	require.Equal(t, []int64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}, steps(t, b, 0, 11))
}

// Reservations stay when a closure meets them, and are bound although too few servers are open.
func TestAnOverbookedPoolIsBound(t *testing.T) {
	b := newBinder(t, 3)
	first := reserve(t, b, 0, 8, 1)
	second := reserve(t, b, 2, 4, 2)
	shut(t, b, 1, 9, 0, 2)
	require.Equal(t, "[{[1, 2) 1 [0]} {[2, 6) 2 [0]} {[6, 8) 1 [0]}]", over(b))
	require.True(t, b.Overbooks(first.ID))
	require.True(t, b.Overbooks(second.ID))
	require.NoError(t, b.Advance(2))
	require.Equal(t, "[#1 [0, 8) [0] #2 [2, 6) [1 2]]", fmt.Sprint(slices.Collect(b.Running())))
	require.Equal(t, "[{[2, 6) 2 [0 2]} {[6, 8) 1 [0]}]", over(b))
	require.NoError(t, b.Verify())
	_, err := b.Search(bookahead.At(2, 1, 1))
	require.Equal(t, bookahead.ErrUnavailable, err)
	_, err = b.Rebook(2, bookahead.At(2, 4, 1)) // gives back, and the closed one first
	require.NoError(t, err)
	list, err := b.Servers(2)
	require.NoError(t, err)
	require.Equal(t, []int{1}, list)
	require.NoError(t, b.Release(first.ID))
	require.Equal(t, "[]", over(b))
	require.Equal(t, []int64{0, 0, 0, 0, 1, 1, 1, 3}, steps(t, b, 2, 10))
	require.NoError(t, b.Verify())
}

// An error changes nothing.
func TestClosuresOfABinderAreChecked(t *testing.T) {
	b := newBinder(t, 3)
	require.NoError(t, b.Advance(2))
	for want, c := range map[string]bookahead.Closure{
		"[5, 5) is empty":                          {Interval: span(5, 5), Servers: []int{0}},
		"[0, 2) ends by now, 2":                    {Interval: span(0, 2), Servers: []int{0}},
		"Closure.Servers [] names none":            {Interval: span(3, 5), Units: 1},
		"Closure.Servers 3 is not below the 3":     {Interval: span(3, 5), Servers: []int{1, 3}},
		"Closure.Servers -1 is negative":           {Interval: span(3, 5), Servers: []int{-1}},
		"Closure.Servers 1 is named twice":         {Interval: span(3, 5), Servers: []int{1, 0, 1}},
		"Closure.Units 3 is not the number of ser": {Interval: span(3, 5), Servers: []int{1, 0}, Units: 3},
	} {
		_, err := b.Close(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
	for want, c := range map[string]bookahead.Closure{
		"[5, 5) is empty":                    {Interval: span(5, 5), Units: 1},
		"Closure.Units 0 is less than 1":     {Interval: span(3, 5)},
		"Closure.Servers [3] are named":      {Interval: span(3, 5), Units: 1, Servers: []int{3}},
		"than the 16777216 that fit":         {Interval: span(3, 5), Units: maxServers - 2},
		"Closure.Units 9223372036854775807 ": {Interval: span(3, 5), Units: 1<<63 - 1},
	} {
		_, err := b.Extend(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
	require.Equal(t, bookahead.ErrNotFound, b.End(1, 5))
	require.Nil(t, b.closed)
	require.EqualValues(t, 1, shut(t, b, 0, 5, 2).ID)
	require.Equal(t, span(2, 5), slices.Collect(b.Closures())[0].Interval, "it begins now")
}

// A Close on a pool whose capacity cannot change says so, and a pool that others have closed is refused.
func TestABinderNeedsAClosablePool(t *testing.T) {
	list, err := freelist.NewUsed(3, freelist.Config{})
	require.NoError(t, err)
	b, err := NewBinder(bookahead.Locked(list))
	require.NoError(t, err)
	_, err = b.Close(bookahead.Closure{Interval: span(0, 5), Servers: []int{1}})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "pool *bookahead.locked is no bookahead.Closable")
	_, err = b.Extend(bookahead.Closure{Interval: span(0, 5), Units: 1})
	require.ErrorContains(t, err, "is no bookahead.Closable")
	_, err = b.Lift(1)
	require.ErrorContains(t, err, "is no bookahead.Displacer")
	_, err = b.ReserveAs(1, bookahead.At(0, 1, 1))
	require.ErrorContains(t, err, "is no bookahead.Displacer")
	require.Empty(t, slices.Collect(b.Closures()))
	require.Equal(t, "[]", over(b))
	d, err := bookahead.Displace(b, bookahead.Force{Request: &bookahead.Request{Duration: 4, Units: 2}})
	require.NoError(t, err, "it fits")
	require.EqualValues(t, 1, d.Booked.ID)
	require.NoError(t, b.Verify())

	for name, spoil := range map[string]func(p *carts.Indexed){
		"closed":     func(p *carts.Indexed) { _, err = p.Close(bookahead.Closure{Interval: span(3, 5), Units: 1}) },
		"extended":   func(p *carts.Indexed) { extend(t, p, 3, 5, 1) },
		"overbooked": func(p *carts.Indexed) { extend(t, p, 0, 5, 1); reserve(t, p, 0, 5, 3); require.NoError(t, p.End(1, 0)) },
	} {
		pool := newPool(t, 2)
		spoil(pool)
		_, err := NewBinder(bookahead.Locked(pool))
		require.ErrorIs(t, err, bookahead.ErrInvalid, name)
		require.ErrorContains(t, err, "has closures or extensions")
	}
}
