package nodes

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// offerOf returns an offer without a head.
func offerOf(start, end bookahead.Time, tasks ...Share) Offer {
	return Offer{Interval: bookahead.Interval{Start: start, End: end}, Tasks: tasks, Head: -1}
}

// An offer is booked where it lies, although Reserve would choose other nodes and an earlier start.
func TestAnOfferIsBookedToTheLetter(t *testing.T) {
	m := four(t, 2, 2, 2, 2)
	o := offerOf(7, 12, Share{1, 1}, Share{3, 2})
	o.Head = 2
	res, err := m.ReserveOffer(o, Request{Each: Vector{1}, Head: Vector{2}})
	require.NoError(t, err)
	require.Equal(t, Reservation{ID: 1, Offer: o, Each: Vector{1}, HeadTakes: Vector{2}}, res)
	again, err := m.Reservation(1)
	require.NoError(t, err)
	require.Equal(t, res, again)
	require.NoError(t, m.Verify())
	for node, free := range []int64{2, 1, 0, 0} {
		for tasks := int64(1); tasks <= 2; tasks++ {
			_, err = m.Clone().ReserveOffer(offerOf(0, 8, Share{node, tasks}), Request{Each: Vector{1}})
			require.Equal(t, tasks <= free, err == nil, "%d on %d", tasks, node)
			_, err = m.Clone().ReserveOffer(offerOf(0, 7, Share{node, tasks}), Request{Each: Vector{1}})
			require.NoError(t, err)
		}
	}
}

// The offer of a search can be booked, and Reserve books the same: replay gives the same state.
func TestWhatIsOfferedCanBeReplayed(t *testing.T) {
	for name, policy := range policies {
		c := racks()
		c.Policy = policy
		m, err := New(c)
		require.NoError(t, err)
		replay, err := New(c)
		require.NoError(t, err)
		for i := range 40 {
			r := Request{Ready: bookahead.Time(1 + i%7), Duration: bookahead.Duration(3 + i%5), Tasks: int64(1 + i%4), Each: Vector{int64(i % 3), 8}}
			if i%3 == 0 {
				r.Head = Vector{0, 4}
			}
			o, err := m.Search(r)
			require.NoError(t, err)
			res, err := m.Reserve(r)
			require.NoError(t, err)
			again, err := replay.ReserveOffer(o, Request{Each: r.Each, Head: r.Head})
			require.NoError(t, err)
			require.Equal(t, res, again, name)
			if i%4 == 3 {
				anew, err := m.Rebook(res.ID-2, r)
				require.NoError(t, err)
				again, err = replay.RebookOffer(res.ID-2, anew.Offer, Request{Each: r.Each, Head: r.Head})
				require.NoError(t, err)
				require.Equal(t, anew, again, name)
			}
		}
		want, err := m.MarshalBinary()
		require.NoError(t, err)
		got, err := replay.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, want, got, name)
		require.NoError(t, replay.Verify())
	}
}

// A head of nearly MaxInt64 beside tasks on its node overflows a sum, and has no place.
func TestAHugeHeadHasNoPlace(t *testing.T) {
	m := four(t, 8, 8, 8, 8)
	for _, head := range []int64{7, 8, 9, math.MaxInt64 - 2, math.MaxInt64 - 1, math.MaxInt64} {
		o := offerOf(0, 5, Share{0, 1})
		o.Head = 0
		_, err := m.ReserveOffer(o, Request{Each: Vector{2}, Head: Vector{head}})
		require.ErrorIs(t, err, bookahead.ErrUnavailable, head)
		o.Head = 1
		_, err = m.Clone().ReserveOffer(o, Request{Each: Vector{2}, Head: Vector{head}})
		require.Equal(t, head <= 8, err == nil, head)
	}
	for _, tasks := range []int64{5, math.MaxInt64/2 + 1, math.MaxInt64} {
		_, err := m.ReserveOffer(offerOf(0, 5, Share{0, tasks}), Request{Each: Vector{2}})
		require.ErrorIs(t, err, bookahead.ErrUnavailable, tasks)
	}
	require.NoError(t, m.Verify())
}

// A node that has no room does not hide that another is none.
func TestAnInvalidOfferIsNotMerelyTooLarge(t *testing.T) {
	m := four(t, 2, 2, 2, 2)
	_, err := m.ReserveOffer(offerOf(0, 5, Share{0, 9}, Share{4, 1}), Request{Each: Vector{1}})
	refused(t, err, "Offer.Tasks[1]")
	_, err = m.ReserveOffer(offerOf(math.MinInt64, 5, Share{0, 1}), Request{Each: Vector{1}})
	require.ErrorIs(t, err, bookahead.ErrUnavailable, "it begins before now, however long it is")
	_, err = m.ReserveOffer(offerOf(0, 51, Share{0, 1}), Request{Each: Vector{1}})
	require.ErrorIs(t, err, bookahead.ErrUnavailable, "it ends beyond the horizon")
}

// The slices of an offer stay the caller's, and so do the slices returned.
func TestAnOfferSharesNothing(t *testing.T) {
	m := four(t, 8, 8, 8, 8)
	shares, each, head := []Share{{0, 1}, {2, 3}}, Vector{2}, Vector{1}
	o := Offer{Interval: bookahead.Interval{Start: 5, End: 9}, Tasks: shares, Head: 2}
	res, err := m.ReserveOffer(o, Request{Each: each, Head: head})
	require.NoError(t, err)
	anew, err := m.RebookOffer(1, o, Request{Each: each, Head: head})
	require.NoError(t, err)
	want, err := m.MarshalBinary()
	require.NoError(t, err)
	for _, list := range [][]Share{shares, res.Tasks, anew.Tasks} {
		list[0].Node = 3
	}
	for _, v := range []Vector{each, head, res.Each, anew.Each, res.HeadTakes, anew.HeadTakes} {
		v[0] = 8
	}
	got, err := m.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, m.Verify())
}

// An offer on a closed node is refused, and a reservation that was there before keeps its place:
//
//	node 0   ██1██░░░░░    closed from 2 to 8
//	node 1   ██████████    open
func TestOffersOnClosedNodes(t *testing.T) {
	m := four(t, 2, 2, 2, 2)
	_, err := m.ReserveOffer(offerOf(0, 6, Share{0, 1}), Request{Each: Vector{1}})
	require.NoError(t, err)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 2, End: 8}, Servers: []int{0}})
	require.NoError(t, err)
	for _, w := range [][2]bookahead.Time{{1, 3}, {7, 9}, {0, 20}} {
		_, err = m.ReserveOffer(offerOf(w[0], w[1], Share{0, 1}), Request{Each: Vector{1}})
		require.ErrorIs(t, err, bookahead.ErrUnavailable)
	}
	_, err = m.ReserveOffer(offerOf(8, 12, Share{0, 2}), Request{Each: Vector{1}})
	require.NoError(t, err)
	require.NoError(t, m.Advance(1))
	for _, c := range []struct {
		o  Offer
		ok bool
	}{
		{offerOf(0, 6, Share{0, 1}), true},                // it keeps its place
		{offerOf(0, 4, Share{0, 1}), true},                // and gives some back
		{offerOf(0, 7, Share{0, 1}), false},               // but gains nothing there
		{offerOf(0, 4, Share{0, 2}), false},               // nor a task
		{offerOf(0, 4, Share{0, 1}, Share{1, 2}), true},   // elsewhere it does
		{offerOf(0, 4, Share{1, 1}), false},               // and it moves nowhere
		{offerOf(-9, 12, Share{0, 1}), false},             // its Start is not read, but its End is
		{offerOf(3, 5, Share{0, 1}, Share{2, 1}), true},   // nor is this one
		{offerOf(0, 50, Share{1, 1}, Share{0, 1}), false}, // nodes ascend
	} {
		x := m.Clone()
		res, err := x.RebookOffer(1, c.o, Request{Each: Vector{1}})
		require.Equal(t, c.ok, err == nil, "%v: %v", c.o, err)
		require.NoError(t, x.Verify())
		if c.ok {
			require.Equal(t, bookahead.Interval{Start: 0, End: c.o.End}, res.Interval)
		}
	}
	_, err = m.RebookOffer(1, offerOf(0, 1, Share{0, 1}), Request{Each: Vector{1}})
	refused(t, err, "Offer.End")
	_, err = m.RebookOffer(3, offerOf(0, 1, Share{0, 1}), Request{Each: Vector{1}})
	require.Equal(t, bookahead.ErrNotFound, err)
}

// A Displace can be repeated by offers alone: the reservations that it moves are released, or booked anew
// at their new places, and the new reservation comes last.
func TestDisplacedByOffers(t *testing.T) {
	m := four(t, 2, 2, 2, 2)
	for range 4 {
		_, err := m.Reserve(Request{Ready: 5, Duration: 10, Tasks: 1, Each: Vector{2}})
		require.NoError(t, err)
	}
	_, err := m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: 30}, Servers: []int{2}})
	require.NoError(t, err)
	replay := m.Clone()
	done, err := m.Displace(Force{Request: &Request{Ready: 5, Duration: 10, Deadline: 15, Tasks: 1, Each: Vector{2}}})
	require.NoError(t, err)
	require.Len(t, done.Moved, 2)
	for _, move := range done.Moved { // each first to a place where nobody is
		_, err := replay.RebookOffer(move.From.ID, move.To.Offer, Request{Each: move.To.Each})
		require.NoError(t, err)
	}
	_, err = replay.ReserveOffer(done.Booked.Offer, Request{Each: Vector{2}})
	require.NoError(t, err)
	want, err := m.MarshalBinary()
	require.NoError(t, err)
	got, err := replay.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, replay.Verify())
}

// offerRefusals are offers that make no sense.
func offerRefusals(call func(m *Machine, o Offer, each, head Vector) error) (list []refusal) {
	for _, c := range []struct {
		field, value string
		spoil        func(o *Offer, each, head *Vector)
	}{
		{"Offer.Interval", "[0, -3)", func(o *Offer, _, _ *Vector) { o.Start, o.End = 0, -3 }},
		{"Request.Each", "[]", func(_ *Offer, each, _ *Vector) { *each = nil }},
		{"Request.Each", "[1]", func(_ *Offer, each, _ *Vector) { *each = Vector{1} }},
		{"Request.Each", "[0 0]", func(_ *Offer, each, _ *Vector) { *each = Vector{0, 0} }},
		{"Request.Each[1]", "-1", func(_ *Offer, each, _ *Vector) { *each = Vector{1, -1} }},
		{"Request.Head[0]", "-9", func(_ *Offer, _, head *Vector) { *head = Vector{-9, 1} }},
		{"Request.Head", "[0 0]", func(_ *Offer, _, head *Vector) { *head = Vector{0, 0} }},
		{"Request.Head", "[1 1 1]", func(_ *Offer, _, head *Vector) { *head = Vector{1, 1, 1} }},
		{"Request.Head", "[]", func(_ *Offer, _, head *Vector) { *head = Vector{} }},
		{"Offer.Head", "-2", func(o *Offer, _, _ *Vector) { o.Head = -2 }},
		{"Offer.Head", "4", func(o *Offer, _, _ *Vector) { o.Head = 4 }},
		{"Offer.Head", "2", func(_ *Offer, _, head *Vector) { *head = nil }},
		{"Offer.Head", "-1", func(o *Offer, _, _ *Vector) { o.Head = -1 }},
		{"Offer.Tasks", "[]", func(o *Offer, _, _ *Vector) { o.Tasks = nil }},
		{"Offer.Tasks[1]", "4", func(o *Offer, _, _ *Vector) { o.Tasks[1].Node = 4 }},
		{"Offer.Tasks[0]", "-1", func(o *Offer, _, _ *Vector) { o.Tasks[0].Node = -1 }},
		{"Offer.Tasks[1]", "0", func(o *Offer, _, _ *Vector) { o.Tasks[1].Node = 0 }},
		{"Offer.Tasks[0].Tasks", "0", func(o *Offer, _, _ *Vector) { o.Tasks[0].Tasks = 0 }},
		{"Offer.Tasks[1].Tasks", "-7", func(o *Offer, _, _ *Vector) { o.Tasks[1].Tasks = -7 }},
	} {
		o := offerOf(6, 16, Share{0, 1}, Share{2, 1})
		o.Head = 2
		each, head := Vector{1, 8}, Vector{0, 4}
		c.spoil(&o, &each, &head)
		list = append(list, refusal{c.field, c.value, func(m *Machine) error { return call(m, o, each, head) }})
	}
	return list
}
