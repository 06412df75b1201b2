package gantt

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// reservation appends the bars of a reservation. Reservations must come by start.
func (x *bands) reservation(bars []Bar, r nodes.Reservation, now bookahead.Time, name func(nodes.Reservation) (label, key string)) ([]Bar, error) {
	bar := Bar{Interval: r.Interval}
	bar.Start = max(bar.Start, now)
	if name == nil {
		bar.Label = fmt.Sprintf("#%d", r.ID)
		bar.Key = bar.Label
	} else {
		bar.Label, bar.Key = name(r)
	}
	return x.add(bars, bar, r)
}

// add appends bars for all amounts that a reservation takes of nodes.
func (x *bands) add(bars []Bar, bar Bar, r nodes.Reservation) ([]Bar, error) {
	shares := r.Tasks
	if r.Head >= 0 && !slices.ContainsFunc(shares, func(s nodes.Share) bool { return s.Node == r.Head }) {
		shares = append(slices.Clone(shares), nodes.Share{Node: r.Head})
	}
	for _, s := range shares {
		for _, i := range x.of[s.Node] {
			b := &x.bands[i]
			amount := s.Tasks * r.Each[b.resource]
			if s.Node == r.Head {
				amount += r.HeadTakes[b.resource]
			}
			if r.Terms != nil && r.Terms.Exclusive {
				amount = b.given
			}
			pieces := b.hold(r.Interval, amount)
			if pieces == nil && x.crowded {
				pieces = b.over(r.Interval, amount)
			}
			if pieces == nil && amount > 0 {
				return nil, limits.Invalid(fmt.Sprintf("Nodes.Config.Nodes[%d]", b.node), b.given, fmt.Sprintf("is less than the reservations take at %d, one of which is %v", r.Start, r))
			}
			bars = b.bars(bars, bar, pieces, i*x.lane, x.lane)
		}
	}
	return bars, nil
}

// bars appends a bar for each piece, in so many rows from the first on. Row 0 of a chart is on top, and
// address 0 of a band is at the bottom. Both ends of a bar are rounded outwards, so that the smallest
// amount is seen:
//
//	given 8, 4 rows      addresses 3 to 5 are half of row 2 and half of row 1: both rows
func (b *band) bars(bars []Bar, bar Bar, pieces []piece, first, rows int) []Bar {
	for _, p := range pieces {
		from, to := part(p.from, rows, b.given), rows-part(b.given-p.to, rows, b.given)
		bar.Row, bar.Rows = first+rows-to, to-from
		bars = append(bars, bar)
	}
	return bars
}

// part returns rows * amount / of, rounded down, for an amount of at most of.
func part(amount int64, rows int, of int64) int {
	hi, lo := bits.Mul64(uint64(amount), uint64(rows))
	q, _ := bits.Div64(hi, lo, uint64(of))
	return int(q)
}

// over returns a piece for an amount that has no room: it lies over other pieces, from the bottom on.
func (b *band) over(w bookahead.Interval, amount int64) []piece {
	amount = min(amount, b.given)
	if amount == 0 {
		return nil
	}
	return []piece{{0, amount, w.End}}
}

// hold takes an amount until the end of w, which must start no earlier than all before. It takes the lowest
// gap that is wide enough, or else pieces from the lowest gap on. It returns nil if the gaps together are
// too small:
//
//	addresses    0  1  2  3  4  5  6  7
//	held         .  .  x  x  .  .  .  x
//	hold 3       .  .  x  x  3  3  3  x     the gap at 0 is too small
//	hold 4       4  4  x  x  4  4  .  x     no gap is wide enough: two pieces
func (b *band) hold(w bookahead.Interval, amount int64) []piece {
	b.held = slices.DeleteFunc(b.held, func(p piece) bool { return p.end <= w.Start })
	var pieces []piece
	at, left := int64(0), amount
	for i := 0; i <= len(b.held) && amount > 0; i++ {
		end, next := b.given, b.given
		if i < len(b.held) {
			end, next = b.held[i].from, b.held[i].to
		}
		if end-at >= amount {
			pieces, left = []piece{{at, at + amount, w.End}}, 0
			break
		}
		if at < end && left > 0 {
			n := min(left, end-at)
			pieces = append(pieces, piece{at, at + n, w.End})
			left -= n
		}
		at = next
	}
	if left > 0 {
		return nil
	}
	for _, p := range pieces {
		i, _ := slices.BinarySearchFunc(b.held, p.from, func(h piece, from int64) int { return int(min(max(h.from-from, -1), 1)) })
		b.held = slices.Insert(b.held, i, p)
	}
	return pieces
}
