package servers_test

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/internal/servers"
)

// structure is the interface of every schedule that knows its servers.
type structure interface {
	bookahead.Keeper
	bookahead.Profiler
	bookahead.Opener
	Verify() error
}

// form is a structure, and the starts that its Search tries.
type form struct {
	name        string
	width, step bookahead.Time
	tries       int
	open        func(capacity int64, origin bookahead.Time, horizon bookahead.Duration, booked []bookahead.Offer) (structure, error)
}

var forms = []form{
	{name: "plain", open: newPlain},
	{name: "carts.SR", open: func(n int64, origin bookahead.Time, horizon bookahead.Duration, booked []bookahead.Offer) (structure, error) {
		return carts.NewSR(n, carts.Config{Origin: origin, Horizon: horizon, Booked: booked})
	}},
	{name: "idletree.Tree", open: func(n int64, origin bookahead.Time, horizon bookahead.Duration, booked []bookahead.Offer) (structure, error) {
		return idletree.NewTree(n, idletree.Config{Origin: origin, Horizon: horizon, Booked: booked})
	}},
	{name: "idletree.Tree-best", open: func(n int64, origin bookahead.Time, horizon bookahead.Duration, booked []bookahead.Offer) (structure, error) {
		return idletree.NewTree(n, idletree.Config{Origin: origin, Horizon: horizon, Booked: booked, Prefer: idletree.BestFit})
	}},
	{name: "idletree.Lists", open: func(n int64, origin bookahead.Time, horizon bookahead.Duration, booked []bookahead.Offer) (structure, error) {
		return idletree.NewLists(n, idletree.Config{Origin: origin, Horizon: horizon, Booked: booked})
	}},
	slottedForm(1, 0), slottedForm(3, 7), slottedForm(5, 0),
	availForm(1), availForm(4), availForm(10),
}

func slottedForm(step bookahead.Time, tries int) form {
	return form{
		name: fmt.Sprintf("idletree.Slotted-step-%d-tries-%d", step, tries), step: step, tries: tries,
		open: func(n int64, origin bookahead.Time, horizon bookahead.Duration, booked []bookahead.Offer) (structure, error) {
			c := idletree.SlottedConfig{Origin: origin, Horizon: horizon, Slot: 4, Step: bookahead.Duration(step), Attempts: tries, Booked: booked}
			if tries == 0 {
				c.Attempts = math.MaxInt
			}
			return idletree.NewSlotted(n, c)
		},
	}
}

func availForm(width bookahead.Time) form {
	return form{
		name: fmt.Sprintf("avail.Schedule-%d", width), width: width,
		open: func(n int64, origin bookahead.Time, horizon bookahead.Duration, booked []bookahead.Offer) (structure, error) {
			return avail.NewSchedule(n, avail.Config{Origin: origin, Horizon: horizon, Slot: bookahead.Duration(width), Booked: booked})
		},
	}
}

// plain is the least that a structure has to write. It prefers the highest servers.
type plain struct {
	servers.Schedule
	taken [ticks][]bool
}

func newPlain(n int64, origin bookahead.Time, horizon bookahead.Duration, booked []bookahead.Offer) (structure, error) {
	s, err := servers.Open(n, origin, horizon, booked)
	if err != nil {
		return nil, err
	}
	runs, err := s.Runs(nil, servers.InConfig)
	if err != nil {
		return nil, err
	}
	p := &plain{}
	for t := range p.taken {
		p.taken[t] = make([]bool, n)
	}
	p.Schedule = servers.Schedule{Servers: s, Roster: (*chart)(&p.taken)}
	for _, r := range runs {
		p.Roster.Take(servers.Booking{Interval: r.Interval, Servers: []int32{r.Server}})
	}
	return p, nil
}

func (p *plain) Verify() error { return nil }

type chart [ticks][]bool

func (c *chart) free(k int, w bookahead.Interval) bool {
	for t := w.Start; t < w.End; t++ {
		if c[t][k] {
			return false
		}
	}
	return true
}

func (c *chart) Search(first, last bookahead.Time, r bookahead.Request) (bookahead.Time, []int, bool) {
	for t := first; t <= last; t++ {
		list := c.Pick(during(t, r), int(r.Units), r.Servers)
		if len(list) == int(r.Units) {
			return t, list, true
		}
	}
	return 0, nil, false
}

func (c *chart) Pick(w bookahead.Interval, n int, named []int) (list []int) {
	for k := len(c[0]) - 1; k >= 0 && len(list) < n; k-- {
		if (named == nil || slices.Contains(named, k)) && c.free(k, w) {
			list = append(list, k)
		}
	}
	slices.Reverse(list)
	return list
}

func (c *chart) Idle(k int, t bookahead.Time, w bookahead.Interval) bookahead.Interval {
	idle := bookahead.Interval{Start: t, End: t}
	for idle.End < w.End && !c[idle.End][k] {
		idle.End++
	}
	for !idle.Empty() && idle.Start > w.Start && !c[idle.Start-1][k] {
		idle.Start--
	}
	return idle
}

func (c *chart) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		for t := w.Start; t < w.End; t++ {
			b := bookahead.Block{Interval: bookahead.Interval{Start: t, End: t + 1}}
			b.Servers = c.Pick(b.Interval, len(c[0]), nil)
			b.Units = int64(len(b.Servers))
			if b.Units > 0 && !yield(b) {
				return
			}
		}
	}
}

func (c *chart) set(b servers.Booking, taken bool) {
	for t := b.Start; t < b.End; t++ {
		for _, k := range b.Servers {
			if c[t][k] == taken {
				panic("twice")
			}
			c[t][k] = taken
		}
	}
}

func (c *chart) Take(b servers.Booking) { c.set(b, true) }

func (c *chart) Give(b servers.Booking) { c.set(b, false) }

func (c *chart) Forget(bookahead.Interval) {}

// twin is a structure and an oracle on which the same operations are done.
type twin struct {
	*rapid.T
	form   form
	s      structure
	oracle *oracle
	lifted []lifted
}

// TestStructures does random things to each structure and to the oracle.
func TestStructures(t *testing.T) {
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { openTwin(t, f).run() })
		})
	}
}

// openTwin opens both with some reservations from the start, in any order.
func openTwin(t *rapid.T, f form) *twin {
	capacity := rapid.Int64Range(1, 7).Draw(t, "capacity")
	origin := rapid.SampledFrom([]bookahead.Time{0, 7, 20}).Draw(t, "origin")
	horizon := bookahead.Duration(rapid.IntRange(20, 80).Draw(t, "horizon"))
	x := &twin{T: t, form: f, oracle: newOracle(f, capacity, origin, horizon)}
	var booked []bookahead.Offer
	for range rapid.IntRange(0, 8).Draw(t, "booked") {
		r := x.request("booked")
		o := bookahead.Offer{Interval: during(r.Ready, r), Units: min(r.Units, capacity)}
		o.Servers = rapid.Permutation(upTo(capacity)).Draw(t, "servers")[:o.Units]
		if o.Start < 0 || o.End <= origin || o.End > x.oracle.End || r.Units > capacity {
			continue
		}
		if x.oracle.fits(o, bookahead.Offer{}) {
			booked = append(booked, o)
			x.oracle.add(sorted(o))
			continue
		}
		_, err := f.open(capacity, origin, horizon, append(booked, o))
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.Regexp(t, `Config.Booked\[\d+\]`, err.Error()) // one of the two
	}
	var err error
	x.s, err = f.open(capacity, origin, horizon, booked)
	require.NoError(t, err)
	x.compare()
	return x
}

func upTo(n int64) []int {
	list := make([]int, n)
	for k := range list {
		list[k] = k
	}
	return list
}

func sorted(o bookahead.Offer) bookahead.Offer {
	o.Servers = slices.Sorted(slices.Values(o.Servers))
	return o
}

// request draws a request, which may make no sense.
func (x *twin) request(name string) bookahead.Request {
	n := x.oracle.Capacity
	r := bookahead.Request{
		Ready:    x.oracle.Now + bookahead.Time(rapid.IntRange(-15, 60).Draw(x.T, name+" ready")),
		Duration: bookahead.Duration(rapid.IntRange(1, 25).Draw(x.T, name+" duration")),
		Units:    rapid.Int64Range(1, n+1).Draw(x.T, name+" units"),
	}
	d := rapid.IntRange(-1, 40).Draw(x.T, name+" slack")
	if d >= 0 {
		r.Deadline = r.Ready + bookahead.Time(r.Duration) + bookahead.Time(d)
	}
	if rapid.IntRange(0, 2).Draw(x.T, name+" named") == 0 {
		r.Servers = rapid.Permutation(upTo(n)).Draw(x.T, name+" servers")
		r.Servers = r.Servers[:rapid.Int64Range(min(r.Units, n), n).Draw(x.T, name+" servers")]
	}
	return r
}

func (x *twin) id() bookahead.ID {
	return bookahead.ID(rapid.Uint64Range(1, uint64(x.oracle.last)+1).Draw(x.T, "id"))
}

func (x *twin) run() {
	last := 6
	if _, ok := x.s.(bookahead.Displacer); ok {
		last = 12
	}
	for range rapid.IntRange(1, 40).Draw(x.T, "steps") {
		switch rapid.IntRange(0, last).Draw(x.T, "operation") {
		case 0, 1:
			x.reserve(x.request("reserve"))
		case 2, 3:
			x.rebook(x.id(), x.request("rebook"))
		case 4:
			x.giveBack(x.id())
		case 5:
			x.release(x.id())
		case 6:
			x.advance(x.oracle.Now + bookahead.Time(rapid.IntRange(0, 12).Draw(x.T, "advance")))
		case 7, 8:
			x.close()
		case 9:
			x.extend()
		case 10:
			x.end()
		case 11:
			x.lift()
		case 12:
			x.again()
		}
		x.compare()
		x.openings(x.request("openings"))
	}
}

func (x *twin) reserve(r bookahead.Request) {
	first, last, wantErr := x.oracle.Starts(r)
	var want bookahead.Time
	var idle []int
	if wantErr == nil {
		want, idle, wantErr = x.oracle.search(first, last, r, bookahead.Offer{})
	}
	found, err := x.s.Search(r)
	require.Equal(x, wantErr, err, "%+v", r)
	res, err := x.s.Reserve(r)
	require.Equal(x, wantErr, err, "%+v", r)
	if err != nil {
		return
	}
	require.Equal(x, res.Offer, found)
	require.Equal(x, during(want, r), res.Interval)
	require.Len(x, res.Servers, int(r.Units))
	require.Subset(x, idle, res.Servers)
	require.Equal(x, res.ID, x.oracle.add(res.Offer))
	res.Servers[0] = -1 // the slice is the caller's
	x.oracle.booked[res.ID] = found
}

// rebook checks that Rebook gives the place and the servers that Keeper promises.
func (x *twin) rebook(id bookahead.ID, r bookahead.Request) {
	w, kept, others, wantErr := x.oracle.searchFor(id, r)
	found, err := x.s.SearchFor(id, r)
	require.Equal(x, wantErr, err, "#%d, %+v", id, r)
	if err == nil {
		require.Equal(x, w, found.Interval, "#%d, %+v", id, r)
		require.Equal(x, r.Units, found.Units)
		require.True(x, slices.IsSorted(found.Servers))
		require.Subset(x, found.Servers, kept)
		added := slices.DeleteFunc(slices.Clone(found.Servers), func(k int) bool { return slices.Contains(kept, k) })
		require.Len(x, added, int(r.Units)-len(kept))
		if len(added) > 0 { // as Reserve would choose
			ahead := x.oracle.Ahead(w)
			chosen, err := x.s.Search(bookahead.Request{
				Ready: ahead.Start, Deadline: ahead.End, Duration: ahead.Len(), Units: int64(len(added)), Servers: others,
			})
			require.NoError(x, err)
			require.Equal(x, chosen.Servers, added, "#%d, %+v", id, r)
		}
	}
	x.compare() // it was a query
	res, err := x.s.Rebook(id, r)
	require.Equal(x, wantErr, err)
	if err != nil {
		return
	}
	require.Equal(x, bookahead.Reservation{ID: id, Offer: found}, res)
	x.oracle.set(x.oracle.booked[id], false)
	x.oracle.set(found, true)
	x.oracle.booked[id] = found
	res.Servers[0] = -1
}

// giveBack checks that a Rebook that only gives back succeeds.
func (x *twin) giveBack(id bookahead.ID) {
	old, ok := x.oracle.booked[id]
	if !ok || old.End <= x.oracle.Now {
		return
	}
	ahead := x.oracle.Ahead(old.Interval)
	end := ahead.Start + bookahead.Time(rapid.Int64Range(1, int64(ahead.Len())).Draw(x.T, "end"))
	start := old.Start
	if start > x.oracle.Now {
		start += bookahead.Time(rapid.Int64Range(0, int64(end-start)-1).Draw(x.T, "start"))
	}
	r := bookahead.At(start, bookahead.Duration(end-start), rapid.Int64Range(1, old.Units).Draw(x.T, "units"))
	_, err := x.s.SearchFor(id, r)
	require.NoError(x, err)
	x.rebook(id, r)
}

func (x *twin) release(id bookahead.ID) {
	old, ok := x.oracle.booked[id]
	err := x.s.Release(id)
	if !ok || old.End <= x.oracle.Now {
		require.Equal(x, bookahead.ErrNotFound, err)
		return
	}
	require.NoError(x, err)
	x.oracle.set(old, false)
	delete(x.oracle.booked, id)
}

func (x *twin) advance(now bookahead.Time) {
	if now+100 > ticks {
		return
	}
	require.NoError(x, x.oracle.Advance(now))
	require.NoError(x, x.s.Advance(now))
}

// compare checks that both hold the same reservations, and answer alike.
func (x *twin) compare() {
	require.NoError(x, x.s.Verify())
	f := x.s.Frame()
	require.Equal(x, x.oracle.frame(), f)
	require.Equal(x, x.oracle.live(f.Window()), slices.Collect(x.s.Reservations(f.Window())))
	start := f.Now + bookahead.Time(rapid.IntRange(-10, 90).Draw(x.T, "start"))
	w := bookahead.Interval{Start: start, End: start + bookahead.Time(rapid.IntRange(1, 30).Draw(x.T, "length"))}
	require.Equal(x, x.oracle.live(w), slices.Collect(x.s.Reservations(w)))
	x.compareClosures(w)
	a, err := x.s.RangeQuery(w)
	require.NoError(x, err)
	cut := w.Intersect(f.Window())
	if cut.Empty() {
		require.Equal(x, bookahead.Availability{Servers: []int{}}, a)
		return
	}
	want := x.oracle.idle(bookahead.Request{}, cut, bookahead.Offer{})
	require.Equal(x, bookahead.Availability{Window: cut, Free: int64(len(want)), Servers: append([]int{}, want...)}, a)
}

func (x *twin) openings(r bookahead.Request) {
	want := x.oracle.openings(r)
	require.Equal(x, want, slices.Collect(x.s.Openings(r)), "%+v", r)
	l, ok := x.s.(bookahead.LatestSearcher)
	if !ok {
		return
	}
	o, err := l.SearchLatest(r)
	if len(want) == 0 {
		require.Error(x, err)
		return
	}
	require.NoError(x, err)
	last := want[len(want)-1].End - 1
	fixed := r
	fixed.Ready, fixed.Deadline = last, last+bookahead.Time(r.Duration)
	found, err := x.s.Search(fixed)
	require.NoError(x, err)
	require.Equal(x, found, o, "%+v", r)
}
