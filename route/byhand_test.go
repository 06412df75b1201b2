package route

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
)

func full(t require.TestingT) *avail.Vector {
	v, err := avail.NewVector(oracleSlots)
	require.NoError(t, err)
	v.Set(0, oracleSlots)
	return v
}

// TestSearchByHand is the example of earliest.go.
func TestSearchByHand(t *testing.T) {
	const s, x, v, y, goal = 0, 1, 2, 3, 4
	names := "SXVYT"
	links := []Link{
		at(t, s, x, 1, 0), at(t, x, v, 1, 1),
		at(t, v, x, 1, 2), at(t, v, x, 1, 2), at(t, v, y, 2, 2),
		at(t, x, goal, 0, 3), at(t, y, goal, 0, 4),
	}
	n, err := New(5, links, []Cluster{{Node: goal, CPUs: 1, Speed: 1, Pool: indexed(t, 1)}}, Config{Slots: 20})
	require.NoError(t, err)
	task := Task{Burst: 1, Work: 1, CPUs: 1}
	_, err = n.ECT(task)
	require.Equal(t, bookahead.ErrUnavailable, err)

	j, err := n.job(task)
	require.NoError(t, err)
	q := n.memory()
	q.begin(j, Plan{}, false)
	require.True(t, q.promising())
	require.True(t, q.arrivals())
	arrive := map[string][]span{}
	for v := range q.places {
		arrive[names[v:v+1]] = q.places[v].arrive
	}
	require.Equal(t, map[string][]span{
		"S": {{0, never/4 + 1}}, "X": {{1, 2}, {3, 4}}, "V": {{2, 3}}, "Y": {{4, 5}}, "T": {{3, 5}},
	}, arrive)

	q.ends()
	var trace []string
	for q.ways.queue.len() > 0 {
		x := q.ways.queue.pop()
		w := &q.ways.list[x]
		path := names[w.node : w.node+1]
		for _, l := range q.path(x) {
			path += names[links[l].To : links[l].To+1]
			if l == 2 || l == 3 {
				path += []string{"a", "b"}[l-2]
			}
		}
		line := fmt.Sprintf("%s %v (%d, %d)", path, q.ways.slotsOf(w), w.least.end, w.least.delay)
		if int(w.node) == s {
			trace = append(trace, line)
			break
		}
		if q.superfluous(x) {
			line += " dropped"
		}
		trace = append(trace, line)
		q.follow(x)
	}
	require.Equal(t, []string{
		"T [{3 5}] (5, 1)",
		"XT [{3 4}] (5, 1)",
		"VXaT [{2 3}] (5, 3)",
		"VXbT [{2 3}] (5, 3) dropped",
		"YT [{4 5}] (6, 4)",
		"VYT [{2 3}] (6, 4)",
		"XVYT [{1 2}] (6, 4)",
		"SXVYT [{0 1}] (6, 4)",
	}, trace)
	p, err := n.Earliest(task)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 4, 6}, p.Links)
	require.Equal(t, bookahead.Interval{Start: 5, End: 6}, p.Run)
}

// TestOfferByHand is the picture above search.offer: one answer of the pool serves four
// arrivals.
func TestOfferByHand(t *testing.T) {
	pool, err := carts.NewIndexed(1, carts.Config{Booked: []bookahead.Offer{{Interval: bookahead.Interval{Start: 9, End: 12}, Units: 1}}})
	require.NoError(t, err)
	asked := 1000
	n, err := New(1, nil, []Cluster{{CPUs: 1, Speed: 1, Pool: pool}}, Config{Slots: 20})
	require.NoError(t, err)
	n.clusters[0].Pool = failing{pool, &asked}
	j, err := n.job(Task{Burst: 1, Work: 4, CPUs: 1})
	require.NoError(t, err)
	s := n.memory()
	s.begin(j, Plan{}, false)
	for arrival := int64(9); arrival <= 12; arrival++ {
		require.Equal(t, offered{9, 12, 16, true}, s.offer(0, arrival))
	}
	require.Equal(t, 999, asked)
	require.Equal(t, offered{13, 13, 17, true}, s.offer(0, 13))
}

// TestDeadlinesByHand is the picture above search.deadlines.
func TestDeadlinesByHand(t *testing.T) {
	n, err := New(2, []Link{{To: 1, Delay: 6}}, []Cluster{{Node: 1, CPUs: 1, Speed: 1, Pool: indexed(t, 1)}}, Config{Slots: 40})
	require.NoError(t, err)
	j, err := n.job(Task{Burst: 3, Work: 4, CPUs: 1})
	require.NoError(t, err)
	s := n.memory()
	s.begin(j, Plan{Run: bookahead.Interval{Start: 26, End: 30}, Delay: 7}, true)
	s.deadlines()
	require.Equal(t, int64(18), s.places[0].latest)
	require.Equal(t, int64(24), s.places[1].latest)
}

// TestStartsByHand has the pictures above search.starts and search.start.
func TestStartsByHand(t *testing.T) {
	n, err := New(3, []Link{
		{From: 0, To: 1, Delay: 2},
		{From: 1, To: 2, Delay: 4, Free: bits(t, "00111110"+strings.Repeat("0", 32))},
	}, []Cluster{{Node: 2, CPUs: 1, Speed: 1, Pool: indexed(t, 1)}}, Config{Slots: 40, Wait: true})
	require.NoError(t, err)
	j, err := n.job(Task{Burst: 3, Work: 1, CPUs: 1})
	require.NoError(t, err)
	s := n.memory()
	s.begin(j, Plan{}, false)
	require.Equal(t, []span{{2, 5}}, s.starts(1))

	s.places[0].near, s.places[1].near = 0, 2
	s.ways.slots = []span{{0, 40}}
	at, ok := s.start(&way{node: 1, delay: 4, hi: 1})
	require.True(t, ok)
	require.Equal(t, int64(14), at)
	at, ok = s.start(&way{node: 0, delay: 6, hi: 1})
	require.True(t, ok)
	require.Equal(t, int64(12), at)
}

// spans reads slots that are marked with #.
func spans(s string) (list []span) {
	for i := range s {
		if s[i] != '#' {
			continue
		}
		at := int64(i)
		if n := len(list); n > 0 && list[n-1].to == at {
			list[n-1].to++
			continue
		}
		list = append(list, span{at, at + 1})
	}
	return list
}

// TestSpansByHand has the pictures of starts.go and of search.prepend.
func TestSpansByHand(t *testing.T) {
	a, b := spans("##### ##"), spans(" ## #####")
	require.Equal(t, []span{{0, 5}, {6, 8}}, a)
	require.Equal(t, []span{{1, 3}, {4, 9}}, b)
	require.Equal(t, []span{{0, 1}, {2, 5}, {6, 7}}, meet(nil, a, b, 2))
	require.Equal(t, []span{{0, 5}, {7, 9}}, join(nil, []span{{0, 3}, {7, 9}}, []span{{3, 5}}))

	way := meet(nil, []span{{0, 4}}, []span{{3, 6}}, 1)
	require.Equal(t, []span{{2, 3}}, meet(nil, way, []span{{0, 3}}, 0))
}

// TestSpans compares lists with slots, of all pairs of sets of six slots.
func TestSpans(t *testing.T) {
	set := func(bits int) (string, []span) {
		var s strings.Builder
		for i := range 6 {
			s.WriteByte(" #"[bits>>i&1])
		}
		return s.String(), spans(s.String())
	}
	for x := range 64 {
		text, a := set(x)
		for at := range int64(8) {
			first := never
			if at < 6 {
				if i := strings.IndexByte(text[at:], '#'); i >= 0 {
					first = at + int64(i)
				}
			}
			require.Equal(t, first, next(a, at))
		}
		for y := range 64 {
			_, b := set(y)
			require.Equal(t, y&^x == 0, covers(a, b))
			_, want := set(x | y)
			require.Equal(t, want, join(nil, a, b))
			for by := range 4 {
				_, want = set(x & (y >> by))
				require.Equal(t, want, append([]span(nil), meet(nil, a, b, int64(by))...)) // none is nil
			}
		}
		for by := range 3 {
			_, want := set(x << by & 15)
			require.Equal(t, len(want), len(later(spans(text), int64(by), 4)))
			require.True(t, len(want) == 0 || covers(later(spans(text), int64(by), 4), want))
		}
	}
}

// TestHeapByHand has the pictures of heap.go.
func TestHeapByHand(t *testing.T) {
	key := []int{4: 10, 5: 20, 6: 15, 7: 25}
	h := heap[int32]{less: func(a, b int32) bool { return key[a] < key[b] }}
	h.grow(8)
	for x := int32(4); x < 8; x++ {
		h.push(x)
	}
	require.Equal(t, []int32{4, 5, 6, 7}, h.items)
	require.Equal(t, []int32{0, 0, 0, 0, 1, 2, 3, 4}, h.place)
	key[7] = 5
	h.push(7)
	require.Equal(t, []int32{7, 4, 6, 5}, h.items)
	for _, x := range []int32{7, 4, 6, 5} {
		require.Equal(t, x, h.pop())
	}
	require.Equal(t, make([]int32, 8), h.place)
}

// TestLookAheadByHand is the example of lookahead.go.
func TestLookAheadByHand(t *testing.T) {
	const s, a, goal = 0, 1, 2
	n, err := New(3, []Link{
		{From: s, To: goal, Weights: []float64{1, 8}},
		{From: s, To: a, Weights: []float64{2, 2}},
		{From: a, To: goal, Weights: []float64{4, 1}},
	}, nil, Config{Weights: 2})
	require.NoError(t, err)
	q := Query{Servers: []Server{{Node: goal}}, Limits: []float64{10, 10}}
	b := n.lookAhead(&q, endless(t))
	require.Equal(t, []float64{1, 3}, b.of(s))
	require.Equal(t, []float64{4, 1}, b.of(a))
	require.Equal(t, []float64{0, 0}, b.of(goal))
	m := newMCP(n, &q, b, endless(t))
	m.maxLength()
	require.Equal(t, []float64{.6, .3}, m.known.key)
	r, ok := m.run()
	require.True(t, ok)
	require.Equal(t, []int{1, 2}, r.Links)
	require.Equal(t, int64(5), r.Spent.Labels)
	for x, want := range [][]float64{{.3, .1}, {.6, .3}, {.6, .3}, {.6, .3}} { // S, S → A, S → A → T, behind T
		for i, w := range want {
			require.InDelta(t, w, m.of(m.key, int32(x))[i], 1e-9)
		}
	}
	require.Len(t, m.steps, 4, "S → T is dropped")
}

// TestFrontByHand is the table above front.
func TestFrontByHand(t *testing.T) {
	s := frontOf(t, 3, 1)
	for i, row := range []struct {
		cost  []float64
		kept  bool
		guard [][2]float64
	}{
		{[]float64{1, 5, 5}, true, [][2]float64{{5, 5}}},
		{[]float64{2, 3, 6}, true, [][2]float64{{3, 6}, {5, 5}}},
		{[]float64{3, 4, 4}, true, [][2]float64{{3, 6}, {4, 4}}},
		{[]float64{4, 5, 5}, false, [][2]float64{{3, 6}, {4, 4}}},
		{[]float64{0, 9, 9}, true, [][2]float64{{3, 6}, {4, 4}}},
	} {
		require.Equal(t, !row.kept, s.covers(0, row.cost, 0))
		if row.kept {
			copy(s.sum, row.cost)
			s.insert(0, s.enter(step{}))
		}
		var guard [][2]float64
		for _, p := range s.fronts[0].guards[0].stairs.pairs() {
			guard = append(guard, [2]float64{p.x, p.y})
		}
		require.Equal(t, row.guard, guard)
		require.Equal(t, min(3, float64(i+1)), s.fronts[0].guards[0].top)
	}
}

// frontOf is a search that has reached node 0 only, whose front is empty.
func frontOf(t *testing.T, weights, guards int) *labels {
	n, err := New(1, nil, nil, Config{Weights: weights})
	require.NoError(t, err)
	s := newLabels(&n.digraph, guards)
	s.begin(&Query{}, nil, endless(t))
	require.Zero(t, s.number(0))
	return &s
}
