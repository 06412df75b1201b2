package gantt

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// reservation appends the bars of a reservation. They come by start.
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

// add appends a bar wherever a reservation takes something of a node.
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
			pieces := b.hold(r.Interval, amount)
			if pieces == nil && x.crowded {
				pieces = b.over(r.Interval, amount)
			}
			if pieces == nil && amount > 0 {
				return nil, limits.Invalid(fmt.Sprintf("Nodes.Config.Nodes[%d]", b.node), b.given, fmt.Sprintf("is less than the reservations take, %v among them", r))
			}
			bars = b.bars(bars, bar, pieces, i*x.lane, x.lane)
		}
	}
	return bars, nil
}

// bars appends a bar for each piece, in so many rows from the first on.
func (b *band) bars(bars []Bar, bar Bar, pieces []piece, first, rows int) []Bar {
	for _, p := range pieces {
		// Address 0 is at the bottom. Both ends are rounded outwards, so that the smallest is seen.
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

// over returns a piece that lies over others, from the bottom on: for an amount that has no room.
func (b *band) over(w bookahead.Interval, amount int64) []piece {
	amount = min(amount, b.given)
	if amount == 0 {
		return nil
	}
	return []piece{{0, amount, w.End}}
}

// hold takes an amount for a time that starts no earlier than those before: in the lowest gap that is
// wide enough, or else in pieces from the lowest gap on. It returns nil if the gaps are too few.
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
