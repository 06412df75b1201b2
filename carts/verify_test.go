package carts

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// What is booked behind the back of the slots is noticed, and so is what the slots
// have lost.
func TestVerifyFindsFaults(t *testing.T) {
	w := bookahead.Interval{Start: 5, End: 9}
	for name, spoil := range map[string]func(bookahead.Schedule){
		"a booking too many": func(s bookahead.Schedule) {
			switch s := s.(type) {
			case *Flat:
				s.s.Profile.Change(w, -1)
			case *BTree:
				s.s.Profile.Change(w, -1)
			case *Indexed:
				s.s.Profile.Change(w, -1)
			case *SR:
				s.sets().free[0].Clear(3)
			}
		},
		"a booking too few": func(s bookahead.Schedule) {
			switch s := s.(type) {
			case *Flat:
				s.s.Booked.Remove(1, 0)
			case *BTree:
				s.s.Booked.Remove(1, 0)
			case *Indexed:
				s.s.Booked.Remove(1, 0)
			case *SR:
				s.s.Booked.Remove(1, 0)
			}
		},
		"another form": func(s bookahead.Schedule) {
			switch s := s.(type) {
			case *Flat:
				s.s.Profile.(*array).split(7)
			case *BTree:
				s.s.Profile.(*tree).split(7)
			case *Indexed:
				s.s.Profile.(*profile[int32]).root.low[0]--
			case *SR:
				s.sets().split(7)
			}
		},
	} {
		for _, f := range forms {
			s := f.new(t, 20, Config{})
			for k := range bookahead.Time(100) {
				_, err := s.Reserve(bookahead.Request{Ready: 3 * k, Duration: 10, Units: 2})
				require.NoError(t, err)
			}
			require.NoError(t, s.(interface{ Verify() error }).Verify(), f.name)
			spoil(s)
			require.Error(t, s.(interface{ Verify() error }).Verify(), "%s with %s", f.name, name)
		}
	}
}

// A bound of the index that is less than the truth is noticed wherever it is, and one
// that is more where it was found in a leaf.
func TestVerifyFindsWrongBounds(t *testing.T) {
	x, err := newIndexed(10, Config{}, shape{width: 8})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(3, 3))
	for range 300 {
		r := bookahead.Request{Ready: bookahead.Time(rng.IntN(1500)), Duration: bookahead.Duration(1 + rng.IntN(30)), Units: 1 + rng.Int64N(6)}
		_, err := x.Reserve(r)
		require.NoError(t, err)
	}
	for n := range int64(10) { // makes the index known
		for ready := range bookahead.Time(30) {
			_, err := x.Search(bookahead.Request{Ready: 50 * ready, Duration: bookahead.Duration(5 + 9*n), Units: n + 1})
			require.NoError(t, err)
		}
	}
	tried := 0
	var spoil func(nd *node[int32], acc int32, end bookahead.Time)
	spoil = func(nd *node[int32], acc int32, end bookahead.Time) {
		if nd.inner == nil {
			return
		}
		nd.learnt().each(func(class int, b *bounds[int32]) {
			for i := range nd.n {
				w := b.word[i].get()
				if b.units(acc) < 1 || w&loose != 0 {
					continue
				}
				span := nd.end(i, end) - nd.start(i)
				for part := range 3 {
					for _, longer := range []bool{false, true} {
						r := unpack(w, span)
						length := [3]*bookahead.Time{&r.prefix, &r.best, &r.suffix}[part]
						switch {
						case !longer && *length > 0:
							*length = 0
						case longer && *length < span && nd.kid[i].inner == nil:
							*length = span
						default:
							continue
						}
						b.word[i].put(pack(r))
						require.Error(t, x.Verify(), "class %d, entry %d: %v of %d", class, i, r, span)
						tried++
					}
				}
				b.word[i].put(w)
			}
		})
		for i := range nd.n {
			spoil(nd.kid[i], acc+nd.add[i], nd.end(i, end))
		}
	}
	require.NoError(t, x.Verify())
	spoil(x.s.Profile.(*profile[int32]).root, 0, bookahead.MaxTime)
	require.NoError(t, x.Verify())
	require.Greater(t, tried, 100, "the index knows little")
}
