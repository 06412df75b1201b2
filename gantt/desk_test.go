package gantt

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/nodes"
)

// randomDesk is a desk with schedules of all kinds, after some random commands.
func randomDesk(t testing.TB, rng *rand.Rand) *desk.Desk {
	d, err := desk.New(desk.Config{Keep: 50})
	require.NoError(t, err)
	do := func(c desk.Command) {
		_, err := d.Do(c)
		if err != nil && err != bookahead.ErrNotFound && err != bookahead.ErrUnavailable {
			require.True(t, errors.Is(err, bookahead.ErrInvalid), "%#v: %v", c, err)
		}
	}
	do(desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 8}})
	do(desk.AddSchedule{Name: "any", Kind: desk.Broker{Of: []string{"pool"}}})
	do(desk.AddSchedule{Name: "lab", Kind: desk.Servers{Count: 4}})
	do(desk.AddSchedule{Name: "big", Kind: desk.Pool{Units: 512}})
	do(desk.AddSchedule{Name: "farm", Kind: desk.Nodes{Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{4, 16}, {4, 32}, {0, 64}}}})
	for range 60 {
		start := d.Now() + bookahead.Time(rng.IntN(30))
		switch rng.IntN(10) {
		case 0:
			do(desk.Cancel{ID: desk.BookingID(1 + rng.IntN(40))})
		case 1:
			do(desk.End{ID: desk.BookingID(1 + rng.IntN(40))})
		case 2:
			do(desk.Advance{Now: d.Now() + bookahead.Time(rng.IntN(10))})
		case 3:
			c := desk.Close{On: "lab", Interval: bookahead.Interval{Start: start, End: start + 9}, Servers: []int{rng.IntN(4)}, Title: "repair"}
			switch rng.IntN(3) {
			case 0:
				c.On, c.Servers = "farm", []int{rng.IntN(3)}
			case 1:
				c.On, c.Servers, c.Units = "pool", nil, 1+rng.Int64N(3)
			}
			c.Force = []desk.Force{desk.Nobody, desk.Anybody}[rng.IntN(2)]
			do(c)
		case 4:
			if rng.IntN(3) == 0 {
				do(desk.Extend{On: "pool", Interval: bookahead.Interval{Start: start, End: start + 9}, Units: 2})
			} else if rng.IntN(3) == 0 {
				do(desk.Extend{On: "farm", Interval: bookahead.Interval{Start: start, End: start + 9}, Nodes: []nodes.Added{{Has: nodes.Vector{8, 16}}}})
			}
		case 5:
			for k := range d.Bookings(desk.Filter{States: []desk.State{desk.Running}}, bookahead.Effort{}) {
				shape := append(desk.Shape(nil), k.Shapes[k.Shape]...)
				shape[0].Units = 1 + rng.Int64N(4)
				k.Request.Shapes = []desk.Shape{shape}
				do(desk.Change{ID: k.ID, To: k.Request})
			}
		default:
			var shape desk.Shape
			for range 1 + rng.IntN(2) {
				p := desk.Part{On: []string{"pool", "lab", "big", "farm"}[rng.IntN(4)], Units: 1 + rng.Int64N(4), Duration: bookahead.Duration(1 + rng.IntN(15))}
				switch p.On {
				case "big":
					p.Units *= 64
				case "farm":
					p.Tasks = &nodes.Request{Each: nodes.Vector{rng.Int64N(2), 1 + rng.Int64N(6)}}
					if rng.IntN(2) == 0 {
						p.Tasks.Head = nodes.Vector{0, 2}
					}
				}
				shape = append(shape, p)
			}
			c := desk.Book{Request: desk.Request{Owner: []string{"ann", "bob"}[rng.IntN(2)], Ready: start, Shapes: []desk.Shape{shape}}}
			if rng.IntN(3) == 0 {
				c.Hold = d.Now() + 1 + bookahead.Time(rng.IntN(20))
			}
			do(c)
		}
	}
	return d
}

// Each bar is as high as the part that it is of, in the lanes of its schedule, and lies over no other
// one, unless more is booked than there is.
func TestDeskTickByTick(t *testing.T) {
	added, drawn, past, held, closed, gone := 0, 0, 0, 0, 0, 0
	for seed := range uint64(40) {
		d := randomDesk(t, rand.New(rand.NewPCG(seed, 3)))
		w := bookahead.Interval{Start: d.Now() - 40, End: d.Now() + 60}
		c := &Chart{Window: w}
		require.NoError(t, Desk{Desk: d, Name: func(b desk.Booking) (label, key string) { return fmt.Sprint(b.ID), b.Owner }}.Fill(c))
		require.Equal(t, d.Now(), c.Now)
		require.Equal(t, maxParts, c.perLane)
		farm := d.Schedules()[4].Kind.(desk.Nodes).Nodes
		require.Equal(t, (8+4+8+2*len(farm)-1)*maxParts, c.Rows)
		added += len(farm) - 3
		type cell struct {
			lane  string
			label string
			at    bookahead.Time
		}
		got := map[cell]int{}
		full := map[[2]int64]int{} // rows and ticks
		lane := ""
		for _, b := range c.Bars {
			for at := max(b.Start, w.Start); at < min(b.End, w.End); at++ {
				for row := b.Row; row < b.Row+b.Rows; row++ {
					lane = c.RowName(row / c.perLane)
					for up := row / c.perLane; lane == ""; up-- {
						lane = c.RowName(up)
					}
					label := b.Label
					if b.Closed {
						label = "closed"
						closed++
					} else {
						full[[2]int64{int64(row), int64(at)}]++
						if at < c.Now {
							past++
						}
						if b.Held {
							held++
						}
					}
					got[cell{lane, label, at}]++
				}
			}
		}
		over := map[string]bool{}
		for _, s := range []string{"pool", "big", "lab", "farm"} {
			booked, err := d.Overbooked(s, bookahead.Interval{Start: 0, End: bookahead.MaxTime})
			require.NoError(t, err)
			over[s] = len(booked) > 0
		}
		units := map[string]int{"pool": c.perLane, "big": 1}
		want := map[cell]int{}
		for k := range d.Bookings(desk.Filter{Window: w}, bookahead.Effort{}) {
			all := k.Past
			for i, p := range k.Places {
				x := desk.Piece{Place: p}
				tasks := k.Shapes[k.Shape][i].Tasks
				if tasks != nil {
					x.Each, x.HeadTakes = tasks.Each, tasks.Head
				}
				all = append(all[:len(all):len(all)], x)
			}
			gone += len(k.Past)
			for _, p := range all {
				in := p.Intersect(w)
				for at := in.Start; at < in.End; at++ {
					label := fmt.Sprint(k.ID)
					switch p.On {
					case "lab":
						for _, s := range p.Servers {
							want[cell{"lab · " + strconv.Itoa(s), label, at}] = c.perLane
						}
					case "farm":
						add := func(node int, v nodes.Vector, n int64) {
							for r, given := range farm[node] {
								if v[r]*n > 0 {
									want[cell{fmt.Sprintf("farm · node %d · %s", node, []string{"gpus", "cores"}[r]), label, at}] += int(v[r] * n * int64(c.perLane) / given)
								}
							}
						}
						for _, s := range p.Nodes {
							add(s.Node, p.Each, s.Tasks)
						}
						if p.Head >= 0 {
							add(p.Head, p.HeadTakes, 1)
						}
					default:
						want[cell{p.On, label, at}] += int(p.Units) * units[p.On]
					}
				}
			}
		}
		for k, n := range want {
			if k.lane == "pool" && len(d.Outages("pool")) > 0 {
				// An extension makes the units lower, in the same lanes.
				require.Positive(t, got[k])
				continue
			}
			require.Equal(t, n, got[k], "seed %d: %v", seed, k)
			drawn++
		}
		for k := range got {
			require.True(t, k.label == "closed" || want[k] > 0, "seed %d: %v", seed, k)
		}
		if !over["pool"] && !over["big"] && !over["lab"] && !over["farm"] && len(d.Outages("")) == 0 {
			for k, n := range full {
				require.Equal(t, 1, n, "seed %d: bars at %v", seed, k)
			}
		}
		parse(t, draw(t, c))
	}
	require.Positive(t, added)
	for _, n := range []int{drawn, past, held, closed} {
		require.Greater(t, n, 1000)
	}
	require.Greater(t, gone, 50)
}

// Closed units are hatched on top, and added ones while they are not there.
func TestDeskClosedUnits(t *testing.T) {
	d, err := desk.New(desk.Config{})
	require.NoError(t, err)
	for _, c := range []desk.Command{
		desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 4}},
		desk.Extend{On: "pool", Interval: bookahead.Interval{Start: 20, End: 30}, Units: 2},
		desk.Book{Request: desk.Request{Title: "a", Shapes: []desk.Shape{{{On: "pool", Units: 3, Duration: 10}}}}},
		desk.Close{On: "pool", Interval: bookahead.Interval{Start: 5, End: 15}, Units: 2, Title: "repair"},
	} {
		_, err = d.Do(c)
		require.NoError(t, err)
	}
	c := &Chart{Window: bookahead.Interval{Start: 0, End: 40}}
	require.NoError(t, Desk{Desk: d}.Fill(c))
	require.Equal(t, 6, c.Rows)
	bar := func(from, to bookahead.Time, row, rows int, label string) Bar {
		return Bar{Interval: bookahead.Interval{Start: from, End: to}, Row: row, Rows: rows, Label: label, Closed: label != "a"}
	}
	require.Equal(t, []Bar{
		bar(0, 20, 0, 2, "closed"),
		bar(0, 10, 3, 3, "a"),
		bar(5, 15, 2, 1, "repair"), // 2 units are closed, and 1 is not booked
		bar(30, 40, 0, 2, "closed"),
	}, c.Bars)
}

// The picture of a desk is the one in testdata.
func TestDeskPicture(t *testing.T) {
	golden(t, "desk.svg", pictured(t))
}

// pictured is a desk in the middle of a day.
func pictured(t testing.TB) *Chart {
	d, err := desk.New(desk.Config{Keep: 24})
	require.NoError(t, err)
	book := func(owner, title string, ready bookahead.Time, hold bookahead.Time, shape ...desk.Part) desk.Command {
		return desk.Book{Hold: hold, Request: desk.Request{Owner: owner, Title: title, Ready: ready, Shapes: []desk.Shape{shape}}}
	}
	gpus := func(n int64) *nodes.Request { return &nodes.Request{Each: nodes.Vector{n, 8 * n}} }
	for _, c := range []desk.Command{
		desk.AddSchedule{Name: "microscopes", Kind: desk.Servers{Count: 3, Prefer: "lowest"}},
		desk.AddSchedule{Name: "link", Kind: desk.Pool{Units: 100}},
		desk.AddSchedule{Name: "gpus", Kind: desk.Nodes{Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{8, 64}, {8, 64}}}},
		book("ann", "cells", 0, 0, desk.Part{On: "microscopes", Units: 2, Duration: 6}),
		book("bob", "crystals", 1, 0, desk.Part{On: "microscopes", Units: 1, Duration: 4}),
		book("ann", "train", 2, 0, desk.Part{On: "gpus", Units: 8, Duration: 10, Tasks: gpus(1)}, desk.Part{On: "link", Units: 40, Duration: 2}),
		book("<eve>", "copy & check", 1, 0, desk.Part{On: "link", Units: 50, Duration: 9}),
		desk.Advance{Now: 7},
		book("bob", "render", 8, 20, desk.Part{On: "gpus", Units: 4, Duration: 5, Tasks: gpus(2)}, desk.Part{On: "link", Units: 30, Duration: 5}),
		book("<eve>", "", 9, 0, desk.Part{On: "microscopes", Units: 1, Duration: 8}),
		desk.Close{On: "gpus", Interval: bookahead.Interval{Start: 14, End: 18}, Servers: []int{1}, Title: "new fans"},
		desk.Close{On: "link", Interval: bookahead.Interval{Start: 12, End: 16}, Units: 50, Title: "half of it"},
	} {
		_, err := d.Do(c)
		require.NoError(t, err)
	}
	c := &Chart{Title: "Monday", Window: bookahead.Interval{Start: 0, End: 20}}
	require.NoError(t, Desk{Desk: d}.Fill(c))
	return c
}

// golden compares a picture with a file, or writes that anew.
func golden(t *testing.T, name string, c *Chart) {
	got := draw(t, c)
	parse(t, got)
	file := "testdata/" + name
	if *update {
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "go test . -update writes it anew")
}

// A desk that cannot be drawn is refused, and the chart stays as it was.
func TestBadDesks(t *testing.T) {
	d, err := desk.New(desk.Config{})
	require.NoError(t, err)
	for want, x := range map[string]Desk{
		"Desk.Desk":                    {},
		"Desk.On [] names no schedule": {Desk: d},
	} {
		c := &Chart{}
		err := x.Fill(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
	d = randomDesk(t, rand.New(rand.NewPCG(1, 1)))
	for want, on := range map[string][]string{
		"Desk.On[0] none is unknown":             {"none"},
		"Desk.On[1] lab is unknown, or named":    {"lab", "lab"},
		`Desk.On any is a broker`:                {"any"},
		"Desk.On [] names no schedule: there is": {},
	} {
		c := &Chart{}
		err := Desk{Desk: d, On: on}.Fill(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
		require.Zero(t, c.Rows)
	}
}

// TestDeskAddedNodes: a node that was added has lanes behind the others, hatched outside of its time.
func TestDeskAddedNodes(t *testing.T) {
	d, err := desk.New(desk.Config{})
	require.NoError(t, err)
	for _, c := range []desk.Command{
		desk.AddSchedule{Name: "farm", Kind: desk.Nodes{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{4}}}},
		desk.Extend{On: "farm", Interval: bookahead.Interval{Start: 2, End: 8}, Nodes: []nodes.Added{{Has: nodes.Vector{2}}}},
		desk.Book{Request: desk.Request{Title: "job", Shapes: []desk.Shape{{{On: "farm", Units: 6, Duration: 3, Tasks: &nodes.Request{Each: nodes.Vector{1}}}}}}},
	} {
		_, err := d.Do(c)
		require.NoError(t, err)
	}
	c := &Chart{Window: bookahead.Interval{Start: 0, End: 10}}
	require.NoError(t, Desk{Desk: d}.Fill(c))
	require.Equal(t, 2*c.perLane, c.Rows)
	require.Equal(t, "farm · node 1 · gpus", c.RowName(1))
	var closed []bookahead.Interval
	for _, b := range c.Bars {
		if b.Closed {
			require.Equal(t, c.perLane, b.Row)
			closed = append(closed, b.Interval)
			continue
		}
		require.Equal(t, bookahead.Interval{Start: 2, End: 5}, b.Interval)
		require.Equal(t, c.perLane, b.Rows, "each node is full")
	}
	require.Equal(t, []bookahead.Interval{{Start: 0, End: 2}, {Start: 8, End: 10}}, closed)
	_, err = d.Do(desk.Advance{Now: 20})
	require.NoError(t, err)
	require.NoError(t, Desk{Desk: d}.Fill(c), "the extension is over, and the node has its lanes")
	require.Equal(t, 2*c.perLane, c.Rows)
}

// A booking that waits has no place, and is not drawn.
func TestDeskDoesNotDrawWhoWaits(t *testing.T) {
	d, err := desk.New(desk.Config{Keep: 50})
	require.NoError(t, err)
	do := func(c desk.Command) {
		_, err := d.Do(c)
		require.NoError(t, err)
	}
	fill := func() Chart {
		c := Chart{Window: bookahead.Interval{Start: 0, End: 20}}
		require.NoError(t, Desk{Desk: d}.Fill(&c))
		c.RowName = nil
		return c
	}
	shapes := []desk.Shape{{{On: "pool", Units: 8, Duration: 10}}}
	do(desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 8}})
	do(desk.Book{Request: desk.Request{Owner: "ann", Shapes: shapes}})
	before := fill()
	require.NotEmpty(t, before.Bars)
	do(desk.Book{Request: desk.Request{Owner: "bob", Deadline: 15, Shapes: shapes}, Wait: 9})
	require.Equal(t, before, fill())
	do(desk.Cancel{ID: 2})
	require.Equal(t, before, fill())
}
