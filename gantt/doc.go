// Package gantt draws schedules: as an SVG picture, or as text for a terminal.
//
//	nodes │▂▂▂▂▅▅▅█████▃▃▃▃▃▃▃▃            what is used of a capacity: a Profile
//	    0 │aaaaaaaa   ccccccccc
//	    1 │aaaaaaaa   ccccccccc            a row for each server, and a Bar for
//	    2 │    bbbbbbbb  ddddd             each reservation on it
//	      └┬───────┬───────┬────
//	       08:00   09:00   10:00           an Axis
//
// A Chart has profiles, rows, or both over one time axis. ProfileOf makes a
// profile of any bookahead.Profiler; ServerBars makes the bars of reservations
// that name their servers, Lanes those of a pool's reservations, and BusyBars
// those of a schedule of servers whose reservations nobody has kept:
//
//	profile, err := gantt.ProfileOf("GPUs", pool, 8, week)
//	...
//	chart := gantt.Chart{Title: "This week", Window: week, Profiles: []gantt.Profile{profile}}
//	_, err = chart.WriteTo(file)
//
// Nodes fills a chart with the nodes of a nodes.Machine. Each of their resources is a
// lane, in which a bar is as high as what a reservation takes, and closed time is hatched.
// Desk fills a chart with the schedules of a desk.Desk, and with its bookings of the past too: owners
// have colours, which Colours keeps over all charts of a page.
//
// Nothing is drawn where nothing is known: a schedule forgets the past. The legend explains keys,
// hatching, and the grey of the past and of bars without a name; in a text, ▲ is the present.
//
// The same chart gives the same bytes everywhere. A picture is legible on light
// and dark ground, follows the reader's setting, needs no script and no font, and
// may be part of an HTML page. It never takes more than 2 MiB: where there
// are more rows, lanes, bars or changes than can be seen, they are drawn together, as
// shades of how much is taken. Bars show what they are when pointed at.
//
// For n bars, k changes of the profiles, and r rows drawn, at most 128 or as many lanes, a
// picture takes O(k + n·r) time, and n·r only where bars are as high as the chart.
package gantt
