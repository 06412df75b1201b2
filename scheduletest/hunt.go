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

	"github.com/bookahead/bookahead"
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

// hunting runs histories of calls with numbers at the edges: one for every 400 Operations.
func hunting(t *testing.T, target Target) {
	var kept slowest
	histories := 0
	for want := max(1, Operations()/400); histories < want && !t.Failed(); {
		rapid.Check(t, func(t *rapid.T) {
			histories++
			hunt(t, target, huntPatience, &kept)
		})
	}
	t.Logf("%d histories; the slowest calls:\n%v", histories, &kept)
}

// hunt draws a history, and runs it on a goroutine of its own, beside the oracle for large
// numbers. No call may panic, hang, or take memory in proportion to a number in it. All answers
// must be those of the oracle, also after errors.
func hunt(t *rapid.T, target Target, patience time.Duration, kept *slowest) {
	seeds := rapid.SliceOfN(rapid.Uint64(), huntCalls+1, huntCalls+1).Draw(t, "seeds of the sizes and the calls, 0 for no call")
	var log *trail
	var end halted
	for range 3 { // what other goroutines allocate counts as well, but hardly three times
		log = &trail{TB: t}
		end = watched(patience, func() { newHunter(log, target, kept, seeds[0]).run(seeds[1:]) })
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

// hunter makes the calls of one history.
type hunter struct {
	*trail
	*machine
	kept *slowest
	rng  *rand.Rand
	name string // of the call
}

// newHunter makes a schedule and its oracle. Both refuse sizes that make no sense. The hunter has
// no world if the sizes are refused.
func newHunter(log *trail, target Target, kept *slowest, seed uint64) *hunter {
	h := &hunter{trail: log, kept: kept, rng: rand.New(rand.NewPCG(seed, 0))}
	c := h.sizes(target)
	h.machine = &machine{target: target, Config: c, ops: new(int)}
	h.does("New(%+v)", c)
	var s bookahead.Schedule
	var err error
	h.weigh(func() { s, err = target.New(c) })
	if err != nil && target.huge(c) {
		sameError(h, err, bookahead.ErrInvalid)
		return h
	}
	if err == nil && target.huge(c) {
		return h // it takes no room yet, and is too large for the oracle
	}
	o, want := newStepOracle(target, c)
	sameError(h, err, want)
	if err == nil {
		h.worlds = []world{{s, o}}
		h.Logf("New(%+v)", c)
	}
	return h
}

// sizes draws the arguments of a constructor. Servers and slots take room by contract, so there
// are few of them, or more than fit.
func (h *hunter) sizes(target Target) (c Config) {
	c.Capacity, c.Origin, c.Horizon = h.number(), bookahead.Time(h.number()), bookahead.Duration(h.number())
	if target.Servers && (h.one(8) || c.Capacity <= mostServers) {
		c.Capacity = min(c.Capacity, 100)
	}
	if target.MaxCapacity > 0 {
		c.Capacity = min(c.Capacity, target.MaxCapacity)
	}
	if target.Bounded && (h.one(8) || c.Horizon < 1<<52) {
		c.Horizon = min(c.Horizon, 100) * max(1, target.Slot)
	}
	if h.one(8) {
		c.Capacity = max(1, c.Capacity)
		c.Origin = max(c.Origin, 0)
		c.Horizon = max(0, min(c.Horizon, bookahead.Duration(bookahead.MaxTime-c.Origin)))
	}
	if target.Bounded && h.one(8) {
		c.Horizon = max(1, c.Horizon)
	}
	if h.rng.IntN(3) == 0 && !target.Bounded {
		c.Horizon = 0
	}
	return c
}

// huge reports whether a structure may refuse the sizes because of the room that they take.
func (target Target) huge(c Config) bool {
	return target.Servers && c.Capacity > mostServers || target.Bounded && c.Horizon >= 1<<52
}

// one returns true except once in n times.
func (h *hunter) one(n int) bool { return h.rng.IntN(n) > 0 }

// number draws one of the numbers, or a neighbour, and seldom a negative one.
func (h *hunter) number() int64 {
	n := huntNumbers[h.rng.IntN(len(huntNumbers))]
	switch h.rng.IntN(8) {
	case 0:
		n -= min(1, n)
	case 1:
		n += min(1, math.MaxInt64-n)
	case 2:
		if !h.one(4) {
			n = -n - int64(h.rng.IntN(2))
		}
	}
	return n
}

// does notes the call that comes next.
func (h *hunter) does(format string, args ...any) {
	h.name = fmt.Sprintf(format, args...)
	h.begin(h.name)
}

// cells returns how many slots of servers the schedule has, which take room by contract.
func (h *hunter) cells() uint64 {
	if !h.target.Servers || !h.target.Bounded || h.target.huge(h.Config) {
		return 0
	}
	return uint64(max(0, h.Capacity)) * uint64(max(0, h.Horizon/max(1, h.target.Slot)))
}

var allocated = []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}

// weigh runs a call, and fails if it allocates too much.
func (h *hunter) weigh(call func()) {
	sample := slices.Clone(allocated)
	metrics.Read(sample)
	before, start := sample[0].Value.Uint64(), time.Now()
	call()
	took := time.Since(start)
	metrics.Read(sample)
	bytes := sample[0].Value.Uint64() - before
	h.kept.add(weighed{h.name, took, bytes})
	most := huntBytes + h.cells()*4096
	if bytes > most && !raceEnabled {
		panic(halted{fmt.Sprintf("allocates %d bytes, more than %d", bytes, most), true})
	}
}

// run makes the calls. It compares everything from time to time, and at the end.
func (h *hunter) run(seeds []uint64) {
	if len(h.worlds) == 0 {
		return
	}
	for k, seed := range seeds {
		if seed == 0 {
			continue
		}
		h.rng = rand.New(rand.NewPCG(seed, 1))
		w := &h.worlds[h.rng.IntN(len(h.worlds))]
		h.weigh(func() { h.call(w) })
		if k%10 == 9 {
			h.everything()
		}
	}
	h.everything()
}

// everything compares the state of each world with the oracle.
func (h *hunter) everything() {
	h.does("the state after the last call")
	for _, w := range h.worlds {
		got, told := bookahead.FrameOf(w.s)
		want := w.o.Frame()
		if told && got != want {
			h.trail.Fatalf("the frame is %+v, not %+v", got, want)
		}
		compareClosures(h, w)
		compareOverbooked(h, w, always)
		compareLive(h, w)
		h.listOf(h, w, always)
		steps := w.o.(*stepOracle).steps()
		for i, s := range steps {
			end := bookahead.MaxTime
			if i+1 < len(steps) {
				end = steps[i+1].start
			}
			h.compareRange(h, w, bookahead.Interval{Start: s.start - 1, End: s.start}, false)
			if s.start < end {
				h.compareRange(h, w, bookahead.Interval{Start: s.start, End: end}, false)
			}
		}
		err := checkInvariants(w.s)
		if err != nil {
			h.trail.Fatalf("invariant: %v", err)
		}
	}
}
