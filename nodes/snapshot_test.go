package nodes

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// use does each operation once with a machine that was read. All operations leave the machine in order, and
// in the end nothing is booked, and all open nodes are free.
func use(t require.TestingT, m *Machine) {
	always := bookahead.Interval{Start: m.bounds.Now, End: bookahead.MaxTime}
	each := make(Vector, m.wide)
	each[0] = 1
	r := Request{Ready: m.bounds.Now, Duration: 1, Tasks: 1, Each: each}
	_, _ = m.Reserve(r)
	for res := range m.Clone().Reservations(always) {
		_, _ = m.Rebook(res.ID, r)
	}
	_, _ = m.Close(bookahead.Closure{Interval: always, Servers: []int{len(m.given) - 1}})
	_, _ = m.Displace(Force{Request: &r})
	_, _ = m.Extend(bookahead.Closure{Interval: always}, []Added{{Has: m.given[0]}})
	require.NoError(t, m.Verify())
	for c := range m.Clone().Closures() {
		require.NoError(t, m.EndClosure(c.ID, m.bounds.Now))
	}
	require.NoError(t, m.Verify())
	_ = m.Advance(min(m.bounds.Now, bookahead.MaxTime-2) + 1)
	for res := range m.Clone().Reservations(always) {
		require.NoError(t, m.Release(res.ID))
	}
	require.NoError(t, m.Verify())
	require.Empty(t, slices.Collect(m.Reservations(always)))
	for k := range m.closed.born {
		s := &m.index.nodes[k]
		require.Equal(t, s.pack(m.given[k]), s.row(s.at(m.bounds.Now)))
	}
}

// The order of the caller's own is not in the bytes.
func TestTheCallersPolicyIsNotInTheBytes(t *testing.T) {
	c := racks()
	c.Policy = Own(highest)
	m, err := New(c)
	require.NoError(t, err)
	data, err := m.MarshalBinary()
	require.NoError(t, err)
	require.ErrorIs(t, new(Machine).UnmarshalBinary(data), bookahead.ErrInvalid)
	require.NoError(t, m.UnmarshalBinary(data))
}

func FuzzSnapshot(f *testing.F) {
	m, err := New(racks())
	require.NoError(f, err)
	_, err = m.Reserve(Request{Duration: 9, Tasks: 3, Each: Vector{1, 2}, Head: Vector{0, 1}})
	require.NoError(f, err)
	data, err := m.MarshalBinary()
	require.NoError(f, err)
	f.Add(data)
	_, err = m.Reserve(Request{Duration: 9, Tasks: 3, Each: Vector{1, 2}, Exclusive: true, Within: "row", Together: "rack"})
	require.NoError(f, err)
	_, err = m.Reserve(Request{Duration: 9, Tasks: 4, Each: Vector{1, 2}, Bundle: 2, Bundled: "rack", Together: "row"})
	require.NoError(f, err)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 3, End: 8}, Servers: []int{0, 2}})
	require.NoError(f, err)
	data, err = m.MarshalBinary()
	require.NoError(f, err)
	f.Add(data)
	_, err = m.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 2, End: 9}}, []Added{{Has: Vector{8, 0}}, {Has: Vector{4, 4}}})
	require.NoError(f, err)
	_, err = m.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: 5}}, []Added{{Has: Vector{1, 1}}})
	require.NoError(f, err)
	data, err = m.MarshalBinary()
	require.NoError(f, err)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		data = snapshot.Seal(data)
		read := new(Machine)
		err := read.UnmarshalBinary(data)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			return
		}
		require.NoError(t, read.Verify())
		again, err := read.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, data, again)
		use(t, read)
	})
}

// A node is added once, by one extension. The bytes of a machine on which two extensions add the same node
// are refused, because the node would be open while a closure covers it.
func TestExtensionsThatDoNotFitTogetherAreRefused(t *testing.T) {
	for name, x := range map[string]struct {
		servers []int
		ok      bool
	}{
		"as it could be":       {[]int{8, 9, 10}, true},
		"one there was":        {[]int{3}, false},
		"one of the past":      {[]int{5}, false},
		"added already":        {[]int{7}, false},
		"some added already":   {[]int{7, 8}, false},
		"one between left out": {[]int{8, 10}, false},
	} {
		m, err := New(racks())
		require.NoError(t, err)
		for _, n := range []int{2, 2, 3} { // nodes 4 and 5, 6 and 7, 8 to 10
			always := bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: bookahead.MaxTime}}
			_, err = m.Extend(always, slices.Repeat([]Added{{Has: Vector{8, 64}}}, n))
			require.NoError(t, err)
		}
		require.NoError(t, m.EndClosure(1, 0))
		require.NoError(t, m.EndClosure(3, 0))
		m.closed.list.Add(bookahead.Closure{Interval: bookahead.Interval{Start: 3, End: 9}, Added: true, Servers: x.servers})
		data, err := m.MarshalBinary()
		require.NoError(t, err)
		err = new(Machine).UnmarshalBinary(data)
		if x.ok {
			require.NoError(t, err, name)
		} else {
			require.ErrorIs(t, err, bookahead.ErrInvalid, name)
		}
	}
}

// More nodes than there were at the start cannot be there without an extension.
func TestNodesThatNothingHasAddedAreRefused(t *testing.T) {
	m, err := New(racks())
	require.NoError(t, err)
	for _, born := range []int{0, 3} {
		m.closed.born = born
		data, err := m.MarshalBinary()
		require.NoError(t, err)
		require.ErrorIs(t, new(Machine).UnmarshalBinary(data), bookahead.ErrInvalid)
	}
}

// So many reservations hold all of one node at once that their sum wraps around to nothing.
func TestASumOfReservationsThatWrapsIsRefused(t *testing.T) {
	m, err := New(Config{Resources: []string{"bytes"}, Nodes: []Vector{{MaxAmount}}, Horizon: 10})
	require.NoError(t, err)
	b := &booking{Interval: bookahead.Interval{Start: 0, End: 10}, shares: []Share{{0, 1}}, head: -1, each: Vector{MaxAmount}}
	for range 1 << 16 {
		m.booked.add(b, 0)
	}
	data, err := m.MarshalBinary()
	require.NoError(t, err)
	require.ErrorIs(t, new(Machine).UnmarshalBinary(data), bookahead.ErrInvalid)
}
