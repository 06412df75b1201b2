package scheduletest

import (
	"cmp"
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

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

// drawRebook draws a change of a reservation, mostly of a live one, and often of the one that
// began first, as that may be running.
func drawRebook(t *rapid.T, target Target, live []bookahead.Reservation, capacity int64, now bookahead.Time) (bookahead.ID, bookahead.Request) {
	id := bookahead.ID(rapid.Uint64Range(0, 40).Draw(t, "id")) // known or not
	which := rapid.IntRange(0, 8).Draw(t, "which")
	if len(live) == 0 || which == 8 {
		r := drawRequest(t, target, capacity, now)
		if rapid.IntRange(0, 3).Draw(t, "bad") == 3 {
			r.Units = 0 // the error must be about the ID that is not booked
		}
		return id, r
	}
	old := live[int(id)%len(live)]
	if which < 4 {
		old = begunFirst(live)
	}
	var r bookahead.Request
	switch rapid.IntRange(0, 3).Draw(t, "change") {
	case 0: // another place
		r = drawRequest(t, target, capacity, now)
	default: // only a little is changed
		r = drawNear(t, old)
	}
	if target.Servers && rapid.IntRange(0, 3).Draw(t, "own servers") == 3 {
		r.Servers = drawServersNear(t, old.Servers, capacity)
	}
	return old.ID, r
}

// drawNear draws a request for about the same place: fixed, or with some slack.
func drawNear(t *rapid.T, old bookahead.Reservation) bookahead.Request {
	by := func(low, high int64, label string) int64 {
		if rapid.Bool().Draw(t, label+" as it is") {
			return 0
		}
		return rapid.Int64Range(low, high).Draw(t, label)
	}
	r := bookahead.Request{
		Ready:    later(old.Start, bookahead.Time(by(-3, 3, "earlier or later"))),
		Duration: old.Len() + bookahead.Duration(by(-3, 12, "shorter or longer")), // 0 is invalid
		Units:    max(0, old.Units+min(by(-2, 2, "fewer or more"), math.MaxInt64-old.Units)),
	}
	slack := rapid.IntRange(-1, 12).Draw(t, "slack")
	if slack >= 0 {
		r.Deadline = later(later(r.Ready, bookahead.Time(r.Duration)), bookahead.Time(max(0, slack-6)))
	}
	return r
}

// drawServersNear draws a set of servers with some of a reservation's own servers.
func drawServersNear(t *rapid.T, own []int, capacity int64) []int {
	ruledOut := rapid.IntRange(0, len(own)).Draw(t, "ruled out")
	servers := slices.Clone(own[ruledOut:])
	for range ruledOut + rapid.IntRange(0, 3).Draw(t, "allowed besides") {
		k := rapid.IntRange(0, int(capacity)-1).Draw(t, "server")
		if !slices.Contains(servers, k) {
			servers = append(servers, k)
		}
	}
	return servers // fewer than the units are invalid
}

// begunFirst returns the reservation with the earliest start.
func begunFirst(live []bookahead.Reservation) bookahead.Reservation {
	return slices.MinFunc(live, func(a, b bookahead.Reservation) int { return cmp.Compare(a.Start, b.Start) })
}
