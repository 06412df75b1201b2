package scheduletest

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

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

// time draws a number, or a time that many ticks from now, from the horizon, or from where
// something begins or ends.
func (h *hunter) time(w world) bookahead.Time {
	by := bookahead.Time(h.Number())
	switch h.IntN(6) {
	case 0:
		return by
	case 1:
		return later(w.o.Now(), by)
	case 2:
		return w.o.Until() - min(by, w.o.Until())
	}
	edges := w.o.Edges()
	t := edges[h.IntN(len(edges))]
	switch h.IntN(4) {
	case 0:
		return later(t, by)
	case 1:
		return t - max(0, min(by, t))
	case 2:
		return t - 1 + bookahead.Time(h.IntN(2)) // t-1 or t
	}
	return t
}

// window draws a window, which may be empty or lie backwards.
func (h *hunter) window(w world) bookahead.Interval {
	i := bookahead.Interval{Start: h.time(w), End: h.time(w)}
	if i.End < i.Start && h.mostly(8) {
		i.Start, i.End = i.End, i.Start
	}
	return i
}

// units draws a number of units, mostly one that there may be.
func (h *hunter) units(w world) int64 {
	n, most := h.Number(), w.o.Most()
	if n < 1 && h.mostly(8) {
		n = 1
	}
	if n > most && h.mostly(8) {
		n = 1 + h.rng.Int64N(max(1, most))
	}
	return n
}

// request draws a request, mostly one that makes sense.
func (h *hunter) ask(w world) bookahead.Request {
	r := bookahead.Request{Ready: h.time(w), Duration: bookahead.Duration(h.Number()), Units: h.units(w)}
	if r.Duration < 1 && h.mostly(8) {
		r.Duration = 1
	}
	if h.IntN(3) == 0 { // as long as to a time at which something changes
		r.Duration = max(1, bookahead.Duration(h.time(w)-max(0, r.Ready)))
	}
	if r.Ready > 0 && h.mostly(8) {
		r.Duration = min(r.Duration, bookahead.Duration(bookahead.MaxTime-r.Ready))
	}
	end := later(r.Ready, bookahead.Time(max(0, r.Duration)))
	switch h.IntN(8) {
	case 0, 1:
		r.Deadline = end
	case 2, 3:
		r.Deadline = later(end, bookahead.Time(max(0, h.Number())))
	case 4:
		r.Deadline = h.time(w)
	}
	if h.IntN(4) == 0 && (h.target.Servers || !h.mostly(8)) {
		r.Servers = h.some(w)
	}
	return r
}

// some draws a set of servers, which now and then makes no sense.
func (h *hunter) some(w world) []int {
	n := w.o.Frame().Servers
	list := []int{}
	for k := range n {
		if h.IntN(3) > 0 {
			list = append(list, k)
		}
	}
	h.rng.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	if !h.mostly(8) {
		list = append(list, int(int32(h.Number())))
	}
	return list
}

// id draws the ID of a live reservation, or another number.
func (h *hunter) id(w world) bookahead.ID {
	live := w.o.List()
	if len(live) == 0 || !h.mostly(8) {
		return bookahead.ID(h.Number())
	}
	return live[h.IntN(len(live))].ID
}

// closure draws a closure, mostly one that makes sense.
func (h *hunter) closure(w world) bookahead.Closure {
	c := bookahead.Closure{Interval: h.window(w)}
	if !h.mostly(4) {
		c.End = bookahead.MaxTime
	}
	if h.target.Servers {
		c.Servers = h.some(w)
		if len(c.Servers) > 4 && h.mostly(4) {
			c.Servers = c.Servers[:4]
		}
		if !h.mostly(4) {
			c.Units = h.Number()
		}
		return c
	}
	c.Units = h.units(w)
	if c.Units > 1<<55 && h.mostly(4) {
		c.Units = 1 + h.rng.Int64N(100)
	}
	return c
}
