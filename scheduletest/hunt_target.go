package scheduletest

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// hunted is a history of a target, beside the oracle for large numbers. All answers must be the
// oracle's, also after errors.
func hunted(target Target) func(h *Hunter) {
	return func(h *Hunter) { newHunter(h, target).run() }
}

// hunter makes the calls of one history of a target.
type hunter struct {
	*Hunter
	*machine
}

// newHunter makes a schedule and its oracle. Both refuse sizes that make no sense. The hunter has
// no world if the sizes are refused.
func newHunter(g *Hunter, target Target) *hunter {
	h := &hunter{Hunter: g}
	c := h.sizes(target)
	h.machine = &machine{target: target, Config: c, ops: new(int)}
	h.most += 4096 * h.cells()
	h.Does("New(%+v)", c)
	var s bookahead.Schedule
	var err error
	h.Weigh(func() { s, err = target.New(c) })
	if err != nil && target.huge(c) {
		sameError(h, err, bookahead.ErrInvalid)
		return h
	}
	if err == nil && target.huge(c) {
		return h // it takes no room yet, and is too large for the oracle
	}
	o, want := oracle.NewSteps(target.rules(c))
	sameError(h, err, want)
	if err == nil {
		h.worlds = []world{{s, o}}
	}
	return h
}

// sizes draws the arguments of a constructor. Servers and slots take room by contract, so there
// are few of them, or more than fit.
func (h *hunter) sizes(target Target) (c Config) {
	c.Capacity, c.Origin, c.Horizon = h.Number(), bookahead.Time(h.Number()), bookahead.Duration(h.Number())
	if target.Servers && (h.mostly(8) || c.Capacity <= oracle.MostServers) {
		c.Capacity = min(c.Capacity, 100)
	}
	if target.MaxCapacity > 0 {
		c.Capacity = min(c.Capacity, target.MaxCapacity)
	}
	if target.Bounded && (h.mostly(8) || c.Horizon < 1<<52) {
		c.Horizon = min(c.Horizon, 100) * max(1, target.Slot)
	}
	if h.mostly(8) {
		c.Capacity = max(1, c.Capacity)
		c.Origin = max(c.Origin, 0)
		c.Horizon = max(0, min(c.Horizon, bookahead.Duration(bookahead.MaxTime-c.Origin)))
	}
	if target.Bounded && h.mostly(8) {
		c.Horizon = max(1, c.Horizon)
	}
	if h.IntN(3) == 0 && !target.Bounded {
		c.Horizon = 0
	}
	return c
}

// huge reports whether a structure may refuse the sizes because of the room that they take.
func (target Target) huge(c Config) bool {
	return target.Servers && c.Capacity > oracle.MostServers || target.Bounded && c.Horizon >= 1<<52
}

// cells returns how many slots of servers the schedule has, which take room by contract.
func (h *hunter) cells() uint64 {
	if !h.target.Servers || !h.target.Bounded || h.target.huge(h.Config) {
		return 0
	}
	return uint64(max(0, h.Capacity)) * uint64(max(0, h.Horizon/max(1, h.target.Slot)))
}

// run makes the calls. It compares everything from time to time, and at the end.
func (h *hunter) run() {
	if len(h.worlds) == 0 {
		return
	}
	made := 0
	h.Calls(func() {
		w := &h.worlds[h.IntN(len(h.worlds))]
		h.Weigh(func() { h.call(w) })
		made++
		if made%10 == 0 {
			h.everything()
		}
	})
	h.everything()
}

// everything compares the state of each world with the oracle.
func (h *hunter) everything() {
	h.Does("the state after the last call")
	for _, w := range h.worlds {
		got, told := bookahead.FrameOf(w.s)
		want := w.o.Frame()
		if told && got != want {
			h.Fatalf("the frame is %+v, not %+v", got, want)
		}
		compareClosures(h, w)
		compareOverbooked(h, w, always)
		compareLive(h, w)
		h.listOf(h, w, always)
		edges := append(w.o.Edges(), bookahead.MaxTime)
		for i, t := range edges[:len(edges)-1] {
			h.compareRange(h, w, bookahead.Interval{Start: t - 1, End: t}, false)
			if t < edges[i+1] {
				h.compareRange(h, w, bookahead.Interval{Start: t, End: edges[i+1]}, false)
			}
		}
		err := checkInvariants(w.s)
		if err != nil {
			h.Fatalf("invariant: %v", err)
		}
	}
}
