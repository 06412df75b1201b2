package scheduletest

import (
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// latest searches for the last place, where the structure can.
func (m *machine) latest(t *rapid.T) {
	w := m.pick(t)
	m.latestFor(t, w, m.request(t, w))
}

func (m *machine) latestFor(t rapid.TB, w world, r bookahead.Request) {
	s, ok := w.s.(bookahead.LatestSearcher)
	if !ok {
		return // no LatestSearcher
	}
	got, err := s.SearchLatest(r)
	m.did(t, "SearchLatest(%+v) = %v, %v", r, got, err)
	if _, want := w.o.place(r); want != nil || err != nil {
		sameError(t, err, want)
		return
	}
	if problem := w.o.allows(r, got); problem != nil {
		t.Fatalf("%v", problem)
	}
	// From one tick later on there is no place.
	r.Ready = got.Start + 1
	if r.Validate() != nil {
		return // no time is left
	}
	if at, err := w.o.place(r); err == nil {
		t.Fatalf("found %v, but %d is later", got, at)
	}
}
