package servers

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// matrix is the simplest structure there is: who holds a server at each tick. It
// chooses the lowest servers. slot rounds as fixed slots do.
type matrix struct {
	Servers
	taken [][]bool // by tick, and server
	slot  bookahead.Time
}

func newMatrix(t require.TestingT, capacity int64, slot bookahead.Time) *matrix {
	s, err := New(capacity, 0, 100)
	require.NoError(t, err)
	m := &matrix{s, make([][]bool, 200), slot}
	for i := range m.taken {
		m.taken[i] = make([]bool, capacity)
	}
	return m
}

func (m *matrix) round(w bookahead.Interval) bookahead.Interval {
	return span(w.Start/m.slot*m.slot, (w.End+m.slot-1)/m.slot*m.slot)
}

func (m *matrix) idle(w bookahead.Interval) func(int32) bool {
	return func(k int32) bool {
		return !slices.ContainsFunc(m.taken[w.Start:w.End], func(at []bool) bool { return at[k] })
	}
}

func (m *matrix) choose(w bookahead.Interval, n int, beside []int32) (list []int) {
	for k := range int32(m.Capacity) {
		if m.idle(w)(k) && !slices.Contains(beside, k) && len(list) < n {
			list = append(list, int(k))
		}
	}
	slices.Reverse(list) // in no order that could be relied on
	return list
}

// set writes what must not be there yet.
func (m *matrix) set(b Booking, taken bool) {
	for t := b.Start; t < b.End; t++ {
		for _, k := range b.Servers {
			if m.taken[t][k] == taken {
				panic("twice")
			}
			m.taken[t][k] = taken
		}
	}
}

func (m *matrix) book(start, end bookahead.Time, list ...int) bookahead.ID {
	o := offer(start, end, list...)
	m.set(Booking{m.round(o.Interval), convert[int32](list)}, true)
	return m.Enter(o).ID
}

func (m *matrix) resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	in := Structure{
		Idle: m.idle, Choose: m.choose,
		Give: func(b Booking) { m.set(b, false) },
		Take: func(b Booking) { m.set(b, true) },
	}
	if m.slot > 1 {
		in.Round = m.round
	}
	return m.Resize(id, to, units, in)
}

// consistent demands that just those servers are taken from now on that are booked.
func (m *matrix) consistent(t require.TestingT, name string) {
	want := newMatrix(t, m.Capacity, m.slot)
	for res := range m.Reservations() {
		w := m.round(m.Ahead(res.Interval))
		want.set(Booking{w, convert[int32](res.Servers)}, true)
	}
	from := m.round(span(m.Now, m.Now+1)).End
	require.Equal(t, want.taken[from:], m.taken[from:], name)
}

// Of 6 servers, 1, 3 and 5 are booked in [10, 20), or as soon; others have 3 in
// [25, 40), 1 and 0 in [30, 40).
func TestResize(t *testing.T) {
	for _, c := range []struct {
		name  string
		now   bookahead.Time
		to    bookahead.Interval
		units int64
		want  bookahead.Offer // none if it is unavailable
	}{
		{"as it is", 0, span(10, 20), 3, offer(10, 20, 1, 3, 5)},
		{"shorter", 0, span(12, 15), 3, offer(12, 15, 1, 3, 5)},
		{"longer", 0, span(5, 25), 3, offer(5, 25, 1, 3, 5)},
		{"longer, and leaves 3", 0, span(10, 30), 3, offer(10, 30, 0, 1, 5)},
		{"longer, and leaves 1 and 3", 0, span(10, 31), 3, offer(10, 31, 2, 4, 5)},
		{"longer, and fewer", 0, span(10, 31), 1, offer(10, 31, 5)},
		{"longer, and too many", 0, span(10, 31), 4, bookahead.Offer{}},
		{"fewer", 0, span(10, 20), 2, offer(10, 20, 1, 3)},
		{"more", 0, span(10, 20), 5, offer(10, 20, 0, 1, 2, 3, 5)},
		{"all", 0, span(10, 20), 6, offer(10, 20, 0, 1, 2, 3, 4, 5)},
		{"moved into its own time", 0, span(15, 25), 4, offer(15, 25, 0, 1, 3, 5)},
		{"moved to where others are", 0, span(28, 35), 3, offer(28, 35, 2, 4, 5)},
		{"moved to where others are, and too many", 0, span(28, 35), 4, bookahead.Offer{}},
		{"moved behind them", 0, span(40, 45), 3, offer(40, 45, 1, 3, 5)},
		{"to the horizon", 0, span(90, 100), 1, offer(90, 100, 1)},
		{"beyond the horizon", 0, span(90, 101), 1, bookahead.Offer{}},
		{"a start in the past", 4, span(2, 20), 3, offer(4, 20, 1, 3, 5)},

		{"running, shorter", 12, span(10, 15), 3, offer(10, 15, 1, 3, 5)},
		{"running, longer", 12, span(10, 25), 3, offer(10, 25, 1, 3, 5)},
		{"running, longer, and 3 is not free", 12, span(10, 30), 3, bookahead.Offer{}},
		{"running, longer, and can do without 3", 12, span(10, 30), 2, offer(10, 30, 1, 5)},
		{"running, longer, and only 5 is free", 12, span(10, 31), 2, bookahead.Offer{}},
		{"running, longer on 5 alone", 12, span(10, 31), 1, offer(10, 31, 5)},
		{"running, fewer", 12, span(10, 20), 1, offer(10, 20, 1)},
		{"running, more", 12, span(10, 20), 4, offer(10, 20, 0, 1, 3, 5)},
		{"running, more and longer", 12, span(10, 25), 6, offer(10, 25, 0, 1, 2, 3, 4, 5)},
		{"running, more, but 3 is not free", 12, span(10, 30), 4, bookahead.Offer{}},
		{"running, begins now", 12, span(12, 20), 3, offer(10, 20, 1, 3, 5)},
		{"running, begins in the past", 12, span(3, 20), 3, offer(10, 20, 1, 3, 5)},
		{"just begun, longer, and 3 is not free", 10, span(10, 30), 3, bookahead.Offer{}},
		{"just begun, more", 10, span(10, 20), 4, offer(10, 20, 0, 1, 3, 5)},
		{"running, begins anew, and too many", 12, span(30, 35), 4, bookahead.Offer{}},
		{"running, begins anew, and may move", 12, span(13, 30), 3, offer(13, 30, 0, 1, 5)},
	} {
		m := newMatrix(t, 6, 1)
		id := m.book(10, 20, 1, 3, 5)
		m.book(25, 40, 3)
		m.book(30, 40, 0, 1)
		require.NoError(t, m.Advance(c.now))
		m.End = 100
		before := slices.Collect(m.Reservations())
		got, err := m.resize(id, c.to, c.units)
		m.consistent(t, c.name)
		if c.want.Units == 0 {
			require.Equal(t, bookahead.ErrUnavailable, err, c.name)
			require.Equal(t, before, slices.Collect(m.Reservations()), c.name)
			continue
		}
		require.NoError(t, err, c.name)
		require.Equal(t, bookahead.Reservation{ID: id, Offer: c.want}, got, c.name)
		got.Servers[0] = -1 // the slice is the caller's
		before[0].Offer = c.want
		require.Equal(t, before, slices.Collect(m.Reservations()), c.name)
	}
}

// Slots of 10 ticks: 1 and 3 are booked in [12, 18), which is [10, 20); others have 0
// and 3 in [21, 22), which is [20, 30).
func TestResizeRounded(t *testing.T) {
	for _, c := range []struct {
		name  string
		now   bookahead.Time
		to    bookahead.Interval
		units int64
		want  bookahead.Offer
	}{
		{"within its slot", 0, span(10, 20), 2, offer(10, 20, 1, 3)},
		{"into the next", 0, span(12, 21), 2, offer(12, 21, 1, 2)},
		{"before", 0, span(9, 18), 3, offer(9, 18, 0, 1, 3)},
		{"running, in the slot where it began", 15, span(12, 19), 4, offer(12, 19, 0, 1, 2, 3)},
		{"running, into the next", 15, span(12, 21), 2, bookahead.Offer{}},
		{"running, anew in this slot", 15, span(16, 20), 2, offer(16, 20, 1, 3)},
	} {
		m := newMatrix(t, 4, 10)
		id := m.book(12, 18, 1, 3)
		m.book(21, 22, 0, 3)
		require.NoError(t, m.Advance(c.now))
		got, err := m.resize(id, c.to, c.units)
		m.consistent(t, c.name)
		if c.want.Units == 0 {
			require.Equal(t, bookahead.ErrUnavailable, err, c.name)
			continue
		}
		require.NoError(t, err, c.name)
		require.Equal(t, bookahead.Reservation{ID: id, Offer: c.want}, got, c.name)
	}
}

func TestResizeRefuses(t *testing.T) {
	m := newMatrix(t, 4, 1)
	id, ended := m.book(10, 20, 0, 1, 2), m.book(0, 5, 3)
	require.NoError(t, m.Advance(12))
	for _, c := range []struct {
		id    bookahead.ID
		to    bookahead.Interval
		units int64
		want  string
	}{
		{id, span(15, 15), 1, "bookahead: to [15, 15) is empty"},
		{id, span(5, 12), 1, "bookahead: to [5, 12) ends by now, 12"},
		{id, span(15, 16), 0, "bookahead: units 0 is less than 1"},
		{id, span(15, 16), 5, "bookahead: units 5 is more than the capacity 4"},
		{7, span(15, 16), 1, bookahead.ErrNotFound.Error()},
		{ended, span(15, 16), 1, bookahead.ErrNotFound.Error()},
		{ended, span(15, 1000), 1, bookahead.ErrNotFound.Error()},
	} {
		res, err := m.resize(c.id, c.to, c.units)
		require.EqualError(t, err, c.want)
		require.Zero(t, res)
		m.consistent(t, c.want)
	}
}

// Clones share what is booked until either side changes it.
func TestResizedClonesAreApart(t *testing.T) {
	m := newMatrix(t, 4, 1)
	id := m.book(10, 20, 0, 1)
	c := *m
	c.Servers = m.Clone()
	_, err := m.resize(id, span(10, 20), 3)
	require.NoError(t, err)
	require.Equal(t, []bookahead.Reservation{{ID: id, Offer: offer(10, 20, 0, 1)}}, slices.Collect(c.Reservations()))
}
