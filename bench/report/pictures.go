package main

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
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
	// shown is how long the schedules are that are drawn, and horizon how long
	// they are.
	shown, horizon = 24 * hour, 14 * 24 * hour
)

var day = bookahead.Interval{End: shown}

// pictures is the section of the Gantt charts. It draws them anew, from a synthetic
// workload; ok is false if that fails.
func pictures() (s section, ok bool) {
	s = section{ID: "gantt", Title: "Schedules", Intro: []string{
		"What the structures hold: the first day of a synthetic workload (Lublin-Feitelson) on sixteen processors, drawn by the package gantt. Two jobs of five are booked ahead by up to six hours; the others start as soon as they can.",
	}}
	if err := s.schedules(); err != nil {
		s.Figures, s.Note = nil, fmt.Sprintf("The schedules cannot be drawn: %v.", err)
		return s, false
	}
	return s, true
}

func (s *section) schedules() error {
	bookings, err := demand()
	if err != nil {
		return err
	}
	pool, err := carts.NewIndexed(servers, carts.Config{Horizon: horizon})
	if err != nil {
		return err
	}
	held, name, err := fill(pool, bookings)
	if err != nil {
		return err
	}
	profile, err := gantt.ProfileOf("in use", pool, servers, day)
	if err != nil {
		return err
	}
	lanes, rows, err := gantt.Lanes(held, name)
	if err != nil {
		return err
	}
	if err := s.chart("A pool: carts.Indexed", "What is in use of the sixteen units, and a bar for each reservation, as high as any other: a pool counts units, and binds servers when a job starts.",
		gantt.Chart{Profiles: []gantt.Profile{profile}, Rows: rows, Bars: lanes, RowName: func(int) string { return "" }}); err != nil {
		return err
	}
	for _, choice := range []struct {
		title, caption string
		prefer         idletree.Prefer
	}{
		{"Servers, lowest index: idletree.Tree", "A row for each server. The first ones are filled, the last ones stay free for what is wide or long.", idletree.LowestIndex},
		{"Servers, worst fit: idletree.Tree", "The same jobs. Those servers are taken that stay idle longest: the holes are spread over all.", idletree.WorstFit},
	} {
		if err := s.servers(choice.title, choice.caption, choice.prefer, bookings); err != nil {
			return err
		}
	}
	return s.windows(bookings)
}

// demand is what is booked: jobs of half an hour and more, so that they are seen.
func demand() ([]workload.Booking, error) {
	jobs, err := workload.Lublin{Nodes: servers, Seed: 7, Load: 1.6}.Generate(400)
	if err != nil {
		return nil, err
	}
	var long []workload.Job
	for _, j := range jobs {
		if j.Estimate >= hour/2 && j.Estimate <= 8*hour && j.Submit < shown {
			long = append(long, j)
		}
	}
	return workload.Reservations{Fraction: 0.4, Ahead: 6 * hour, Slack: 1, Seed: 7}.Book(long)
}

// fill books all that fits, and returns it with a name for each.
func fill(s bookahead.Schedule, bookings []workload.Booking) ([]bookahead.Reservation, gantt.Name, error) {
	var held []bookahead.Reservation
	ahead := map[bookahead.ID]bool{}
	for _, b := range bookings {
		r, err := s.Reserve(b.Request)
		if errors.Is(err, bookahead.ErrUnavailable) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		held = append(held, r)
		ahead[r.ID] = b.Ahead
	}
	return held, func(r bookahead.Reservation) (label, key string) {
		label = fmt.Sprint(r.ID)
		if ahead[r.ID] {
			return label, "booked ahead"
		}
		return label, "as soon as it can"
	}, nil
}

// servers draws a schedule of servers.
func (s *section) servers(title, caption string, prefer idletree.Prefer, bookings []workload.Booking) error {
	tree, err := idletree.NewTree(servers, idletree.Config{Horizon: horizon, Prefer: prefer})
	if err != nil {
		return err
	}
	held, name, err := fill(tree, bookings)
	if err != nil {
		return err
	}
	bars, err := gantt.ServerBars(held, name)
	if err != nil {
		return err
	}
	return s.chart(title, caption, gantt.Chart{Rows: servers, Bars: bars})
}

// windows draws what a search for windows chooses among what half of the jobs left
// idle.
func (s *section) windows(bookings []workload.Booking) error {
	tree, err := idletree.NewTree(servers, idletree.Config{Horizon: horizon, Prefer: idletree.LowestIndex})
	if err != nil {
		return err
	}
	if _, _, err := fill(tree, bookings[:len(bookings)/2]); err != nil {
		return err
	}
	busy, err := gantt.BusyBars(tree, servers, day)
	if err != nil {
		return err
	}
	slots, err := window.Slots(tree, day)
	if err != nil {
		return err
	}
	nodes := make([]window.Node, servers)
	for i := range nodes {
		fast := float64(1 + i%4)
		nodes[i] = window.Node{Performance: fast, Price: fast * (1 + 0.1*float64(i%3)), Quality: float64(i * 7 % 10)}
	}
	e, err := window.New(nodes, slots)
	if err != nil {
		return err
	}
	job := window.Job{Nodes: 5, Volume: 4 * hour, Budget: 12 * 5 * hour}
	first, err := window.FirstFit(e, job)
	if err != nil {
		return err
	}
	best, err := window.Exact(e, job, window.Quality, 0)
	if err != nil {
		return err
	}
	for _, w := range []struct {
		title, caption, name string
		window.Window
	}{
		{"A window: first fit", "Five nodes that begin together, as early as can be, beside what is taken (grey). Nodes differ in performance, price and quality; the last digit of the name is the quality.", "first fit", first},
		{"A window: best quality", "The five nodes with the most quality that the same budget buys, wherever they are free together.", "best quality", best.Window},
	} {
		bars := append([]gantt.Bar(nil), busy...)
		for _, t := range w.Tasks {
			bars = append(bars, gantt.Bar{Interval: t.Interval, Row: t.Node, Key: w.name})
		}
		names := func(i int) string { return fmt.Sprintf("%d, q %g", i, nodes[i].Quality) }
		if err := s.chart(w.title, w.caption, gantt.Chart{Rows: servers, Bars: bars, RowName: names}); err != nil {
			return err
		}
	}
	return nil
}

// chart adds a Gantt chart of the day, with its bars as a table.
func (s *section) chart(title, caption string, c gantt.Chart) error {
	axis, err := gantt.WallClock(bookahead.Clock{Epoch: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		return err
	}
	c.Window, c.Axis, c.Width = day, axis, width
	c.Now = -1 // not in the picture
	var drawn bytes.Buffer
	if _, err := c.WriteTo(&drawn); err != nil {
		return err
	}
	g := grid{Header: []string{"rows", "what", "kind", "from", "to"}}
	for _, b := range c.Bars {
		if b.Label == "" && b.Key == "" || b.Start >= shown {
			continue // taken by others, or beyond the picture
		}
		rows := fmt.Sprint(b.Row)
		if b.Rows > 1 {
			rows = fmt.Sprintf("%d–%d", b.Row, b.Row+b.Rows-1)
		}
		g.Rows = append(g.Rows, []string{rows, b.Label, b.Key, axis.Format(b.Start), axis.Format(b.End)})
	}
	s.add(figure{Title: title, Caption: caption, Picture: template.HTML(drawn.String()), Table: g})
	return nil
}
