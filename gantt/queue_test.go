package gantt

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// threeKinds is a queue on a pool of 8 units, 4 servers, and 3 nodes.
func threeKinds(t testing.TB, b plan.Backfill) (*plan.Queue, []plan.Schedule) {
	pool, err := carts.NewIndexed(8, carts.Config{})
	require.NoError(t, err)
	lab, err := idletree.NewTree(4, idletree.Config{})
	require.NoError(t, err)
	farm, err := nodes.New(nodes.Config{
		Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{4, 16}, {4, 32}, {0, 64}},
		Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0, 2}, {1}}}},
	})
	require.NoError(t, err)
	list := []plan.Schedule{{Name: "pool", Pool: bookahead.Locked(pool)}, {Name: "lab", Pool: lab}, {Name: "farm", Nodes: farm}}
	q, err := plan.New(plan.Config{Schedules: list, Backfill: b})
	require.NoError(t, err)
	return q, list
}

// fill draws the queue with all its forecasts.
func fill(t testing.TB, q *plan.Queue, c *Chart, on ...string) []plan.Forecast {
	f, err := q.Forecasts(context.Background())
	require.NoError(t, err)
	require.NoError(t, Queue{Queue: q, Forecasts: f, On: on}.Fill(c))
	return f
}

// passes makes a pass, and starts most of what it proposes.
func passes(t testing.TB, q *plan.Queue, now bookahead.Time, starts func() bool) {
	r, err := q.Pass(context.Background(), now)
	require.NoError(t, err)
	for _, s := range r.Starts {
		if starts() {
			require.NoError(t, q.Started(s.Job))
		}
	}
}

// part returns a part on a schedule of threeKinds.
func partOn(name string, units int64, d bookahead.Duration) plan.Part {
	p := plan.Part{On: name, Units: units, Duration: d}
	if name == "farm" {
		p.Tasks = &nodes.Request{Each: nodes.Vector{2, 8}}
	}
	return p
}

// randomQueue is a queue after some random calls, with firm reservations.
func randomQueue(t testing.TB, rng *rand.Rand) (*plan.Queue, []plan.Schedule) {
	q, list := threeKinds(t, []plan.Backfill{plan.None(), plan.EASY(2), plan.Conservative()}[rng.IntN(3)])
	part := func() plan.Part {
		return partOn([]string{"pool", "lab", "farm"}[rng.IntN(3)], 1+rng.Int64N(4), bookahead.Duration(1+rng.IntN(15)))
	}
	for n := range 60 {
		switch rng.IntN(6) {
		case 0:
			_, _, err := q.Reserve(part(), q.Now()+bookahead.Time(rng.IntN(20)), 0)
			require.NoError(t, err)
		case 1, 2:
			passes(t, q, q.Now()+bookahead.Time(rng.IntN(4)), func() bool { return rng.IntN(8) > 0 })
		case 3:
			f, err := q.Forecasts(context.Background())
			require.NoError(t, err)
			if len(f) > 0 && f[0].State == plan.Running {
				require.NoError(t, q.Ended(q.Now(), f[0].Job))
			}
		default:
			first, second := part(), part()
			second.Offset = bookahead.Duration(rng.IntN(3))
			shape := plan.Shape{first, second}
			if first.On == second.On {
				shape = shape[:1]
			}
			require.NoError(t, q.Submit(plan.Job{ID: plan.ID("j" + strconv.Itoa(n)), Owner: []string{"ann", "bob"}[rng.IntN(2)], Submitted: q.Now(), Shapes: []plan.Shape{shape}}))
		}
	}
	passes(t, q, q.Now(), func() bool { return rng.IntN(8) > 0 })
	return q, list
}

// Each bar is as high as the part or the reservation that it is of, lies over no other, and looks as the state of its job.
func TestQueueTickByTick(t *testing.T) {
	const running, promised, expected, firm = 0, 1, 2, 3
	var seen [4]int
	past, apart := 0, 0
	for seed := range uint64(20) {
		q, list := randomQueue(t, rand.New(rand.NewPCG(seed, 5)))
		w := bookahead.Interval{Start: q.Now() - 20, End: q.Now() + 60}
		c := &Chart{Window: w}
		forecasts := fill(t, q, c)
		require.Equal(t, q.Now(), c.Now)
		require.Equal(t, (8+4+5)*c.perLane, c.Rows)
		type cell struct {
			lane, label string
			look        int
			at          bookahead.Time
		}
		got, want, full := map[cell]int{}, map[cell]int{}, map[[2]int64]int{}
		for _, b := range c.Bars {
			look := running
			switch {
			case b.Held:
				look = promised
			case b.Expected:
				look = expected
			case strings.HasPrefix(b.Label, "reservation "):
				look = firm
				require.Empty(t, b.Key)
			}
			require.False(t, b.Held && b.Expected || b.Closed)
			for at := max(b.Start, w.Start); at < min(b.End, w.End); at++ {
				for row := b.Row; row < b.Row+b.Rows; row++ {
					lane := c.RowName(row / c.perLane)
					for up := row / c.perLane; lane == ""; up-- {
						lane = c.RowName(up)
					}
					got[cell{lane, b.Label, look, at}]++
					full[[2]int64{int64(row), int64(at)}]++
				}
			}
		}
		add := func(label string, look int, p plan.Place) {
			in := p.Intersect(w)
			for at := in.Start; at < in.End; at++ {
				seen[look]++
				if at < q.Now() {
					past++
				}
				switch p.On {
				case "pool":
					want[cell{"pool", label, look, at}] += int(p.Units) * c.perLane
				case "lab":
					for _, s := range p.Servers {
						want[cell{"lab · " + strconv.Itoa(s), label, look, at}] = c.perLane
					}
				default:
					for _, s := range p.Nodes {
						for r, each := range []int64{2, 8} {
							has := list[2].Nodes.Config().Nodes[s.Node][r]
							lane := fmt.Sprintf("farm · rack %d · %d · %s", s.Node%2, s.Node, []string{"gpus", "cores"}[r])
							want[cell{lane, label, look, at}] += int(each * s.Tasks * int64(c.perLane) / has)
						}
					}
				}
			}
		}
		for _, f := range forecasts {
			look := map[plan.State]int{plan.Running: running, plan.Promised: promised, plan.Starting: promised}
			as, ok := look[f.State]
			if !ok {
				as = expected
			}
			j, _, err := q.Job(f.Job)
			require.NoError(t, err)
			for k, p := range f.Places {
				if f.State == plan.Running {
					p.Start = f.Start + bookahead.Time(j.Shapes[0][k].Offset)
				}
				add(string(f.Job), as, p)
			}
		}
		for _, s := range list {
			others(q, s, func(id bookahead.ID, p plan.Place) { add(fmt.Sprintf("reservation %d", id), firm, p) })
		}
		require.Equal(t, want, got, "seed %d", seed)
		sums := map[cell]int{} // of a lane at a tick
		over := false          // by jobs that overran into firm reservations
		for k, n := range want {
			at := cell{lane: k.lane, at: k.at}
			sums[at] += n
			over = over || sums[at] > map[bool]int{true: 8, false: 1}[k.lane == "pool"]*c.perLane
		}
		for k, n := range full {
			require.True(t, over || n == 1, "seed %d: %d bars at %v", seed, n, k)
		}
		if !over {
			apart++
		}
		parse(t, draw(t, c))
	}
	for look, n := range seen {
		require.Greater(t, n, 200, look)
	}
	require.Greater(t, past, 100)
	require.Greater(t, apart, 5)
}

// others yields the reservations that no job has.
func others(q *plan.Queue, s plan.Schedule, yield func(bookahead.ID, plan.Place)) {
	w := bookahead.Interval{Start: q.Now(), End: bookahead.MaxTime}
	if s.Nodes != nil {
		for r := range s.Nodes.Reservations(w) {
			_, ours := q.Holder(s.Name, r.ID)
			if !ours {
				yield(r.ID, plan.Place{On: s.Name, Interval: r.Interval, Nodes: r.Tasks})
			}
		}
		return
	}
	for r := range s.Pool.(bookahead.Keeper).Reservations(w) {
		_, ours := q.Holder(s.Name, r.ID)
		if !ours {
			yield(r.ID, plan.Place{On: s.Name, Interval: r.Interval, Units: r.Units, Servers: r.Servers})
		}
	}
}

// lined is a queue with jobs of all states, a firm reservation, and closed time.
func lined(t testing.TB) *plan.Queue {
	q, list := threeKinds(t, plan.EASY(1))
	submit := func(id plan.ID, owner string, parts ...plan.Part) {
		require.NoError(t, q.Submit(plan.Job{ID: id, Owner: owner, Shapes: []plan.Shape{parts}}))
	}
	always := func() bool { return true }
	submit("train", "ann", partOn("farm", 3, 12), partOn("pool", 4, 3))
	submit("films", "<eve>", partOn("lab", 2, 8))
	passes(t, q, 0, always)
	bookahead.View(list[0].Pool, func(p bookahead.Closable) {
		_, err := p.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 2, End: 9}, Units: 3})
		require.NoError(t, err)
		_, err = p.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 16, End: 25}, Units: 1})
		require.NoError(t, err)
	})
	_, err := list[1].Pool.(bookahead.Closable).Close(bookahead.Closure{Interval: bookahead.Interval{Start: 10, End: 14}, Servers: []int{3}})
	require.NoError(t, err)
	_, err = list[2].Nodes.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 14, End: 18}, Servers: []int{1}})
	require.NoError(t, err)
	q.Changed()
	_, _, err = q.Reserve(partOn("lab", 4, 2), 16, 0)
	require.NoError(t, err)
	submit("large & long", "bob", partOn("farm", 4, 6))
	submit("<copy>", "ann", partOn("farm", 2, 5), partOn("pool", 2, 5))
	submit("films 2", "<eve>", partOn("lab", 3, 6))
	passes(t, q, 4, always)
	return q
}

// The picture of a queue is the one in testdata.
func TestQueuePicture(t *testing.T) {
	q := lined(t)
	c := &Chart{Title: "Who <waits>", Window: bookahead.Interval{Start: 0, End: 30}}
	fill(t, q, c)
	require.Equal(t, 8+4+5, c.lanes())
	golden(t, "queue.svg", c)
	svg := string(draw(t, c))
	for _, class := range []string{`class="bar"`, `class="bar held"`, `class="bar expected"`, `class="closed"`, ">promised<", ">expected<", ">closed<"} {
		require.Contains(t, svg, class)
	}
	require.NotContains(t, svg, "on hold")
	require.NoError(t, Nodes{Machine: q.Config().Schedules[2].Nodes, Config: q.Config().Schedules[2].Nodes.Config()}.Fill(c))
	require.Empty(t, c.held, "the chart has another meaning now")
}

// Schedules are drawn in the order of On, and no others.
func TestQueueOn(t *testing.T) {
	q := lined(t)
	c := &Chart{Window: bookahead.Interval{Start: 0, End: 30}}
	fill(t, q, c, "lab", "pool")
	require.Equal(t, 4+8, c.lanes())
	require.Equal(t, "lab · 0", c.RowName(0))
	require.Equal(t, "pool", c.RowName(4))
	var text bytes.Buffer
	_, err := c.WriteText(&text, 60)
	require.NoError(t, err)
	require.NotContains(t, text.String(), "bob", "who has no job there is not drawn")
	f, err := q.Forecasts(context.Background())
	require.NoError(t, err)
	named := Queue{Queue: q, Forecasts: f, Name: func(j plan.Job) (label, key string) { return "all", "one " + j.Owner[:1] }}
	require.NoError(t, named.Fill(c))
	for _, b := range c.Bars {
		require.True(t, b.Closed || strings.HasPrefix(b.Label, "reservation") || b.Label == "all" && strings.HasPrefix(b.Key, "one "))
	}
}

// The error names what makes no sense, and the chart stays as it was.
func TestBadQueues(t *testing.T) {
	q := lined(t)
	good, err := q.Forecasts(context.Background())
	require.NoError(t, err)
	with := func(change func(f *plan.Forecast)) []plan.Forecast {
		f := good[0]
		f.Places = append([]plan.Place(nil), f.Places...)
		change(&f)
		return []plan.Forecast{f}
	}
	for want, x := range map[string]Queue{
		"Queue.Queue":                                {},
		"Queue.On [] names no schedule":              {Queue: q, On: []string{}},
		"Queue.On[0] none is unknown":                {Queue: q, On: []string{"none"}},
		"Queue.On[1] lab is unknown, or named twice": {Queue: q, On: []string{"lab", "lab"}},
		"Queue.Forecasts[0] who is no job":           {Queue: q, Forecasts: with(func(f *plan.Forecast) { f.Job = "who" })},
		"has a place for other parts":                {Queue: q, Forecasts: with(func(f *plan.Forecast) { f.Shape = 1 })},
		"Queue.Forecasts films has a place that pool does": {Queue: q, Forecasts: with(func(f *plan.Forecast) {
			require.EqualValues(t, "films", f.Job)
			f.Places[0].On, f.Places[0].Servers = "pool", []int{8}
		})},
		"Queue.Forecasts films has a place that lab does": {Queue: q, Forecasts: with(func(f *plan.Forecast) { f.Places[0].Servers = []int{4} })},
		"Queue.Forecasts films has a place that farm":     {Queue: q, Forecasts: with(func(f *plan.Forecast) { f.Places[0].On = "farm" })},
	} {
		c := &Chart{}
		err := x.Fill(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid, want)
		require.ErrorContains(t, err, want)
		require.Zero(t, c.Rows, want)
	}
}
