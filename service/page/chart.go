package page

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"html/template"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/gantt"
	"github.com/bookahead/bookahead/service/api"
	"github.com/bookahead/bookahead/service/office"
	"github.com/bookahead/bookahead/service/who"
)

const (
	leastWidth, mostWidth = 320, 2400 // of a picture
	usualWidth            = 960
)

// chart draws a window of schedules: how much is taken as curves, and the bookings below.
func chart(l *office.Look, c who.Caller, names []string, w window, width int) (template.HTML, error) {
	from, err := l.Ceil(w.From)
	until, wrong := l.Ceil(w.To)
	if err != nil || wrong != nil {
		return "", &office.Problem{Kind: office.Invalid, Field: "at", Detail: "is too far from now"}
	}
	axis, err := gantt.WallClock(l.Clock)
	if err != nil {
		return "", err
	}
	g := gantt.Chart{
		Window: bookahead.Interval{Start: from, End: until}, Axis: axis, Width: width, Mapped: true,
		Colour: func(key string) uint { return colourOf(c, key) },
	}
	d := l.Desk()
	err = gantt.Desk{
		Desk: d, On: names, Effort: bookahead.Effort{Steps: 1 << 24},
		Name: func(b desk.Booking) (label, key string) {
			seen, err := l.Booking(uint64(b.ID)) // with the title that the caller may see
			if err != nil || seen.Title == "" {
				return b.Owner, b.Owner
			}
			return seen.Title, b.Owner
		},
		Link: func(b desk.Booking) string { return fmt.Sprintf("/bookings/%d", b.ID) },
	}.Fill(&g)
	if err != nil {
		return "", err
	}
	all := d.Schedules()
	for _, name := range names {
		s := &all[slices.IndexFunc(all, func(s desk.Listing) bool { return s.Name == name })] // Fill has found it
		label := "taken"
		if len(names) == 1 {
			g.Bars = append(shut(s.Terms.Open, &g), g.Bars...)
		} else {
			label = name + " taken"
		}
		p, ok := curve(l, s, label, w)
		if ok {
			g.Profiles = append(g.Profiles, p)
		}
	}
	var picture bytes.Buffer
	_, err = g.WriteTo(&picture)
	return template.HTML(picture.String()), err
}

// colourOf returns the colour of an owner: the first for the caller and his groups, and for others one that is always the same.
func colourOf(c who.Caller, owner string) uint {
	if c.Is(owner) {
		return 0
	}
	h := fnv.New32a()
	h.Write([]byte(owner))
	return 1 + uint(h.Sum32()%11)
}

// shut returns the bars of the time outside of opening hours.
func shut(open []bookahead.Interval, g *gantt.Chart) (bars []gantt.Bar) {
	if len(open) == 0 {
		return nil
	}
	at := g.Window.Start
	for _, o := range append(slices.Clone(open), bookahead.Interval{Start: g.Window.End, End: g.Window.End}) {
		closed := bookahead.Interval{Start: at, End: min(o.Start, g.Window.End)}
		if !closed.Empty() {
			bars = append(bars, gantt.Bar{Interval: closed, Rows: g.Rows, Closed: true, Label: "closed"})
		}
		at = max(at, o.End)
	}
	return bars
}

// curve returns how much of a schedule is taken or closed, as far as the desk knows; ok is false if it does not tell.
func curve(l *office.Look, s *desk.Listing, label string, w window) (p gantt.Profile, ok bool) {
	steps, err := l.Free(s.Name, w.From, w.To)
	if err != nil {
		return p, false
	}
	capacity := int64(1)
	switch k := s.Kind.(type) {
	case desk.Pool:
		capacity = k.Units
	case desk.Servers:
		capacity = k.Count
	case desk.Nodes:
		label, capacity = k.Resources[0]+" "+label, 0
		for _, n := range k.Nodes {
			capacity += n[0]
		}
	}
	for _, step := range steps {
		capacity = max(capacity, step.Free)
	}
	p, err = gantt.ProfileOfSteps(label, func(yield func(bookahead.Step) bool) {
		for _, step := range steps {
			start, _ := l.Ceil(step.Start) // of the desk itself
			end, _ := l.Ceil(step.End)
			if !yield(bookahead.Step{Interval: bookahead.Interval{Start: start, End: end}, Free: step.Free}) {
				return
			}
		}
	}, capacity)
	return p, err == nil
}

// schedulesOf returns the names of the schedules on which bookings of a schedule lie.
func schedulesOf(s *api.Schedule) []string {
	if s.Kind == "broker" {
		return s.Of
	}
	return []string{s.Name}
}
