package nodes

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// displace is Displace in the oracle. It changes nothing if it returns an error.
func (o *oracle) displace(f Force) (done Displacement, err error) {
	before, last := o.clone(), o.last
	defer func() {
		if err != nil {
			*o, done = *before, Displacement{}
			o.last = last
		}
	}()
	// overbooks reports whether a reservation holds a node at a tick at which it is closed.
	overbooks := func(res Reservation) bool {
		for k := range o.c.Nodes {
			for t := max(res.Start, o.now); onNode(res, k) && t < res.End; t++ {
				if !o.open(k, t) {
					return true
				}
			}
		}
		return false
	}
	fits := func() bool {
		if f.Request == nil {
			return true
		}
		var failed error
		_, failed = o.search(*f.Request, 0)
		if failed == bookahead.ErrInvalid {
			err = failed
		}
		return failed == nil
	}
	competes := func(res Reservation) bool {
		r := *f.Request
		room := bookahead.Interval{Start: max(o.now, r.Ready), End: o.end()}
		if r.Deadline != 0 {
			room.End = min(room.End, r.Deadline)
		}
		return res.Overlaps(room) && slices.ContainsFunc(slices.Concat(o.parts(r)...), func(k int) bool {
			return onNode(res, k)
		})
	}
	enough := fits()
	var out []Reservation
	order := slices.SortedFunc(maps.Values(o.live), func(a, b Reservation) int { return cmp.Or(f.Order(a, b), cmp.Compare(b.ID, a.ID)) })
	for _, res := range order {
		if !f.Spare(res) && (!enough && err == nil && competes(res) || overbooks(res)) {
			o.drop(res.ID)
			enough = enough || fits()
			out = append(out, res)
		}
	}
	if !enough {
		return done, cmp.Or(err, bookahead.ErrUnavailable)
	}
	if f.Request != nil {
		done.Booked, _ = o.reserve(*f.Request)
	}
	var others []Reservation
	for _, res := range slices.Backward(out) {
		if o.holds(res) {
			o.book(res)
		} else {
			others = append(others, res)
		}
	}
	lost := map[bookahead.ID][]int{} // of those that keep some of their nodes
	for _, old := range others {
		gone := o.lost(old)
		stay := staying(old, gone)
		if f.Swap && old.Start <= o.now && (len(stay.Tasks) > 0 || stay.Head >= 0) {
			lost[old.ID] = gone
			o.book(stay)
		}
	}
	for _, old := range others {
		if lost[old.ID] != nil {
			swapped := o.swapped(old, lost[old.ID])
			if swapped {
				done.Moved = append(done.Moved, Move{old, o.live[old.ID]})
				continue
			}
			o.drop(old.ID)
		}
		r, ok := f.Again(old)
		offer, failed := o.search(r, 0)
		switch {
		case ok && failed == bookahead.ErrInvalid:
			return done, failed
		case ok && failed == nil:
			o.book(r.booked(old.ID, offer))
			done.Moved = append(done.Moved, Move{old, o.live[old.ID]})
		default:
			done.Dropped = append(done.Dropped, old)
		}
	}
	for _, res := range o.on(bookahead.Interval{Start: o.now, End: bookahead.MaxTime}, nil) {
		if overbooks(res) {
			done.Spared = append(done.Spared, res)
		}
	}
	return done, nil
}

// holds reports whether there is room for a reservation where it was.
func (o *oracle) holds(res Reservation) bool { return len(o.lost(res)) == 0 }

// lost are the nodes that have no room for a reservation where it was.
func (o *oracle) lost(res Reservation) (list []int) {
	for k := range o.c.Nodes {
		lost := false
		for r, amount := range o.least(k, res.Interval, Reservation{}) {
			lost = lost || o.uses(res, k, r) > amount
		}
		if lost {
			list = append(list, k)
		}
	}
	return list
}

func (x *world) displace(t *rapid.T) {
	f := Force{
		Order: func(a, b Reservation) int { return cmp.Compare(len(a.Tasks), len(b.Tasks)) },
		Spare: func(Reservation) bool { return false },
	}
	if rapid.Bool().Draw(t, "spare") {
		f.Spare = func(res Reservation) bool { return res.ID%3 == 0 }
	}
	f.Swap = rapid.Bool().Draw(t, "swap")
	if rapid.Bool().Draw(t, "by force") {
		r := x.drawRequest(t)
		if rapid.IntRange(0, 3).Draw(t, "as it is") > 0 { // most requests fit an empty machine
			r.Ready = x.o.now + bookahead.Time(rapid.IntRange(0, 3).Draw(t, "soon"))
			r.Nodes, r.Set, r.Except, r.Within, r.PerNode, r.Head = nil, "", nil, "", 0, nil
			r.Duration = min(r.Duration, 5)
			r.Tasks = min(r.Tasks, int64(len(x.o.c.Nodes)))
			if r.Deadline != 0 {
				r.Deadline = min(r.Ready, bookahead.MaxTime-8) + bookahead.Time(rapid.IntRange(5, 8).Draw(t, "by"))
			}
		}
		f.Request = &r
	}
	modulo := bookahead.ID(rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "again"))
	f.Again = func(old Reservation) (Request, bool) { return anew(old, x.o.now), old.ID%modulo == 0 }
	want, wantErr := x.o.displace(f)
	if modulo == 1 && rapid.Bool().Draw(t, "by default") {
		f.Again = nil
	} else if rapid.IntRange(0, 9).Draw(t, "never again") == 0 && wantErr == nil && len(want.Moved)+len(want.Dropped) > 0 {
		wrong := f
		wrong.Swap = false // which asks for no request
		wrong.Again = func(Reservation) (Request, bool) { return Request{}, true }
		_, err := x.m.copied().Displace(wrong)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
	got, err := x.m.Displace(f)
	require.Equal(t, kindOf(wantErr), kindOf(err))
	require.Equal(t, want, got)
	if err == nil {
		all := bookahead.Interval{Start: 0, End: bookahead.MaxTime}
		require.Equal(t, len(got.Spared) == 0, len(slices.Collect(x.m.Overbooked(all))) == 0)
		require.Equal(t, x.o.on(all, nil), slices.Collect(x.m.ReservationsOn(all, nil)))
	}
}

// A node fails, and its job moves to the node that is left, under its ID.
func TestDisplaceMovesAJobOffAFailedNode(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus"}, Nodes: []Vector{{8}, {8}}})
	require.NoError(t, err)
	job, err := m.Reserve(Request{Duration: 10, Tasks: 2, Each: Vector{4}})
	require.NoError(t, err)
	require.Equal(t, []Share{{0, 2}}, job.Tasks)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: bookahead.MaxTime}, Servers: []int{0}})
	require.NoError(t, err)
	require.Len(t, slices.Collect(m.Overbooked(m.Frame().Window())), 1)
	done, err := m.Displace(Force{})
	require.NoError(t, err)
	require.Len(t, done.Moved, 1)
	require.Equal(t, []Share{{1, 2}}, done.Moved[0].To.Tasks)
	require.Equal(t, job.ID, done.Moved[0].To.ID)
	require.Empty(t, slices.Collect(m.Overbooked(m.Frame().Window())))
}

// The job that goes first is in the way, but makes too little room. It comes back when the second has
// gone too.
func TestDisplacePutsBackWhatFits(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus"}, Nodes: []Vector{{8}}, Horizon: 10})
	require.NoError(t, err)
	small, err := m.Reserve(Request{Duration: 10, Tasks: 1, Each: Vector{2}})
	require.NoError(t, err)
	large, err := m.Reserve(Request{Duration: 10, Tasks: 1, Each: Vector{6}})
	require.NoError(t, err)
	done, err := m.Displace(Force{
		Request: &Request{Duration: 10, Tasks: 2, Each: Vector{3}},
		Order:   func(a, b Reservation) int { return cmp.Compare(a.ID, b.ID) },
	})
	require.NoError(t, err)
	require.Equal(t, Displacement{Booked: done.Booked, Dropped: []Reservation{large}}, done)
	require.Equal(t, []Share{{0, 2}}, done.Booked.Tasks)
	require.Equal(t, []Reservation{small, done.Booked}, slices.Collect(m.Reservations(m.Frame().Window())))
	require.NoError(t, m.Verify())
}

// Two nodes fail in turn. The overbooked stretches touch, and those who hold only the second of them are
// in the way too.
func TestDisplaceClearsStretchesThatTouch(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus"}, Nodes: []Vector{{8}, {8}, {8}}})
	require.NoError(t, err)
	for k := range 2 {
		start := bookahead.Time(10 * k)
		job, err := m.Reserve(Request{Ready: start, Duration: 10, Tasks: 1, Each: Vector{8}, Nodes: []int{k}})
		require.NoError(t, err)
		_, err = m.Close(bookahead.Closure{Interval: job.Interval, Servers: []int{k}})
		require.NoError(t, err)
	}
	require.Len(t, slices.Collect(m.Overbooked(m.Frame().Window())), 2)
	done, err := m.Displace(Force{})
	require.NoError(t, err)
	require.Len(t, done.Moved, 2)
	require.Empty(t, slices.Collect(m.Overbooked(m.Frame().Window())))
}

// The racks are not in the order of their nodes. A request for a rack displaces those in each of them.
func TestDisplaceFindsThoseInEachRack(t *testing.T) {
	m, err := New(Config{
		Resources: []string{"gpus"}, Nodes: []Vector{{8}, {8}, {8}, {8}}, Horizon: 10,
		Levels: []Level{{"rack", [][]int{{2, 3}, {0, 1}}}},
	})
	require.NoError(t, err)
	for range m.given {
		_, err = m.Reserve(Request{Duration: 10, Tasks: 1, Each: Vector{8}})
		require.NoError(t, err)
	}
	done, err := m.Displace(Force{
		Request: &Request{Duration: 10, Tasks: 2, Each: Vector{8}, Within: "rack"},
		Spare:   func(res Reservation) bool { return res.Tasks[0].Node >= 2 },
	})
	require.NoError(t, err)
	require.Equal(t, []Share{{0, 1}, {1, 1}}, done.Booked.Tasks)
	require.Len(t, done.Dropped, 2)
}
