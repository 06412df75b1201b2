package idletree

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/bookahead/bookahead"
)

// BenchmarkSlotted compares the structure as published with a scan of all
// calendars, and with Tree: one operation is to reserve 8 servers, and to release
// them. All get the same requests, on the same 10 reservations ahead for each
// server, in a horizon of 500 slots. MB is what the heap holds, fill-s how many
// seconds it took to make the reservations.
//
// The memory is that of our trees, not of those that the paper prints. A leaf here
// holds 16 idle periods, and those that never end are in one tree: 135 MB for
// 10 000 servers, which is 19 times what Tree takes, or 37 times if the calendars
// and the bookings, which all have, are left out. With leaves of one and a
// secondary tree at each inner node, the same entries need at least 211 MB; with
// endless periods in the tree of each slot, some 1.5 GB.
//
// All but Slotted try every start. It tries one in each slot, from the ready time
// on, as far as there are any.
func BenchmarkSlotted(b *testing.B) {
	servers := 10_000
	if testing.Short() {
		servers = 400
	}
	for _, form := range []struct {
		name string
		open func(servers int64) (bookahead.Schedule, error)
	}{
		{"lists", func(n int64) (bookahead.Schedule, error) { return NewLists(n, Config{Horizon: horizon}) }},
		{"slotted", func(n int64) (bookahead.Schedule, error) {
			return NewSlotted(n, SlottedConfig{Horizon: horizon, Slot: slotTicks, Attempts: horizon / slotTicks})
		}},
		{"tree", func(n int64) (bookahead.Schedule, error) { return NewTree(n, Config{Horizon: horizon}) }},
	} {
		b.Run(fmt.Sprintf("impl=%s/servers=%d/units=8", form.name, servers), func(b *testing.B) {
			before, start := megabytes(), time.Now()
			s, err := form.open(int64(servers))
			if err != nil {
				b.Fatal(err)
			}
			load(b, s, servers)
			filled := time.Since(start)
			memory := megabytes() - before
			rng := rand.New(rand.NewPCG(5, 6))
			for b.Loop() {
				res, err := s.Reserve(randomRequest(rng, 8))
				if err != nil {
					b.Fatal(err)
				}
				if err := s.Release(res.ID); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(memory, "MB")
			b.ReportMetric(filled.Seconds(), "fill-s")
			runtime.KeepAlive(s)
		})
	}
}
