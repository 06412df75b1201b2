package grid

import (
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// anew is the answer that the oracle expects of a Rebook: the reservation starts at that
// tick, at one of those providers; or the error.
type anew struct {
	providers []int
	starts    map[int]bookahead.Time
	err       error
}

// rebook changes a reservation, or tries an ID that is not booked.
func (m *market) rebook(t *rapid.T) {
	id, r := m.change(t)
	old, ok := m.live[id]
	if !ok {
		_, err := m.SearchFor(id, r)
		require.Equal(t, bookahead.ErrNotFound, err)
		_, err = m.Rebook(id, r)
		require.Equal(t, bookahead.ErrNotFound, err)
		return
	}
	from, err := m.Place(id)
	require.NoError(t, err)
	want := m.expect(t, id, r)
	o, err := m.SearchFor(id, r)
	res, errRebook := m.Rebook(id, r)
	require.Equal(t, err, errRebook)
	if want.err != nil {
		require.ErrorIs(t, err, want.err)
		return
	}
	require.NoError(t, err, "%s, %v to %+v at %d", m.policy, old, r, m.now())
	require.Equal(t, bookahead.Reservation{ID: id, Offer: o}, res)
	at, err := m.Place(id)
	require.NoError(t, err)
	require.Contains(t, want.providers, at.Provider, "%s, of %v", m.policy, want.starts)
	require.Equal(t, bookahead.At(want.starts[at.Provider], r.Duration, r.Units), bookahead.At(res.Start, bookahead.Duration(res.Len()), res.Units))
	m.cells[from.Provider].add(t, m.own(from.Provider, old), false)
	if at.Provider == from.Provider {
		require.Equal(t, from, at)
		m.keeps(t, old, r, res)
	}
	m.cells[at.Provider].add(t, m.own(at.Provider, res.Offer), true)
	m.live[id] = res.Offer
	for _, s := range res.Servers {
		require.True(t, r.Servers == nil || slices.Contains(r.Servers, s))
	}
}

// change draws a request for a reservation: any request, or one much like its own.
func (m *market) change(t *rapid.T) (bookahead.ID, bookahead.Request) {
	id := bookahead.ID(rapid.Uint64Range(0, uint64(m.last)+1).Draw(t, "id"))
	live := slices.Sorted(func(yield func(bookahead.ID) bool) {
		for id := range m.live {
			if !yield(id) {
				return
			}
		}
	})
	if len(live) == 0 || rapid.IntRange(0, 9).Draw(t, "any ID") == 9 {
		return id, m.request(t)
	}
	id = rapid.SampledFrom(live).Draw(t, "live")
	old := m.live[id]
	if rapid.IntRange(0, 2).Draw(t, "any request") == 2 {
		return id, m.request(t)
	}
	by := func(low, high int, label string) int { return rapid.IntRange(low, high).Draw(t, label) }
	start := max(m.now(), old.Start+bookahead.Time(by(-3, 3, "later")))
	r := bookahead.At(start, max(1, old.Len()+bookahead.Duration(by(-6, 6, "longer"))), max(1, old.Units+int64(by(-2, 2, "more"))))
	if old.Start <= m.now() {
		r.Ready = bookahead.Time(by(-90, 90, "ready that is not read"))
		r.Deadline = old.Start + bookahead.Time(r.Duration)
	}
	switch by(0, 4, "deadline") {
	case 0:
		r.Deadline = 0
	case 1:
		r.Deadline += bookahead.Time(by(1, 20, "slack"))
	}
	if r.Ready+bookahead.Time(r.Duration) > r.Deadline && r.Ready > m.now() {
		r.Ready = min(r.Ready, start)
	}
	if old.Servers != nil && by(0, 2, "own servers") == 2 {
		r.Servers = slices.Clone(old.Servers[by(0, len(old.Servers), "ruled out"):])
		for _, k := range rapid.Permutation(m.all()).Draw(t, "servers")[:by(0, m.total(), "besides")] {
			if !slices.Contains(r.Servers, k) {
				r.Servers = append(r.Servers, k)
			}
		}
		r.Units = min(r.Units, max(1, int64(len(r.Servers))))
	}
	return id, r
}

// expect works out the answer to a Rebook by the rules of bookahead.Keeper, from the cells.
func (m *market) expect(t *rapid.T, id bookahead.ID, r bookahead.Request) anew {
	old := m.live[id]
	at, err := m.Place(id)
	require.NoError(t, err)
	own := m.cells[at.Provider]
	shares := make([]float64, len(m.cells)) // LeastLoaded sees the reservation
	for k := range shares {
		shares[k] = m.share(k, r)
	}
	own.add(t, m.own(at.Provider, old), false)
	defer own.add(t, m.own(at.Provider, old), true)

	unnamed := r.Servers == nil || !slices.ContainsFunc(old.Servers, func(k int) bool { return !slices.Contains(r.Servers, k) })
	there := func(start bookahead.Time) anew {
		return anew{providers: []int{at.Provider}, starts: map[int]bookahead.Time{at.Provider: start}}
	}
	if old.Start <= m.now() {
		r.Ready = -axis // is not read
		if r.Validate() != nil || old.Start+bookahead.Time(r.Duration) <= m.now() {
			return anew{err: bookahead.ErrInvalid}
		}
		givesBack := old.Start+bookahead.Time(r.Duration) <= old.End && r.Units <= old.Units && unnamed
		if givesBack && (r.Deadline == 0 || old.Start+bookahead.Time(r.Duration) <= r.Deadline) || m.extends(at.Provider, old, r) {
			return there(old.Start)
		}
		return anew{err: bookahead.ErrUnavailable}
	}
	if r.Validate() != nil {
		return anew{err: bookahead.ErrInvalid}
	}
	if r.Fixed() && old.Start <= r.Ready && r.Deadline <= old.End && r.Units <= old.Units && unnamed {
		return there(r.Ready)
	}
	want := anew{starts: m.starts(r)}
	mine, here := want.starts[at.Provider]
	for _, k := range m.choices(t, r, want.starts, func(k int) float64 { return shares[k] }, id) {
		if here && want.starts[k] == mine {
			k = at.Provider
		}
		want.providers = append(want.providers, k)
	}
	if len(want.providers) == 0 {
		want.err = bookahead.ErrUnavailable
	}
	return want
}

// extends reports whether a running reservation can have r, where it runs, and never swaps a
// server. Its own use is out of the cells.
func (m *market) extends(k int, old bookahead.Offer, r bookahead.Request) bool {
	p, ok := m.part(k, r)
	c, end := m.cells[k], old.Start+bookahead.Time(r.Duration)
	if !ok || r.Deadline != 0 && end > r.Deadline {
		return false
	}
	p.Duration = bookahead.Duration(end - m.now())
	if !fits([]Part{p}, 0, m.now()) {
		return false
	}
	return !c.servers || int64(len(m.kept(k, old, r, bookahead.Interval{Start: m.now(), End: end}))) >= min(r.Units, old.Units)
}

// kept returns those of a reservation's own servers that r allows and that are free
// throughout w, in ascending order. Its own use is out of the cells.
func (m *market) kept(k int, old bookahead.Offer, r bookahead.Request, w bookahead.Interval) (kept []int) {
	for _, s := range old.Servers {
		p := Part{On: m.cells[k], Duration: w.Len(), Units: 1, Servers: []int{s - m.providers[k].first}}
		if (r.Servers == nil || slices.Contains(r.Servers, s)) && fits([]Part{p}, 0, w.Start) {
			kept = append(kept, s)
		}
	}
	return kept
}

// keeps checks that a reservation that stays at its provider keeps as many of its servers as
// it can. Its old use is out of the cells.
func (m *market) keeps(t *rapid.T, old bookahead.Offer, r bookahead.Request, res bookahead.Reservation) {
	at, err := m.Place(res.ID)
	require.NoError(t, err)
	kept := m.kept(at.Provider, old, r, bookahead.Interval{Start: max(res.Start, m.now()), End: res.End})
	kept = kept[:min(int64(len(kept)), r.Units)]
	require.Subset(t, res.Servers, kept, "%v becomes %+v", old, r)
}
