// Gantt draws a day of a lab with twelve instruments: as text, and with -o as an SVG
// picture. A tick is a minute.
//
//	go run ./examples/gantt -o day.svg
package main

import (
	"flag"
	"io"
	"log"
	"os"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/idletree"
)

func main() {
	out := flag.String("o", "", "`file` for the picture; none if empty")
	flag.Parse()
	chart := day()
	must(chart.WriteText(os.Stdout, 72))
	if *out != "" {
		file := must(os.Create(*out))
		must(io.WriterTo(chart).WriteTo(file))
		if err := file.Close(); err != nil {
			log.Fatal(err)
		}
	}
}

// day books the requests of the groups, and draws the day.
func day() *gantt.Chart {
	const instruments = 12
	lab := must(idletree.NewTree(instruments, idletree.Config{Horizon: 24 * 60, Prefer: idletree.BestFit}))
	group := map[bookahead.ID]string{}
	var booked []bookahead.Reservation
	for _, r := range []struct {
		group string
		bookahead.Request
	}{
		{"physics", bookahead.Request{Ready: 8 * 60, Duration: 240, Units: 5}},
		{"biology", bookahead.Request{Ready: 9 * 60, Duration: 120, Units: 4}},
		{"biology", bookahead.Request{Ready: 13 * 60, Duration: 180, Units: 4}},
		{"chemistry", bookahead.Request{Ready: 10 * 60, Duration: 90, Units: 6}},
		{"service", bookahead.Request{Ready: 12 * 60, Duration: 60, Units: 3, Servers: []int{9, 10, 11}}},
		{"physics", bookahead.Request{Ready: 14 * 60, Duration: 240, Units: 7}},
		{"chemistry", bookahead.Request{Ready: 15 * 60, Duration: 120, Units: 3}},
	} {
		res := must(lab.Reserve(r.Request))
		group[res.ID] = r.group
		booked = append(booked, res)
	}
	window := bookahead.Interval{Start: 8 * 60, End: 20 * 60}
	return &gantt.Chart{
		Title:    "Instruments, Monday",
		Window:   window,
		Now:      11 * 60,
		Axis:     must(gantt.WallClock(bookahead.Clock{Epoch: time.Date(2027, time.January, 4, 0, 0, 0, 0, time.UTC), Tick: time.Minute})),
		Profiles: []gantt.Profile{must(gantt.ProfileOf("in use", lab, instruments, window))},
		Rows:     instruments,
		Bars: must(gantt.ServerBars(booked, func(r bookahead.Reservation) (label, key string) {
			return group[r.ID], group[r.ID]
		})),
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
