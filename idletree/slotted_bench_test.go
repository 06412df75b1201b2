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
// server, in a horizon of 500 slots. MB is the size of the heap, and fill-s the
// number of seconds that it took to make the reservations.
//
// A Slotted keeps idle periods that never end in one tree. The paper has only the
// trees of slots, so that such a period is in the tree of every slot behind its
// start. With ends=all, every server is booked for the last tick of the horizon at
// first, no idle period is without end, and the trees hold the same periods as the
// paper's. (Their leaves have room for 16 periods, which takes less memory than the
// paper's leaves of one.)
//
// Lists and Tree try every start. Slotted tries one start in each slot, from the
// ready time on.
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
		for _, ends := range []string{"some", "all"} {
			name := fmt.Sprintf("impl=%s/servers=%d/units=8/ends=%s", form.name, servers, ends)
			b.Run(name, func(b *testing.B) { benchSlotted(b, servers, ends == "all", form.open) })
		}
	}
}

func benchSlotted(b *testing.B, servers int, end bool, open func(int64) (bookahead.Schedule, error)) {
	before, start := megabytes(), time.Now()
	s, err := open(int64(servers))
	if err != nil {
		b.Fatal(err)
	}
	if end {
		last := bookahead.Request{Ready: horizon - 1, Duration: 1, Units: int64(servers)}
		if _, err := s.Reserve(last); err != nil {
			b.Fatal(err)
		}
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
}
