package gantt_test

import (
	"log"
	"os"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/idletree"
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// A morning on four servers, in minutes from eight o'clock on.
func Example() {
	servers := must(idletree.NewTree(4, idletree.Config{}))
	var booked []bookahead.Reservation
	for _, r := range []bookahead.Request{
		{Ready: 0, Duration: 60, Units: 3},
		{Ready: 30, Duration: 120, Units: 1},
		{Ready: 30, Duration: 60, Units: 2},
	} {
		booked = append(booked, must(servers.Reserve(r)))
	}

	morning := bookahead.Interval{Start: 0, End: 240}
	chart := gantt.Chart{
		Title:    "Morning",
		Window:   morning,
		Now:      45,
		Profiles: []gantt.Profile{must(gantt.ProfileOf("in use", servers, 4, morning))},
		Rows:     4,
		Bars:     must(gantt.ServerBars(booked, nil)),
		Axis:     gantt.Axis{Steps: []bookahead.Duration{60}},
	}
	must(chart.WriteText(os.Stdout, 48)) // WriteTo draws the picture
	// Output:
	// Morning
	// in use │▆▆▆▆▆▆██████▆▆▆▆▆▆▆▆▆▆▆▆▂▂▂▂▂▂
	//      0 │aaaaaaaaaaaacccccccccccc
	//      1 │aaaaaaaaaaaacccccccccccc
	//      2 │aaaaaaaaaaaa
	//      3 │      bbbbbbbbbbbbbbbbbbbbbbbb
	//        └┬────────▲──┬───────────┬───────────┬───────────
	//         0           60          120         180
	//        a #1
	//        b #2
	//        c #3
	//        ▲ now
}
