package gantt

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// bars returns the bars of some items, which must come by start, on the lanes of a strip. Rows count from
// the first row of the strip.
func (s *strip) bars(items []item, lane int) []Bar {
	switch {
	case s.nodes != nil:
		s.nodes.lane = lane
		return s.nodes.items(items)
	case s.units > 0:
		return s.pool(items, s.lanes*lane)
	}
	var bars []Bar
	for _, i := range items {
		for n, k := range i.servers {
			if n > 0 && i.servers[n-1] == k-1 {
				bars[len(bars)-1].Rows += lane // one bar for servers next to each other
				continue
			}
			i.Bar.Row, i.Bar.Rows = k*lane, lane
			bars = append(bars, i.Bar)
		}
	}
	return bars
}

// pool returns bars whose height is their units, in so many rows.
func (s *strip) pool(items []item, rows int) (bars []Bar) {
	of := band{given: s.units}
	for _, i := range items {
		var pieces []piece
		if i.Closed {
			pieces = of.close(i.Interval, i.units)
		} else {
			pieces = of.hold(i.Interval, i.units)
			if pieces == nil {
				pieces = of.over(i.Interval, i.units)
			}
		}
		bars = of.bars(bars, i.Bar, pieces, 0, rows)
	}
	return bars
}

// close holds an amount from the top down, so that bars of bookings stay below it. If bookings leave less
// than the amount, only the rest is hatched.
func (b *band) close(w bookahead.Interval, amount int64) []piece {
	b.held = slices.DeleteFunc(b.held, func(p piece) bool { return p.end <= w.Start })
	left := b.given
	for _, p := range b.held {
		left -= p.to - p.from
	}
	b.held = b.flip(b.held)
	pieces := b.flip(b.hold(w, min(amount, left)))
	b.held = b.flip(b.held)
	return pieces
}

// flip turns pieces upside down, so that hold takes the highest gap.
func (b *band) flip(pieces []piece) []piece {
	for i, p := range pieces {
		pieces[i].from, pieces[i].to = b.given-p.to, b.given-p.from
	}
	slices.Reverse(pieces)
	return pieces
}

// items returns the bars of parts and outages on nodes.
func (x *bands) items(items []item) (bars []Bar) {
	for _, i := range items {
		if i.Closed {
			for _, k := range i.servers {
				for _, lane := range x.of[k] {
					i.Bar.Row, i.Bar.Rows = lane*x.lane, x.lane
					bars = append(bars, i.Bar)
				}
			}
			continue
		}
		r := nodes.Reservation{Offer: nodes.Offer{Interval: i.Interval, Tasks: i.tasks, Head: i.head}, Each: i.each.Each, HeadTakes: i.each.Head}
		bars, _ = x.add(bars, i.Bar, r)
	}
	return bars
}
