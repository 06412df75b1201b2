package route

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/depth"
)

const gridTicks = 60 // of which the table has cells

// gridDesk is a desk with a schedule for each link and cluster, and a table of the free units of each at each tick.
type gridDesk struct {
	*desk.Desk
	units    map[string]int64
	free     map[string]*[gridTicks]int64 // negative where an outage meets bookings
	shut     map[string]*[gridTicks]bool
	links    []Link
	clusters []Cluster
	nodes    int
	within   bookahead.Interval
}

// newGridDesk draws a network whose links and clusters are on a desk that is in use.
func newGridDesk(t *testing.T, rng *rand.Rand) *gridDesk {
	d, err := desk.New(desk.Config{})
	require.NoError(t, err)
	g := &gridDesk{Desk: d, units: map[string]int64{}, free: map[string]*[gridTicks]int64{}, shut: map[string]*[gridTicks]bool{}, nodes: 2 + rng.IntN(3)}
	for i := range g.nodes + rng.IntN(g.nodes) {
		l := Link{Name: fmt.Sprint("link ", len(g.links)), From: rng.IntN(g.nodes), Delay: bookahead.Duration(rng.IntN(5)), Units: rng.Int64N(3)}
		l.To = (l.From + 1 + rng.IntN(g.nodes-1)) % g.nodes
		if i < g.nodes-1 {
			l.From, l.To = i, i+1 // a long way
		}
		g.links = append(g.links, l)
		g.open(t, rng, l.Name, max(l.Units, 1)+rng.Int64N(2))
	}
	for i := range 1 + rng.IntN(2) {
		c := Cluster{Name: fmt.Sprint("cluster ", i), Node: g.nodes - 1 - rng.IntN(2), CPUs: 1 + rng.Int64N(4), Speed: 1 + rng.Int64N(2)}
		g.clusters = append(g.clusters, c)
		g.open(t, rng, c.Name, c.CPUs+rng.Int64N(2))
	}
	g.do(t, desk.Advance{Now: bookahead.Time(rng.IntN(5))})
	g.within = bookahead.Interval{Start: 0, End: gridTicks}
	return g
}

func (g *gridDesk) do(t *testing.T, c desk.Command) desk.Booking {
	out, err := g.Do(c)
	require.NoError(t, err)
	return out.Booking
}

// open adds a schedule with bookings, an outage and opening hours.
func (g *gridDesk) open(t *testing.T, rng *rand.Rand, name string, units int64) {
	g.do(t, desk.AddSchedule{Name: name, Kind: desk.Pool{Units: units}})
	g.units[name], g.free[name], g.shut[name] = units, new([gridTicks]int64), new([gridTicks]bool)
	for at := range gridTicks {
		g.free[name][at] = units
	}
	for range rng.IntN(6) {
		start := bookahead.Time(rng.IntN(gridTicks - 20))
		p := desk.Part{On: name, Units: 1 + rng.Int64N(units), Duration: 1 + bookahead.Duration(rng.IntN(10))}
		out, err := g.Do(desk.Book{Request: desk.Request{Ready: start, Deadline: start + 15, Shapes: []desk.Shape{{p}}}})
		if err != nil {
			require.Equal(t, bookahead.ErrUnavailable, err)
			continue
		}
		g.mark(&out.Booking, -1)
	}
	if rng.IntN(4) == 0 {
		start := bookahead.Time(rng.IntN(gridTicks - 10))
		w := bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(rng.IntN(9))}
		c := desk.Close{On: name, Interval: w, Units: 1 + rng.Int64N(units)}
		g.do(t, c)
		for at := w.Start; at < w.End; at++ {
			g.free[name][at] -= c.Units
		}
	}
	if rng.IntN(3) == 0 {
		g.setHours(t, rng, name)
	}
}

// setHours draws opening hours.
func (g *gridDesk) setHours(t *testing.T, rng *rand.Rand, name string) {
	var terms desk.Terms
	for at := range gridTicks {
		g.shut[name][at] = true
	}
	for from := bookahead.Time(rng.IntN(6)); from < gridTicks; from++ {
		w := bookahead.Interval{Start: from, End: min(gridTicks, from+8+bookahead.Time(rng.IntN(30)))}
		terms.Open = append(terms.Open, w)
		for at := w.Start; at < w.End; at++ {
			g.shut[name][at] = false
		}
		from = w.End + bookahead.Time(rng.IntN(5))
	}
	g.do(t, desk.SetTerms{On: name, Terms: terms})
}

// mark takes the places of a booking from the cells, or gives them back.
func (g *gridDesk) mark(k *desk.Booking, sign int64) {
	for _, p := range k.Places {
		for at := p.Start; at < min(p.End, gridTicks); at++ {
			g.free[p.On][at] += sign * p.Units
		}
	}
}

// has returns the free units of a schedule at a tick, by the cells.
func (g *gridDesk) has(name string, at bookahead.Time) int64 {
	if at < g.Now() || g.shut[name][at] {
		return 0
	}
	return max(0, g.free[name][at])
}

// network returns a network on schedules by name.
func (g *gridDesk) network(t *testing.T, open func(name string) bookahead.Schedule) *Network {
	links, clusters := slices.Clone(g.links), slices.Clone(g.clusters)
	for i := range links {
		links[i].Schedule = open(links[i].Name)
	}
	for i := range clusters {
		clusters[i].Pool = open(clusters[i].Name)
	}
	n, err := New(g.nodes, links, clusters, Config{Origin: g.Now(), Slots: int(gridTicks - g.Now())})
	require.NoError(t, err)
	return n
}

// copied is a copy of a schedule of the desk, which is as free as the cells are.
func (g *gridDesk) copied(t *testing.T, name string) bookahead.Schedule {
	s, err := g.Schedule(name, g.within)
	require.NoError(t, err)
	g.requireCells(t, name, s)
	return s
}

// requireCells checks that a schedule has as much free at each tick as the cells.
func (g *gridDesk) requireCells(t *testing.T, name string, s bookahead.Schedule) {
	var want, free [gridTicks]int64
	for at := g.Now(); at < gridTicks; at++ {
		want[at] = g.has(name, at)
	}
	blocks, ok := bookahead.Blocks(s, bookahead.Interval{Start: g.Now(), End: gridTicks})
	require.True(t, ok)
	for b := range blocks {
		for at := b.Start; at < b.End; at++ {
			free[at] = b.Units
		}
	}
	require.Equal(t, want, free, name)
}

// replayed is a pool that was never part of the desk: each tick has as many units booked as the cells do not have free.
func (g *gridDesk) replayed(t *testing.T, name string) bookahead.Schedule {
	units := g.units[name]
	s, err := carts.NewFlat(units, carts.Config{Origin: g.Now()})
	require.NoError(t, err)
	for at := g.Now(); at < gridTicks; {
		from, taken := at, units-g.has(name, at)
		for at < gridTicks && units-g.has(name, at) == taken {
			at++
		}
		if taken > 0 {
			_, err := s.Reserve(bookahead.At(from, bookahead.Duration(at-from), taken))
			require.NoError(t, err)
		}
	}
	return s
}

func (g *gridDesk) written(t *testing.T) []byte {
	var b bytes.Buffer
	_, err := g.WriteTo(&b)
	require.NoError(t, err)
	return b.Bytes()
}

// requirePlan checks that a booking has the links of a plan, each when the data passes, and the CPUs, all of them free in
// the cells. The data passes a link as late as the links before it delay it.
func (g *gridDesk) requirePlan(t *testing.T, p Plan, k *desk.Booking) {
	require.Len(t, k.Places, len(p.Links)+1)
	late := bookahead.Time(0)
	for i, link := range p.Links {
		l := g.links[link]
		place := k.Places[i]
		require.Equal(t, l.Name, place.On)
		require.Equal(t, max(l.Units, 1), place.Units)
		require.Equal(t, bookahead.Interval{Start: p.Send.Start + late, End: p.Send.End + late}, place.Interval)
		late += bookahead.Time(l.Delay)
	}
	last := k.Places[len(p.Links)]
	require.Equal(t, g.clusters[p.Cluster].Name, last.On)
	require.Equal(t, p.CPUs, last.Units)
	require.Equal(t, p.Run, last.Interval)
	for _, place := range k.Places {
		for at := place.Start; at < place.End; at++ {
			require.GreaterOrEqual(t, g.has(place.On, at), place.Units, "%q at %d", place.On, at)
		}
	}
}

// The plan on copies is the plan on pools of which the same ticks are taken. A Book of the plan books exactly its links and
// CPUs. As long as someone else has a unit too many, the Book is refused, and the desk stays the same to the byte. A
// Cancel gives all back.
func TestPlansAreOneBooking(t *testing.T) {
	rounds := depth.Cases(13_500)
	count := map[string]int{}
	for seed := range uint64(rounds) {
		rng := rand.New(rand.NewPCG(seed, 27))
		g := newGridDesk(t, rng)
		n := g.network(t, func(name string) bookahead.Schedule { return g.copied(t, name) })
		same := g.network(t, func(name string) bookahead.Schedule { return g.replayed(t, name) })
		task := Task{
			Source: rng.IntN(g.nodes - 1), Ready: bookahead.Time(rng.IntN(10)), Deadline: gridTicks,
			Burst: bookahead.Duration(1 + rng.IntN(4)), Work: 1 + rng.Int64N(12), CPUs: 1 + rng.Int64N(3),
		}
		p, err := n.Earliest(task)
		replayed, other := same.Earliest(task)
		require.Equal(t, err, other)
		require.Equal(t, replayed, p)
		if err != nil {
			require.Equal(t, bookahead.ErrUnavailable, err)
			count["none"]++
			continue
		}
		r, err := n.Request(p)
		require.NoError(t, err)
		r.Owner, r.Title = "ann", "transfer"
		i := rng.IntN(len(r.Shapes[0]))
		blocker := g.do(t, desk.Book{Request: g.tooMany(rng, r, i)})
		taken := g.written(t)
		_, err = g.Do(desk.Book{Request: r})
		require.Equal(t, bookahead.ErrUnavailable, err)
		require.Equal(t, taken, g.written(t))
		g.do(t, desk.Cancel{ID: blocker.ID})

		booked := g.do(t, desk.Book{Request: r})
		g.requirePlan(t, p, &booked)
		require.NoError(t, g.Verify())
		_, err = n.Commit(p) // as well
		require.NoError(t, err)
		g.mark(&booked, -1)
		for i := range g.links {
			g.copied(t, g.links[i].Name)
			g.requireCells(t, g.links[i].Name, n.Link(i).Schedule)
		}
		g.mark(&booked, 1)
		g.do(t, desk.Cancel{ID: booked.ID})
		require.NoError(t, g.Verify())
		for i := range booked.Places {
			g.copied(t, booked.Places[i].On)
		}
		count["booked"]++
		count[fmt.Sprint(min(3, len(p.Links)), " links")]++
	}
	t.Log(count)
	require.Greater(t, count["booked"], rounds*3/4)
	for _, kind := range []string{"0 links", "1 links", "2 links", "3 links"} {
		require.Greater(t, count[kind], rounds/50, kind)
	}
}

// tooMany returns a request for so many units, at a tick of a part, that too few are left for the part.
func (g *gridDesk) tooMany(rng *rand.Rand, r desk.Request, part int) desk.Request {
	p := r.Shapes[0][part]
	at := r.Ready + bookahead.Time(p.Offset) + bookahead.Time(rng.Int64N(int64(p.Duration)))
	q := desk.Part{On: p.On, Units: g.has(p.On, at) - p.Units + 1, Duration: 1}
	return desk.Request{Owner: "another", Ready: at, Deadline: at + 1, Shapes: []desk.Shape{{q}}}
}

// A plan of another network, links and clusters without names, and paths that are too long are refused by name.
func TestPlansThatAreNoRequest(t *testing.T) {
	const long = desk.MaxParts
	var links []Link
	for i := range long {
		links = append(links, Link{Name: fmt.Sprint("link ", i), From: i, To: i + 1, Delay: 1})
	}
	links[2].Name = ""
	pool := func() bookahead.Schedule {
		s, err := carts.NewFlat(4, carts.Config{})
		require.NoError(t, err)
		return s
	}
	clusters := []Cluster{
		{Name: "all", Node: 2, CPUs: 4, Speed: 1, Pool: pool()}, {Node: 1, CPUs: 4, Speed: 1, Pool: pool()},
		{Name: "far", Node: long, CPUs: 4, Speed: 1, Pool: pool()}, {Name: "near", Node: long - 1, CPUs: 4, Speed: 1, Pool: pool()},
		{Name: "behind", Node: 3, CPUs: 4, Speed: 1, Pool: pool()},
	}
	n, err := New(long+1, links, clusters, Config{Slots: 200})
	require.NoError(t, err)
	plan := func(source, cluster int) Plan {
		p := Plan{Source: source, Cluster: cluster, CPUs: 2, Send: bookahead.Interval{Start: 3, End: 5}}
		for v := source; v < clusters[cluster].Node; v++ {
			p.Links = append(p.Links, v)
			p.Delay++
		}
		p.Arrival = p.Send.End + bookahead.Time(p.Delay)
		p.Run = bookahead.Interval{Start: p.Arrival + 1, End: p.Arrival + 4}
		return p
	}
	wrong := plan(0, 0)
	wrong.Delay = 7
	for want, p := range map[string]Plan{
		"bookahead: Plan.Delay 7 is not the 2 of the links":                                        wrong,
		`bookahead: Cluster[1].Name "" names no schedule of a desk`:                                plan(0, 1),
		`bookahead: Link[2].Name "" names no schedule of a desk`:                                   plan(2, 4),
		"bookahead: Plan.Links 64 links and the CPUs are more than the 64 parts of a desk.Request": plan(0, 2),
	} {
		r, err := n.Request(p)
		require.EqualError(t, err, want)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.Equal(t, desk.Request{}, r)
	}
	r, err := n.Request(plan(3, 3))
	require.NoError(t, err)
	require.Len(t, r.Shapes[0], desk.MaxParts-3)
	r, err = n.Request(plan(0, 0))
	require.NoError(t, err)
	require.Equal(t, desk.Request{Ready: 3, Deadline: 11, Shapes: []desk.Shape{{
		{On: "link 0", Units: 1, Duration: 2}, {On: "link 1", Units: 1, Duration: 2, Offset: 1}, {On: "all", Units: 2, Duration: 3, Offset: 5},
	}}}, r)
}

// New took a pool that is closed now for one that is too small.
func TestPoolsThatAreClosedNow(t *testing.T) {
	open := func(units int64) *carts.Indexed {
		s, err := carts.NewIndexed(units, carts.Config{})
		require.NoError(t, err)
		_, err = s.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: 9}, Units: units})
		require.NoError(t, err)
		return s
	}
	n, err := New(2, []Link{{To: 1, Schedule: open(3), Units: 3}}, []Cluster{{Node: 1, CPUs: 4, Speed: 1, Pool: open(4)}}, Config{Slots: 50})
	require.NoError(t, err)
	p, err := n.Earliest(Task{Burst: 2, Work: 4, CPUs: 4})
	require.NoError(t, err)
	require.Equal(t, bookahead.Interval{Start: 9, End: 11}, p.Send)
}
