package servers_test

import (
	"encoding"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/idletree"
)

// lifted is a reservation that has been lifted, and the way back.
type lifted struct {
	id   bookahead.ID
	old  bookahead.Offer
	back func() error
}

func (x *twin) closable() bookahead.Displacer { return x.s.(bookahead.Displacer) }

// period draws the time of a closure. It may be empty, over, or without end.
func (x *twin) period() bookahead.Interval {
	start := x.oracle.Now + bookahead.Time(rapid.IntRange(-10, 90).Draw(x.T, "start"))
	w := bookahead.Interval{Start: start, End: start + bookahead.Time(rapid.IntRange(-1, 60).Draw(x.T, "length"))}
	if rapid.IntRange(0, 4).Draw(x.T, "for ever") == 0 {
		w.End = bookahead.MaxTime
	}
	return w
}

func (x *twin) close() {
	c := bookahead.Closure{Interval: x.period(), Added: rapid.Bool().Draw(x.T, "ignored")}
	n := x.oracle.Limits.Servers
	c.Servers = rapid.SliceOfN(rapid.IntRange(0, n), 0, 4).Draw(x.T, "servers")
	c.Units = rapid.SampledFrom([]int64{0, 0, int64(len(c.Servers)), 1}).Draw(x.T, "units")
	sorted := slices.Sorted(slices.Values(c.Servers))
	valid := !c.Empty() && c.End > x.oracle.Now && len(sorted) > 0 && sorted[len(sorted)-1] < n &&
		len(slices.Compact(sorted)) == len(c.Servers) && (c.Units == 0 || int(c.Units) == len(c.Servers))
	got, err := x.closable().Close(c)
	if !valid {
		require.ErrorIs(x, err, bookahead.ErrInvalid, "%+v", c)
		return
	}
	require.NoError(x, err)
	c.Added = false
	c.Servers = slices.Clone(c.Servers)
	require.Equal(x, x.oracle.close(c), got)
	got.Servers[0] = -1 // the slice is the caller's
}

func (x *twin) extend() {
	c := bookahead.Closure{Interval: x.period(), Units: rapid.Int64Range(0, 3).Draw(x.T, "units")}
	got, err := x.closable().Extend(c)
	if c.Empty() || c.End <= x.oracle.Now || c.Units < 1 {
		require.ErrorIs(x, err, bookahead.ErrInvalid, "%+v", c)
		return
	}
	require.NoError(x, err)
	require.Equal(x, x.oracle.extend(c), got)
	got.Servers[0] = -1
}

func (x *twin) end() {
	id := bookahead.ClosureID(rapid.Uint64Range(1, uint64(x.oracle.lastClosure)+1).Draw(x.T, "closure"))
	at := x.oracle.Now + bookahead.Time(rapid.IntRange(-10, 100).Draw(x.T, "at"))
	listed := slices.ContainsFunc(x.oracle.closures, func(c bookahead.Closure) bool { return c.ID == id })
	err := x.closable().End(id, at)
	switch {
	case x.oracle.end(id, at):
		require.NoError(x, err)
	case listed:
		require.ErrorIs(x, err, bookahead.ErrInvalid)
	default:
		require.Equal(x, bookahead.ErrNotFound, err)
	}
}

// lift takes a reservation out, or brings one back.
func (x *twin) lift() {
	if len(x.lifted) > 0 && rapid.Bool().Draw(x.T, "bring back") {
		x.bringBack(rapid.IntRange(0, len(x.lifted)-1).Draw(x.T, "which"))
		return
	}
	id := x.id()
	back, err := x.closable().Lift(id)
	old, ok := x.oracle.booked[id]
	if !ok || old.End <= x.oracle.Now {
		require.Equal(x, bookahead.ErrNotFound, err)
		return
	}
	require.NoError(x, err)
	x.oracle.set(old, false)
	delete(x.oracle.booked, id)
	x.lifted = append(x.lifted, lifted{id, old, back})
}

func (x *twin) bringBack(i int) {
	l := x.lifted[i]
	if rapid.Bool().Draw(x.T, "anew") {
		r := x.request("anew")
		found, want := x.s.Search(r)
		_, live := x.oracle.booked[l.id]
		res, err := x.closable().ReserveAs(l.id, r)
		if live && x.oracle.booked[l.id].End > x.oracle.Now {
			require.ErrorIs(x, err, bookahead.ErrInvalid)
			return
		}
		require.Equal(x, want, err)
		if err == nil {
			require.Equal(x, bookahead.Reservation{ID: l.id, Offer: found}, res)
			x.oracle.set(found, true)
			x.oracle.booked[l.id] = found
		}
		return
	}
	err := l.back()
	now, live := x.oracle.booked[l.id]
	live = live && now.End > x.oracle.Now
	if live || l.old.End <= x.oracle.Now || !x.oracle.fits(l.old, bookahead.Offer{}) {
		require.Equal(x, bookahead.ErrUnavailable, err)
		return
	}
	require.NoError(x, err)
	x.oracle.set(l.old, true)
	x.oracle.booked[l.id] = l.old
}

// again goes on with a clone, with its snapshot, or with an original that adopts its clone.
func (x *twin) again() {
	clone := x.closable().Clone().(structure)
	switch rapid.IntRange(0, 2).Draw(x.T, "again") {
	case 0:
		w := bookahead.Interval{Start: 0, End: bookahead.MaxTime}
		all := make([]int, x.oracle.Limits.Servers)
		for k := range all {
			all[k] = k
		}
		_, err := x.closable().Close(bookahead.Closure{Interval: w, Servers: all}) // the clone does not notice
		require.NoError(x, err)
		x.s, x.lifted = clone, nil
	case 1:
		x.closable().Adopt(clone)
	case 2:
		data, err := x.s.(encoding.BinaryMarshaler).MarshalBinary()
		require.NoError(x, err)
		read := &idletree.Tree{}
		require.NoError(x, read.UnmarshalBinary(data))
		again, err := read.MarshalBinary()
		require.NoError(x, err)
		require.Equal(x, data, again)
		x.s, x.lifted = read, nil
	}
}

func (x *twin) compareClosures(w bookahead.Interval) {
	s, ok := x.s.(bookahead.Displacer)
	if !ok {
		return
	}
	x.oracle.closures = slices.DeleteFunc(x.oracle.closures, func(c bookahead.Closure) bool { return c.End <= x.oracle.Now })
	got := slices.Collect(s.Closures())
	require.Equal(x, append([]bookahead.Closure(nil), x.oracle.closures...), got)
	for _, c := range got {
		c.Servers[0] = -1
	}
	for _, w := range []bookahead.Interval{w, {Start: 0, End: bookahead.MaxTime}} {
		over := slices.Collect(s.Overbooked(w))
		require.Equal(x, x.oracle.overbooked(w), over)
		for _, o := range over {
			o.Servers[0] = -1
		}
	}
	for id := range x.oracle.last + 2 {
		b := x.oracle.booked[id] // the zero Offer overbooks nothing
		over := slices.ContainsFunc(x.oracle.overbooked(b.Interval), func(o bookahead.Overbooking) bool {
			return slices.ContainsFunc(b.Servers, func(k int) bool { return slices.Contains(o.Servers, k) })
		})
		require.Equal(x, over, s.Overbooks(id))
	}
	free := make([][]int, ticks) // by blocks
	for b := range x.s.Blocks(w) {
		for t := b.Start; t < b.End; t++ {
			free[t] = append(free[t], b.Servers...)
		}
	}
	for t := w.Start; t < w.End; t++ {
		at := bookahead.Interval{Start: t, End: t + 1}
		if at.Overlaps(s.Frame().Window()) {
			slices.Sort(free[t])
			require.Equal(x, x.oracle.idle(bookahead.Request{}, at, bookahead.Offer{}), free[t])
		}
	}
}
