package profile

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// searched returns a profile of 10 units with narrow nodes and three levels, in which searches
// have learnt many bounds.
func searched(t *testing.T) *Tree[int32] {
	p := New[int32]([]pool.Step{{Free: 10}}, Knobs{Width: 8})
	rng := rand.New(rand.NewPCG(3, 3))
	for range 300 {
		first, d := bookahead.Time(rng.IntN(1500)), bookahead.Time(1+rng.IntN(30))
		_, ok := p.Book(first, bookahead.MaxTime-d, d, 1+rng.Int64N(6))
		require.True(t, ok)
	}
	for n := range int64(10) {
		for k := range bookahead.Time(30) {
			d := bookahead.Time(5 + 9*n)
			_, ok := p.Search(50*k, bookahead.MaxTime-d, d, n+1)
			require.True(t, ok)
		}
	}
	_, err := p.check()
	require.NoError(t, err)
	require.GreaterOrEqual(t, p.Shape().Height, 3)
	return p
}

// A broken invariant is found, under its name.
func TestVerifyNamesTheInvariant(t *testing.T) {
	for name, spoil := range map[string]func(p *Tree[int32], nd, leaf *node[int32]){
		"I2: ": func(_ *Tree[int32], nd, _ *node[int32]) { nd.low[0]-- },
		"I2":   func(_ *Tree[int32], nd, _ *node[int32]) { nd.high[1]++ },
		"I2:":  func(_ *Tree[int32], nd, _ *node[int32]) { nd.add[1]++ },
		"I3":   func(_ *Tree[int32], nd, _ *node[int32]) { nd.setStart(1, nd.start(1)+1) },
		"I3:":  func(_ *Tree[int32], _, leaf *node[int32]) { leaf.setStart(1, leaf.start(0)) },
		"I3: ": func(p *Tree[int32], _, leaf *node[int32]) { p.root.kid[1] = leaf },
		"I4":   func(_ *Tree[int32], _, leaf *node[int32]) { leaf.n = 0 },
		"I4:":  func(p *Tree[int32], _, _ *node[int32]) { p.Width = 2 },
	} {
		p := searched(t)
		nd := p.root
		for nd.kid[0].inner != nil {
			nd = nd.kid[0]
		}
		spoil(p, nd, nd.kid[0])
		_, err := p.Verify(0)
		require.ErrorContains(t, err, name)
	}
}

// A bound that is too short is found wherever it is, and a bound that is too long is found where
// it was measured in a leaf.
func TestVerifyFindsWrongBounds(t *testing.T) {
	p := searched(t)
	tried := 0
	var spoil func(s spot[int32])
	spoil = func(s spot[int32]) {
		nd := s.nd
		if nd.inner == nil {
			return
		}
		nd.learnt().each(func(slot int, b *bounds[int32]) {
			for i := range nd.n {
				bound := b.word[i].get()
				if b.units(s.acc) < 1 || bound&loose != 0 {
					continue
				}
				span := nd.end(i, s.end) - nd.start(i)
				for part := range 3 {
					for _, longer := range []bool{false, true} {
						r, name := unpack(bound, span), "R1"
						length := [3]*bookahead.Time{&r.prefix, &r.best, &r.suffix}[part]
						switch {
						case !longer && *length > 0:
							*length = 0
						case longer && *length < span && nd.kid[i].inner == nil:
							*length, name = span, "R2"
						default:
							continue
						}
						b.word[i].put(pack(r))
						_, err := p.Verify(0)
						require.ErrorContains(t, err, name, "slot %d, entry %d: %v of %d", slot, i, r, span)
						tried++
					}
				}
				b.word[i].put(bound)
			}
		})
		for i := range nd.n {
			spoil(s.below(i))
		}
	}
	spoil(spot[int32]{nd: p.root, end: bookahead.MaxTime})
	_, err := p.Verify(0)
	require.NoError(t, err)
	require.Greater(t, tried, 100, "the index knows little")
}
