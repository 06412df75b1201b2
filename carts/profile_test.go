package carts

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

// TestProfile changes a profile with narrow nodes, and compares it with a cell
// for each tick. It has found: an update whose first edge divided a node, and then
// took the wrong one for that of its last edge; and a leaf whose first slot
// became part of the leaf before, of which the index knew nothing.
func TestProfile(t *testing.T) {
	const length, capacity = 220, 9
	for seed := range uint64(scheduletest.Operations() / 500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := newProfile[int32]([]Slot{{0, capacity}}, 8, 0)
		var cells [length]int32 // what is booked
		var booked []bookahead.Interval
		for range 300 {
			w := bookahead.Interval{Start: bookahead.Time(rng.IntN(200))}
			w.End = w.Start + 1 + bookahead.Time(rng.IntN(18))
			delta := int32(-1)
			if len(booked) > 0 && rng.IntN(5) < 2 {
				i := rng.IntN(len(booked))
				w, delta = booked[i], 1
				booked[i] = booked[len(booked)-1]
				booked = booked[:len(booked)-1]
			} else if p.least(w) < 1 {
				continue
			} else {
				booked = append(booked, w)
			}
			p.add(w, delta)
			for i := w.Start; i < w.End; i++ {
				cells[i] -= delta
			}
			slots, err := p.check()
			require.NoError(t, err, "seed %d", seed)
			for i, k := 0, 0; i < length; i++ {
				if k+1 < len(slots) && slots[k+1].Start == bookahead.Time(i) {
					k++
				}
				require.EqualValues(t, capacity-cells[i], slots[k].Free, "seed %d at %d", seed, i)
			}
			n, d, first := 1+rng.Int32N(capacity), 1+rng.IntN(20), rng.IntN(100)
			last := first + rng.IntN(100)
			fits := func(at int) bool {
				for i := at; i < min(at+d, length); i++ {
					if capacity-cells[i] < n {
						return false
					}
				}
				return true
			}
			earliest, latest := -1, -1
			for at := first; at <= last; at++ {
				if fits(at) {
					if earliest < 0 {
						earliest = at
					}
					latest = at
				}
			}
			at, ok := p.earliest(bookahead.Time(first), bookahead.Time(last), bookahead.Time(d), n)
			require.Equal(t, earliest >= 0, ok)
			if ok {
				require.EqualValues(t, earliest, at)
			}
			at, ok = p.latest(bookahead.Time(first), bookahead.Time(last), bookahead.Time(d), n)
			require.Equal(t, latest >= 0, ok)
			if ok {
				require.EqualValues(t, latest, at)
			}
			_, err = p.check() // what searches have written into the index
			require.NoError(t, err, "seed %d", seed)
		}
	}
}
