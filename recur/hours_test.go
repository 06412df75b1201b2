package recur

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

func ticks(start, end bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: start, End: end}
}

// anyClock draws a clock whose ticks may be anything but whole hours.
func (y *years) anyClock(rnd *rand.Rand) bookahead.Clock {
	return bookahead.Clock{
		Epoch: y.begin.AddDate(0, rnd.IntN(24), 0).Add(time.Duration(rnd.IntN(3)) * 1234 * time.Second),
		Tick:  []time.Duration{0, time.Second / 10, time.Minute, 7 * time.Minute, time.Hour, 5 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}[rnd.IntN(8)],
	}
}

// ticksOf returns the ticks that run during a time, from first principles.
func ticksOf(c bookahead.Clock, start, end time.Time) bookahead.Interval {
	tick := int64(max(c.Tick, 1))
	if c.Tick == 0 {
		tick = int64(time.Second)
	}
	floor := func(n int64) bookahead.Time {
		for n%tick != 0 && n < 0 {
			n -= tick + n%tick
		}
		return bookahead.Time(n / tick)
	}
	return bookahead.Interval{Start: floor(int64(start.Sub(c.Epoch))), End: -floor(-int64(end.Sub(c.Epoch)))}
}

// Occurrences cover their times on a wall, and overlap only if those do.
func TestRuleOccurrences(t *testing.T) {
	list := allYears()
	rnd := rand.New(rand.NewPCG(24, 3))
	for n := range scheduletest.Operations() / 100 {
		y := list[n%len(list)]
		r, _, _ := y.draw(rnd)
		c := y.anyClock(rnd)
		all := y.oracle(r, y.begin, y.end)
		if len(all) > 900 {
			continue
		}
		var want []bookahead.Interval
		for i, o := range all {
			x := ticksOf(c, o.start, o.end)
			if i > 0 && !o.start.Before(all[i-1].end) {
				x.Start = max(x.Start, ticksOf(c, all[i-1].start, all[i-1].end).End)
			}
			if !x.Empty() {
				want = append(want, x)
			}
		}
		bounds := ticksOf(c, y.begin, y.end)
		whole := bookahead.Interval{Start: bounds.Start - 1, End: bounds.End + 1}
		whole.End = min(whole.End, ticksOf(c, y.end, y.end).Start) // the oracle ends with the years
		for len(want) > 0 && want[len(want)-1].Start >= whole.End {
			want = want[:len(want)-1]
		}
		got, err := r.Occurrences(c, whole)
		require.NoError(t, err)
		require.Equal(t, want, got, "%v from %v for %v by %v", r, r.Start, r.Length, c)

		// Two windows that touch have each once.
		mid := whole.Start + bookahead.Time(rnd.Int64N(int64(whole.End-whole.Start)))
		if len(got) > 0 && rnd.IntN(2) == 0 {
			mid = got[rnd.IntN(len(got))].Start + bookahead.Time(rnd.IntN(3)-1)
		}
		before, err := r.Occurrences(c, bookahead.Interval{Start: whole.Start, End: mid})
		require.NoError(t, err)
		after, err := r.Occurrences(c, bookahead.Interval{Start: mid, End: whole.End})
		require.NoError(t, err)
		require.Equal(t, got, append(before, after...))
	}
}

// throughout reports whether one of some occurrences runs at each time of a tick.
func throughout(c bookahead.Clock, at bookahead.Time, list []occurrence) bool {
	t, _ := c.Wall(at)
	end, _ := c.Wall(at + 1)
	for again := true; again && t.Before(end); {
		again = false
		for _, o := range list {
			if !o.start.After(t) && o.end.After(t) {
				t, again = o.end, true
			}
		}
	}
	return !t.Before(end)
}

// Hours are the ticks throughout which one of the rules holds.
func TestHours(t *testing.T) {
	list := allYears()
	rnd := rand.New(rand.NewPCG(24, 4))
	for n := range scheduletest.Operations() / 200 {
		y := list[n%len(list)]
		c := y.anyClock(rnd)
		c.Tick = max(c.Tick, 7*time.Minute)
		var rules []Rule
		var all []occurrence
		at, _ := c.Floor(y.begin.AddDate(0, 1+rnd.IntN(34), 0))
		w := bookahead.Interval{Start: at, End: at + bookahead.Time(rnd.IntN(300))}
		for range 1 + rnd.IntN(3) {
			r, _, _ := y.draw(rnd)
			rules = append(rules, r)
			for _, o := range y.oracle(r, y.begin, y.end) {
				if !ticksOf(c, o.start, o.end).Intersect(w).Empty() {
					all = append(all, o)
				}
			}
		}
		w.End = min(w.End, ticksOf(c, y.end, y.end).Start)
		got, err := Hours(c, w, rules...)
		require.NoError(t, err)
		ticks := 0
		for i, x := range got {
			require.True(t, !x.Empty() && (i == 0 || got[i-1].End < x.Start), "%v", got)
			for at := x.Start; at < x.End; at++ {
				require.True(t, w.Contains(at) && throughout(c, at, all), "%d of %v in %v", at, got, w)
				ticks++
			}
		}
		open := 0
		for at := w.Start; at < w.End; at++ {
			if throughout(c, at, all) {
				open++
			}
		}
		require.Equal(t, open, ticks, "%v in %v", rules, w)
	}
}

// The picture of Rule.Occurrences.
func TestRuleOccurrencesThatTouch(t *testing.T) {
	c := bookahead.Clock{Epoch: time.Date(2026, time.January, 7, 0, 0, 0, 0, time.UTC), Tick: time.Hour}
	r := Rule{Start: c.Epoch.Add(9 * time.Hour), Length: 90 * time.Minute, Count: 1}
	next := r
	next.Start = r.Start.Add(r.Length)
	got, err := r.Occurrences(c, ticks(0, 24))
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{ticks(9, 11)}, got)
	open, err := Hours(c, ticks(0, 24), next, r)
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{ticks(9, 12)}, open, "they touch at half past 10, and tick 10 is open")
	open, err = Hours(c, ticks(0, 24), r)
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{ticks(9, 10)}, open, "nobody stays behind the doors that close at half past 10")

	// Noon to noon, for ever, when a tick begins at half past.
	r = Rule{Start: c.Epoch.Add(12 * time.Hour), Length: 24 * time.Hour}
	c.Epoch = c.Epoch.Add(30 * time.Minute)
	got, err = r.Occurrences(c, ticks(0, 72))
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{ticks(11, 36), ticks(36, 60), ticks(60, 84)}, got)
	open, err = Hours(c, ticks(0, 72), r)
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{ticks(12, 72)}, open)
}

func TestRuleOccurrencesRefuse(t *testing.T) {
	c := bookahead.Clock{Epoch: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC), Tick: time.Hour}
	always := bookahead.Interval{Start: math.MinInt64, End: math.MaxInt64}
	r := Rule{Start: c.Epoch, Length: time.Hour}
	_, err := r.Occurrences(c, always)
	require.ErrorContains(t, err, "has more than 4096 occurrences")
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, err = Hours(c, always, r)
	require.ErrorContains(t, err, "has more than 4096 occurrences")
	_, err = Hours(bookahead.Clock{}, always, Rule{Start: r.Start, Length: 1, Count: 1})
	require.ErrorContains(t, err, "too far from the epoch")
	r.Count = MaxOccurrences
	got, err := r.Occurrences(c, always)
	require.NoError(t, err)
	require.Len(t, got, MaxOccurrences)
	for _, w := range []bookahead.Interval{{Start: math.MinInt64, End: math.MinInt64 + 9}, {Start: math.MaxInt64 - 9, End: math.MaxInt64}, {Start: 9, End: 9}, {Start: 9, End: -9}} {
		got, err := r.Occurrences(c, w)
		require.NoError(t, err)
		require.Empty(t, got)
		open, err := Hours(c, w, r)
		require.NoError(t, err)
		require.Empty(t, open)
	}
	c.Tick = -1
	_, err = r.Occurrences(c, ticks(0, 9))
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, err = r.Occurrences(bookahead.Clock{}, always) // year 1
	require.ErrorContains(t, err, "too far from the epoch")
	r.Length, r.Count = math.MaxInt64, 1 // 292 years
	c.Tick = 0
	c.Epoch = r.Start
	open, err := Hours(c, ticks(0, 1<<20), r)
	require.NoError(t, err)
	require.Equal(t, []bookahead.Interval{ticks(0, 1<<20)}, open)
}
