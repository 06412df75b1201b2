package ledger

import (
	"maps"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

type entry struct{ bookahead.Interval }

func (e entry) Span() bookahead.Interval { return e.Interval }

// world is a ledger, and a map with the entries that it must have.
type world struct {
	l    *Ledger[entry]
	want map[bookahead.ID]entry
	last bookahead.ID
}

// TestLedger compares a ledger and its clones with maps.
func TestLedger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := bookahead.Time(0)
		worlds := []*world{{l: &Ledger[entry]{}, want: map[bookahead.ID]entry{}}}
		pick := func() *world { return worlds[rapid.IntRange(0, len(worlds)-1).Draw(t, "world")] }
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				w := pick()
				for range rapid.IntRange(1, 150).Draw(t, "number") {
					length := rapid.SampledFrom([]bookahead.Time{1, 5, 1000}).Draw(t, "length")
					e := entry{bookahead.Interval{Start: now, End: now + length}}
					w.last++
					require.Equal(t, w.last, w.l.Add(e, now))
					w.want[w.last] = e
				}
			},
			"remove": func(t *rapid.T) {
				w := pick()
				for range rapid.IntRange(1, 100).Draw(t, "number") {
					id := bookahead.ID(rapid.Uint64Range(0, uint64(w.last)+1).Draw(t, "id"))
					e, ok := w.want[id]
					ok = ok && e.End > now
					got, found := w.l.Remove(id, now)
					require.Equal(t, ok, found)
					if ok {
						require.Equal(t, e, got)
					}
					delete(w.want, id)
				}
			},
			"set": func(t *rapid.T) {
				w := pick()
				id := bookahead.ID(rapid.Uint64Range(0, uint64(w.last)+1).Draw(t, "id"))
				if _, ok := w.l.Get(id, now); ok {
					e := entry{bookahead.Interval{Start: now, End: now + rapid.SampledFrom([]bookahead.Time{2, 500}).Draw(t, "length")}}
					w.l.Set(id, e)
					w.want[id] = e
				}
			},
			"restore": func(t *rapid.T) {
				w := pick()
				for range rapid.IntRange(1, 100).Draw(t, "number") {
					id := bookahead.ID(rapid.Uint64Range(1, max(1, uint64(w.last))).Draw(t, "id"))
					old, ok := w.want[id]
					if id > w.last || ok && old.End > now {
						continue
					}
					e := entry{bookahead.Interval{Start: now, End: now + rapid.SampledFrom([]bookahead.Time{3, 700}).Draw(t, "length")}}
					w.l.Restore(id, e)
					w.want[id] = e
				}
			},
			"skip": func(t *rapid.T) { // as if these IDs had been given, and were gone
				w := pick()
				w.last++
				w.want[w.last] = entry{bookahead.Interval{Start: now, End: now + 1000}}
				require.Equal(t, w.last, w.l.Add(w.want[w.last], now))
				w.last += rapid.SampledFrom([]bookahead.ID{100, 40_000, 1 << 40}).Draw(t, "IDs")
				w.l.last = w.last
			},
			"pass": func(t *rapid.T) { now += bookahead.Time(rapid.IntRange(0, 4).Draw(t, "ticks")) },
			"clone": func(t *rapid.T) {
				if len(worlds) == 4 {
					t.Skip("enough")
				}
				w := pick()
				c := w.l.Clone()
				worlds = append(worlds, &world{&c, maps.Clone(w.want), w.last})
			},
			"": func(t *rapid.T) {
				for _, w := range worlds {
					w.check(t, now)
				}
			},
		})
	})
}

func (w *world) check(t *rapid.T, now bookahead.Time) {
	maps.DeleteFunc(w.want, func(_ bookahead.ID, e entry) bool { return e.End <= now })
	require.Equal(t, w.want, maps.Collect(w.l.All(now)))
	var ids []bookahead.ID
	for id := range w.l.All(now) {
		ids = append(ids, id)
	}
	require.True(t, slices.IsSorted(ids))
	live := 0
	l, next := w.l, uint64(w.last+1)/chapterSize
	all := slices.Clone(l.strays)
	for i, c := range l.chapters {
		require.True(t, c != nil || i > 0, "an empty chapter in front")
		all = append(all, stray[entry]{l.base + uint64(i), c})
	}
	require.LessOrEqual(t, 2*l.gone, len(l.strays))
	for i, c := range all {
		require.True(t, i == 0 || all[i-1].number < c.number, "chapters out of order")
		if c.chapter == nil {
			continue
		}
		require.True(t, c.used != 0 || c.number == next, "an empty chapter")
		for j, p := range c.pages {
			left := bits.OnesCount64(p.set)
			require.Equal(t, c.used&(1<<j) != 0, left > 0)
			require.Len(t, p.entries, bits.OnesCount64(p.room))
			require.Zero(t, p.set&^p.room)
			live += left
			if left == 0 && (c.number != next || uint(j) != uint(w.last+1)%chapterSize/pageSize) {
				require.Nil(t, p.entries, "an empty page")
			}
			for room, k := p.room, 0; room != 0 && c.mine&(1<<j) != 0; room, k = room&(room-1), k+1 {
				if p.set&(room&-room) == 0 {
					require.Zero(t, p.entries[k], "what has been taken out")
				}
			}
		}
	}
	require.Equal(t, live, w.l.Len())
	require.LessOrEqual(t, len(w.want), live)
}

// TestEndedEntriesAreSweptOut adds for ever without removing.
func TestEndedEntriesAreSweptOut(t *testing.T) {
	var l Ledger[entry]
	for now := bookahead.Time(0); now < 100_000; now++ {
		l.Add(entry{bookahead.Interval{Start: now, End: now + 100}}, now)
		require.LessOrEqual(t, l.Len(), 2*minSweep)
		require.LessOrEqual(t, len(l.chapters), 3)
	}
}

// room returns for how many entries the pages have room, used or not.
func room(l *Ledger[entry]) (n int) {
	for _, c := range l.chapters {
		for _, p := range c.pages {
			n += cap(p.entries)
		}
	}
	return n
}

// TestMemoryFollowsTheLive leaves one entry in each page, or in each chapter.
func TestMemoryFollowsTheLive(t *testing.T) {
	for _, size := range []bookahead.ID{pageSize, chapterSize} {
		var l Ledger[entry]
		e := entry{bookahead.Interval{Start: 0, End: 10}}
		for range 100 * size {
			l.Add(e, 0)
		}
		for id := bookahead.ID(1); id <= 100*size; id++ {
			if id%size != 7 {
				_, ok := l.Remove(id, 0)
				require.True(t, ok)
			}
		}
		require.Equal(t, 100, l.Len())
		require.LessOrEqual(t, room(&l), 2*100+pageSize)
	}
}

// TestPagesLeftBehindArePacked takes all but the last of each page out while the page
// has room for more.
func TestPagesLeftBehindArePacked(t *testing.T) {
	var l Ledger[entry]
	e := entry{bookahead.Interval{Start: 0, End: 10}}
	for id := bookahead.ID(1); id < 64*100; id++ {
		require.Equal(t, id, l.Add(e, 0))
		if id%64 != 63 {
			_, ok := l.Remove(id, 0)
			require.True(t, ok)
		}
	}
	require.Equal(t, 100, l.Len())
	require.LessOrEqual(t, room(&l), 100+pageSize)
}

// TestNoAllocationWhileFewAreLive: room that is emptied is used again.
func TestNoAllocationWhileFewAreLive(t *testing.T) {
	var l Ledger[entry]
	e := entry{bookahead.Interval{Start: 0, End: 10}}
	require.Less(t, testing.AllocsPerRun(64_000, func() {
		l.Remove(l.Add(e, 0), 0)
	}), 0.05)
}
