package window

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// byHand is the example in the comments of relax.go and states.go: 3 of the items a
// to f within a budget of 8.
func byHand() *knapsack {
	f := free()
	k := &f
	k.reset(3, 8)
	for _, i := range [][2]float64{{13, 7}, {7, 6}, {6, 5}, {5, 3}, {4, 2}, {3, 1}} {
		k.add(i[0], i[1])
	}
	return k
}

// letters names a set of items: "cef".
func letters(in []bool) string {
	var s strings.Builder
	for i, in := range in {
		if in {
			s.WriteByte(byte('a' + i))
		}
	}
	return s.String()
}

func (k *knapsack) named(choice []int32) string {
	in := make([]bool, len(k.z))
	for _, i := range choice {
		in[i] = true
	}
	return letters(in)
}

// TestBoundByHand follows the example price by price and state by state.
func TestBoundByHand(t *testing.T) {
	k := byHand()
	for _, at := range []struct {
		price float64
		items string
		L     float64
	}{{0, "abc", 26}, {7.0 / 6, "aef", 20 - 7.0/3}, {1.999, "aef", 20 - 2*1.999}, {2.001, "def", 12 + 2*2.001}} {
		p, ok := k.choose(at.price)
		require.True(t, ok)
		require.Equal(t, at.items, k.named(k.probe.heap))
		require.InDelta(t, at.L, p.z+at.price*(k.budget-p.c), 1e-9)
	}
	p, ok := k.cheapest()
	require.True(t, ok)
	require.Equal(t, pair{12, 6, 12}, p)

	k = byHand()
	k.relax(math.Inf(-1), 0)
	require.InDelta(t, 16, k.relaxed, 1e-9)
	require.InDelta(t, 2, k.lambda, 1e-9)
	require.Equal(t, "def", k.named(k.fair))
	require.Equal(t, 12.0, k.value)
	k.exchange(12)
	require.Equal(t, "cef", k.named(k.chosen))
	require.Equal(t, 13.0, k.value)

	k.core.until, k.core.whole = math.MaxInt64, true
	k.core.raise(k.value, k.scale)
	require.True(t, k.begin())
	require.InDelta(t, -1, k.core.mu[0], 1e-9)
	var items []string
	for _, i := range k.core.items {
		items = append(items, fmt.Sprintf("%c %.0f %v", 'a'+i.item, i.loss, i.in))
	}
	require.Equal(t, []string{"a 0 false", "d 0 true", "e 1 true", "f 2 true"}, items)
	require.Equal(t, []string{"list 0: def 12 for 6"}, k.states())
	first, last := k.n, k.n
	for i, want := range [][]string{
		{"list +1: adef 25 for 13, bound 16"},
		{"list +1: adef 25 for 13, bound 15"},
		{"list +1: adef 25 for 13, bound 14"},
		nil,
	} {
		first, last = k.advance(i, first, last)
		var got []string
		for _, s := range k.states() {
			d := k.n + 1
			root, ahead := k.outlook(d, 0, k.core.after[i])
			x := k.core.lists[d][0]
			got = append(got, fmt.Sprintf("%s, bound %.0f", s, root+x.z-k.lambda*x.c-ahead))
		}
		require.Equal(t, want, got)
		require.Equal(t, i+1, k.core.steps)
	}
	require.Greater(t, first, last)

	k = byHand()
	k.solve(math.Inf(-1), 0)
	require.Equal(t, 13.0, k.value)
	require.Equal(t, 13.0, k.bound)
	require.Equal(t, 4, k.core.steps)
	for most, want := range map[int64][2]float64{
		17:  {math.Inf(-1), math.Inf(1)}, // not even one price
		65:  {12, 17},
		131: {12, 16},
		132: {13, 16},
		233: {13, 16},
		263: {13, 16},
		264: {13, 13},
	} {
		k = byHand()
		k.limit(most)
		k.solve(math.Inf(-1), 0)
		require.Equal(t, want, [2]float64{k.value, k.bound}, "B7: %d steps", most)
		require.LessOrEqual(t, k.meter.Steps(), most)
	}
}

// states lists the states of an enumeration.
func (k *knapsack) states() (all []string) {
	for d, list := range k.core.lists {
		for _, s := range list {
			in := append([]bool(nil), k.core.in...)
			for at := s.trail; at >= 0; at = k.core.trail[at].before {
				in[k.core.trail[at].item] = !in[k.core.trail[at].item]
			}
			name := fmt.Sprintf("%+d", d-k.n)
			if d == k.n {
				name = "0"
			}
			all = append(all, fmt.Sprintf("list %s: %s %.0f for %.0f", name, letters(in), s.z, s.c))
		}
	}
	return all
}

// TestMergeByHand merges the lists in the comment of merge.
func TestMergeByHand(t *testing.T) {
	k := free()
	k.reset(1, 0)
	k.core.need, k.core.until = math.Inf(-1), math.MaxInt64
	k.core.lists = [][]state{{{8, 3, -1}, {12, 6, -1}}, {{12, 6, -1}, {20, 10, -1}}, nil}
	k.core.mu = []float64{0}
	k.merge(1, 0, coreItem{z: 7, c: 6}, losses{})
	require.Equal(t, []state{{12, 6, -1}, {15, 9, 0}, {20, 10, -1}}, k.core.lists[1])
}

// TestBoxesByHand follows the search in the comment of box.
func TestBoxesByHand(t *testing.T) {
	e := environment(t,
		[]Node{{Performance: 2, Price: 1}, {Performance: 1, Price: 1}, {Performance: 2, Price: 3}},
		Slot{0, span(0, 14)}, Slot{1, span(2, 30)}, Slot{2, span(4, 16)},
		Slot{0, span(20, 44)}, Slot{2, span(29, 39)}, Slot{1, span(31, 60)})
	j := Job{Nodes: 2, Volume: 12, Budget: 30}
	s, err := newSearch(e, j)
	require.NoError(t, err)
	x := newExact(s, Near, nil)
	var got []string
	log := func(b *box, what string) {
		got = append(got, fmt.Sprintf("%d: lengths %d to %d, starts %d..%d, bound %.0f: %s",
			b.made, x.length(b.short), x.length(b.long), b.from, b.to, b.bound, what))
	}
	x.begin()
	for len(x.boxes) > 0 {
		for b := x.pop(); b != nil; { // as follow does
			if b.bound <= x.need() {
				log(b, "left out")
				break
			}
			if x.leaf(b) {
				x.sweep(b)
				log(b, fmt.Sprintf("leaf %v, best %.0f", x.room.starts, x.floor))
				break
			}
			log(b, "split")
			b = x.descend(b, true)
		}
	}
	require.Equal(t, []string{
		"1: lengths 6 to 12, starts 0..31, bound 17: split",
		"2: lengths 6 to 12, starts 0..19, bound 12: split",
		"5: lengths 12 to 12, starts 0..19, bound 9: leaf [0 2 4], best 0",
		"3: lengths 6 to 12, starts 20..31, bound 11: split",
		"6: lengths 6 to 6, starts 20..31, bound 11: leaf [20 29], best 9",
		"4: lengths 6 to 6, starts 0..19, bound 7: left out",
		"7: lengths 12 to 12, starts 20..31, bound 6: left out",
	}, got)
	o, err := Exact(e, j, Near)
	require.NoError(t, err)
	require.Equal(t, 9.0, o.Value)
	require.True(t, o.Proven(), "B7")
}
