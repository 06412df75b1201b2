package scheduletest

import (
	"iter"
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// list compares the reservations in a window with those of the oracle.
func (m *machine) list(t *rapid.T) {
	w := m.pick(t)
	win := always
	if rapid.Bool().Draw(t, "in a window") {
		win = drawWindow(t, w.o.Now())
		win.End -= drawTime(t, 0, 3, "shorter") // it may be empty
	}
	m.listOf(t, w, win)
}

func (m *machine) listOf(t rapid.TB, w world, win bookahead.Interval) {
	k, ok := w.s.(bookahead.Keeper)
	if !ok {
		return // the five methods only
	}
	listed := k.Reservations(win)
	got := slices.Collect(listed)
	m.did(t, "Reservations(%v) = %v", win, got)
	want := slices.Collect(w.o.Reservations(win))
	if !slices.EqualFunc(got, want, sameReservation) {
		t.Fatalf("the reservations in %v are %v, not %v", win, got, want)
	}
	overwrite(got) // the slices are ours
	for range listed {
		break // leaving early must be safe
	}
	if win == always {
		m.eachOf(t, k, w.o, listed)
	}
}

// eachOf asks for each reservation by its ID, and for IDs that are not booked. It ranges once
// more over the sequence all, which must be as before.
func (m *machine) eachOf(t rapid.TB, k bookahead.Keeper, o *oracle.Oracle, all iter.Seq[bookahead.Reservation]) {
	live := o.List()
	n := 0
	for res := range all {
		one, err := k.Reservation(res.ID)
		if err != nil || !sameReservation(one, res) || !slices.ContainsFunc(live, func(want bookahead.Reservation) bool { return sameReservation(one, want) }) {
			t.Fatalf("Reservation(%d) = %v, %v, not %v", res.ID, one, err, res)
		}
		overwrite([]bookahead.Reservation{one, res}) // the slices are ours
		n++
	}
	if n != len(live) {
		t.Fatalf("the second loop over the reservations yields %d, not %v", n, live)
	}
	for id := range o.Last + 2 {
		if !slices.ContainsFunc(live, func(res bookahead.Reservation) bool { return res.ID == id }) {
			absent(t, k, id)
		}
	}
	absent(t, k, math.MaxUint64)
}

// absent checks that nothing is booked under an ID.
func absent(t rapid.TB, k bookahead.Keeper, id bookahead.ID) {
	if res, err := k.Reservation(id); err != bookahead.ErrNotFound || res.ID != 0 {
		t.Fatalf("Reservation(%d) = %v, %v, but it is not booked", id, res, err)
	}
}

// overwrite spoils the servers of reservations, which a schedule must not have kept.
func overwrite(list []bookahead.Reservation) {
	for _, res := range list {
		spoilAll(res.Servers)
	}
}

func sameReservation(a, b bookahead.Reservation) bool {
	return a.ID == b.ID && sameOffer(a.Offer, b.Offer)
}

// rebook searches for another place for a reservation, and books it anew.
func (m *machine) rebook(t *rapid.T) {
	w := m.pick(t)
	id, r := drawRebook(t, m.target, w.o.List(), w.o.Most(), w.o.Now())
	if rapid.IntRange(0, 3).Draw(t, "search first") > 0 {
		m.searchAnew(t, w, id, r)
	}
	m.bookAnew(t, w, id, r)
}

// searchFor searches for another place for a reservation.
func (m *machine) searchFor(t *rapid.T) {
	w := m.pick(t)
	id, r := drawRebook(t, m.target, w.o.List(), w.o.Most(), w.o.Now())
	m.searchAnew(t, w, id, r)
}

// searchAnew compares SearchFor with the oracle, and returns its error.
func (m *machine) searchAnew(t rapid.TB, w world, id bookahead.ID, r bookahead.Request) error {
	k, ok := w.s.(bookahead.Keeper)
	if !ok {
		return nil // the five methods only
	}
	want, wantErr := w.o.Anew(w.s, id, r)
	given := lend(r)
	lent, err := k.SearchFor(id, given)
	got := reclaim(t, r, given, lent)
	m.did(t, "SearchFor(%d, %+v) = %v, %v", id, r, got, err)
	sameError(t, err, wantErr)
	if !sameOffer(got, want) {
		t.Fatalf("found %v for #%d, not %v", got, id, want)
	}
	return err
}

// bookAnew compares Rebook with the oracle, and writes the new place into the oracle.
func (m *machine) bookAnew(t rapid.TB, w world, id bookahead.ID, r bookahead.Request) {
	k, ok := w.s.(bookahead.Keeper)
	if !ok {
		return // the five methods only
	}
	want, wantErr := w.o.Anew(w.s, id, r)
	given := lend(r)
	got, err := k.Rebook(id, given)
	got.Offer = reclaim(t, r, given, got.Offer)
	m.did(t, "Rebook(%d, %+v) = %v, %v", id, r, got, err)
	sameError(t, err, wantErr)
	if err != nil {
		id = 0
	}
	if got.ID != id || !sameOffer(got.Offer, want) {
		t.Fatalf("booked anew is %v, not #%d %v", got, id, want)
	}
	if err == nil {
		w.o.Move(bookahead.Reservation{ID: id, Offer: want})
	}
}

// track switches the index on or off.
func (m *machine) track(t *rapid.T) {
	m.trackWorld(t, m.pick(t), rapid.Bool().Draw(t, "on"))
}

func (m *machine) trackWorld(t rapid.TB, w world, on bool) {
	bookahead.Update(w.s, func(s bookahead.Tracker) { s.Track(on) })
	w.o.Track(on)
	m.did(t, "Track(%t)", on)
}

// reservationsOn compares the reservations that are in the way in a window, on some servers.
func (m *machine) reservationsOn(t *rapid.T) {
	w := m.pick(t)
	win := drawSpan(t, w.o.Frame())
	var servers []int
	if rapid.IntRange(0, 3).Draw(t, "on servers") > 0 && (m.target.Servers || rapid.IntRange(0, 3).Draw(t, "on a pool") == 3) {
		servers = []int{}
		for range rapid.IntRange(0, 3).Draw(t, "servers") {
			servers = append(servers, rapid.IntRange(-1, w.o.Frame().Servers).Draw(t, "server"))
		}
	}
	m.onServers(t, w, win, servers)
}

func (m *machine) onServers(t rapid.TB, w world, win bookahead.Interval, servers []int) {
	k, ok := w.s.(bookahead.Keeper)
	if !ok {
		return
	}
	given := slices.Clone(servers)
	seq := bookahead.ReservationsOn(k, win, given)
	got := slices.Collect(seq)
	m.did(t, "ReservationsOn(%v, %v) = %v", win, servers, got)
	want := slices.Collect(w.o.ReservationsOn(win, servers))
	if !slices.Equal(given, servers) {
		t.Fatalf("the servers %v have become %v", servers, given)
	}
	if !slices.EqualFunc(got, want, sameReservation) {
		t.Fatalf("the reservations on %v in %v are %v, not %v", servers, win, got, want)
	}
	overwrite(got) // the slices are ours
	again := slices.Collect(seq)
	if !slices.EqualFunc(again, want, sameReservation) {
		t.Fatalf("the reservations on %v in %v are %v, and the second time %v", servers, win, want, again)
	}
	for range seq {
		break // leaving early must be safe
	}
}

// compareLive compares the number of reservations, while it is known.
func compareLive(t rapid.TB, w world) {
	bookahead.View(w.s, func(s bookahead.Tracker) {
		n, ok := s.Live()
		want, on := w.o.Live()
		if ok != on || on && n != want {
			t.Fatalf("Live returns %d, %t, not %d, %t", n, ok, want, on)
		}
	})
}
