package recur

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

// The hunt calls all that is exported with numbers at the edges, and bounds the looks and the bytes of each call. The
// looks are of months, of days and of changes of clocks.

// These bound the looks of a call: so many from one occurrence to the next, but no more in all than there are months in the
// years 1 to 9999, and a few for each occurrence that the call yields, reads or passes over as an exception. A Count may
// read all those months, and four ends of zones in each year, once for each end of a window.
const (
	mostLooks  = 2 * lastYear
	allMonths  = 12 * lastYear
	mostCounts = 2 * (12 + 4) * lastYear
	eachLooks  = 4
	mostBytes  = 8 << 20 // of all that makes ticks of three rules, twice; a list has at most MaxOccurrences of each rule
)

// drawer draws numbers from bytes, so that a fuzzer may choose them.
type drawer struct{ data []byte }

// upTo returns 0 to n-1, of one byte.
func (d *drawer) upTo(n int) int {
	if len(d.data) == 0 {
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return int(b) % n
}

var edges = []int64{0, 1, 2, 3, 5, 20, 100, 1 << 20, 1 << 31, 1 << 40, 1 << 52, 1 << 61, math.MaxInt64}

// edge returns a number at an edge, or its neighbour, or sometimes their negative.
func (d *drawer) edge() int64 {
	n := edges[d.upTo(len(edges))]
	switch d.upTo(8) {
	case 0:
		return n - 1
	case 1:
		return min(n, math.MaxInt64-1) + 1
	case 2:
		return -n
	case 3:
		return -n - 1
	}
	return n
}

// tame returns a number that a rule may have, more often than not.
func (d *drawer) tame(low, high int) int {
	if d.upTo(32) == 0 {
		return int(d.edge())
	}
	return low + d.upTo(high-low+1)
}

func tames[T ~int](d *drawer, most, low, high int) (list []T) {
	for range d.upTo(most + 1) {
		list = append(list, T(d.tame(low, high)))
	}
	return list
}

// leaping is the zone of a file that leaves out a day each spring, and has another twice in autumn.
func leaping() *time.Location {
	head := func() (b []byte) {
		b = append([]byte("TZif2"), make([]byte, 15)...)
		for _, n := range []uint32{0, 0, 0, 0, 1, 4} { // one type, and four bytes of names
			b = binary.BigEndian.AppendUint32(b, n)
		}
		return append(append(b, 0, 0, 0, 0, 0, 0), "AAA\x00"...)
	}
	file := append(append(head(), head()...), "\n<A>12<B>-12,J100/0,J200/0\n"...)
	zone, err := time.LoadLocationFromTZData("leaping", file)
	if err != nil {
		panic(err)
	}
	return zone
}

var huntZones = sync.OnceValue(func() []*time.Location {
	list := []*time.Location{time.UTC, leaping()}
	for _, y := range allYears() {
		list = append(list, y.zone)
	}
	for _, offset := range []int{1, -1, 45296, -45296, daySeconds, -daySeconds, daySeconds + 1, math.MaxInt32} {
		list = append(list, time.FixedZone("odd", offset))
	}
	return list
})

// when draws a time: often in the years of a rule, and sometimes far from them.
func (d *drawer) when() time.Time {
	zone := huntZones()[d.upTo(len(huntZones()))]
	switch d.upTo(12) {
	case 0:
		return time.Time{}
	case 1:
		return time.Unix(d.edge(), 0).In(zone)
	case 2:
		return time.Unix(d.edge(), d.edge()).In(zone)
	case 3:
		return time.Date(1, 1, 1+d.upTo(3), d.upTo(24), 0, 0, 0, zone)
	case 4:
		return time.Date(9999, 12, 31-d.upTo(3), d.upTo(24), 0, 0, 0, zone)
	}
	year := []int{1, 2, 1600, 1899, 1900, 1970, 2000, 2011, 2026, 2027, 2028, 2100, 5000, 9000, 9998}[d.upTo(15)]
	return time.Date(year, time.Month(1+d.upTo(12)), 1+d.upTo(31), d.upTo(24), 30*d.upTo(2), 0, 0, zone)
}

func (d *drawer) rule() Rule {
	r := Rule{Start: d.when(), Length: time.Duration(d.edge()), Freq: Freq(d.upTo(4)), WeekStart: d.tame(0, 6)}
	switch d.upTo(4) {
	case 0:
		r.Interval = int(d.edge())
	case 1:
		r.Interval = []int{4, 7, 12, 28, 29, 30, 31, 35, 52, 100, 313, 364, 365, 366, 400, 1461, 4800, 20871, 36525}[d.upTo(19)]
	case 2:
		r.Interval = d.tame(0, 40)
	}
	if d.upTo(2) == 0 {
		r.Months = tames[time.Month](d, 2, 1, 12)
	}
	if d.upTo(2) == 0 && r.Freq != Weekly {
		r.MonthDays = tames[int](d, 2, 28, 31)
		for i := range r.MonthDays {
			if d.upTo(3) == 0 {
				r.MonthDays[i] = -r.MonthDays[i]
			}
		}
	}
	r.Days = tames[time.Weekday](d, d.upTo(3), 0, 6)
	if d.upTo(4) == 0 && (r.Freq == Monthly || r.Freq == Yearly && r.Months != nil) {
		r.Nth = append(r.Nth, Nth{d.tame(4, 5), time.Weekday(d.tame(0, 6))})
	}
	switch d.upTo(6) {
	case 0:
		r.Count = int(d.edge())
	case 1:
		r.Until = d.when()
	case 2:
		r.Count, r.Until = int(d.edge()), d.when()
	case 3:
		r.Count = 1 + d.upTo(30)
	}
	for range d.upTo(4) {
		r.Except = append(r.Except, d.when())
	}
	if d.upTo(2) == 0 { // a rule that Check accepts in most fields
		r.Length = max(r.Length, 1)
		r.Interval = max(0, min(r.Interval, maxInterval))
		if !r.Until.IsZero() {
			r.Count = 0
		}
		r.Count = max(r.Count, 0)
	}
	if d.upTo(2) == 0 { // exceptions that matter
		for start := range r.Between(time.Time{}, time.Time{}) {
			r.Except = append(r.Except, start)
			if len(r.Except) > 5 {
				break
			}
		}
	}
	return r
}

func (d *drawer) clock() bookahead.Clock {
	c := bookahead.Clock{Epoch: d.when(), Tick: time.Duration(d.edge())}
	if d.upTo(2) == 0 {
		c.Tick = []time.Duration{1, time.Second, 7 * time.Minute, time.Hour, 24 * time.Hour, 365 * 24 * time.Hour}[d.upTo(6)]
	}
	return c
}

func (d *drawer) window() bookahead.Interval {
	start := bookahead.Time(d.edge())
	if d.upTo(2) == 0 {
		return bookahead.Interval{Start: start, End: bookahead.Time(d.edge())}
	}
	end, err := start.Add(bookahead.Duration(d.edge()))
	if err != nil {
		end = bookahead.MaxTime
	}
	return bookahead.Interval{Start: start, End: end}
}

// hunter counts the worst calls.
type hunter struct {
	t     require.TestingT
	calls int
	worst map[string]tried
	bytes uint64 // of all calls so far
}

type tried struct {
	looks, of int64
	what      string
}

// bound checks the looks of a call that has read some occurrences.
func (h *hunter) bound(name string, looks int64, occurrences int, counts bool, what fmt.Stringer) {
	h.calls++
	limit := int64(min(mostLooks*(occurrences+2), allMonths) + eachLooks*occurrences)
	if counts {
		limit += mostCounts
		name += " with a Count"
	}
	if looks-eachLooks*int64(occurrences) > h.worst[name].looks {
		h.worst[name] = tried{looks - eachLooks*int64(occurrences), limit, what.String()}
	}
	require.LessOrEqual(h.t, looks, limit, "%s: %v", name, what)
}

// weigh checks the bytes of what has been called since it was called last.
func (h *hunter) weigh(name string, input int, what fmt.Stringer) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	got := m.TotalAlloc - h.bytes
	if name != "" {
		require.LessOrEqual(h.t, got, uint64(mostBytes+64*input), "%s: %v", name, what)
	}
	h.bytes = m.TotalAlloc
}

// shown writes a rule with all its fields.
type shown struct {
	Rule
	also any
}

func (s shown) String() string {
	return fmt.Sprintf("%v from %v for %v without %v, %v", s.Rule, s.Start, s.Length, s.Except, s.also)
}

// history is one rule in all calls.
func (h *hunter) history(data []byte, weigh bool) {
	d := &drawer{data}
	r := d.rule()
	err := r.Check()
	if err != nil {
		require.ErrorIs(h.t, err, bookahead.ErrInvalid)
	}
	h.text(r)
	h.between(r, d)
	c, w := d.clock(), d.window()
	what := shown{r, fmt.Sprint(c, w)}
	rules := []Rule{r}
	for range d.upTo(3) {
		rules = append(rules, d.rule())
	}
	if weigh {
		h.weigh("", 0, what)
	}
	h.ticks(rules, c, w, what)
	h.calendar(d, c, w)
	if weigh {
		h.weigh("ticks", len(data), what)
	}
}

func (h *hunter) text(r Rule) {
	text := r.String()
	again, err := ParseRule(text, r.Start, r.Length)
	h.calls += 3 // with Check
	if r.Check() != nil {
		return // its text may be accepted, since the zero Interval has none
	}
	require.NoError(h.t, err, text)
	require.Equal(h.t, text, again.String())
}

// between takes a few answers in a window, and walks back from there.
func (h *hunter) between(r Rule, d *drawer) {
	from, until := d.when(), d.when()
	x, err := patternOf(&r)
	if err != nil {
		for range r.Between(from, until) {
			require.Fail(h.t, "a rule that makes no sense has occurrences")
		}
		return
	}
	what := shown{r, fmt.Sprint(from, " to ", until)}
	most, n := d.upTo(20), 0
	last := from
	for start, end := range x.walk(from, until) {
		require.True(h.t, start.Before(end) && (last.IsZero() || !start.Before(last)), "%v: %v after %v", what, start, last)
		require.True(h.t, until.IsZero() || start.Before(until), what)
		last = start.Add(1)
		n++
		if n > most {
			break
		}
	}
	h.bound("Between", x.looks, n+len(r.Except)+3*slackDays, r.Count > 0, what)
	for range r.Between(from, until) {
		n--
		if n < 0 {
			break
		}
	}
	x.looks = 0
	start, _, ok := x.before(from)
	require.True(h.t, !ok || start.Before(from))
	h.bound("the one before", x.looks, len(r.Except)+3*slackDays, r.Count > 0, what)
}

// ticks calls all that makes ticks. A second call by the exported name gives the same.
func (h *hunter) ticks(rules []Rule, c bookahead.Clock, w bookahead.Interval, what shown) {
	same := func(list, again []bookahead.Interval, err, failed error) {
		require.Equal(h.t, list, again, what)
		require.Equal(h.t, err, failed, what)
		if err != nil {
			require.ErrorIs(h.t, err, bookahead.ErrInvalid)
		}
	}
	var all []*pattern
	counts, passed := false, 3*slackDays
	for i := range rules {
		x, err := patternOf(&rules[i])
		if err != nil {
			continue
		}
		all = append(all, x)
		counts = counts || x.Count > 0
		passed += len(x.Except)
	}
	list, failed := Hours(c, w, rules...)
	if len(all) < len(rules) {
		require.ErrorIs(h.t, failed, bookahead.ErrInvalid)
		return
	}
	again, err := hours(c, w, all)
	same(list, again, failed, err)
	looks := int64(0)
	for _, x := range all {
		looks = max(looks, x.looks)
	}
	h.bound("Hours", looks, passed+MaxOccurrences+slackDays, counts, what)
	for i, o := range list {
		require.True(h.t, !o.Empty() && o.Intersect(w) == o && (i == 0 || list[i-1].End <= o.Start), what)
	}

	x, _ := patternOf(&rules[0])
	list, err = x.occurrences(c, w)
	again, failed = rules[0].Occurrences(c, w)
	same(list, again, err, failed)
	h.bound("Occurrences", x.looks, passed+MaxOccurrences+1, x.Count > 0, what)
	for i, o := range list {
		require.True(h.t, !o.Empty() && w.Contains(o.Start) && (i == 0 || list[i-1].Start <= o.Start), what)
	}

	x, _ = patternOf(&rules[0])
	list, err = x.periods(c, w)
	again, failed = rules[0].Periods(c, w)
	same(list, again, err, failed)
	h.bound("Periods", x.looks, passed+MaxOccurrences+1, x.Count > 0, what)
	for i, o := range list {
		require.True(h.t, !o.Empty() && o.Start >= 0 && (i == 0 || list[i-1].End <= o.Start), what)
	}
}

func (h *hunter) calendar(d *drawer, c bookahead.Clock, w bookahead.Interval) {
	e := Event{UID: "1", Interval: w, Summary: strings.Repeat("é;", d.upTo(100)), Status: Status(d.upTo(4))}
	var out bytes.Buffer
	err := WriteCalendar(&out, slices.Values([]Event{e, e}), c, d.when())
	h.calls++
	if err != nil {
		require.ErrorIs(h.t, err, bookahead.ErrInvalid)
	}
	require.LessOrEqual(h.t, out.Len(), 2*(400+4*len(e.Summary)))
}

// watched stops the tests if a history hangs. It measures nothing.
func watched(data []byte) *time.Timer {
	return time.AfterFunc(time.Minute, func() { panic(fmt.Sprintf("a history hangs: %x", data)) })
}

// TestHunt draws histories: 100 000 by BOOKAHEAD_OPS=10000000.
func TestHunt(t *testing.T) {
	rnd := rand.New(rand.NewPCG(38, 1))
	h := &hunter{t: t, worst: map[string]tried{}}
	cases := scheduletest.Operations() / 100
	for range cases {
		data := make([]byte, 150)
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		watchdog := watched(data)
		h.history(data, true)
		watchdog.Stop()
	}
	t.Logf("%d histories, %d calls", cases, h.calls)
	for name, w := range h.worst {
		t.Logf("%s: %d of %d looks: %s", name, w.looks, w.of, w.what)
	}
}

func FuzzHunt(f *testing.F) {
	rnd := rand.New(rand.NewPCG(38, 2))
	for range 8 {
		data := make([]byte, 150)
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		watchdog := watched(data)
		defer watchdog.Stop()
		h := &hunter{t: t, worst: map[string]tried{}}
		h.history(data, false)
	})
}
