package profile

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// TestLeavesFillTheirRoom: the allocator has 896 bytes for an object larger than 768 bytes, and
// puts 8 bytes of its own before it.
func TestLeavesFillTheirRoom(t *testing.T) {
	if math.MaxInt < math.MaxInt64 {
		t.Skip("pointers are of 32 bits")
	}
	require.EqualValues(t, 896, unsafe.Sizeof(node[int32]{})+8)
}

// TestStarts changes the starts of a node, near and far, as a tree does, and compares
// them with a sorted list.
func TestStarts(t *testing.T) {
	far, near := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		first := bookahead.Time(rapid.Int64Range(0, 1<<40).Draw(t, "first"))
		gap := rapid.SampledFrom([]int64{1, 3, 1 << 24, 1 << 32, 1 << 50}).Draw(t, "gap")
		close := rapid.Map(rapid.Int64Range(0, 2*fanout*gap), func(d int64) bookahead.Time { return first + bookahead.Time(d) })
		edge := rapid.Map(rapid.Int64Range(math.MaxUint32-1, math.MaxUint32+1), func(d int64) bookahead.Time { return first + bookahead.Time(d) })
		times := rapid.OneOf(close, close, close, edge, rapid.SampledFrom([]bookahead.Time{0, math.MaxInt64}))
		list := []bookahead.Time{first}
		for range rapid.IntRange(0, fanout-1).Draw(t, "entries") {
			list = append(list, close.Draw(t, "time"))
		}
		slices.Sort(list)
		list = slices.Compact(list)
		var s starts
		s.countFrom(first, 0)
		for i, at := range list {
			s.setStart(i, at)
		}
		insert := func(t *rapid.T) {
			at := times.Draw(t, "time")
			i, found := slices.BinarySearch(list, at)
			if found || len(list) == fanout {
				t.Skip("no room")
			}
			if i == 0 {
				s.countFrom(at, len(list))
			}
			s.shiftStarts(i, i+1, len(list))
			s.setStart(i, at)
			list = slices.Insert(list, i, at)
		}
		t.Repeat(map[string]func(*rapid.T){
			"insert": insert,
			"again":  insert,
			"cut": func(t *rapid.T) {
				i := rapid.IntRange(0, len(list)-1).Draw(t, "from")
				j := rapid.IntRange(i, len(list)).Draw(t, "to")
				if j-i == len(list) {
					t.Skip("all")
				}
				s.shiftStarts(j, i, len(list))
				list = slices.Delete(list, i, j)
			},
			"count": func(t *rapid.T) {
				s.countFrom(min(list[0], times.Draw(t, "begin")), len(list))
			},
			"count from the first": func(*rapid.T) {
				s.countFrom(list[0], len(list))
				if list[len(list)-1]-list[0] <= math.MaxUint32/2 {
					require.Nil(t, s.upper)
				}
			},
			"copy": func(*rapid.T) {
				var c starts
				c.copyStarts(&s, len(list))
				for i := range list {
					s.setStart(i, s.begin+bookahead.Time(i)<<40) // the copy is apart
				}
				s = c
			},
			"": func(t *rapid.T) {
				for i, want := range list {
					require.Equal(t, want, s.start(i))
				}
				for _, at := range []bookahead.Time{-1, times.Draw(t, "at"), list[len(list)-1], math.MaxInt64} {
					i, found := slices.BinarySearch(list, at)
					if !found {
						i = max(0, i-1)
					}
					require.Equal(t, i, s.find(at, len(list)))
					require.Equal(t, i, s.findFrom(rapid.IntRange(0, i).Draw(t, "i"), at, len(list)))
				}
				if s.upper != nil {
					far++
				} else {
					near++
				}
			},
		})
	})
	require.NotZero(t, far)
	require.NotZero(t, near)
}

// TestStartsComeCloser: starts that were far apart, and are no longer, are counted in 32 bits
// again, unless they may soon be far apart once more.
func TestStartsComeCloser(t *testing.T) {
	var s starts
	s.countFrom(0, 0)
	s.setStart(0, 0)
	s.setStart(1, 1<<40)
	s.setStart(2, 1<<40+3<<30)
	s.shiftStarts(1, 0, 3)
	s.countFrom(s.start(0), 2)
	require.NotNil(t, s.upper, "3<<30 apart")
	s.setStart(1, 1<<40+7)
	s.countFrom(s.start(0), 2)
	require.Nil(t, s.upper)
	require.Equal(t, bookahead.Time(1<<40), s.start(0))
	require.Equal(t, bookahead.Time(1<<40+7), s.start(1))
	s.setStart(1, 1<<40+3<<30)
	s.countFrom(1<<40-1, 2)
	require.Nil(t, s.upper, "it fits")
}

// TestStartsStayNear: in a profile that rolls on, and in one made at once, all nodes
// are counted in 32 bits, wherever on the axis they lie.
func TestStartsStayNear(t *testing.T) {
	const origin, step = bookahead.Time(1 << 40), bookahead.Time(1 << 20)
	var slots []pool.Step
	for i := range bookahead.Time(200) {
		slots = append(slots, pool.Step{Start: origin + i*step, Free: 1 + int64(i%2)})
	}
	p := New[int32](slots, Knobs{Width: 8})
	require.Zero(t, p.Shape().Far)
	p = New[int32]([]pool.Step{{Start: origin, Free: 100}}, Knobs{Width: 8})
	for i := range bookahead.Time(3 << 13) {
		now := origin + i*step
		_, ok := p.Book(now, now+30*step, 20*step, 1+int64(i%3))
		require.True(t, ok)
		require.Zero(t, p.Shape().Far, "at %d", i)
		p.Forget(now)
	}
}

// TestNodesComeCloser: where some entries of a node lie far before the others, each part is
// counted in 32 bits once the parts are in different nodes, or the first part is past.
func TestNodesComeCloser(t *testing.T) {
	const later = bookahead.Time(1 << 40)
	slots := []pool.Step{{Start: 0, Free: 8}, {Start: 1, Free: 9}, {Start: 2, Free: 8}, {Start: 3, Free: 7}}
	for i := range bookahead.Time(14) {
		slots = append(slots, pool.Step{Start: later + i, Free: 9 - int64(i%2)})
	}
	p := New[int32](slots[:6], Knobs{Width: 8})
	require.NotNil(t, p.root.upper)
	for i := range bookahead.Time(2) {
		p.Change(bookahead.Interval{Start: later + 20*i + 20, End: later + 20*i + 30}, int64(-1))
	}
	require.NotNil(t, p.root.inner, "it has been divided")
	require.Nil(t, p.root.kid[0].upper)
	require.Nil(t, p.root.kid[1].upper)
	require.Equal(t, 1, p.Shape().Far, "the root")

	p = New[int32](slots, Knobs{Width: 8})
	require.Equal(t, 2, p.Shape().Far, "a leaf and the root")
	p.Forget(later + 5)
	require.Equal(t, 2, p.root.n)
	require.Zero(t, p.Shape().Far)
}
