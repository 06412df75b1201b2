package scheduletest

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A history of the hunt has up to huntCalls calls. A call that has not returned within
// huntPatience hangs: the calls of a history take about a millisecond together. The clock finds
// hangs, and measures nothing else.
const (
	huntCalls    = 30
	huntPatience = 20 * time.Second
)

// huntBytes is how many bytes one call of the hunt may allocate, with the oracle's answer to it.
// Schedules are small here: 30 reservations and closures, 100 servers, a few thousand slots. Their
// calls take up to a few hundred KiB, mostly for the oracle. Memory in proportion to one of the
// numbers would be 2^20 bytes at least, times the size of an entry.
const huntBytes = 8 << 20

// huntNumbers are the numbers at which arithmetic ends and walks grow long.
var huntNumbers = []int64{0, 1, 2, 3, 5, 20, 100, 1 << 20, 1 << 31, 1 << 40, 1 << 52, 1 << 61, math.MaxInt64}

// Hunt runs histories of calls with numbers at the edges: one for every 400 Operations. It serves
// calls that are no methods of a bookahead.Schedule; Run hunts a structure's own. A history makes
// its calls by Hunter.Calls and Hunter.Weigh, and fails by the methods of the Hunter, which is a
// rapid.TB. A failure prints the calls, and the flag that reruns them.
func Hunt(t *testing.T, history func(h *Hunter)) {
	var kept slowest
	histories := 0
	for want := max(1, Operations()/400); histories < want && !t.Failed(); {
		rapid.Check(t, func(t *rapid.T) {
			histories++
			hunt(t, huntPatience, &kept, history)
		})
	}
	t.Logf("%d histories; the slowest calls:\n%v", histories, &kept)
}

// FuzzHunt is the entry for go test -fuzz: the fuzzer's bytes choose the calls of Hunt.
func FuzzHunt(f *testing.F, history func(h *Hunter)) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { hunt(t, huntPatience, &slowest{}, history) }))
}

// hunt draws a history, and runs it on a goroutine of its own. No call may panic, hang, or take
// memory in proportion to a number in it.
func hunt(t *rapid.T, patience time.Duration, kept *slowest, history func(h *Hunter)) {
	seeds := rapid.SliceOfN(rapid.Uint64(), huntCalls+1, huntCalls+1).Draw(t, "seeds of the sizes and the calls, 0 for no call")
	var log *trail
	var end halted
	for range 3 { // what other goroutines allocate counts as well, but hardly three times
		log = &trail{TB: t}
		h := &Hunter{trail: log, kept: kept, seeds: seeds[1:], rng: rand.New(rand.NewPCG(seeds[0], 0)), most: huntBytes}
		end = watched(patience, func() { history(h) })
		if !end.heavy {
			break
		}
	}
	if end.reason != "" {
		log.print(t)
		t.Fatalf("%s %s", log.current(), end.reason)
	}
}

// watched runs a history, and returns the reason for which it has ended before its end.
func watched(patience time.Duration, history func()) halted {
	done := make(chan halted, 1)
	go func() {
		defer func() {
			p := recover()
			end, ok := p.(halted)
			if p != nil && !ok {
				end.reason = fmt.Sprintf("panics: %v\n%s", p, debug.Stack())
			}
			done <- end
		}()
		history()
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case end := <-done:
		return end
	case <-timer.C:
		return halted{reason: fmt.Sprintf("has not returned after %v", patience)}
	}
}

// trail is a test that keeps its log until it fails, and ends its goroutine then.
type trail struct {
	rapid.TB
	mu    sync.Mutex
	lines []line
	call  string
}

// halted says why a history has ended before its end, and whether a call has allocated too much.
type halted struct {
	reason string
	heavy  bool
}

// Helper implements rapid.TB.
func (*trail) Helper() {}

// Logf implements rapid.TB.
func (l *trail) Logf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line{format: format, args: args})
}

// Fatalf implements rapid.TB.
func (l *trail) Fatalf(format string, args ...any) {
	panic(halted{reason: "is wrong: " + fmt.Sprintf(format, args...)})
}

// Errorf implements rapid.TB.
func (l *trail) Errorf(format string, args ...any) { l.Fatalf(format, args...) }

// FailNow implements rapid.TB.
func (l *trail) FailNow() { l.Fatalf("it fails") }

// begin notes the call that comes next.
func (l *trail) begin(call string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.call = call
}

func (l *trail) current() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.call
}

// print shows the calls that have returned.
func (l *trail) print(t rapid.TB) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, l := range l.lines {
		t.Logf(l.format, l.args...)
	}
}

// slowest keeps the ten calls that took longest, for the log: no test depends on them.
type slowest struct{ list []weighed }

// weighed is a call with the oracle's answer to it.
type weighed struct {
	call  string
	took  time.Duration
	bytes uint64
}

func (s *slowest) add(w weighed) {
	if len(s.list) == 10 && w.took <= s.list[9].took {
		return
	}
	s.list = append(s.list, w)
	slices.SortFunc(s.list, func(a, b weighed) int { return cmp.Compare(b.took, a.took) })
	s.list = s.list[:min(len(s.list), 10)]
}

// String lists the calls, the slowest first.
func (s *slowest) String() string {
	text := ""
	for _, w := range s.list {
		text += fmt.Sprintf("%v, %d bytes: %s\n", w.took, w.bytes, w.call)
	}
	return text
}

// Hunter draws the numbers of a history, and watches its calls.
type Hunter struct {
	*trail
	kept  *slowest
	seeds []uint64
	rng   *rand.Rand
	name  string // of the call
	most  uint64 // bytes that a call may allocate
}

// Calls makes 30 calls, or fewer. Each draws its numbers apart from the others, so that a failure
// can be shown with the calls that it needs.
func (h *Hunter) Calls(call func()) {
	for _, seed := range h.seeds {
		if seed != 0 {
			h.rng = rand.New(rand.NewPCG(seed, 1))
			call()
		}
	}
}

// IntN draws a number below n.
func (h *Hunter) IntN(n int) int { return h.rng.IntN(n) }

// mostly returns true except once in n times.
func (h *Hunter) mostly(n int) bool { return h.rng.IntN(n) > 0 }

// Number draws one of the numbers, or a neighbour, and seldom a negative one.
func (h *Hunter) Number() int64 {
	n := huntNumbers[h.rng.IntN(len(huntNumbers))]
	switch h.rng.IntN(8) {
	case 0:
		n -= min(1, n)
	case 1:
		n += min(1, math.MaxInt64-n)
	case 2:
		if !h.mostly(4) {
			n = -n - int64(h.rng.IntN(2))
		}
	}
	return n
}

// Does notes the call that comes next.
func (h *Hunter) Does(format string, args ...any) {
	h.name = fmt.Sprintf(format, args...)
	h.begin(h.name)
	h.Logf("%s", h.name)
}

var allocated = []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}

// Weigh runs a call, and fails if it allocates more than 8 MiB. Memory is not measured under the
// race detector.
func (h *Hunter) Weigh(call func()) {
	sample := slices.Clone(allocated)
	metrics.Read(sample)
	before, start := sample[0].Value.Uint64(), time.Now()
	call()
	took := time.Since(start)
	metrics.Read(sample)
	bytes := sample[0].Value.Uint64() - before
	h.kept.add(weighed{h.name, took, bytes})
	if bytes > h.most && !raceEnabled {
		panic(halted{fmt.Sprintf("allocates %d bytes, more than %d", bytes, h.most), true})
	}
}
