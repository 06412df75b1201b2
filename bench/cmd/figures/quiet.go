package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Bounds of a sitting that is not disturbed.
const (
	mostBusy = 0.10 // of all processors, that others take
	mostSway = 0.10 // of the reference loop, between its slowest and its quickest time
)

// state is what the machine looked like at a moment.
type state struct {
	busy      float64       // the share of all processors that was taken, from 0 to 1; -1 where nobody says
	reference time.Duration // of the reference loop
}

// look takes a second and some, in which this program does nothing but the reference loop.
func look() state {
	idle, all, known := processors()
	time.Sleep(time.Second)
	later, total, _ := processors()
	s := state{busy: -1, reference: reference()}
	if known && total > all {
		s.busy = 1 - float64(later-idle)/float64(total-all)
	}
	return s
}

// processors returns the idle and the whole time of all processors since the start, as Linux counts them.
func processors() (idle, all uint64, known bool) {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0, false
	}
	line, _, _ := strings.Cut(string(data), "\n")
	for i, word := range strings.Fields(line)[1:] {
		n, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			return 0, 0, false
		}
		all += n
		if i == 3 || i == 4 { // idle, and idle while a disk works
			idle += n
		}
	}
	return idle, all, true
}

// loop is the memory of the reference loop: 256 KiB of indices, each the next, in an order drawn once. They stay in the cache of a
// core: what lies beyond is shared with strangers on a rented machine, where its latency swings by half while nothing runs. Of
// that, only the spread of several sittings tells.
var loop = func() []int32 {
	list := make([]int32, 64<<10)
	order := rand.New(rand.NewPCG(1, 1)).Perm(len(list))
	for i, k := range order {
		list[k] = int32(order[(i+1)%len(order)])
	}
	return list
}()

// reference times a walk through the loop with some arithmetic: the quickest of five.
func reference() time.Duration {
	best, sink := time.Hour, int32(0)
	for range 5 {
		began := time.Now()
		at, sum := int32(0), int32(0)
		for range 4 << 20 {
			at = loop[at]
			sum = sum*31 + at
		}
		sink += sum
		best = min(best, time.Since(began))
	}
	runtime.KeepAlive(sink) // so that the loop is not left out
	return best
}

// quiet says what has disturbed a sitting between its states; "" for nothing.
func quiet(states []state) string {
	slow, quick := states[0].reference, states[0].reference
	for _, s := range states {
		if s.busy > mostBusy {
			return fmt.Sprintf("others took %.0f %% of the processors", 100*s.busy)
		}
		slow, quick = max(slow, s.reference), min(quick, s.reference)
	}
	if sway := float64(slow)/float64(quick) - 1; sway > mostSway {
		return fmt.Sprintf("the reference loop differs by %.0f %%", 100*sway)
	}
	return ""
}
