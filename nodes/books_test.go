package nodes

import (
	"math/rand"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// drawBooking draws a booking as odd as a machine can have it.
func drawBooking(t *rapid.T, wide int) *booking {
	amounts := rapid.SliceOfN(rapid.Int64Range(0, MaxAmount), wide, wide)
	b := &booking{head: -1, each: amounts.Draw(t, "each")}
	b.Start = bookahead.Time(rapid.Int64Range(0, int64(bookahead.MaxTime)-1).Draw(t, "start"))
	b.End = bookahead.Time(rapid.Int64Range(int64(b.Start)+1, int64(bookahead.MaxTime)).Draw(t, "end"))
	nodes := rapid.SliceOfNDistinct(rapid.IntRange(0, maxNodes-1), 1, 40, rapid.ID[int]).Draw(t, "nodes")
	slices.Sort(nodes)
	for _, k := range nodes {
		b.shares = append(b.shares, Share{k, rapid.Int64Range(1, maxTotal).Draw(t, "tasks")})
	}
	if rapid.Bool().Draw(t, "head") {
		b.head, b.headTakes = rapid.IntRange(0, maxNodes-1).Draw(t, "on"), amounts.Draw(t, "takes")
	}
	return b
}

// The numbers of a booking come out of the books as they went in, also where another booking is
// overwritten.
func TestPackedBookingsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wide := rapid.IntRange(1, MaxResources).Draw(t, "resources")
		one, other := drawBooking(t, wide), drawBooking(t, wide)
		var got booking
		for _, b := range []*booking{one, other, one} {
			b.pack().unpack(wide, &got)
			require.Equal(t, *b, got)
		}
	})
}

// The picture of entry.
func TestPackedPicture(t *testing.T) {
	b := &booking{shares: []Share{{4, 3}, {5, 2}, {9, 300}}, head: -1, each: Vector{1, 8}}
	rest := b.pack().numbers
	var got []uint64
	for rest != "" {
		got = append(got, rest.next())
	}
	require.Equal(t, []uint64{1, 8, 3, 4, 3, 0, 2, 3, 300, 0}, got)
}

// someBooks returns books of n reservations on 13 nodes each.
func someBooks(n int) books {
	rng := rand.New(rand.NewSource(1))
	x := books{wide: 2}
	for i := range n {
		start := bookahead.Time(i * 7)
		b := &booking{Interval: bookahead.Interval{Start: start, End: start + 3600}, head: -1, each: Vector{1, 8}}
		for k := rng.Intn(500); len(b.shares) < 13; k += 1 + rng.Intn(100) {
			b.shares = append(b.shares, Share{k, 1 + rng.Int63n(8)})
		}
		x.add(b, 0)
	}
	return x
}

// A reservation on 13 nodes takes 94 bytes in the ledger and in the index of times. As a booking it
// would take 376 in the ledger alone.
func TestBooksAreSmall(t *testing.T) {
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return int64(s.HeapAlloc)
	}
	const n = 20_000
	before := heap()
	x := someBooks(n)
	each := (heap() - before) / n
	t.Logf("%d bytes a reservation", each)
	require.Less(t, each, int64(150))
	runtime.KeepAlive(&x)
}

// A query of a narrow window finds the bookings that overlap it, in order.
func TestBooksFindByTime(t *testing.T) {
	x := someBooks(2000)
	w := bookahead.Interval{Start: 7000, End: 7001}
	var got []bookahead.ID
	for id, b := range x.overlapping(w, 0) {
		require.True(t, b.Overlaps(w))
		got = append(got, id)
	}
	require.Len(t, got, 515)
	require.True(t, slices.IsSorted(got))
}

// Verify sees an entry that comes to the ledger alone, or goes from it alone.
func TestVerifyComparesTheBooks(t *testing.T) {
	for name, spoil := range map[string]func(x *books){
		"comes to the ledger":  func(x *books) { x.ledger.Add(x.open(x.entry(3)).pack(), 0) },
		"goes from the ledger": func(x *books) { x.ledger.Remove(3, 0) },
		"moves in the ledger":  func(x *books) { x.ledger.Set(3, x.entry(4)) },
		"goes from the index":  func(x *books) { x.spans.Forget(3605) },
	} {
		x := someBooks(9)
		require.NoError(t, x.Verify(0))
		spoil(&x)
		require.Error(t, x.Verify(0), name)
	}
	x := someBooks(9)
	x.forget(3605)
	require.NoError(t, x.Verify(3605))
}

func (x *books) entry(id bookahead.ID) entry {
	e, _ := x.ledger.Get(id, 0)
	return e
}

func BenchmarkBooks(b *testing.B) {
	x := someBooks(20_000)
	one, _ := x.get(9, 0)
	b.Run("op=get", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			x.get(9, 0)
		}
	})
	b.Run("op=add+remove", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			x.remove(x.add(one, 0), 0)
		}
	})
	b.Run("op=overlapping", func(b *testing.B) {
		b.ReportAllocs()
		w := bookahead.Interval{Start: 70_000, End: 70_001}
		for b.Loop() {
			for range x.overlapping(w, 0) {
			}
		}
	})
}
