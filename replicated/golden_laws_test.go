package replicated

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/nodes"
)

// This file draws series, and the bounds of bookings: outages, terms and quotas.

func (d *goldenDraw) interval(most int) bookahead.Interval {
	start := d.ahead(20)
	return bookahead.Interval{Start: start, End: start + bookahead.Time(1+d.n(most))}
}

func (d *goldenDraw) closes() desk.Command {
	c := desk.Close{Interval: d.interval(15), Title: "repair", Force: d.force(), Priority: int64(d.n(4))}
	c.On = oneOf(d, goldenClosable...)
	switch c.On {
	case "pool", "line":
		c.Units = int64(1 + d.n(3))
	default:
		c.Servers = oneOf(d, []int{0}, []int{1, 2}, []int{3})
	}
	return c
}

// goldenClosable are the schedules that the draw closes and extends.
var goldenClosable = []string{"pool", "line", "lab ", "lab best", "farm ", "farm best", "farm spread"}

func (d *goldenDraw) reopen() desk.Command {
	c := desk.Reopen{ID: 1, At: d.ahead(8)}
	var list []desk.Outage
	for _, on := range goldenClosable {
		list = append(list, d.desk.Outages(on)...)
	}
	if len(list) > 0 {
		c.ID = oneOf(d, list...).ID
	}
	return c
}

func (d *goldenDraw) extend() desk.Command {
	c := desk.Extend{Interval: d.interval(30), Title: "lent", Units: int64(1 + d.n(2))}
	c.On = oneOf(d, "pool", "line", "lab ", "lab best", "farm ", "farm best")
	if c.On[0] == 'f' {
		c.Units = 0
		c.Nodes = []nodes.Added{{Has: nodes.Vector{2, 8}, Groups: map[string]int{"rack": d.n(2)}, Sets: []string{"big"}}}
	}
	return c
}

func (d *goldenDraw) terms() desk.Command {
	c := desk.SetTerms{On: oneOf(d, "line", "lab lowest", "lab best", "farm best")}
	if d.one(4) {
		return c
	}
	if d.one(2) {
		for at := d.desk.Now(); at < d.desk.Now()+150; at += 25 {
			c.Open = append(c.Open, bookahead.Interval{Start: at, End: at + bookahead.Time(12+d.n(12))})
		}
		c.Needs = d.ahead(20) + 1
	}
	switch d.n(6) {
	case 0:
		c.Longest = 12
	case 1:
		c.Notice = 3
	case 2:
		c.Ahead = 30
	case 3, 4:
		c.Before, c.After = bookahead.Duration(d.n(3)), bookahead.Duration(1+d.n(2))
	case 5:
		c.Owners, c.Labels = []string{"ann"}, []string{"blue"}
	}
	return c
}

func (d *goldenDraw) quotaName() string {
	return oneOf(d, "units", "ticks", "window", "waiting", "none")
}

func (d *goldenDraw) quota() desk.Command {
	c := desk.SetQuota{Name: d.quotaName()}
	q := &c.Quota
	q.Owners, q.Each = oneOf(d, nil, []string{"bob"}, []string{"ann", "bob"}), d.one(2)
	q.Label = oneOf(d, "", "", "red")
	q.On = oneOf(d, nil, []string{"pool"}, []string{"line", "lab "})
	switch c.Name {
	case "units":
		q.Units = int64(3 + d.n(6))
		if d.one(3) {
			q.On, q.Resource = nil, oneOf(d, "gpus", "cores")
		}
	case "ticks":
		q.Ticks = int64(60 + d.n(60))
		if d.one(2) {
			q.Every, q.From = 30, d.desk.Now()
		} else {
			q.Periods = []bookahead.Interval{d.interval(60)}
		}
	case "window":
		q.Ticks, q.Window = int64(60+d.n(60)), 25
	case "waiting":
		q.Waiting = int64(2 + d.n(4))
	case "none":
		q.Owners, q.On, q.None = []string{"eve"}, []string{"line"}, true
	}
	return c
}

func (d *goldenDraw) series() desk.Command {
	c := desk.BookSeries{Request: d.request()}
	c.Ready, c.Deadline = 0, 0
	for _, s := range c.Shapes {
		for i := range s {
			s[i].After, s[i].Offset = nil, 0
			s[i].Duration = bookahead.Duration(d.n(7))
		}
	}
	c.At = d.windows()
	switch d.n(3) {
	case 0:
		c.Partly = true
	case 1:
		c.Shift = bookahead.Duration(1 + d.n(10))
	}
	if d.one(2) {
		c.Needs = d.ahead(20) + 1
	}
	if d.one(3) {
		c.Key = fmt.Sprint("series ", d.n(30))
		d.keyed = append(d.keyed, c)
	}
	return c
}

func (d *goldenDraw) windows() (at desk.Occurrences) {
	start := d.ahead(10)
	for range 1 + d.n(4) {
		at = append(at, bookahead.Interval{Start: start, End: start + bookahead.Time(7+d.n(6))})
		start += bookahead.Time(5 + d.n(10))
	}
	return at
}

func (d *goldenDraw) seriesID() desk.SeriesID {
	list := d.desk.AllSeries()
	if len(list) == 0 {
		return 1
	}
	return oneOf(d, list...).ID
}

// goOn draws a Continue, most often with a rule for a series that needs more.
func (d *goldenDraw) goOn() desk.Command {
	c := desk.Continue{ID: d.seriesID(), Needed: 1, At: d.windows(), Partly: d.one(2)}
	for _, s := range d.desk.AllSeries() {
		if s.Needs != 0 {
			c.ID, c.Needed = s.ID, s.Needs
		}
	}
	if d.one(2) {
		c.Needs = max(d.desk.Now(), c.Needed) + bookahead.Time(1+d.n(20))
	}
	return c
}
