package main

import (
	"container/heap"
	"math/rand/v2"
)

// settings are what a world is like. Times are in milliseconds, and a tick of a desk is a second.
type settings struct {
	Seed     uint64
	Desks    int
	Units    int64 // of each desk
	Bookings int
	Load     float64 // of the units, if every booking got its place
	Ahead    int64   // bookings are ready so long after they are asked for, at most
	Longest  int64   // of a booking
	Delay    float64 // of a message, on average
	Late     float64 // the share of messages that come a hundred times later
	Lose     float64 // the share of messages that are lost
	Double   float64 // the share of messages that come twice
	Cut      float64 // the share of minutes in which two desks do not reach each other
	Stop     float64 // how often an hour a desk stops
	Down     float64 // how long it is away then, on average
	Die      float64 // the share of agents that stop for good somewhere on their way
	Regret   float64 // the share of bookings that are cancelled before they begin
	Expiry   int64   // of a hold
	Patience int64   // of an agent, and of a desk in doubt, before it asks again
	Skew     int64   // of the clocks of two desks, at most
}

// usual is a world in which things go wrong now and then.
func usual() settings {
	return settings{
		Seed: 1, Desks: 1000, Units: 64, Bookings: 100_000, Load: 0.7, Ahead: 3_600_000, Longest: 600_000,
		Delay: 50, Late: 0.001, Lose: 0.01, Double: 0.01, Cut: 0.001, Stop: 1, Down: 30_000, Die: 0.01, Regret: 0.1,
		Expiry: 30_000, Patience: 2_000, Skew: 2_000,
	}
}

// world is what happens, in turn: a heap of events, whose order and whose accidents depend on the seed alone.
type world struct {
	settings
	rng      *rand.Rand
	now      int64
	turn     uint64
	queue    events
	sites    []*site
	watch    *watch
	asked    int   // agents that have come
	commands int   // that desks have carried out
	calm     bool  // nothing goes wrong any more
	since    int64 // it is calm
}

func newWorld(x settings) (*world, error) {
	w := &world{settings: x, rng: rand.New(rand.NewPCG(x.Seed, 42)), watch: newWatch(x)}
	for i := range x.Desks {
		s, err := newSite(w, i)
		if err != nil {
			return nil, err
		}
		w.sites = append(w.sites, s)
		s.stopSometime()
	}
	return w, nil
}

// after lets something happen later.
func (w *world) after(ms int64, do func()) {
	if ms < 0 {
		panic("time does not run backwards")
	}
	w.turn++
	heap.Push(&w.queue, event{w.now + ms, w.turn, do})
}

// step lets the next thing happen; false if nothing is left.
func (w *world) step() bool {
	if len(w.queue) == 0 {
		return false
	}
	e := heap.Pop(&w.queue).(event)
	w.now = e.at
	e.do()
	return true
}

// happens draws an accident.
func (w *world) happens(share float64) bool { return !w.calm && w.rng.Float64() < share }

// apart reports whether two desks do not reach each other in the minute of a time. It draws from the seed and the desks, and not
// in turn, since the watch asks it too.
func (w *world) apart(a, b int, at int64) bool {
	if w.Cut == 0 || w.calm && at >= w.since {
		return false
	}
	low, high := uint64(min(a, b)), uint64(max(a, b))
	draw := rand.NewPCG(w.Seed^low<<32^high, uint64(at/60_000))
	return float64(draw.Uint64()>>11)/(1<<53) < w.Cut
}

// send delivers a message: later, or twice, or never.
func (w *world) send(do func()) {
	for again := true; again; again = w.happens(w.Double) {
		if w.happens(w.Lose) {
			continue
		}
		delay := 1 + w.rng.ExpFloat64()*w.Delay
		if w.happens(w.Late) {
			delay *= 100
		}
		w.after(int64(delay), do)
	}
}

// call sends a question to a site, and its answer back. The answer comes once, twice or never.
func (w *world) call(to int, ask func(*site) reply, answer func(reply)) {
	w.send(func() {
		s := w.sites[to]
		if !s.up {
			return
		}
		s.advance()
		r := ask(s)
		w.send(func() { answer(r) })
	})
}

// event is something that happens at a time. Of events at the same time, the first that was planned comes first.
type event struct {
	at   int64
	turn uint64
	do   func()
}

type events []event

func (e events) Len() int { return len(e) }

func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].turn < e[j].turn
}

func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }

func (e *events) Push(x any) { *e = append(*e, x.(event)) }

func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	(*e)[len(*e)-1] = event{}
	*e = (*e)[:len(*e)-1]
	return last
}
