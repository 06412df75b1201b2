package scheduletest

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// hunted is a history of a target, beside the oracle for large numbers. All answers must be the
// oracle's, also after errors.
func hunted(target Target) func(h *Hunter) {
	return func(h *Hunter) { newHunter(h, target).run() }
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
		h.listOf(h, w, always)
		edges := append(w.o.Edges(), bookahead.MaxTime)
		for i, t := range edges[:len(edges)-1] {
			h.compareRange(h, w, bookahead.Interval{Start: t - 1, End: t}, false)
			if t < edges[i+1] {
				h.compareRange(h, w, bookahead.Interval{Start: t, End: edges[i+1]}, false)
			}
		}
		compareState(h, w)
	}
}

// call makes one call, and compares its answer with the oracle's. All calls of the root package
// that take a schedule are among them.
func (h *hunter) call(w *world) {
	closes, displaces := has[bookahead.Closable](w.s), has[bookahead.Displacer](w.s)
	n := h.IntN(32)
	switch {
	case n < 8:
		h.reserves(*w)
	case n == 8:
		h.releases(*w)
	case n == 9:
		h.advances(*w)
	case n == 10:
		win := h.window(*w)
		h.Does("RangeQuery(%v)", win)
		h.compareRange(h, *w, win, true)
	case n < 14:
		h.rebooks(*w)
	case n < 16:
		h.finds(*w)
	case n == 16:
		h.passes(*w)
	case n == 17:
		h.resizes(*w)
	case n == 18:
		h.explains(*w)
	case n == 19:
		h.copies(w)
	case n < 22:
		h.profiles(*w)
	case n == 22:
		h.lists(*w)
	case n < 26 && closes:
		c := h.closure(*w)
		h.Does("Close(%s)", inWords(c))
		h.vary(h, *w, c, false)
	case n < 28 && closes:
		h.extends(*w)
	case n == 28 && closes:
		h.ends(*w)
	case n == 29 && closes:
		win := h.window(*w)
		h.Does("Overbooked(%v)", win)
		compareOverbooked(h, *w, win)
	case n > 29 && displaces:
		h.displaces(w)
	default:
		h.reserves(*w)
	}
}

func (h *hunter) reserves(w world) {
	r := h.ask(w)
	h.Does("Search and Reserve(%+v)", r)
	h.book(h, w, r)
}

func (h *hunter) releases(w world) {
	id := h.id(w)
	h.Does("Release(%d)", id)
	h.releaseID(h, w, id)
}

func (h *hunter) advances(w world) {
	now := h.time(w)
	if now > later(w.o.Now(), 1<<20) && h.mostly(3) {
		now = later(w.o.Now(), 20)
	}
	h.Does("Advance(%d)", now)
	h.advanceTo(h, w, now)
}

// passes moves the clock by the function of the root package.
func (h *hunter) passes(w world) {
	k, ok := w.s.(bookahead.Keeper)
	if !ok {
		return
	}
	now := h.time(w)
	if now > later(w.o.Now(), 1<<20) && h.mostly(3) {
		now = later(w.o.Now(), 5)
	}
	h.Does("bookahead.Advance(%d)", now)
	got, err := bookahead.Advance(k, now)
	want, wantErr := bookahead.Advance(w.o, now)
	h.did(h, "bookahead.Advance(%d) = %v, %v", now, got, err)
	sameError(h, err, wantErr)
	if !slices.EqualFunc(got.Started, want.Started, sameReservation) || !slices.EqualFunc(got.Ended, want.Ended, sameReservation) {
		h.Fatalf("the passage is %v, not %v", got, want)
	}
}

func (h *hunter) rebooks(w world) {
	id, r := h.id(w), h.ask(w)
	h.Does("SearchFor and Rebook(%d, %+v)", id, r)
	_ = h.searchAnew(h, w, id, r)
	h.bookAnew(h, w, id, r)
}

// resizes compares the time and the units with the oracle's. The structure may choose the servers.
func (h *hunter) resizes(w world) {
	k, ok := w.s.(bookahead.Keeper)
	if !ok {
		return
	}
	id, to, units := h.id(w), h.window(w), h.units(w)
	h.Does("Resize(%d, %v, %d)", id, to, units)
	want, wantErr := bookahead.Resize(w.o.Copy(), id, to, units)
	got, err := bookahead.Resize(k, id, to, units)
	h.did(h, "Resize(%d, %v, %d) = %v, %v", id, to, units, got, err)
	sameError(h, err, wantErr)
	if err != nil {
		return
	}
	if got.ID != id || got.Interval != want.Interval || got.Units != units || len(got.Servers) != len(want.Servers) {
		h.Fatalf("resized to %v, not %v", got, want)
	}
	w.o.Move(got)
}

// finds lists places: ranges of starts, the first few offers, and the last place. Where a schedule
// has no such method, the functions of the root package go from one Search to the next. Their
// Searches are limited, and their answers compared in Model.
func (h *hunter) finds(w world) {
	r := h.ask(w)
	switch h.IntN(4) {
	case 0:
		h.Does("Openings(%+v)", r)
		h.openingsOf(h, w.s, w.o, r)
	case 1:
		h.Does("Openings(%+v) by Search alone", r)
		h.openingsOf(h, hide(w.s), w.o, r)
	case 2:
		h.Does("Offers(%+v)", r)
		h.offersOf(h, w, r, 5)
	case 3:
		h.Does("SearchLatest(%+v)", r)
		h.latestOf(h, w.s, w.o, r)
	}
}

// explains checks what an Explanation says of the places, and that fewer units than requested are
// free where it says so.
func (h *hunter) explains(w world) {
	r := h.ask(w)
	h.Does("Explain(%+v)", r)
	e, ok := h.explained(h, w.s, w, r)
	if !ok || e.Blocked.Empty() || h.target.Step > 1 {
		return
	}
	if e.Free >= r.Units || e.Blocked.Intersect(e.Window) != e.Blocked || e.Changes <= e.Blocked.Start {
		h.Fatalf("blocked in %v of %v, where %d are free, until %d", e.Blocked, e.Window, e.Free, e.Changes)
	}
	if e.Blocked.Start >= w.o.Now() && e.Blocked.End <= w.o.Until() {
		_, _, n := w.o.Share(r, e.Blocked, nil)
		if n != e.Free {
			h.Fatalf("in %v %d are free, not %d", e.Blocked, n, e.Free)
		}
	} else if e.Free != 0 {
		h.Fatalf("in %v, which cannot be booked, %d are free", e.Blocked, e.Free)
	}
	if e.Changes < bookahead.MaxTime {
		if w.o.PartAt(r, e.Blocked.Start).Equal(w.o.PartAt(r, e.Changes)) {
			h.Fatalf("nothing changes at %d", e.Changes)
		}
	}
}

// copies goes on with a clone, or with the schedule read from its snapshot.
func (h *hunter) copies(w *world) {
	if h.IntN(2) == 0 && len(h.worlds) < 3 {
		h.Does("Clone()")
		h.cloneOf(h, *w)
		return
	}
	if !has[bookahead.Snapshotter](w.s) {
		return
	}
	h.Does("Snapshot, and Restore into a schedule that is there")
	read, err := h.target.New(h.Config)
	sameError(h, err, nil)
	h.readInto(h, w, read)
}

// lists compares the reservations in a window, on some servers, and by ID.
func (h *hunter) lists(w world) {
	win := h.window(w)
	if has[bookahead.Tracker](w.s) {
		on := h.IntN(2) == 0
		h.Does("Track(%t)", on)
		h.trackWorld(h, w, on)
	}
	h.Does("Reservations(%v)", win)
	h.listOf(h, w, win)
	var servers []int
	if h.IntN(2) == 0 {
		servers = h.some(w)
	}
	h.Does("ReservationsOn(%v, %v)", win, servers)
	h.onServers(h, w, win, servers)
}

// extends adds units, or servers. Added servers take room by contract, so there are a few of
// them, or more than a schedule may have.
func (h *hunter) extends(w world) {
	c := bookahead.Closure{Interval: h.window(w), Units: h.Number()}
	if h.target.Servers && c.Units > 0 && c.Units <= oracle.MostServers {
		c.Units = 1 + h.rng.Int64N(20)
		if w.o.Frame().Servers > 200 {
			return
		}
	}
	h.Does("Extend(%s)", inWords(c))
	h.vary(h, w, c, true)
}

func (h *hunter) ends(w world) {
	id, at := bookahead.ClosureID(h.Number()), h.time(w)
	live := slices.Collect(w.o.Closures())
	if len(live) > 0 && h.mostly(8) {
		id = live[h.IntN(len(live))].ID
	}
	h.Does("End(%d, %d)", id, at)
	h.endAt(h, w, id, at)
}

func (h *hunter) displaces(w *world) {
	f := force{Order: h.IntN(3), Spare: max(0, h.IntN(6)-2), Again: h.IntN(4)}
	if h.mostly(4) {
		r := h.ask(*w)
		f.Request = &r
	}
	if f.Request != nil {
		h.Does("Displace(%+v, order %d, spare %d, again %d)", *f.Request, f.Order, f.Spare, f.Again)
	} else {
		h.Does("Displace(order %d, spare %d, again %d)", f.Order, f.Spare, f.Again)
	}
	h.displaceBy(h, w, f)
}
