package desk

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// TestCapacityTickByTick compares Capacity with a list of all closures and extensions ever made, tick by tick.
func TestCapacityTickByTick(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 9))
		d, err := New(Config{Keep: 1000})
		require.NoError(t, err)
		for _, c := range []Command{
			Advance{2}, AddSchedule{"pool", Pool{Units: 4}}, AddSchedule{"lab", Servers{Count: 3}},
			AddSchedule{"farm", Nodes{Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{4, 16}, {0, 8}}}},
		} {
			_, err := d.Do(c)
			require.NoError(t, err)
		}
		ever := map[OutageID]Outage{}
		for range 25 {
			start := d.Now() + bookahead.Time(rng.IntN(9))
			w := ticks(start, start+1+bookahead.Time(rng.IntN(20)))
			on := []string{"pool", "lab", "farm"}[rng.IntN(3)]
			var c Command
			switch rng.IntN(4) {
			case 0:
				c = Advance{d.Now() + bookahead.Time(rng.IntN(9))}
			case 1:
				x := Close{On: on, Interval: w, Units: int64(1 + rng.IntN(3))}
				if on != "pool" {
					x.Units, x.Servers = 0, []int{rng.IntN(5), rng.IntN(5)}
				}
				c = x
			case 2:
				x := Extend{On: on, Interval: w, Units: int64(1 + rng.IntN(2))}
				if on == "farm" {
					x.Units, x.Nodes = 0, []nodes.Added{{Has: nodes.Vector{2, 2}}}
				}
				c = x
			case 3:
				c = Reopen{OutageID(1 + rng.IntN(9)), start}
			}
			_, _ = d.Do(c)
			for _, o := range d.Outages("") {
				ever[o.ID] = o
			}
			r, ok := c.(Reopen)
			o, there := ever[r.ID]
			if ok && there && o.End > max(r.At, d.Now()) { // it is not over, and so it was cut
				o.End = max(r.At, d.Now(), o.Start)
				ever[r.ID] = o
			}
		}
		read, err := Read(bytes.NewReader(written(t, d)), Config{})
		require.NoError(t, err)
		for range 20 {
			w := ticks(bookahead.Time(rng.IntN(60)), bookahead.Time(rng.IntN(120)))
			for on, want := range naiveCapacity(d, ever, w) {
				for _, x := range []*Desk{d, d.Clone(), read} {
					got, err := x.Capacity(w, on)
					require.NoError(t, err)
					for r := range want {
						require.Equal(t, big.NewInt(want[r]).String(), got[r].String(), "seed %d: %s %v", seed, on, w)
					}
				}
			}
		}
	}
}

// naiveCapacity counts what there is at each tick.
func naiveCapacity(d *Desk, ever map[OutageID]Outage, w bookahead.Interval) map[string][]int64 {
	sums := map[string][]int64{"pool": {0}, "lab": {0}, "farm": {0, 0}}
	farm := d.Schedules()[2].Kind.(Nodes).Nodes
	for at := max(w.Start, 2); at < w.End; at++ {
		units := int64(4)
		lab, open := map[int]bool{0: true, 1: true, 2: true}, map[int]bool{0: true, 1: true}
		servers := map[string]map[int]bool{"lab": lab, "farm": open}
		for _, added := range []bool{true, false} {
			for _, o := range ever {
				if o.added != added || at < o.Start || at >= o.End {
					continue
				}
				switch {
				case o.On != "pool":
					for _, k := range o.Servers {
						servers[o.On][k] = added
					}
				case added:
					units += o.Units
				default:
					units -= o.Units
				}
			}
		}
		sums["pool"][0] += max(0, units)
		for k := range lab {
			if lab[k] {
				sums["lab"][0]++
			}
		}
		for k := range open {
			if open[k] {
				sums["farm"][0] += farm[k][0]
				sums["farm"][1] += farm[k][1]
			}
		}
	}
	return sums
}

// TestCapacityOfOthers: a broker has none of its own, and outages are forgotten as bookings are.
func TestCapacityOfOthers(t *testing.T) {
	d := all(t) // which keeps 50 ticks
	for _, on := range []string{"none", "any"} {
		_, err := d.Capacity(ticks(0, 9), on)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
	got, err := d.Capacity(ticks(0, bookahead.MaxTime), "gpus")
	require.NoError(t, err)
	require.Equal(t, new(big.Int).Lsh(big.NewInt(1), 65).Sub(new(big.Int).Lsh(big.NewInt(1), 65), big.NewInt(4)).String(), got[0].String())
	do(t, d, Close{On: "gpus", Interval: ticks(0, 9), Units: 3})
	for _, now := range []bookahead.Time{0, 9, 58, 59} {
		do(t, d, Advance{now})
		got, err := d.Capacity(ticks(0, 9), "gpus")
		require.NoError(t, err)
		require.Equal(t, now == 59, got[0].Int64() == 36, "%v", got)
		require.Equal(t, now < 59, got[0].Int64() == 9, "%v", got)
	}
}
