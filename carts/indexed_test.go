package carts

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/internal/profile"
	"github.com/bookahead/bookahead/scheduletest"
)

// TestIndexedAgrees runs one sequence of operations on the tree and on the other forms, with many
// live reservations: 20 000, or a million if BOOKAHEAD_OPS asks for a million operations or more.
// The array is slow there, and answers only the first of them.
func TestIndexedAgrees(t *testing.T) {
	ops, live, withFlat := scheduletest.Operations(), 20_000, 20_000
	if ops >= 1_000_000 {
		live = 1_000_000
	}
	for _, capacity := range []int64{128, 5000, math.MaxInt64 / 1000} {
		w := newWork(t, workload.Churn{Kind: workload.AR, Capacity: min(capacity, 5000), Live: live, Load: 0.8})
		scale := max(1, capacity/5000)
		for i := range w.booked {
			w.booked[i].Units *= scale
		}
		config := Config{Booked: w.booked}
		x, err := NewIndexed(capacity, config)
		require.NoError(t, err)
		b, err := NewBTree(capacity, config)
		require.NoError(t, err)
		f, err := NewFlat(capacity, config)
		require.NoError(t, err)
		rng := rand.New(rand.NewPCG(5, uint64(capacity)))
		now := bookahead.Time(0)
		for op := range ops {
			others := []bookahead.Schedule{b, f}
			if op >= withFlat {
				others = others[:1]
			}
			request := func() bookahead.Request {
				r := w.Request(rng, now)
				r.Units *= scale
				if rng.IntN(3) == 0 {
					r.Deadline = 0 // and a long way to go
				}
				return r
			}
			switch rng.IntN(16) {
			default:
				r := request()
				got, err := x.Reserve(r)
				for _, o := range others {
					want, wantErr := o.Reserve(r)
					if got.String() != want.String() || err != wantErr {
						t.Fatalf("operation %d: Reserve(%+v) = %v, %v, not %v, %v", op, r, got, err, want, wantErr)
					}
				}
			case 0, 1, 2, 3, 4, 5:
				id := bookahead.ID(1 + rng.Int64N(int64(live+op/3+1)))
				err := x.Release(id)
				for _, o := range others {
					require.Equal(t, o.Release(id), err)
				}
			case 6, 7:
				r := request()
				win := bookahead.Interval{Start: r.Ready, End: r.Ready + 3*bookahead.Time(r.Duration)}
				got, err := x.RangeQuery(win)
				require.NoError(t, err)
				for _, o := range others {
					want, err := o.RangeQuery(win)
					require.NoError(t, err)
					require.Equal(t, want.Free, got.Free)
				}
			case 8:
				r := request()
				id := bookahead.ID(1 + rng.Int64N(int64(live+op/3+1)))
				if rng.IntN(3) > 0 {
					r = bookahead.At(r.Ready, r.Duration, r.Units)
				}
				offer, err := x.SearchFor(id, r)
				got, bookErr := x.Rebook(id, r)
				require.Equal(t, err, bookErr)
				require.Equal(t, offer, got.Offer)
				for _, o := range others {
					want, wantErr := o.(bookahead.Keeper).Rebook(id, r)
					require.Equal(t, wantErr, err)
					require.Equal(t, want, got)
				}
			case 10: // answers that cannot be compared with those of the array must keep the law
				r := request()
				r.Deadline = r.Ready + 40*bookahead.Time(r.Duration)
				got, err := x.SearchLatest(r)
				_, wantErr := b.Search(r)
				require.Equal(t, wantErr, err)
				if err == nil {
					require.LessOrEqual(t, got.End, r.Deadline)
					free, err := b.RangeQuery(got.Interval)
					require.NoError(t, err)
					require.GreaterOrEqual(t, free.Free, r.Units)
					r.Ready = got.Start + 1
					if r.Validate() == nil {
						_, err = b.Search(r)
						require.Equal(t, bookahead.ErrUnavailable, err)
					}
				}
			case 11:
				r := request()
				want := slices.Collect(firstOpenings(b, r, 5))
				require.Equal(t, want, slices.Collect(firstOpenings(x, r, 5)))
				win := bookahead.Interval{Start: r.Ready, End: r.Ready + 3*bookahead.Time(r.Duration)}
				require.Equal(t, slices.Collect(b.Blocks(win)), slices.Collect(x.Blocks(win)))
			case 12:
				if rng.IntN(50) == 0 { // go on with a copy of each
					x, b = x.Clone().(*Indexed), b.Clone().(*BTree)
				}
			case 9:
				now += bookahead.Time(rng.Int64N(w.Length / int64(live)))
				for _, s := range append(others, x) {
					require.NoError(t, s.Advance(now))
				}
			}
		}
		require.NoError(t, x.Verify())
	}
}

// firstOpenings yields the first n openings for r.
func firstOpenings(s bookahead.Opener, r bookahead.Request, n int) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		for starts := range s.Openings(r) {
			n--
			if !yield(starts) || n == 0 {
				return
			}
		}
	}
}

// Nodes of the usual width fill up, divide, and merge again while their index is known. The tests
// of narrow nodes never reach the last places of an array.
func TestWideNodesFillUp(t *testing.T) {
	const blocks, step, length = 6500, 20, 10
	x, err := newIndexed(4, Config{}, profile.Knobs{Width: profile.Fanout})
	require.NoError(t, err)
	b, err := NewBTree(4, Config{})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(9, 0))
	agree := func() {
		r := bookahead.Request{Ready: bookahead.Time(rng.IntN(blocks * step)), Duration: bookahead.Duration(1 + rng.IntN(3*step)), Units: 1 + rng.Int64N(4)}
		got, gotErr := x.Search(r)
		want, wantErr := b.Search(r)
		require.Equal(t, wantErr, gotErr)
		require.Equal(t, want, got)
	}
	var live []bookahead.ID
	fullest := 0
	for i, k := range rng.Perm(blocks) {
		start := bookahead.Time(k * step)
		r := bookahead.Request{Ready: start, Deadline: start + length, Duration: length, Units: 1 + int64(k%4)}
		res, err := x.Reserve(r)
		require.NoError(t, err)
		_, err = b.Reserve(r)
		require.NoError(t, err)
		live = append(live, res.ID)
		if i%20 == 0 {
			agree()
		}
		shape := shapeOf(x)
		if shape.Bounds > 0 {
			fullest = max(fullest, shape.Inner)
		}
	}
	require.GreaterOrEqual(t, fullest, profile.Fanout-2, "entries of an inner node that has an index")
	require.Equal(t, 3, shapeOf(x).Height)
	require.NoError(t, x.Verify())
	rng.Shuffle(len(live), func(i, k int) { live[i], live[k] = live[k], live[i] })
	for i, id := range live {
		require.NoError(t, x.Release(id))
		require.NoError(t, b.Release(id))
		if i%20 == 0 {
			agree()
		}
	}
	require.NoError(t, x.Verify())
}

// Once the tree has its size, an operation allocates only a fraction of an allocation: a page of
// the ledger for 64 reservations, packed anew as it empties, and now and then a node.
func TestIndexedAllocations(t *testing.T) {
	w := newWork(t, workload.Churn{Kind: workload.AR, Capacity: 128, Live: 5000, Load: 0.7, Powers: true})
	x, err := NewIndexed(128, Config{Booked: w.booked})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	var ids []bookahead.ID
	step := func() {
		if res, err := x.Reserve(w.Request(rng, 0)); err == nil {
			ids = append(ids, res.ID)
		}
		if len(ids) > 500 {
			i := rng.IntN(len(ids))
			require.NoError(t, x.Release(ids[i]))
			ids[i] = ids[len(ids)-1]
			ids = ids[:len(ids)-1]
		}
	}
	for range 20_000 {
		step()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const n = 20_000
	for range n {
		step()
	}
	runtime.ReadMemStats(&after)
	require.LessOrEqual(t, float64(after.Mallocs-before.Mallocs)/n, 0.3)
}

// After a Clone, the clone and the original share the nodes that neither changes.
func TestIndexedCloneIsCheap(t *testing.T) {
	w := newWork(t, workload.Churn{Kind: workload.AR, Capacity: 128, Live: 5000, Load: 0.7, Powers: true})
	x, err := NewIndexed(128, Config{Booked: w.booked})
	require.NoError(t, err)
	nodes := testing.AllocsPerRun(100, func() { x.Clone() })
	require.LessOrEqual(t, nodes, 8.0)
}

func BenchmarkClone(b *testing.B) {
	for _, live := range []int{1000, 100_000} {
		w := newWork(b, workload.Churn{Kind: workload.AR, Capacity: 128, Live: live, Load: 0.7, Powers: true})
		for _, impl := range []struct {
			name string
			open func() (bookahead.Cloner, error)
		}{
			{"indexed", func() (bookahead.Cloner, error) { return NewIndexed(w.Capacity, Config{Booked: w.booked}) }},
			{"btree", func() (bookahead.Cloner, error) { return NewBTree(w.Capacity, Config{Booked: w.booked}) }},
			{"flat", func() (bookahead.Cloner, error) { return NewFlat(w.Capacity, Config{Booked: w.booked}) }},
		} {
			for _, n := range []int{0, 100} {
				b.Run(fmt.Sprintf("impl=%s/live=%d/bookings=%d", impl.name, live, n), func(b *testing.B) {
					s, err := impl.open()
					if err != nil {
						b.Fatal(err)
					}
					rng := rand.New(rand.NewPCG(3, 3))
					b.ReportAllocs()
					for b.Loop() {
						c := s.Clone()
						for range n {
							_, _ = c.Reserve(w.Request(rng, 0))
						}
					}
				})
			}
		}
	}
}

// BenchmarkNearly searches where all gaps are long enough for the class of the request, but
// either have too few units for the request itself, or are too short: the worst case for the
// index. All requests are for one number of units, or for any number of the class.
func BenchmarkNearly(b *testing.B) {
	const capacity, live = 1024, 100_000
	config := Config{}
	for i := range bookahead.Time(live) {
		w := bookahead.Interval{Start: 1000 * i, End: 1000*i + 600}
		config.Booked = append(config.Booked, bookahead.Offer{Interval: w, Units: 200})
	}
	for _, impl := range []struct {
		name string
		open func() (bookahead.Schedule, error)
	}{
		{"indexed", func() (bookahead.Schedule, error) { return NewIndexed(capacity, config) }},
		{"unindexed", func() (bookahead.Schedule, error) {
			return newIndexed(capacity, config, profile.Knobs{Width: profile.Fanout, Patience: math.MaxInt})
		}},
		{"flat", func() (bookahead.Schedule, error) { return NewFlat(capacity, config) }},
	} {
		for _, sizes := range []int64{1, 150} {
			b.Run(fmt.Sprintf("impl=%s/sizes=%d", impl.name, sizes), func(b *testing.B) {
				s, err := impl.open()
				if err != nil {
					b.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(1, 1))
				b.ReportAllocs()
				for b.Loop() {
					o, err := s.Search(bookahead.Request{Duration: 500, Units: 850 + rng.Int64N(sizes)})
					if err != nil || o.Start < 1000*(live-1) {
						b.Fatal(o, err)
					}
				}
			})
		}
	}
}
