package idletree

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

// laidCells is the oracle of a view: a cell for each server and tick, which says whether the server
// is free.
type laidCells struct {
	frame  bookahead.Frame
	layout Layout
	open   []bool   // now
	free   [][]bool // by server, then tick from now on
}

// cellsOf asks a tree tick by tick.
func cellsOf(t require.TestingT, x *Tree, l Layout) laidCells {
	c := laidCells{frame: x.Frame(), layout: l}
	for range c.frame.Servers {
		c.free = append(c.free, make([]bool, c.frame.Horizon-c.frame.Now))
		c.open = append(c.open, false)
	}
	for tick := c.frame.Now; tick < c.frame.Horizon; tick++ {
		a, err := x.RangeQuery(bookahead.Interval{Start: tick, End: tick + 1})
		require.NoError(t, err)
		for _, k := range a.Servers {
			c.free[k][tick-c.frame.Now] = true
		}
	}
	for k := range c.open {
		c.open[k] = x.s.IsOpen(k)
	}
	return c
}

// freeThroughout reports whether a server is free at every tick of w.
func (c *laidCells) freeThroughout(server int, w bookahead.Interval) bool {
	return !slices.Contains(c.free[server][w.Start-c.frame.Now:w.End-c.frame.Now], false)
}

// rooms returns the sets of servers that lie together, of those accepted: whole groups, or rows.
func (c *laidCells) rooms(accept func(server int) bool) (rooms [][]int) {
	groups := c.layout.Groups
	if groups == nil {
		all := make([]int, c.frame.Servers)
		for k := range all {
			all[k] = k
		}
		groups = [][]int{all}
	}
	for _, group := range groups {
		group = slices.Sorted(slices.Values(group))
		var room []int
		for _, k := range group {
			if !accept(k) {
				continue
			}
			if c.layout.Adjacent && len(room) > 0 && room[len(room)-1] != k-1 {
				rooms = append(rooms, room)
				room = nil
			}
			room = append(room, k)
		}
		rooms = append(rooms, room)
	}
	return rooms
}

// search tries every start. It returns the first room at the first of them.
func (c *laidCells) search(r bookahead.Request) (t bookahead.Time, room []int) {
	end := c.frame.Horizon
	if r.Deadline != 0 {
		end = min(end, r.Deadline)
	}
	for t = max(r.Ready, c.frame.Now); t+bookahead.Time(r.Duration) <= end; t++ {
		w := bookahead.Interval{Start: t, End: t + bookahead.Time(r.Duration)}
		for _, room := range c.rooms(func(k int) bool {
			return c.freeThroughout(k, w) && (r.Servers == nil || slices.Contains(r.Servers, k))
		}) {
			if int64(len(room)) >= r.Units {
				return t, room
			}
		}
	}
	return 0, nil
}

// longest returns the first of the largest rooms.
func longestOf(rooms [][]int) (most []int) {
	for _, room := range rooms {
		if len(room) > len(most) {
			most = room
		}
	}
	return most
}

// searcher is the part of a view that the oracle judges.
type searcher interface {
	Search(r bookahead.Request) (bookahead.Offer, error)
	RangeQuery(w bookahead.Interval) (bookahead.Availability, error)
	Among(named []int, w bookahead.Interval) (bookahead.Availability, error)
	Frame() bookahead.Frame
}

// compare compares the answer to a request with the oracle. It returns a complaint.
func (c *laidCells) compare(x *Tree, v searcher, r bookahead.Request) string {
	o, err := v.Search(r)
	t, room := c.search(r)
	if room == nil {
		if err != bookahead.ErrUnavailable {
			return fmt.Sprintf("found %v, %v, and there is no room", o, err)
		}
		return ""
	}
	want := bookahead.Offer{Interval: bookahead.Interval{Start: t, End: t + bookahead.Time(r.Duration)}, Units: r.Units}
	if c.layout.Adjacent {
		want.Servers = room[:r.Units]
	} else { // as the tree chooses among the servers of the group
		fixed := bookahead.At(t, r.Duration, r.Units)
		fixed.Servers = room
		want, _ = x.Search(fixed)
	}
	if err != nil || o.Interval != want.Interval || o.Units != want.Units || !slices.Equal(o.Servers, want.Servers) {
		return fmt.Sprintf("found %v, %v in place of %v", o, err, want)
	}
	return ""
}

// compareQueries compares RangeQuery for a window, or Among for the servers named, and the Frame.
func (c *laidCells) compareQueries(v searcher, named []int, w bookahead.Interval) string {
	a, err := v.RangeQuery(w)
	if named != nil {
		a, err = v.Among(named, w)
	}
	cut := w.Intersect(c.frame.Window())
	switch {
	case w.Empty():
		if err == nil {
			return "an empty window has an answer"
		}
		return ""
	case err != nil:
		return err.Error()
	}
	var most []int
	if !cut.Empty() {
		most = longestOf(c.rooms(func(k int) bool { return c.freeThroughout(k, cut) && (named == nil || slices.Contains(named, k)) }))
	} else {
		cut = bookahead.Interval{}
	}
	if a.Window != cut || a.Free != int64(len(most)) || a.Servers == nil || !slices.Equal(a.Servers, most) {
		return fmt.Sprintf("%v has %+v in place of %v", w, a, most)
	}
	f := c.frame
	f.Capacity = int64(len(longestOf(c.rooms(func(k int) bool { return c.open[k] }))))
	if v.Frame() != f {
		return fmt.Sprintf("the frame is %+v in place of %+v", v.Frame(), f)
	}
	return ""
}

// drawLayout draws adjacent servers, groups, or both. Groups are rows or any servers, and may overlap.
func drawLayout(rng *rand.Rand, servers int) Layout {
	l := Layout{Adjacent: rng.IntN(2) == 0}
	if l.Adjacent && rng.IntN(2) == 0 {
		return l
	}
	if rng.IntN(2) == 0 {
		size := 1 + rng.IntN(servers)
		for from := 0; from < servers; from += size {
			var row []int
			for k := from; k < min(from+size, servers); k++ {
				row = append(row, k)
			}
			l.Groups = append(l.Groups, row)
		}
		rng.Shuffle(len(l.Groups), func(i, j int) { l.Groups[i], l.Groups[j] = l.Groups[j], l.Groups[i] })
		return l
	}
	for range 1 + rng.IntN(4) {
		l.Groups = append(l.Groups, rng.Perm(servers)[:rng.IntN(servers+1)])
	}
	return l
}

// drawLaid draws a request for a view.
func drawLaid(rng *rand.Rand, f bookahead.Frame, most int) bookahead.Request {
	length := int(f.Horizon - f.Now)
	r := bookahead.Request{
		Ready:    f.Now + bookahead.Time(rng.IntN(length)-2),
		Duration: bookahead.Duration(1 + rng.IntN(max(1, length/6))),
		Units:    int64(1 + rng.IntN(most)),
	}
	if rng.IntN(3) == 0 {
		r.Deadline = max(1, r.Ready+bookahead.Time(r.Duration)+bookahead.Time(rng.IntN(length/2)))
	}
	if rng.IntN(4) == 0 {
		named := rng.Perm(f.Servers)
		r.Servers = named[:min(int(r.Units)+rng.IntN(f.Servers), f.Servers)]
		r.Units = min(r.Units, int64(len(r.Servers)))
	}
	return r
}

// laidWorld is how large a run of laid is.
type laidWorld struct{ servers, horizon, rounds, questions int }

// laid compares a view with the oracle, and changes the tree between the questions: through the view,
// and beside it. It returns the first complaint.
func laid(t require.TestingT, seed uint64, world laidWorld, wrap func(*Within) searcher) string {
	rng := rand.New(rand.NewPCG(seed, 0))
	servers := 1 + rng.IntN(world.servers)
	c := Config{Horizon: bookahead.Duration(world.horizon), Prefer: []Prefer{{}, LowestIndex}[rng.IntN(2)]}
	x, err := NewTree(int64(servers), c)
	require.NoError(t, err)
	l := drawLayout(rng, servers)
	v, err := x.Within(l)
	require.NoError(t, err)
	most := 1 + rng.IntN(servers)
	v.Track(rng.IntN(2) == 0)
	for range world.rounds {
		if rng.IntN(10) == 0 {
			v.Track(rng.IntN(2) == 0)
		}
		for range 1 + rng.IntN(4) {
			laidChange(t, rng, x, v, most)
		}
		cells, f := cellsOf(t, x, l), x.Frame()
		for range world.questions {
			r := drawLaid(rng, f, most)
			if r.Validate() != nil {
				continue
			}
			if complaint := cells.compare(x, wrap(v), r); complaint != "" {
				return fmt.Sprintf("%+v, %+v: %s", l, r, complaint)
			}
			w := bookahead.Interval{Start: r.Ready, End: r.Ready + bookahead.Time(rng.IntN(world.horizon))}
			if complaint := cells.compareQueries(wrap(v), r.Servers, w); complaint != "" {
				return fmt.Sprintf("%+v, of %v: %s", l, r.Servers, complaint)
			}
		}
		require.NoError(t, x.Verify())
	}
	return ""
}

// laidChange books through the view or the tree, releases, closes or adds servers, or advances.
func laidChange(t require.TestingT, rng *rand.Rand, x *Tree, v *Within, most int) {
	f := x.Frame()
	r := drawLaid(rng, f, most)
	switch rng.IntN(10) {
	case 0:
		_ = v.Release(bookahead.ID(1 + rng.IntN(40)))
	case 1:
		w := bookahead.Interval{Start: max(f.Now, r.Ready), End: max(f.Now, r.Ready) + 1 + bookahead.Time(rng.IntN(9))}
		_, err := x.Close(bookahead.Closure{Interval: w, Servers: []int{rng.IntN(f.Servers)}})
		require.NoError(t, err)
	case 2:
		if rng.IntN(8) == 0 {
			_, err := x.Extend(bookahead.Closure{Interval: f.Window(), Units: 2})
			require.NoError(t, err)
		}
	case 3:
		require.NoError(t, v.Advance(f.Now+bookahead.Time(rng.IntN(4))))
	case 4, 5:
		_, _ = x.Reserve(r)
	default:
		want, wantErr := v.Search(r)
		got, err := v.Reserve(r)
		require.Equal(t, wantErr, err)
		if err == nil {
			require.Equal(t, want, got.Offer)
			kept, err := x.Reservation(got.ID)
			require.NoError(t, err)
			require.Equal(t, got, kept)
		}
	}
}

func asItIs(v *Within) searcher { return v }

func laidProperty(world laidWorld) func(t *rapid.T) {
	return func(t *rapid.T) {
		complaint := laid(t, rapid.Uint64().Draw(t, "seed"), world, asItIs)
		if complaint != "" {
			t.Fatal(complaint)
		}
	}
}

var smallLaid = laidWorld{servers: 9, horizon: 40, rounds: 40, questions: 6}

// A view answers as an oracle with a cell for each server and tick does: some 20 000 requests on a few
// servers, and some on trees of several levels.
func TestWithinAgainstTheOracle(t *testing.T) {
	t.Run("small", rapid.MakeCheck(laidProperty(smallLaid)))
	t.Run("large", rapid.MakeCheck(laidProperty(laidWorld{servers: 150, horizon: 300, rounds: 12, questions: 3})))
}

func FuzzWithin(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(laidProperty(laidWorld{servers: 7, horizon: 24, rounds: 12, questions: 4})))
}

// A view with one group of all servers is the tree, tracked or not.
func TestAGroupOfAllIsTheTree(t *testing.T) {
	scheduletest.Run(t, scheduletest.Target{
		Name: "idletree.Within", Servers: true,
		New: func(c scheduletest.Config) (bookahead.Schedule, error) {
			x, err := NewTree(c.Capacity, Config{Origin: c.Origin, Horizon: c.Horizon})
			if err != nil {
				return nil, err
			}
			all := make([]int, c.Capacity)
			for k := range all {
				all[k] = k
			}
			v, err := x.Within(Layout{Groups: [][]int{all}})
			if err == nil {
				v.Track(c.Capacity%2 == 0)
			}
			return v, err
		},
	})
}

// Among says which name makes no sense, and in which field; servers that are named need not be open or near.
func TestAmongRefusesNamesOfNoServer(t *testing.T) {
	x, err := NewTree(4, Config{Horizon: 10})
	require.NoError(t, err)
	v, err := x.Within(Layout{Groups: [][]int{{0, 1, 2}, {3}}})
	require.NoError(t, err)
	w := bookahead.Interval{Start: 12, End: 15}
	for _, named := range [][]int{{}, {-1}, {4}, {1, 1}} {
		_, err = v.Among(named, w)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "Request.Servers")
	}
	require.NoError(t, x.Advance(5))
	a, err := v.Among([]int{3, 2}, w)
	require.NoError(t, err)
	require.Equal(t, []int{2}, a.Servers)
	a, err = v.Among([]int{3}, w)
	require.NoError(t, err)
	require.Equal(t, bookahead.Availability{Window: w, Free: 1, Servers: []int{3}}, a)
	require.Same(t, x, v.Viewed())
}
