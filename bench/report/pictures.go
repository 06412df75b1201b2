package main

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"slices"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/window"
)

const (
	hour    = 3600 // ticks
	servers = 16
	// shown is the part of a schedule that is drawn, and horizon its whole.
	shown, horizon = 24 * hour, 14 * 24 * hour
)

var day = bookahead.Interval{End: shown}

// pictures is the section of the Gantt charts. It draws them anew, from a synthetic
// workload.
func pictures() section {
	s := section{ID: "gantt", Title: "Schedules", Intro: []string{
		"The reservations on some structures: the first day of a synthetic workload (Lublin-Feitelson) on sixteen processors, drawn by the package gantt. Two jobs of five are booked ahead by up to six hours; the others start as soon as they can.",
	}}
	bookings := demand()
	s.pool(bookings)
	s.servers("Servers, lowest index: idletree.Tree", "A row for each server. The first ones are filled, the last ones stay free for wide or long jobs.", idletree.LowestIndex, bookings)
	s.servers("Servers, worst fit: idletree.Tree", "The same jobs, on the servers that stay idle longest: the holes are spread over all servers.", idletree.WorstFit, bookings)
	s.windows(bookings)
	return s
}

// must returns a result. All pictures here are of constants, so that an error is a
// fault of the program, and the page must not hide it.
func must[T any](result T, err error) T {
	if err != nil {
		panic(err)
	}
	return result
}

// demand returns the jobs to be booked: those of half an hour and more, since shorter bars would be too thin.
func demand() []workload.Booking {
	jobs := must(workload.Lublin{Nodes: servers, Seed: 7, Load: 1.6}.Generate(400))
	jobs = slices.DeleteFunc(jobs, func(j workload.Job) bool {
		return j.Estimate < hour/2 || j.Estimate > 8*hour || j.Submit >= shown
	})
	return must(workload.Reservations{Fraction: 0.4, Ahead: 6 * hour, Slack: 1, Seed: 7}.Book(jobs))
}

// fill books the jobs that fit, and returns the reservations with a name for each.
func fill(s bookahead.Schedule, bookings []workload.Booking) ([]bookahead.Reservation, gantt.Name) {
	var held []bookahead.Reservation
	kinds := map[bookahead.ID]string{}
	for _, b := range bookings {
		r, err := s.Reserve(b.Request)
		if errors.Is(err, bookahead.ErrUnavailable) {
			continue
		}
		held = append(held, must(r, err))
		kinds[r.ID] = "as soon as it can"
		if b.Ahead {
			kinds[r.ID] = "booked ahead"
		}
	}
	return held, func(r bookahead.Reservation) (label, key string) { return fmt.Sprint(r.ID), kinds[r.ID] }
}

// pool draws a schedule that counts units.
func (s *section) pool(bookings []workload.Booking) {
	pool := must(carts.NewIndexed(servers, carts.Config{Horizon: horizon}))
	held, name := fill(pool, bookings)
	lanes, rows, err := gantt.Lanes(held, name)
	s.chart("A pool: carts.Indexed", "The units in use, of sixteen, and a bar for each reservation. All bars are equally high: a pool counts units, and binds servers when a job starts.", gantt.Chart{
		Profiles: []gantt.Profile{must(gantt.ProfileOf("in use", pool, servers, day))},
		Rows:     rows, Bars: must(lanes, err), RowName: func(int) string { return "" },
	})
}

// servers draws a schedule of servers.
func (s *section) servers(title, caption string, prefer idletree.Prefer, bookings []workload.Booking) {
	tree := must(idletree.NewTree(servers, idletree.Config{Horizon: horizon, Prefer: prefer}))
	held, name := fill(tree, bookings)
	s.chart(title, caption, gantt.Chart{Rows: servers, Bars: must(gantt.ServerBars(held, name))})
}

// windows draws the windows that searches choose, where half of the jobs are booked.
func (s *section) windows(bookings []workload.Booking) {
	tree := must(idletree.NewTree(servers, idletree.Config{Horizon: horizon, Prefer: idletree.LowestIndex}))
	fill(tree, bookings[:len(bookings)/2])
	busy := must(gantt.BusyBars(tree, servers, day))
	nodes := make([]window.Node, servers)
	for i := range nodes {
		fast := float64(1 + i%4)
		nodes[i] = window.Node{Performance: fast, Price: fast * (1 + 0.1*float64(i%3)), Quality: float64(i * 7 % 10)}
	}
	e := must(window.New(nodes, must(window.Slots(tree, day))))
	job := window.Job{Nodes: 5, Volume: 4 * hour, Budget: 12 * 5 * hour}
	show := func(name, caption string, w window.Window) {
		bars := slices.Clone(busy)
		for _, t := range w.Tasks {
			bars = append(bars, gantt.Bar{Interval: t.Interval, Row: t.Node, Key: name})
		}
		names := func(i int) string { return fmt.Sprintf("%d, q %g", i, nodes[i].Quality) }
		s.chart("A window: "+name, caption, gantt.Chart{Rows: servers, Bars: bars, RowName: names})
	}
	show("first fit", "Five nodes that begin together, as early as possible, beside the jobs of others (grey). Nodes differ in performance, price and quality; the last digit of the name is the quality.", must(window.FirstFit(e, job)))
	show("best quality", "The five nodes with the most quality that the same budget buys, wherever they are free together.", must(window.Exact(e, job, window.Quality)).Window)
}

// chart adds a Gantt chart of the day, with its bars as a table.
func (s *section) chart(title, caption string, c gantt.Chart) {
	c.Window, c.Width = day, width
	c.Axis = must(gantt.WallClock(bookahead.Clock{Epoch: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)}))
	c.Now = -1 // not in the picture
	var drawn bytes.Buffer
	must(c.WriteTo(&drawn))
	g := grid{Header: []string{"rows", "what", "kind", "from", "to"}}
	for _, b := range c.Bars {
		if b.Label == "" && b.Key == "" || b.Start >= shown {
			continue // of others, or beyond the picture
		}
		rows := fmt.Sprint(b.Row)
		if b.Rows > 1 {
			rows = fmt.Sprintf("%d–%d", b.Row, b.Row+b.Rows-1)
		}
		g.Rows = append(g.Rows, []string{rows, b.Label, b.Key, c.Axis.Format(b.Start), c.Axis.Format(b.End)})
	}
	s.add(figure{Title: title, Caption: caption, Picture: template.HTML(drawn.String()), Table: g})
}
