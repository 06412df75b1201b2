package nodes

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

func TestHunt(t *testing.T) { scheduletest.Hunt(t, hunted) }

func FuzzHunt(f *testing.F) { scheduletest.FuzzHunt(f, hunted) }

// hunter makes calls with numbers at the edges on a machine of a few nodes.
type hunter struct {
	*scheduletest.Hunter
	m    *Machine
	wide int // resources
}

// hunted runs one history. An error must leave the bytes of the machine as they were, Reserve must
// book the offer of Search, and no fixed request may fit earlier, at an edge of what is booked.
func hunted(g *scheduletest.Hunter) {
	h := &hunter{Hunter: g, wide: 1 + g.IntN(2)}
	c := Config{Origin: bookahead.Time(h.Number()), Horizon: bookahead.Duration(h.Number()), Policy: policies[[]string{"lowest", "best", "fewest", "spread", "own"}[h.IntN(5)]]}
	if h.IntN(3) > 0 {
		c.Horizon = 0
	}
	c.Resources = []string{"cores", "bytes"}[:h.wide]
	for range 1 + h.IntN(6) {
		c.Nodes = append(c.Nodes, h.vector())
	}
	half := len(c.Nodes) / 2
	if half > 0 {
		all := []int{0, 1, 2, 3, 4, 5}[:len(c.Nodes)]
		c.Levels = []Level{{Name: "rack", Groups: [][]int{all[:half], all[half:]}}}
		c.Sets = map[string][]int{"big": all[half:]}
	}
	h.Does("New(%+v)", c)
	var err error
	h.Weigh(func() { h.m, err = New(c) })
	if err != nil {
		require.ErrorIs(h, err, bookahead.ErrInvalid)
		return
	}
	h.Calls(func() {
		before, err := h.m.MarshalBinary()
		require.NoError(h, err)
		h.Weigh(func() { err = h.call() })
		if err != nil {
			known := err == bookahead.ErrNotFound || errors.Is(err, bookahead.ErrUnavailable) || errors.Is(err, bookahead.ErrInvalid)
			require.True(h, known, "%v", err)
			after, err := h.m.MarshalBinary()
			require.NoError(h, err)
			require.Equal(h, before, after, "an error has changed the machine")
		}
		require.NoError(h, h.m.Verify())
	})
}

func (h *hunter) vector() Vector {
	v := make(Vector, h.wide)
	for r := range v {
		v[r] = h.Number()
		if v[r] < 0 && h.IntN(8) > 0 {
			v[r] = 8
		}
	}
	return v
}

// time draws a number, or a time near an edge of a reservation or a closure.
func (h *hunter) time() bookahead.Time {
	n := bookahead.Time(h.Number())
	edges := h.edges()
	t := edges[h.IntN(len(edges))]
	switch h.IntN(4) {
	case 0:
		return n
	case 1:
		if n > 0 && t > bookahead.MaxTime-n {
			return bookahead.MaxTime
		}
		return t + n
	case 2:
		return t - 1
	}
	return t
}

// edges returns the times from now on at which something begins or ends.
func (h *hunter) edges() []bookahead.Time {
	f := h.m.Frame()
	list := []bookahead.Time{f.Now, f.Horizon}
	for res := range h.m.Reservations(f.Window()) {
		list = append(list, res.Start, res.End)
	}
	for c := range h.m.Closures() {
		list = append(list, c.Start, c.End)
	}
	return list
}

func (h *hunter) window() bookahead.Interval {
	w := bookahead.Interval{Start: h.time(), End: h.time()}
	if w.End < w.Start && h.IntN(8) > 0 {
		w.Start, w.End = w.End, w.Start
	}
	return w
}

// request draws a request that is often valid.
func (h *hunter) request() Request {
	r := Request{Ready: h.time(), Duration: bookahead.Duration(h.Number()), Tasks: h.Number(), Each: h.vector()}
	if h.IntN(4) > 0 {
		r.Tasks = 1 + int64(h.IntN(4))
	}
	if r.Ready > 0 && h.IntN(8) > 0 {
		r.Duration = max(1, min(r.Duration, bookahead.Duration(bookahead.MaxTime-r.Ready)))
	}
	switch h.IntN(6) {
	case 0:
		r.Deadline = h.time()
	case 1:
		r.Deadline = r.Ready + bookahead.Time(r.Duration)
	}
	r.Exclusive = h.IntN(8) == 0
	if h.IntN(6) == 0 {
		r.Bundle, r.Bundled = h.Number(), "rack"
		if h.IntN(4) > 0 {
			r.Bundle = 1 + int64(h.IntN(4))
			r.Tasks = r.Bundle * int64(1+h.IntN(4))
		}
	}
	switch h.IntN(8) {
	case 0:
		r.PerNode = h.Number()
	case 1:
		r.Head = h.vector()
	case 2:
		r.Within = "rack"
	case 3:
		r.Together = "rack"
		if h.IntN(2) == 0 {
			r.Within = "rack"
		}
		if h.IntN(2) == 0 {
			r.Patience = bookahead.Duration(h.Number())
		}
	case 4:
		r.Set = "big"
	case 5:
		r.Nodes = []int{h.IntN(7), h.IntN(7)}
	case 6:
		r.Except = []int{h.IntN(7)}
	}
	return r
}

func (h *hunter) id() bookahead.ID {
	live := slices.Collect(h.m.Reservations(h.m.Frame().Window()))
	if len(live) == 0 || h.IntN(8) == 0 {
		return bookahead.ID(h.Number())
	}
	return live[h.IntN(len(live))].ID
}

func (h *hunter) call() error {
	switch h.IntN(16) {
	default:
		return h.reserve(h.request())
	case 5:
		id := h.id()
		h.Does("Release(%d)", id)
		return h.m.Release(id)
	case 6:
		now := h.time()
		if now > h.m.Frame().Now+1<<20 && h.IntN(4) > 0 {
			now = h.m.Frame().Now + 1
		}
		h.Does("Advance(%d)", now)
		return h.m.Advance(now)
	case 7, 8:
		if h.IntN(4) == 0 {
			id, node := h.id(), h.IntN(8)-1
			h.Does("Swap(%d, %d)", id, node)
			_, err := h.m.Swap(id, node)
			return err
		}
		return h.rebook()
	case 9:
		return h.close()
	case 10:
		id, at := bookahead.ClosureID(1+h.IntN(4)), h.time()
		h.Does("EndClosure(%d, %d)", id, at)
		return h.m.EndClosure(id, at)
	case 11:
		c := bookahead.Closure{Interval: h.window()}
		h.Does("Extend(%v)", c.Interval)
		if h.m.Frame().Servers > 20 {
			return nil
		}
		_, err := h.m.Extend(c, []Added{{Has: h.vector(), Groups: map[string]int{"rack": h.IntN(4)}}})
		return err
	case 12, 13:
		return h.displace()
	case 14:
		return h.again()
	case 15:
		h.lists()
		return nil
	}
}

// reserve checks that Reserve books the offer, and that nothing earlier fits.
// earliest returns the start of a request whose offer may be later, by its Patience: then it lies in one group.
func (h *hunter) earliest(r Request, o Offer) bookahead.Time {
	if r.Patience <= 0 || o.End == 0 {
		return o.Start
	}
	late := r.Patience
	r.Patience = 0
	plain, err := h.m.Search(r)
	require.NoError(h, err)
	require.True(h, plain.Start <= o.Start && o.Start-plain.Start <= bookahead.Time(late), "%v, %v", plain, o)
	if plain.Start == o.Start {
		return o.Start
	}
	for _, l := range h.m.Config().Levels {
		for _, group := range l.Groups {
			in := func(k int) bool { return slices.Contains(group, k) }
			if l.Name == r.Together && in(o.Tasks[0].Node) {
				require.False(h, slices.ContainsFunc(o.Tasks, func(s Share) bool { return !in(s.Node) }), "%v", o)
				require.True(h, o.Head < 0 || in(o.Head), "%v", o)
			}
		}
	}
	return plain.Start
}

func (h *hunter) reserve(r Request) error {
	h.Does("Search and Reserve(%+v)", r)
	o, want := h.m.Search(r)
	at := h.earliest(r, o)
	edges := h.edges()
	for _, t := range append(edges, r.Ready) {
		t = max(t, r.Ready, h.m.Frame().Now)
		fixed := r
		fixed.Ready, fixed.Deadline = t, t+bookahead.Time(r.Duration)
		if r.Duration < 1 || t > bookahead.MaxTime-bookahead.Time(r.Duration) || r.Deadline != 0 && fixed.Deadline > r.Deadline {
			continue
		}
		_, err := h.m.Search(fixed)
		if err == nil && (want != nil || t < at) {
			h.Fatalf("found %v, %v, but it fits at %d", o, want, t)
		}
	}
	res, err := h.m.Reserve(r)
	require.Equal(h, want == nil, err == nil, "%v, %v", want, err)
	if err == nil {
		require.Equal(h, o, res.Offer)
	}
	return err
}

func (h *hunter) rebook() error {
	id, r := h.id(), h.request()
	h.Does("SearchFor and Rebook(%d, %+v)", id, r)
	o, want := h.m.SearchFor(id, r)
	res, err := h.m.Rebook(id, r)
	require.Equal(h, want == nil, err == nil, "%v, %v", want, err)
	if err == nil {
		require.Equal(h, o, res.Offer)
	}
	return err
}

func (h *hunter) close() error {
	c := bookahead.Closure{Interval: h.window(), Servers: []int{h.IntN(7)}}
	if h.IntN(4) == 0 {
		c.End = bookahead.MaxTime
	}
	h.Does("Close(%v)", c)
	_, err := h.m.Close(c)
	return err
}

func (h *hunter) displace() error {
	var f Force
	r := h.request()
	if h.IntN(4) > 0 {
		f.Request = &r
	}
	if h.IntN(4) == 0 {
		f.Spare = func(res Reservation) bool { return res.ID%2 == 0 }
	}
	f.Swap = h.IntN(2) == 0
	h.Does("Displace(%+v, spares even IDs: %t, swaps: %t)", f.Request, f.Spare != nil, f.Swap)
	_, err := h.m.Displace(f)
	// Reservations that are spared stay, even on nodes that are closed.
	if err == nil && f.Spare == nil {
		require.Empty(h, slices.Collect(h.m.Overbooked(bookahead.Interval{Start: math.MinInt64, End: bookahead.MaxTime})))
	}
	return err
}

// again goes on with a clone, or with the machine read from its bytes.
func (h *hunter) again() error {
	h.Does("Clone and snapshot")
	data, err := h.m.MarshalBinary()
	require.NoError(h, err)
	c := h.m.Clone()
	require.NoError(h, c.UnmarshalBinary(data))
	again, err := c.MarshalBinary()
	require.NoError(h, err)
	require.Equal(h, data, again)
	h.m = c
	return nil
}

// lists reads the lists, broken off after a thousand entries.
func (h *hunter) lists() {
	w, node, each := h.window(), h.IntN(8)-1, h.vector()
	h.Does("lists in %v, and Idle(%d, %v)", w, node, each)
	n := 0
	for range h.m.ReservationsOn(w, []int{node}) {
		n++
	}
	last := w.Start
	for i := range h.m.Idle(node, each, w) {
		require.Equal(h, i, i.Intersect(w))
		require.True(h, !i.Empty() && (i.Start > last || last == w.Start), "%v after %d", i, last)
		last = i.End
		n++
		if n > 1000 {
			break
		}
	}
	for o := range h.m.Overbooked(w) {
		require.False(h, o.Empty())
	}
	tasks, err := h.m.Tasks(each, h.Number())
	if err != nil {
		require.ErrorIs(h, err, bookahead.ErrInvalid)
		return
	}
	r := bookahead.Request{Ready: h.time(), Duration: bookahead.Duration(h.Number()), Units: h.Number()}
	h.Does("Tasks(%v): Search(%+v), and RangeQuery(%v)", each, r, w)
	_, _ = tasks.Search(r)
	_, _ = tasks.RangeQuery(w)
	k := 0
	for range bookahead.Openings(tasks, r) {
		k++
		if k > 100 {
			break
		}
	}
}
