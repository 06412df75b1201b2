package gantt_test

import (
	"log"
	"os"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/gantt"
)

// A desk of two microscopes and a link of 100 Mbit/s, after an hour. The booking that is over is still
// there, as the desk keeps it for a day.
func ExampleDesk() {
	d := must(desk.New(desk.Config{Keep: 24 * 60}))
	book := func(owner, title string, parts ...desk.Part) desk.Command {
		return desk.Book{Request: desk.Request{Owner: owner, Title: title, Shapes: []desk.Shape{parts}}}
	}
	for _, command := range []desk.Command{
		desk.AddSchedule{Name: "microscopes", Kind: desk.Servers{Count: 2, Prefer: "lowest"}},
		desk.AddSchedule{Name: "link", Kind: desk.Pool{Units: 100}},
		book("ann", "cells", desk.Part{On: "microscopes", Units: 1, Duration: 40}, desk.Part{On: "link", Units: 50, Duration: 40}),
		book("bob", "crystals", desk.Part{On: "microscopes", Units: 1, Duration: 100}),
		desk.Close{On: "microscopes", Interval: bookahead.Interval{Start: 120, End: 180}, Servers: []int{0}, Title: "lamp"},
		desk.Advance{Now: 60},
		book("ann", "films", desk.Part{On: "microscopes", Units: 2, Duration: 60}, desk.Part{On: "link", Units: 100, Duration: 120}),
	} {
		must(d.Do(command))
	}

	chart := gantt.Chart{Window: bookahead.Interval{Start: 0, End: 240}, Axis: gantt.Axis{Steps: []bookahead.Duration{60}}}
	err := gantt.Desk{Desk: d}.Fill(&chart)
	if err != nil {
		log.Fatal(err)
	}
	must(chart.WriteText(os.Stdout, 48))
	// Output:
	// microscopes · 0 │aaaaaaaa                ╱╱╱╱╱╱╱╱╱╱╱╱aaaaaaaaaaaa
	// microscopes · 1 │bbbbbbbbbbbbbbbbbbbb                aaaaaaaaaaaa
	//            link │                                    aaaaaaaaaaaa
	//                 │                                    aaaaaaaaaaaa
	//                 │                                    aaaaaaaaaaaa
	//                 │                                    aaaaaaaaaaaa
	//                 │aaaaaaaa                            aaaaaaaaaaaa
	//                 │aaaaaaaa                            aaaaaaaaaaaa
	//                 │aaaaaaaa                            aaaaaaaaaaaa
	//                 │aaaaaaaa                            aaaaaaaaaaaa
	//                 └┬───────────▲───────────┬───────────┬───────────
	//                  0           60          120         180
	//                 a ann
	//                 b bob
	//                 ╱ closed
	//                 ▲ now
}
