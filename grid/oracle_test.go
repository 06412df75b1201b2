package grid

import (
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/freelist"
	"github.com/bookahead/bookahead/idletree"
)

const axis = 90 // ticks of which the oracle has cells

// cells is the oracle for a member: of a pool, the units that are booked at each
// tick; of servers, who has which.
type cells struct {
	bookahead.Keeper
	capacity int64
	servers  bool
	now      bookahead.Time
	horizon  bookahead.Duration
	used     [axis]int64
	taken    [axis][8]bool
	shut     [axis]int64   // units that are closed
	closed   [axis][8]bool // servers that are
}

// drawClosure closes some of the member, if it can be closed.
func (c *cells) drawClosure(t *rapid.T) {
	start := c.now + bookahead.Time(rapid.IntRange(0, 60).Draw(t, "closed from"))
	w := span(start, start+bookahead.Time(rapid.IntRange(1, 25).Draw(t, "closed for")))
	n := rapid.Int64Range(1, c.capacity).Draw(t, "units closed")
	x := bookahead.Closure{Interval: w, Units: n}
	for k := range int(n) {
		if c.servers {
			x.Servers = append(x.Servers, k)
		}
	}
	bookahead.Update(c.Keeper, func(s bookahead.Closable) {
		_, err := s.Close(x)
		require.NoError(t, err)
		for at := w.Start; at < min(w.End, axis); at++ {
			if !c.servers {
				c.shut[at] += n
			}
			for _, k := range x.Servers {
				c.closed[at][k] = true
			}
		}
	})
}

// left is how many units are free at a tick; it is negative where more are booked.
func (c *cells) left(at bookahead.Time) (n int64) {
	if !c.servers {
		return max(0, c.capacity-c.shut[at]) - c.used[at]
	}
	for k := range c.capacity {
		if !c.taken[at][k] && !c.closed[at][k] {
			n++
		}
	}
	return n
}

func drawCells(t *rapid.T, horizon bookahead.Duration) *cells {
	if rapid.Bool().Draw(t, "servers") {
		return drawServers(t, horizon)
	}
	return drawPool(t, horizon)
}

func drawPool(t *rapid.T, horizon bookahead.Duration) *cells {
	c := &cells{capacity: rapid.Int64Range(1, 5).Draw(t, "capacity"), horizon: horizon}
	var err error
	if rapid.Bool().Draw(t, "list") {
		c.Keeper, err = freelist.NewUsed(c.capacity, freelist.Config{Horizon: horizon})
	} else {
		c.Keeper, err = carts.NewIndexed(c.capacity, carts.Config{Horizon: horizon})
	}
	require.NoError(t, err)
	return c.drawLock(t)
}

// drawLock puts the member behind a lock, or not: that makes no difference.
func (c *cells) drawLock(t *rapid.T) *cells {
	if rapid.IntRange(0, 2).Draw(t, "locked") == 2 {
		c.Keeper = bookahead.Locked(c.Keeper)
	}
	return c
}

func drawServers(t *rapid.T, horizon bookahead.Duration) *cells {
	c := &cells{capacity: rapid.Int64Range(1, 5).Draw(t, "capacity"), servers: true, horizon: horizon}
	var err error
	if rapid.Bool().Draw(t, "bits") {
		c.Keeper, err = avail.NewSchedule(c.capacity, avail.Config{Horizon: horizon, Slot: 1})
	} else {
		c.Keeper, err = idletree.NewTree(c.capacity, idletree.Config{Horizon: horizon})
	}
	require.NoError(t, err)
	return c.drawLock(t)
}

func (c *cells) end() bookahead.Time { return c.now + bookahead.Time(c.horizon) }

// add books an offer in the cells, or takes it out.
func (c *cells) add(t require.TestingT, o bookahead.Offer, book bool) {
	for at := max(o.Start, c.now); at < o.End; at++ {
		require.True(t, !book || o.Units <= c.left(at), "at %d", at)
		if book {
			c.used[at] += o.Units
		} else {
			c.used[at] -= o.Units
		}
		for _, k := range o.Servers {
			require.NotEqual(t, book, c.taken[at][k], "server %d at %d", k, at)
			require.False(t, book && c.closed[at][k], "server %d at %d", k, at)
			c.taken[at][k] = book
		}
	}
}

// agrees checks that the member says the same of each tick.
func (c *cells) agrees(t require.TestingT) {
	for at := c.now; at < c.end(); at++ {
		a, err := c.RangeQuery(bookahead.Interval{Start: at, End: at + 1})
		require.NoError(t, err)
		require.Equal(t, max(0, c.left(at)), a.Free, "at %d", at)
		for _, k := range a.Servers {
			require.False(t, c.taken[at][k] || c.closed[at][k], "server %d at %d", k, at)
		}
	}
}

// fits tries to book the parts from the i-th on, one server after the other, and
// leaves the cells as they were.
func fits(parts []Part, i int, start bookahead.Time) bool {
	if i == len(parts) {
		return true
	}
	p := parts[i]
	w := p.window(start)
	c := p.On.(*cells)
	if w.Start < c.now || w.End > c.end() {
		return false
	}
	ok := true
	for at := w.Start; at < w.End; at++ {
		c.used[at] += p.Units
		ok = ok && (c.servers || c.left(at) >= 0)
	}
	defer func() {
		for at := w.Start; at < w.End; at++ {
			c.used[at] -= p.Units
		}
	}()
	if !ok || !c.servers {
		return ok && fits(parts, i+1, start)
	}
	return c.choose(p, w, 0, p.Units, func() bool { return fits(parts, i+1, start) })
}

// choose tries all ways to take n servers from k on.
func (c *cells) choose(p Part, w bookahead.Interval, k int, n int64, then func() bool) bool {
	if n == 0 {
		return then()
	}
	if int64(k) == c.capacity {
		return false
	}
	free := p.Servers == nil || slices.Contains(p.Servers, k)
	for at := w.Start; at < w.End; at++ {
		free = free && !c.taken[at][k] && !c.closed[at][k]
	}
	if free {
		mark := func(taken bool) {
			for at := w.Start; at < w.End; at++ {
				c.taken[at][k] = taken
			}
		}
		mark(true)
		ok := c.choose(p, w, k+1, n-1, then)
		mark(false)
		if ok {
			return true
		}
	}
	return c.choose(p, w, k+1, n, then)
}

// ahead is the time that can be booked.
func ahead(k bookahead.Keeper) bookahead.Interval { return k.Frame().Window() }

// booked lists all reservations that have not ended.
func booked(k bookahead.Keeper) []bookahead.Reservation {
	return slices.Collect(k.Reservations(ahead(k)))
}
