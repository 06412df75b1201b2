package desk

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// first returns the request of the Book that made the booking, for which its key stands.
func (k *Booking) first() *Request {
	if k.asked != nil {
		return k.asked
	}
	return &k.Request
}

// askOtherwise gives a booking another request, and remembers the first one, for which the key stands.
func (k *Booking) askOtherwise(r Request) {
	if k.Key != "" && k.asked == nil {
		first := k.Request
		k.asked = &first
	}
	k.Request = r
}

// begins returns the start of the first present place. The Start of a booking that has moved may be earlier.
func (k *Booking) begins() bookahead.Time { return spanOf(k.Places).Start }

// begun reports whether the time of the present places of a booking has come.
func (k *Booking) begun(now bookahead.Time) bool { return k.begins() <= now }

// begin turns a Booked booking into a Running one if its time has come, and reports whether it has.
func (k *Booking) begin(now bookahead.Time) bool {
	if k.State != Booked || !k.begun(now) {
		return false
	}
	k.State = Running
	return true
}

// due returns when something next happens to a booking by itself: the booking ends, expires, lapses or is forgotten.
// due is 0 for a Booked booking, whose start is on the calendars.
func (k *Booking) due(keep bookahead.Duration) bookahead.Time {
	switch k.State {
	case Held:
		return min(k.Expiry, k.End)
	case Waiting:
		return k.lapse()
	case Booked:
		return 0
	case Running:
		return k.End
	}
	return bookahead.Time(addUp(bookahead.Duration(k.End), keep))
}

// keep gives a new booking slices of its own, since the command's belong to the caller. A booking of one part has
// all its slices in one piece of memory: the garbage collector takes as long for a small piece as for a large one.
func (k *Booking) keep() {
	if k.bent() || len(k.Shapes) != 1 || len(k.Shapes[0]) != 1 {
		k.Request = k.Request.Clone()
		return
	}
	x := &struct {
		shapes [1]Shape
		parts  [1]Part
		places [1]Place
		on     [1]int32
	}{}
	x.parts[0], x.places[0], x.on[0] = k.Shapes[0][0].clone(), k.Places[0], k.on[0]
	x.shapes[0] = x.parts[:]
	k.Labels = append([]string(nil), k.Labels...)
	k.Shapes, k.Places, k.on = x.shapes[:], x.places[:], x.on[:]
}

// wished returns the Interval of a waiting booking: empty, at the earliest start.
func (k *Booking) wished() bookahead.Interval {
	ready := max(k.Ready, 0)
	return bookahead.Interval{Start: ready, End: ready}
}

// lead returns how many ticks the first step may begin before the clock: its first part begins so much later.
func (x Shape) lead() bookahead.Duration {
	least := x[0].Offset
	for i := 1; i < len(x) && x[i].After == nil; i++ {
		least = min(least, x[i].Offset)
	}
	return least
}

// lapse returns the tick from which on a booking waits no longer: its Expiry, or the tick after the last start that
// meets the Deadline.
//
//	now      5  6  7  8  9 10        Deadline 10, a shape of 3 ticks:
//	               ██████████        it can begin at 7,
//	                  ▲              and so it lapses at 8
func (k *Booking) lapse() bookahead.Time {
	if k.Deadline == 0 {
		return k.Expiry
	}
	last := k.Ready // a start at which some shape meets the deadline
	for _, shape := range k.Shapes {
		if k.inTime(shape) {
			last = max(last, k.Deadline-bookahead.Time(k.leastOf(shape)-shape.lead()))
		}
	}
	return min(k.Expiry, last+1)
}

// piece returns the piece that a part has used until now. It is empty if the part has used nothing.
func (k *Booking) piece(i int, now bookahead.Time) Piece {
	x := Piece{Place: k.Places[i], Part: i}
	x.End = max(x.Start, min(x.End, now))
	t := k.Shapes[k.Shape][i].Tasks
	if t != nil {
		x.Each, x.HeadTakes = t.Each, t.Head
	}
	return x
}

// pastOfAll returns the past of a booking whose parts all move away now, with their time until now.
func (k *Booking) pastOfAll(now bookahead.Time) (past []Piece, on []int32) {
	past, on = append(past, k.Past...), append(on, k.pastOn...)
	for i := range k.Places {
		x := k.piece(i, now)
		if !x.Empty() {
			past, on = append(past, x), append(on, k.on[i])
		}
	}
	for i := range past {
		past[i].Part = -1
	}
	return past, on
}

// withPast returns the places of a booking with the time of each part from its start on, even if the part has gained or
// given up units since.
func (k *Booking) withPast() []Place {
	if len(k.Past) == 0 {
		return k.Places
	}
	list := slices.Clone(k.Places)
	for _, x := range k.Past {
		if x.Part >= 0 {
			p := &list[x.Part]
			if x.Start < p.Start {
				p.Start, p.Before = x.Start, x.Before
			}
		}
	}
	return list
}

// split cuts the whole places of a changed booking at now; old is the booking before the change. A part with other
// units begins now, and its earlier time becomes a past piece, since Use must not count the new units there:
//
//	old   [0, 9) 1 unit     k before   [0, 9) 3 units     k after   [4, 9) 3 units, and [0, 4) 1 unit is past
//
// A part with the same units keeps its start.
func (k *Booking) split(old *Booking, now bookahead.Time) {
	k.Places = slices.Clone(k.Places)
	for i := range k.Places {
		p, was := &k.Places[i], &old.Places[i]
		if was.Start > now {
			continue
		}
		p.Start, p.Before = was.Start, was.Before
		x := old.piece(i, now)
		if x.Empty() || k.extends(i, &x) {
			continue
		}
		p.Start, p.Before, x.After = now, 0, 0
		k.Past = append(k.Past[:len(k.Past):len(k.Past)], x)
		k.pastOn = append(k.pastOn[:len(k.pastOn):len(k.pastOn)], old.on[i])
	}
}

// extends reports whether a part has the same units as a piece before.
func (k *Booking) extends(i int, x *Piece) bool {
	p := k.Places[i]
	p.Interval, p.Before, p.After = x.Interval, x.Before, x.After
	now := k.piece(i, x.End)
	return p.equal(&x.Place) && slices.Equal(now.Each, x.Each) && slices.Equal(now.HeadTakes, x.HeadTakes)
}

// checkPast checks that a booking has room for one more past piece of each part.
func (k *Booking) checkPast() error {
	if len(k.Past)+len(k.Places) > MaxPast {
		return limits.Invalid("Booking.Past", len(k.Past), fmt.Sprintf("pieces leave no room for %d more, up to %d", len(k.Places), MaxPast))
	}
	return nil
}

// extent returns the time from the first start, also in the past, to the last end.
func (k *Booking) extent() bookahead.Interval {
	all := spanOf(k.Places)
	for _, x := range k.Past {
		all.Start, all.End = min(all.Start, x.Start), max(all.End, x.End)
	}
	return all
}

// entries returns how many entries a booking may have on calendars: its places, and behind them its past pieces.
func (k *Booking) entries() int { return len(k.Places) + len(k.Past) }

// entry returns the index in calendars of the n-th entry, its place and its schedule.
func (k *Booking) entry(n int) (index int, p *Place, on int32) {
	if n < len(k.Places) {
		return n, &k.Places[n], k.on[n]
	}
	n -= len(k.Places)
	return MaxParts + n, &k.Past[n].Place, k.pastOn[n]
}

// at returns the entry that has an index in calendars, as a piece.
func (k *Booking) at(index int) Piece {
	if index < MaxParts {
		return k.piece(index, bookahead.MaxTime)
	}
	return k.Past[index-MaxParts]
}
