package carts

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// TestStarts changes the starts of a node, near and far, as a tree does, and compares
// them with a sorted list.
func TestStarts(t *testing.T) {
	wide, narrow := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		first := bookahead.Time(rapid.Int64Range(0, 1<<40).Draw(t, "first"))
		gap := rapid.SampledFrom([]int64{3, 1 << 26, 1 << 32, 1 << 50}).Draw(t, "gap")
		near := rapid.Map(rapid.Int64Range(0, 60*gap), func(d int64) bookahead.Time { return first + bookahead.Time(d) })
		times := rapid.OneOf(near, near, near, near, rapid.Just(bookahead.Time(math.MaxInt64)), rapid.Just(bookahead.Time(0)))
		var s starts
		s.rebase(first, 0)
		s.put(0, first)
		list := []bookahead.Time{first}
		insert := func(t *rapid.T) {
			at := times.Draw(t, "time")
			i, found := slices.BinarySearch(list, at)
			if found || len(list) == fanout {
				t.Skip("no room")
			}
			s.shift(i, i+1, len(list))
			s.put(i, at)
			list = slices.Insert(list, i, at)
		}
		t.Repeat(map[string]func(*rapid.T){
			"insert": insert,
			"again":  insert,
			"cut": func(t *rapid.T) {
				i := rapid.IntRange(0, len(list)-1).Draw(t, "from")
				j := rapid.IntRange(i, min(len(list), i+3)).Draw(t, "to")
				if j-i == len(list) {
					t.Skip("all")
				}
				s.shift(j, i, len(list))
				list = slices.Delete(list, i, j)
			},
			"rebase": func(t *rapid.T) {
				s.rebase(min(list[0], times.Draw(t, "begin")), len(list))
			},
			"copy": func(*rapid.T) {
				var c starts
				c.copyFrom(&s, len(list))
				s.put(0, 0) // the copy is apart
				s = c
			},
			"": func(t *rapid.T) {
				for i, want := range list {
					require.Equal(t, want, s.start(i))
				}
				at := times.Draw(t, "at")
				i, found := slices.BinarySearch(list, at)
				if !found {
					i = max(0, i-1)
				}
				require.Equal(t, i, s.at(at, len(list)))
				require.Equal(t, i, s.from(rapid.IntRange(0, i).Draw(t, "i"), at, len(list)))
				if s.wide != nil {
					wide++
				} else {
					narrow++
				}
			},
		})
	})
	require.NotZero(t, wide)
	require.NotZero(t, narrow)
}

// TestStartsBecomeNarrowAgain: what has been far apart, and is so no more, takes half
// the room.
func TestStartsBecomeNarrowAgain(t *testing.T) {
	var s starts
	s.rebase(0, 0)
	s.put(0, 0)
	s.put(1, 1<<40)
	s.put(2, 1<<40+7)
	require.NotNil(t, s.wide)
	s.shift(1, 0, 3)
	s.rebase(s.start(0), 2)
	require.Nil(t, s.wide)
	require.Equal(t, bookahead.Time(1<<40), s.start(0))
	require.Equal(t, bookahead.Time(1<<40+7), s.start(1))
}
