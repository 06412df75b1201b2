// Package gantt draws schedules: as an SVG picture, or as text for a terminal.
//
//	nodes │▂▂▂▂▅▅▅█████▃▃▃▃▃▃▃▃            the used part of a capacity: a Profile
//	    0 │aaaaaaaa   ccccccccc
//	    1 │aaaaaaaa   ccccccccc            a row for each server, and a Bar for
//	    2 │    bbbbbbbb  ddddd             each reservation on it
//	      └┬───────┬───────┬────
//	       08:00   09:00   10:00           an Axis
//
// A Chart has profiles, rows, or both over one time axis. ProfileOf makes a
// profile of any bookahead.Profiler. ServerBars makes bars of reservations that
// name their servers, and Lanes makes bars of a pool's reservations. BusyBars
// needs only a schedule of servers, and not its reservations:
//
//	profile, err := gantt.ProfileOf("GPUs", pool, 8, week)
//	...
//	chart := gantt.Chart{Title: "This week", Window: week, Profiles: []gantt.Profile{profile}}
//	_, err = chart.WriteTo(file)
//
// Nodes fills a chart with the nodes of a nodes.Machine. Each resource of a node is a lane, in which the
// height of a bar is the amount that a reservation takes, and closed time is hatched. Desk fills a chart
// with the schedules of a desk.Desk, and with its past bookings too. Each owner has a colour. Queue fills a chart with the
// schedules of a plan.Queue: the jobs that run, those that are promised a place, and those whose place is only expected.
//
// In a page, the bars of bookings are links (Desk.Link), and a script that reads the attributes of Chart.Mapped knows which time and
// lane somebody points at. Chart.Colour keeps the colour of an owner from week to week.
//
// Events makes events of a desk's bookings, which recur.WriteCalendar writes for other people's calendars.
//
// A schedule forgets the past, so nothing is drawn there. The legend explains keys, hatching, and the grey
// of the past and of bars without a name; in a text, ▲ marks the present.
//
// The same chart gives the same bytes everywhere. A picture is legible on light and dark ground, follows
// the reader's setting, needs no script and no font, and may be part of an HTML page. It never takes more
// than 2 MiB: if there are more rows, lanes, bars or changes than can be seen, they are drawn together, and
// a darker shade means that more is taken. A bar shows its label and its time when it is pointed at.
//
// For n bars, k changes of the profiles, and r rows drawn, which are at most 128 lanes, a picture takes
// O(k + n·r) time, and n·r only if bars are as high as the chart.
package gantt
