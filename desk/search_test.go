package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// TestSearchIsWhatBookDoes: on random desks, Search finds the place that Book takes, and changes nothing.
func TestSearchIsWhatBookDoes(t *testing.T) {
	found, none := 0, 0
	p := newPlayer(t, 3)
	for range runs() / 5 {
		r := p.request()
		before := written(t, p.d)
		place, err := p.d.Search(r, bookahead.Effort{})
		require.Equal(t, before, written(t, p.d))
		out, otherErr := p.d.Clone().Do(Book{Request: r})
		require.Equal(t, otherErr, err)
		if err == nil {
			found++
			require.Equal(t, out.Booking.Places, place.Places)
			require.Equal(t, out.Booking.Interval, place.Interval)
			require.Equal(t, out.Booking.Shape, place.Shape)
			require.Zero(t, place.ID)
		} else {
			none++
		}
		_, _ = p.d.Do(p.next())
	}
	require.NotZero(t, found)
	require.NotZero(t, none)
}

// TestFreeIsWhatCanBeBooked: on random desks, as many units as are free can be booked throughout the window,
// and not one more.
func TestFreeIsWhatCanBeBooked(t *testing.T) {
	p := newPlayer(t, 5)
	for range len(always) {
		_, _ = p.d.Do(p.next())
	}
	for range runs() / 5 {
		_, _ = p.d.Do(p.next())
		for _, q := range p.d.Quotas() {
			must(t, p.d, DropQuota{q.Name}) // which would bound it further
		}
		w := p.span()
		part := Part{On: []string{"gpus", "lab", "farm", "flat\xff"}[p.rng.IntN(4)], Duration: bookahead.Duration(w.Len())}
		switch {
		case part.On == "farm":
			part.Tasks = &nodes.Request{Each: nodes.Vector{int64(p.rng.IntN(3)), 1 + int64(p.rng.IntN(4))}, PerNode: int64(p.rng.IntN(3))}
		case part.On == "lab" && p.rng.IntN(2) == 0:
			part.Servers = []int{3, 0, 1}
		}
		a, err := p.d.Free(w, part)
		require.NoError(t, err)
		if a.Window != w {
			continue // it is cut at the horizon
		}
		for _, more := range []int64{0, 1} {
			part.Units = a.Free + more
			if part.Units == 0 || part.Servers != nil && part.Units > 3 {
				continue
			}
			_, err = p.d.Search(Request{Ready: w.Start, Deadline: w.End, Shapes: []Shape{{part}}}, bookahead.Effort{})
			switch {
			case more == 0 && p.d.b.schedules[p.d.b.names[part.On]].terms != nil: // which Free does not read
			case more == 0:
				require.NoError(t, err)
			default:
				require.Equal(t, bookahead.ErrUnavailable, err, "%v of %v", a, part)
			}
		}
	}
}

// TestBadFree: a part that does not suit the schedule is refused.
func TestBadFree(t *testing.T) {
	d := all(t)
	for text, p := range map[string]Part{
		"is no schedule":      {On: "none"},
		"is a broker: ask":    {On: "any"},
		"is nil, but":         {On: "farm"},
		"Part.Tasks":          {On: "gpus", Tasks: &nodes.Request{}},
		"counts units":        {On: "gpus", Servers: []int{1}},
		"Part.Servers 1":      {On: "lab", Servers: []int{1, 1}},
		"Part.Servers 4":      {On: "lab", Servers: []int{4}},
		"is of nodes":         {On: "farm", Servers: []int{1}, Tasks: &nodes.Request{Each: nodes.Vector{1}}},
		"more than Each":      {On: "farm", Tasks: &nodes.Request{Each: nodes.Vector{1}, Set: "x"}},
		"desk: Part.Tasks":    {On: "farm", Tasks: &nodes.Request{Each: nodes.Vector{1, 2}}},
		"has more than Each":  {On: "farm", Tasks: &nodes.Request{Each: nodes.Vector{1}, Exclusive: true}},
		"Part.Tasks [1] are ": {On: "lab", Tasks: &nodes.Request{Each: nodes.Vector{1}}},
	} {
		_, err := d.Free(ticks(0, 9), p)
		require.ErrorIs(t, err, bookahead.ErrInvalid, text)
		require.ErrorContains(t, err, text)
	}
	a, err := d.Free(ticks(0, 9), Part{On: "lab", Servers: []int{}})
	require.NoError(t, err)
	require.Zero(t, a.Free)
}
