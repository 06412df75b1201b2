package route

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
)

// books is the oracle of all bookings: a number for each link or cluster, and
// each tick.
type books struct {
	n        *Network
	capacity []int64 // of links, in transmissions
	closed   [][]bool
	links    [][]int64
	clusters [][]int64
	plans    map[bookahead.ID]Plan
}

const (
	ledgerTicks = 1500
	ledgerSlots = 150
)

// newBooks draws a network. All of its schedules are behind locks, or none is.
func newBooks(t *testing.T, rng *rand.Rand, c Config, locked bool) *books {
	guard := func(k bookahead.Keeper) bookahead.Schedule {
		if locked {
			return bookahead.Locked(k)
		}
		return k
	}
	nodes := 3 + rng.IntN(5)
	b := &books{plans: map[bookahead.ID]Plan{}}
	c.Slots = ledgerSlots
	var links []Link
	for range 2 + rng.IntN(4*nodes) {
		l := Link{From: rng.IntN(nodes), To: rng.IntN(nodes), Delay: bookahead.Duration(rng.IntN(9))}
		if l.From == l.To {
			continue
		}
		capacity, closed := int64(1), make([]bool, ledgerTicks)
		switch rng.IntN(3) {
		case 0:
			l.Units = rng.Int64N(4)
			units := max(1, l.Units)
			capacity = 1 + rng.Int64N(3)
			pool, err := carts.NewIndexed(units*capacity+rng.Int64N(units), carts.Config{})
			require.NoError(t, err)
			l.Schedule = guard(pool)
		case 1:
			v, err := avail.NewVector(ledgerSlots)
			require.NoError(t, err)
			v.Set(0, ledgerSlots)
			from := rng.IntN(ledgerSlots)
			to := from + rng.IntN(ledgerSlots-from)
			v.Clear(from, to)
			for i := from; i < to; i++ {
				closed[i] = true
			}
			l.Free = v
		}
		links = append(links, l)
		b.capacity, b.closed = append(b.capacity, capacity), append(b.closed, closed)
		b.links = append(b.links, make([]int64, ledgerTicks))
	}
	var clusters []Cluster
	for range 1 + rng.IntN(3) {
		cpus := 1 + rng.Int64N(5)
		pool, err := carts.NewFlat(cpus, carts.Config{Horizon: 500})
		require.NoError(t, err)
		clusters = append(clusters, Cluster{Node: rng.IntN(nodes), CPUs: cpus, Speed: 1 + rng.Int64N(3), Pool: guard(pool)})
		b.clusters = append(b.clusters, make([]int64, ledgerTicks))
	}
	var err error
	b.n, err = New(nodes, links, clusters, c)
	require.NoError(t, err)
	return b
}

// windows calls f with each cell that a plan takes, from now on: a link is in use
// as long as the source sends, and later by the time that the data takes to come there.
func (b *books) windows(p Plan, f func(cell *int64, units int64)) {
	delay := bookahead.Time(0)
	for _, l := range p.Links {
		for at := max(p.Send.Start+delay, b.n.Now()); at < p.Send.End+delay; at++ {
			f(&b.links[l][at], 1)
		}
		delay += bookahead.Time(b.n.Link(l).Delay)
	}
	for at := max(p.Run.Start, b.n.Now()); at < p.Run.End; at++ {
		f(&b.clusters[p.Cluster][at], p.CPUs)
	}
}

// fits reports whether the plan can be booked.
func (b *books) fits(p Plan) bool {
	b.windows(p, func(cell *int64, units int64) { *cell += units })
	ok := b.sound()
	b.windows(p, func(cell *int64, units int64) { *cell -= units })
	return ok
}

// sound reports whether nothing that lies ahead is overbooked.
func (b *books) sound() bool {
	now := int(b.n.Now())
	for l, cells := range b.links {
		for i, used := range cells[now : now+700] {
			if used > b.capacity[l] || used > 0 && b.closed[l][now+i] {
				return false
			}
		}
	}
	for m, cells := range b.clusters {
		for _, used := range cells[now : now+700] {
			if used > b.n.Cluster(m).CPUs {
				return false
			}
		}
	}
	return true
}

// agrees checks that the network has the same units free at each tick.
func (b *books) agrees(t *testing.T) {
	now := b.n.Now()
	for l := range b.links {
		free := b.n.Free(l)
		require.Equal(t, free.String(), b.n.runs[l].String())
		for i := range ledgerSlots {
			at := int(now) + i
			require.Equal(t, b.links[l][at] < b.capacity[l] && !b.closed[l][at], free.Get(i), "link %d at %d", l, at)
		}
		require.Equal(t, free.Get(0), b.n.FreeNow(l))
	}
	for m := range b.clusters {
		for at := now; at < now+400; at++ {
			a, err := b.n.Cluster(m).Pool.RangeQuery(bookahead.Interval{Start: at, End: at + 1})
			require.NoError(t, err)
			require.Equal(t, b.n.Cluster(m).CPUs-b.clusters[m][at], a.Free)
		}
	}
}

// Random commits, releases and steps of the clock on shared networks: nothing is
// overbooked, and a call that fails changes nothing.
func TestContention(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	count := map[string]int{}
	for k := range 200 {
		b := newBooks(t, rng, configs(rng), k%3 == 0)
		n := b.n
		var stale []Plan
		var last bookahead.ID
		for range 60 {
			switch rng.IntN(6) {
			case 0:
				require.NoError(t, n.Advance(n.Now()+bookahead.Time(rng.IntN(20))))
				for id, p := range b.plans {
					if p.Run.End <= n.Now() {
						delete(b.plans, id)
						require.Equal(t, bookahead.ErrNotFound, n.Release(id))
					}
				}
			case 1:
				id := 1 + bookahead.ID(rng.IntN(int(last)+1))
				p, ok := b.plans[id]
				if err := n.Release(id); !ok {
					require.Equal(t, bookahead.ErrNotFound, err)
					continue
				} else {
					require.NoError(t, err)
				}
				delete(b.plans, id)
				b.windows(p, func(cell *int64, units int64) { *cell -= units })
				count["released"]++
			case 2:
				if len(stale) == 0 {
					continue
				}
				p := stale[rng.IntN(len(stale))]
				if p.Send.Start < n.Now() {
					_, err := n.Commit(p)
					require.ErrorIs(t, err, bookahead.ErrInvalid)
					continue
				}
				want := b.fits(p)
				id, err := n.Commit(p)
				if want {
					require.NoError(t, err)
					last = b.commit(t, p, id, last)
					count["again"]++
				} else {
					require.Equal(t, bookahead.ErrUnavailable, err)
					count["refused"]++
				}
			default:
				task := task(rng, n)
				task.Burst *= 3
				p, err := planner(rng, n)(task)
				if err != nil {
					require.Equal(t, bookahead.ErrUnavailable, err)
					continue
				}
				stale = append(stale, p)
				require.True(t, b.fits(p))
				id, err := n.Commit(p)
				require.NoError(t, err)
				last = b.commit(t, p, id, last)
				count["committed"]++
			}
			require.True(t, b.sound())
			if rng.IntN(10) == 0 {
				b.agrees(t)
			}
		}
		b.agrees(t)
		for id, p := range b.plans {
			require.NoError(t, n.Release(id))
			b.windows(p, func(cell *int64, units int64) { *cell -= units })
		}
		b.agrees(t)
	}
	for _, what := range []string{"committed", "released", "again", "refused"} {
		require.Greater(t, count[what], 50, what)
	}
	t.Log(count)
}

// The same network with its schedules behind locks makes the same plans, and the same
// bookings.
func TestLocksMakeNoDifference(t *testing.T) {
	plans := 0
	for seed := range uint64(100) {
		var networks [2]*Network
		for k := range networks {
			rng := rand.New(rand.NewPCG(seed, 5))
			networks[k] = newBooks(t, rng, configs(rng), k == 1).n
		}
		rng := rand.New(rand.NewPCG(seed, 6))
		for step := range 30 {
			task, which := task(rng, networks[0]), rng.Uint64()
			var made [2]Plan
			var errs [2]error
			for k, n := range networks {
				made[k], errs[k] = planner(rand.New(rand.NewPCG(which, 0)), n)(task)
				if errs[k] == nil {
					_, err := n.Commit(made[k])
					require.NoError(t, err)
				}
				if step%10 == 9 {
					require.NoError(t, n.Advance(n.Now()+7))
				}
				for l := range n.Links() {
					require.NoError(t, n.Refresh(l))
				}
			}
			require.Equal(t, errs[0], errs[1])
			require.Equal(t, made[0], made[1])
			if errs[0] == nil {
				plans++
			}
			for l := range networks[0].Links() {
				require.Equal(t, networks[0].Free(l).String(), networks[1].Free(l).String())
			}
		}
	}
	require.Greater(t, plans, 500)
}

func (b *books) commit(t *testing.T, p Plan, id, last bookahead.ID) bookahead.ID {
	require.Equal(t, last+1, id)
	b.windows(p, func(cell *int64, units int64) { *cell += units })
	b.plans[id] = p
	return id
}

func planner(rng *rand.Rand, n *Network) func(Task) (Plan, error) {
	return []func(Task) (Plan, error){
		n.Earliest, n.Earliest, n.ECT, n.MCB,
		func(t Task) (Plan, error) { return n.AWMCT(t, nil) },
	}[rng.IntN(5)]
}

// After Refresh the network knows the bookings of others on the schedule of a link. A plan
// made before is refused as a whole.
func TestRefresh(t *testing.T) {
	line, err := carts.NewIndexed(2, carts.Config{})
	require.NoError(t, err)
	pool, err := carts.NewIndexed(1, carts.Config{})
	require.NoError(t, err)
	n, err := New(3, []Link{{From: 0, To: 1, Delay: 2}, {From: 1, To: 2, Schedule: line, Units: 2}},
		[]Cluster{{Node: 2, CPUs: 1, Speed: 1, Pool: pool}}, Config{Slots: 20})
	require.NoError(t, err)
	task := Task{Burst: 3, Work: 4, CPUs: 1}
	p, err := n.Earliest(task)
	require.NoError(t, err)
	require.Equal(t, []int{0, 1}, p.Links)
	require.Equal(t, bookahead.Interval{Start: 2, End: 5}, n.Window(p, 1))

	_, err = line.Reserve(bookahead.Request{Ready: 4, Deadline: 5, Duration: 1, Units: 1})
	require.NoError(t, err)
	_, err = n.Commit(p)
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.Equal(t, 20, n.Free(0).Weight(), "the first link is given back")
	require.NoError(t, n.Refresh(0))
	require.NoError(t, n.Refresh(1))
	p, err = n.Earliest(task)
	require.NoError(t, err)
	require.Equal(t, bookahead.Interval{Start: 5, End: 8}, n.Window(p, 1))
	id, err := n.Commit(p)
	require.NoError(t, err)
	require.Equal(t, bookahead.ID(1), id)
	require.Equal(t, "11110000111111111111", n.Free(1).String())
	require.NoError(t, n.Advance(6))
	require.NoError(t, n.Release(id))
	require.Equal(t, 20, n.Free(1).Weight())
	require.Equal(t, bookahead.ErrNotFound, n.Release(id))
}

func TestPlansAreChecked(t *testing.T) {
	pool, err := carts.NewIndexed(1, carts.Config{})
	require.NoError(t, err)
	n, err := New(3, []Link{{From: 0, To: 1, Delay: 2}, {From: 1, To: 2}, {From: 0, To: 2}},
		[]Cluster{{Node: 2, CPUs: 1, Speed: 1, Pool: pool}}, Config{Slots: 20})
	require.NoError(t, err)
	require.NoError(t, n.Advance(1))
	good := Plan{Links: []int{0, 1}, Delay: 2, Send: bookahead.Interval{Start: 1, End: 3}, Arrival: 5, Run: bookahead.Interval{Start: 5, End: 6}, CPUs: 1}
	for want, change := range map[string]func(*Plan){
		"bookahead: Plan.Cluster 1 is not one of 1":                                        func(p *Plan) { p.Cluster = 1 },
		"bookahead: Plan.Links[1] 3 is not one of 3":                                       func(p *Plan) { p.Links = []int{0, 3} },
		"bookahead: Plan.Source 3 is not one of 3 nodes":                                   func(p *Plan) { p.Source = 3 },
		"bookahead: Plan.Source -1 is not one of 3 nodes":                                  func(p *Plan) { p.Source = -1 },
		"bookahead: Plan.Links[0] 0 does not begin at Plan.Source = 1":                     func(p *Plan) { p.Source = 1 },
		"bookahead: Plan.Nodes [0 1] are not one more than the 2 links":                    func(p *Plan) { p.Nodes = []int{0, 1} },
		"bookahead: Plan.Nodes[0] 1 is not 0, where the path is":                           func(p *Plan) { p.Nodes = []int{1, 1, 2} },
		"bookahead: Plan.Nodes[1] 0 is not 1, where the path is":                           func(p *Plan) { p.Nodes = []int{0, 0, 2} },
		"bookahead: Plan.Nodes[2] 1 is not 2, where the path is":                           func(p *Plan) { p.Nodes = []int{0, 1, 1} },
		"bookahead: Plan.Cluster 0 is not at 0, where the path ends":                       func(p *Plan) { p.Links, p.Delay = nil, 0 },
		"bookahead: Plan.Links[1] 2 does not begin where the one before ends":              func(p *Plan) { p.Links = []int{0, 2} },
		"bookahead: Plan.Cluster 0 is not at 1, where the path ends":                       func(p *Plan) { p.Links = []int{0} },
		"bookahead: Plan.Send [3, 3) is empty":                                             func(p *Plan) { p.Send.Start = 3 },
		"bookahead: Plan.Send [0, 3) is in the past":                                       func(p *Plan) { p.Send.Start = 0 },
		"bookahead: Plan.Delay 1 is not the 2 of the links":                                func(p *Plan) { p.Delay = 1 },
		"bookahead: Plan.Arrival 4 is before the data can be there":                        func(p *Plan) { p.Arrival = 4 },
		"bookahead: Plan.Run [4, 6) is before the data is there":                           func(p *Plan) { p.Run.Start = 4 },
		"bookahead: Plan.Run [6, 6) is empty":                                              func(p *Plan) { p.Run.Start = 6 },
		"bookahead: Plan.CPUs 0 is less than 1":                                            func(p *Plan) { p.CPUs = 0 },
		"bookahead: Plan.Send [1, 9223372036854775807) is too near to the end of the axis": func(p *Plan) { p.Send.End = bookahead.MaxTime },
	} {
		p := good
		change(&p)
		_, err := n.Commit(p)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.EqualError(t, err, want)
	}
	late := good
	late.Send, late.Arrival, late.Run = bookahead.Interval{Start: 19, End: 30}, 32, bookahead.Interval{Start: 32, End: 33}
	_, err = n.Commit(late)
	require.Equal(t, bookahead.ErrUnavailable, err, "beyond the slots")
	good.Nodes = []int{0, 1, 2}
	_, err = n.Commit(good)
	require.NoError(t, err)
	_, err = n.Commit(good)
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.ErrorIs(t, n.Advance(0), bookahead.ErrInvalid)
	require.ErrorIs(t, n.Advance(bookahead.MaxTime), bookahead.ErrInvalid)
}

// A plan that the caller changes afterwards is released as it was booked.
func TestPlanIsCopied(t *testing.T) {
	n, err := New(3, []Link{{To: 1}, {From: 1, To: 2}}, []Cluster{{Node: 2, CPUs: 1, Speed: 1, Pool: indexed(t, 1)}}, Config{Slots: 20})
	require.NoError(t, err)
	p, err := n.Earliest(Task{Burst: 3, Work: 4, CPUs: 1})
	require.NoError(t, err)
	id, err := n.Commit(p)
	require.NoError(t, err)
	p.Links[0], p.Nodes[0] = 1, 2
	require.NoError(t, n.Release(id))
	require.Equal(t, 20, n.Free(0).Weight())
	require.Equal(t, 20, n.Free(1).Weight())
}

// A plan that a link could carry only in part, for its slots end before, is refused whole.
func TestBeyondTheSlots(t *testing.T) {
	n, err := New(2, []Link{{To: 1}}, []Cluster{{Node: 1, CPUs: 1, Speed: 1, Pool: indexed(t, 1)}}, Config{Slots: 20})
	require.NoError(t, err)
	p := Plan{Links: []int{0}, Send: bookahead.Interval{Start: 17, End: 20}, Arrival: 21, Run: bookahead.Interval{Start: 21, End: 22}, CPUs: 1}
	late := p
	late.Send.End = 21
	_, err = n.Commit(late)
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.Equal(t, 20, n.Free(0).Weight())
	_, err = n.Commit(p)
	require.NoError(t, err)
}
