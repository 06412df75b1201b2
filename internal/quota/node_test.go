package quota

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// large are steps with many edges, tick by tick: small amounts, and how often the greatest int64
// was added.
type large struct {
	steps       Steps
	by          cow.Owner
	small, huge []int64
}

// add changes both the steps and the ticks.
func (x *large) add(w bookahead.Interval, n int64, huge bool) {
	amount, cells := n, x.small
	if huge {
		amount, cells = math.MaxInt64*n, x.huge
	}
	x.steps.Add(x.by, w, amount)
	for t := w.Start; t < w.End; t++ {
		cells[t] += n
	}
}

// clone returns a copy, after which neither side may write to nodes of both.
func (x *large) clone() *large {
	c := &large{x.steps, owner(), append([]int64(nil), x.small...), append([]int64(nil), x.huge...)}
	x.by = owner()
	return c
}

func (x *large) at(t int) *big.Int {
	value := big.NewInt(math.MaxInt64)
	value.Mul(value, big.NewInt(x.huge[t]))
	return value.Add(value, big.NewInt(x.small[t]))
}

func (x wide) big() *big.Int {
	sum := big.NewInt(int64(x.high))
	for _, word := range []uint64{x.mid, x.low} {
		sum.Lsh(sum, 64).Add(sum, new(big.Int).SetUint64(word))
	}
	return sum
}

// check compares all values and areas, and looks at the shape of the tree.
func (x *large) check(t *testing.T) {
	area, next := new(big.Int), bookahead.Time(0)
	for i := range x.small {
		before, at := x.steps.until(bookahead.Time(i))
		if before.big().Cmp(area) != 0 || at.value.big().Cmp(x.at(i)) != 0 {
			require.Equal(t, area, before.big(), "the area before %d", i)
			require.Equal(t, x.at(i), at.value.big(), "the value at %d", i)
		}
		changes := i > 0 && x.at(i).Cmp(x.at(i-1)) != 0
		if i > 0 && changes != (next == bookahead.Time(i)) {
			require.Failf(t, "edges differ", "%d is an edge: %v, and the next one was %d", i, changes, next)
		}
		next = at.end
		area.Add(area, x.at(i))
	}
	if x.steps.root != nil {
		x.steps.root.check(t, true)
	}
}

// check returns the sums of all edges below a node.
func (n *node) check(t *testing.T, root bool) (all sums) {
	require.Less(t, len(n.ticks), n.max())
	require.NotEmpty(t, n.ticks)
	for i, at := range n.ticks {
		require.True(t, i == 0 || n.ticks[i-1] < at)
		if n.leaf() {
			require.NotEqual(t, wide{}, n.by(i))
			all = all.plus(edge(at, n.by(i)))
			continue
		}
		require.Equal(t, n.kids[i].ticks[0], at)
		require.Equal(t, all, n.kids[i].before)
		require.Equal(t, n.kids[0].leaf(), n.kids[i].leaf())
		all = all.plus(n.kids[i].node.check(t, false))
	}
	if !n.leaf() {
		require.True(t, !root || len(n.kids) > 1)
		require.Len(t, n.kids, len(n.ticks))
	}
	return all
}

// Steps of a tree of three levels have the values and areas of an array, while they grow and shrink, are forgotten in
// part, and share nodes with clones.
func TestManyStepsAreAsAnArray(t *testing.T) {
	for seed := range uint64(max(2, min(50, cases()/1000))) {
		rng := rand.New(rand.NewPCG(7, seed))
		const ends = 4000
		x := &large{by: owner(), small: make([]int64, ends), huge: make([]int64, ends)}
		type booked struct {
			w    bookahead.Interval
			n    int64
			huge bool
		}
		var list []booked
		var older *large
		past, deepest := 0, 0
		for n := range 9000 {
			grows := n < 3000 || n > 6000 && n < 7000
			if grows && rng.IntN(8) > 0 || len(list) == 0 {
				start := past + rng.IntN(ends-100-past)
				b := booked{span(start, start+1+rng.IntN(90)), 1 + rng.Int64N(9), seed%2 == 1 && rng.IntN(9) == 0}
				if b.huge {
					b.n = 1
				}
				for range 1 + rng.IntN(3) { // also several at one tick
					x.add(b.w, b.n, b.huge)
					list = append(list, b)
				}
			} else {
				i := rng.IntN(len(list))
				b := list[i]
				x.add(b.w, -b.n, b.huge)
				list[i] = list[len(list)-1]
				list = list[:len(list)-1]
			}
			if n%1500 == 1000 {
				past += 150
				x.steps.Forget(x.by, bookahead.Time(past))
				clear(x.small[:past])
				clear(x.huge[:past])
				for i := 0; i < len(list); i++ {
					if int(list[i].w.Start) < past {
						list[i].w.Start = bookahead.Time(past)
						if list[i].w.Empty() {
							list[i] = list[len(list)-1]
							list = list[:len(list)-1]
							i--
						}
					}
				}
			}
			if n%1000 == 500 {
				if older != nil {
					older.check(t)
				}
				older = x.clone()
				older.add(span(ends-99, ends-50), 1, false)
			}
			if n%500 == 0 {
				x.check(t)
				x.checkStretches(t, rng)
			}
			deepest = max(deepest, x.steps.levels())
		}
		require.GreaterOrEqual(t, deepest, 3)
		for _, b := range list {
			x.add(b.w, -b.n, b.huge)
		}
		require.True(t, x.steps.Zero())
		older.check(t)
	}
}

func (s Steps) levels() (n int) {
	for at := s.root; at != nil; n++ {
		if at.leaf() {
			return n + 1
		}
		at = at.kids[0].node
	}
	return n
}

// checkStretches compares stretches, windows and first fits with those found tick by tick.
func (x *large) checkStretches(t *testing.T, rng *rand.Rand) {
	if greatest(x.huge) > 0 {
		return
	}
	c := cells(x.small)
	for range 20 {
		from, bound := rng.IntN(len(c)), rng.Int64N(9000)
		end, sum := from, int64(0)
		for end < len(c) && sum+c[end] <= bound {
			sum += c[end]
			end++
		}
		want := bookahead.Time(end)
		if end == len(c) {
			want = bookahead.MaxTime
		}
		got, _ := x.steps.stretch(bookahead.Time(from), uint64(bound))
		require.Equal(t, want, got)
		length := 1 + rng.IntN(300)
		s := x.steps.slide(bookahead.Time(from-length/2), bookahead.Duration(length))
		for range 200 {
			require.Equal(t, c.area(int(s.at), int(s.at)+length), int64(s.area.capped()))
			if s.bend() >= bookahead.Time(len(c)) {
				break
			}
			s.next()
		}
		most := rng.Int64N(12)
		start, good := from, 0
		for at := from; at < len(c)+length && good < length; at++ {
			good++
			if c.at(at) > most {
				start, good = at+1, 0
			}
		}
		at := x.steps.fit(bookahead.Time(from), bookahead.MaxTime-1000, bookahead.Duration(length), uint64(most), new(int64))
		require.Equal(t, bookahead.Time(start), at)
		within, w := uint64(greatest(c[from:min(len(c), from+length)])), span(from, from+length)
		require.Equal(t, within, x.steps.Most(w))
		require.Equal(t, w.End, x.steps.above(w, within, new(int64)))
	}
}

func greatest(list []int64) (most int64) {
	for _, n := range list {
		most = max(most, n)
	}
	return most
}

// Steps of one booking take as little memory as a few edges, however large a full leaf is.
func TestFewEdgesTakeLittleMemory(t *testing.T) {
	var s Steps
	s.Add(owner(), span(3, 9), 1)
	require.LessOrEqual(t, cap(s.root.ticks), 2)
	s.Add(owner(), span(4, 8), 1) // copies the leaf
	require.LessOrEqual(t, cap(s.root.ticks), 4)
}
