package idletree

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/btree"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
	"github.com/bookahead/bookahead/internal/servers"
)

// Here are the worked examples of the comments, with the same numbers.

func interval(start, end bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: start, End: end}
}

func leafOf(periods ...Period) *node {
	nd := &node{n: int32(len(periods))}
	for i, p := range periods {
		nd.start[i], nd.end[i], nd.server[i] = p.Start, p.End, int32(p.Server)
	}
	return nd
}

func innerOf(nodes ...*node) *node {
	nd := &node{n: int32(len(nodes)), kids: &kids{}}
	for i, kid := range nodes {
		nd.set(i, kid.branch())
	}
	return nd
}

// pictured returns the tree in the comment of index.
func pictured() *node {
	const never = bookahead.MaxTime
	return innerOf(
		leafOf(Period{interval(0, never), 3}, Period{interval(0, 9), 1}, Period{interval(2, 7), 0}),
		leafOf(Period{interval(5, 31), 2}, Period{interval(6, 12), 4}, Period{interval(8, 13), 5}),
		leafOf(Period{interval(9, 24), 0}, Period{interval(11, 20), 1}),
	)
}

// collected returns the servers whose periods walk yields.
func collected(walk func(yield func(Period) bool) bool) (found []int) {
	walk(func(p Period) bool {
		found = append(found, p.Server)
		return true
	})
	return found
}

func TestIndexByHand(t *testing.T) {
	const never = bookahead.MaxTime
	root := pictured()
	for i, want := range []branch{
		{start: 0, server: 3, sums: sums{end: never, soonest: 7, longest: never, lowest: 0}},
		{start: 5, server: 2, sums: sums{end: 31, soonest: 12, longest: 26, lowest: 2}},
		{start: 9, server: 0, sums: sums{end: 24, soonest: 20, longest: 15, lowest: 0}},
	} {
		want.node = root.kids.node[i]
		require.Equal(t, want, root.get(i))
	}
	throughout := func(w bookahead.Interval) []int {
		return collected(func(yield func(Period) bool) bool { return root.descend(w, nil, yield) })
	}
	require.Equal(t, []int{2, 3}, throughout(interval(7, 20)))
	require.Equal(t, []int{2, 3}, throughout(interval(7, 13)))
	c := newPicks(interval(7, 20), 3, nil, nil)
	require.True(t, root.covering(&c))
	require.Equal(t, []Period{{interval(5, 31), 2}, {interval(0, never), 3}}, c.heap.list)
	require.Equal(t, []int{2, 3, 2}, []int{root.after(7), root.kids.node[0].after(7), root.kids.node[1].after(7)})
	after7 := span{after: 7, by: 9}
	require.Equal(t, []int{5, 0}, collected(func(yield func(Period) bool) bool { return root.ascend(after7, yield) }))

	require.Equal(t, 5, root.count(interval(6, 7)))
	require.Equal(t, 2, root.count(interval(7, 20)))

	// Throughout [7, 32) it is server 3 alone, and kids 1 and 2 are not read.
	root.kids.node[1], root.kids.node[2] = nil, nil
	require.Equal(t, []int{3}, throughout(interval(7, 32)))
	require.Equal(t, 1, root.count(interval(7, 32)))
}

func TestDescendEndsByHand(t *testing.T) {
	const never = bookahead.MaxTime
	shown := func(root *node, wanted int) (ends []bookahead.Time) {
		root.descendEnds(span{by: 8}, func(p bookahead.Interval) (bookahead.Time, bool) {
			ends = append(ends, p.End)
			return p.Start, len(ends) == wanted
		})
		return ends
	}
	root := pictured()
	require.Equal(t, []bookahead.Time{never, 31, 13, 12, 9, 7}, shown(root, 0))
	root.kids.node[1] = nil
	require.Equal(t, []bookahead.Time{never}, shown(root, 1), "kid 1 is not opened if one is enough")
}

func TestBackwardByHand(t *testing.T) {
	b := newBackward(bookahead.Request{Units: 1, Duration: 4}, 20)
	start, ok := b.add(interval(5, 31))
	require.True(t, ok)
	require.EqualValues(t, 20, start)
}

func TestUntilByHand(t *testing.T) {
	x := idle(t, LowestIndex, interval(0, 12), interval(0, 31), interval(0, 20))
	require.EqualValues(t, 20, x.tree().Until(7, bookahead.Request{Units: 2, Duration: 1}, 100))
}

// Server 2 is idle in [5, 31), and is booked for [10, 20) and released, by time 0 and at 10.
func TestEditsByHand(t *testing.T) {
	w := interval(10, 20)
	b := servers.Booking{Interval: w, Servers: []int32{2}}
	for _, c := range []struct {
		now         bookahead.Time
		book, again []edit
	}{
		{
			now:   0,
			book:  []edit{{start: 5, was: 31, is: 10, server: 2}, {start: 20, is: 31, server: 2}},
			again: []edit{{start: 5, was: 10, is: 31, server: 2}, {start: 20, was: 31, server: 2}},
		},
		{
			now:   10,
			book:  []edit{{start: 5, was: 31, server: 2}, {start: 20, is: 31, server: 2}},
			again: []edit{{start: 5, is: 31, server: 2}, {start: 20, was: 31, server: 2}},
		},
	} {
		f := fleet{now: c.now, most: mostInArray, idle: make([]calendar, 3)}
		f.idle[2].few = []bookahead.Interval{interval(5, 31)}
		list, chosen := f.periodsOf(b)
		f.take(w, list, chosen)
		require.Equal(t, c.book, f.edits)
		require.Equal(t, interval(5, 10), f.idle[2].few[0], "the calendar keeps it")
		f.give(b)
		require.Equal(t, c.again, f.edits)
		require.Equal(t, []bookahead.Interval{interval(5, 31)}, f.idle[2].few)
	}
}

// A booking leaves these parts of [5, 31), and gives them back.
func TestCalendarByHand(t *testing.T) {
	for w, want := range map[bookahead.Interval][]bookahead.Interval{
		interval(10, 20): {interval(5, 10), interval(20, 31)},
		interval(5, 20):  {interval(20, 31)},
		interval(10, 31): {interval(5, 10)},
		interval(5, 31):  nil,
	} {
		array := calendar{few: []bookahead.Interval{interval(5, 31)}}
		tree := calendar{many: cow.NewTree(btree.NewG(32, startsEarlier))}
		tree.many.ReplaceOrInsert(interval(5, 31))
		for _, c := range []*calendar{&array, &tree} {
			require.Equal(t, interval(5, 31), c.take(w, 0))
			require.Equal(t, want, slices.Collect(c.from(0)), "%v", w)
			c.give(w, 0)
			require.Equal(t, []bookahead.Interval{interval(5, 31)}, slices.Collect(c.from(0)), "%v", w)
		}
	}
}

// sized returns a leaf of n entries, the first of which starts at start.
func sized(start bookahead.Time, n int) *node {
	periods := make([]Period, n)
	for i := range periods {
		at := start + bookahead.Time(i)
		periods[i] = Period{interval(at, at+1), 0}
	}
	return leafOf(periods...)
}

func sizes(nd *node) (list []int32) {
	for _, kid := range nd.kids.node[:nd.n] {
		list = append(list, kid.n)
	}
	return list
}

func TestUniteJoinsAtTheSeam(t *testing.T) {
	left := innerOf(sized(0, 40), sized(100, 20))
	right := innerOf(sized(200, 10), sized(300, 50))
	root := innerOf(left, right)
	root.join(1, 1)
	require.EqualValues(t, 1, root.n)
	require.Equal(t, []int32{40, 30, 50}, sizes(left))
}

func TestPartsCannotBeUnited(t *testing.T) {
	for n, want := range map[int][]int32{63: {63}, 64: {32, 32}, 110: {55, 55}, 111: {37, 37, 37}} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			x := newIndex()
			var edits []edit
			for i := range n {
				edits = append(edits, edit{start: bookahead.Time(i), is: 1000})
			}
			x.update(edits)
			if n <= width {
				require.EqualValues(t, n, x.root.n)
				return
			}
			require.Equal(t, want, sizes(x.root))
		})
	}
	for n := width + 1; n < 5000; n++ {
		require.Greater(t, n/parts(n), width/2, "the smallest of %d", n)
		require.LessOrEqual(t, (n+parts(n)-1)/parts(n), fill, "the largest of %d", n)
	}
}

// A leaf is cut when it is full, and the halves are united when half a leaf would be full.
func TestCutAndUnite(t *testing.T) {
	x := newIndex()
	change := func(first, last int, was, is bookahead.Time) {
		var edits []edit
		for i := first; i <= last; i++ {
			edits = append(edits, edit{start: bookahead.Time(i), was: was, is: is})
		}
		x.update(edits)
	}
	change(1, 63, 0, 1000)
	change(64, 64, 0, 1000)
	require.Equal(t, []int32{32, 32}, sizes(x.root))
	change(34, 64, 1000, 0)
	require.Equal(t, []int32{32, 1}, sizes(x.root))
	change(31, 32, 1000, 0)
	require.EqualValues(t, 31, x.root.n)
	require.Nil(t, x.root.kids)
	change(100, 131, 0, 1000)
	require.EqualValues(t, 63, x.root.n)
	change(132, 132, 0, 1000)
	require.Equal(t, []int32{32, 32}, sizes(x.root))
}
