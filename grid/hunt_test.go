package grid

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/scheduletest"
)

func TestHunt(t *testing.T) { scheduletest.Hunt(t, hunted) }

func FuzzHunt(f *testing.F) { scheduletest.FuzzHunt(f, hunted) }

// hunted books jobs with numbers at the edges on a pool, on servers and on a machine. CoAllocate
// must book the plan of CoSearch, a plan must keep the terms of its job, and an error must leave
// the bytes of all members as they were. The Broker and the Binder are hunted by scheduletest.Run.
func hunted(h *scheduletest.Hunter) {
	pool, err := carts.NewIndexed(5, carts.Config{})
	require.NoError(h, err)
	tree, err := idletree.NewTree(3, idletree.Config{})
	require.NoError(h, err)
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{4}, {2}}})
	require.NoError(h, err)
	state := func() [3]string {
		var all [3]string
		for i, x := range []interface{ MarshalBinary() ([]byte, error) }{pool, tree, m} {
			data, err := x.MarshalBinary()
			require.NoError(h, err)
			all[i] = string(data)
		}
		return all
	}
	members := []Member{pool, tree, Gang{Machine: m, Request: nodes.Request{Each: nodes.Vector{1}}}}
	h.Calls(func() {
		if h.IntN(10) == 0 {
			now := bookahead.Time(h.Number())
			h.Does("Advance(%d)", now)
			h.Weigh(func() { _, _, _ = pool.Advance(now), tree.Advance(now), m.Advance(now) })
			return
		}
		j := Job{Ready: bookahead.Time(h.Number()), Effort: bookahead.Effort{Steps: 2000}}
		for range 1 + h.IntN(3) {
			p := Part{On: members[h.IntN(3)], Offset: bookahead.Duration(h.Number()), Duration: bookahead.Duration(h.Number()), Units: h.Number()}
			if h.IntN(3) > 0 {
				p.Offset = bookahead.Duration(h.IntN(3))
			}
			if h.IntN(8) > 0 {
				p.Offset, p.Duration, p.Units = max(0, p.Offset), max(1, p.Duration), 1+int64(h.IntN(3))
			}
			j.Parts = append(j.Parts, p)
		}
		if h.IntN(3) == 0 {
			j.Deadline = bookahead.Time(h.Number())
		}
		h.Does("CoSearch and CoAllocate(ready %d, deadline %d, %+v)", j.Ready, j.Deadline, j.Parts)
		before := state()
		var plan Plan
		var want error
		h.Weigh(func() { plan, want = CoSearch(j) })
		require.Equal(h, before, state(), "a search has changed a member")
		var got Allocation
		h.Weigh(func() { got, err = CoAllocate(j) })
		require.Equal(h, want == nil, err == nil, "%v, %v", want, err)
		if err != nil {
			known := errors.Is(err, bookahead.ErrStopped) || errors.Is(err, bookahead.ErrUnavailable) || errors.Is(err, bookahead.ErrInvalid)
			require.True(h, known, "%v", err)
			require.Equal(h, before, state(), "an error has changed a member")
			return
		}
		require.LessOrEqual(h, plan.Spent, int64(2000))
		require.GreaterOrEqual(h, plan.Start, j.Ready)
		for i, o := range plan.Parts {
			p := j.Parts[i]
			start := plan.Start + bookahead.Time(p.Offset)
			require.Equal(h, bookahead.Interval{Start: start, End: start + bookahead.Time(p.Duration)}, o.Interval)
			require.True(h, o.End > o.Start && (j.Deadline == 0 || o.End <= j.Deadline), "%v", o)
			require.Equal(h, o, got.Parts[i].Offer)
		}
		require.NoError(h, pool.Verify())
		require.NoError(h, tree.Verify())
		require.NoError(h, m.Verify())
		if h.IntN(3) == 0 {
			require.NoError(h, got.Release())
		}
	})
}
