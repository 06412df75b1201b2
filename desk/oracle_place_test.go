package desk

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
)

// seat is a part at a time, as the oracle tries it.
type seat struct {
	part *Part
	bookahead.Interval
	old     *Place                // of a part that runs
	wish    *Request              // that asks for it; nil of a booking that has begun
	buffers [2]bookahead.Duration // of such a one
}

// fits reports whether all parts have room beside each other. It tries all servers for each.
func (o *ideal) fits(seats []seat) bool {
	for i, s := range seats {
		b := o.boards[s.part.On]
		if b.of != nil { // parts on a broker do not overlap
			if o.firstOf(b, s) == "" {
				return false
			}
			continue
		}
		on := func(x seat) bool { return x.part.On == s.part.On }
		if slices.ContainsFunc(seats[:i], on) {
			continue // it was looked at together with the first
		}
		list := seats[i : i+1]
		for _, x := range seats[i+1:] {
			if on(x) {
				list = append(list[:len(list):len(list)], x)
			}
		}
		if !o.fitsOn(b, list) {
			return false
		}
	}
	return true
}

// firstOf returns the first schedule of a broker that has room; "" if none has.
func (o *ideal) firstOf(b *board, s seat) string {
	for _, name := range b.of {
		if o.fitsOn(o.boards[name], []seat{s}) {
			return name
		}
	}
	return ""
}

func (o *ideal) fitsOn(b *board, net []seat) bool {
	var list []seat
	for _, s := range net {
		if s.wish != nil && !o.allows(b, s) {
			return false
		}
		list = append(list, o.padded(b, s))
	}
	for _, s := range list {
		if !b.ahead(bookahead.Interval{Start: max(s.Start, o.now), End: s.End}, o.now) || s.old == nil && s.Start < o.now {
			return false
		}
	}
	switch {
	case b.given != nil:
		for _, s := range list {
			if !b.hasTasks(s.part, o.cut(s.Interval), s.old) {
				return false
			}
		}
		return true
	case b.servers > 0:
		return o.match(b, list, nil)
	}
	for _, s := range list {
		for t := max(s.Start, o.now); t < s.End; t++ {
			sum := b.at(t)[0]
			for _, x := range list {
				if x.Contains(t) {
					sum += x.part.Units
				}
			}
			if sum > b.units {
				return false
			}
		}
	}
	return true
}

// cut returns a time from now on.
func (o *ideal) cut(w bookahead.Interval) bookahead.Interval {
	w.Start = max(w.Start, o.now)
	return w
}

// match gives each seat servers of its own, in all ways that there are, until one works. Given has those of the
// seats before.
func (o *ideal) match(b *board, list []seat, given []uint64) bool {
	i := len(given)
	if i == len(list) {
		return true
	}
	s := list[i]
	mask := b.free(o.cut(s.Interval))
	if s.part.Servers != nil {
		mask &= maskOf(s.part.Servers)
	}
	for k, x := range list[:i] {
		if x.Overlaps(s.Interval) {
			mask &^= given[k]
		}
	}
	must, n := uint64(0), int(s.part.Units)
	if s.old != nil {
		was := maskOf(s.old.Servers)
		if n < bits.OnesCount64(was) {
			mask &= was
		} else {
			must = was
		}
	}
	for set := mask; ; set = (set - 1) & mask { // each part of the mask
		if bits.OnesCount64(set) == n && set&must == must && o.match(b, list, append(given, set)) {
			return true
		}
		if set == 0 {
			return false
		}
	}
}

// spell is a step of a shape, as the oracle divides it.
type spell struct {
	parts  []*Part
	length bookahead.Time
	gap    Gap
}

func spellsOf(shape Shape) (list []spell) {
	for i := range shape {
		p := &shape[i]
		if i == 0 {
			list = append(list, spell{})
		} else if p.After != nil {
			list = append(list, spell{gap: *p.After})
		}
		s := &list[len(list)-1]
		s.parts = append(s.parts, p)
		s.length = max(s.length, bookahead.Time(p.Offset+p.Duration))
	}
	return list
}

// starts returns the earliest start of each step of a shape: it asks for each start of each step whether
// the step fits there, which of those can be reached from the step before, and from which the last can
// be reached.
func (o *ideal) starts(r *Request, shape Shape, allowed func([]seat) bool) ([]bookahead.Time, bool) {
	spells := spellsOf(shape)
	if o.crossed(spells) {
		return nil, false
	}
	lo, last := o.span(r, spells)
	ok := make([][]bool, len(spells))
	for i, s := range spells {
		ok[i] = make([]bool, max(0, last-lo+1))
		for k := range ok[i] {
			t := lo + bookahead.Time(k)
			if r.Deadline != 0 && t+s.length > r.Deadline || i > 0 && !reached(ok[i-1], k, spells[i-1].length, s.gap) {
				continue
			}
			ok[i][k] = o.fits(s.seatsFor(r, t)) && allowed(s.seats(t))
			if ok[i][k] && len(spells) == 1 {
				break // nothing later matters
			}
		}
	}
	for i := len(spells) - 2; i >= 0; i-- {
		for k := range ok[i] {
			ok[i][k] = ok[i][k] && reaches(ok[i+1], k, spells[i].length, spells[i+1].gap)
		}
	}
	if o.buffers() > 0 {
		o.keepApart(spells, lo, ok)
	}
	starts := make([]bookahead.Time, len(spells))
	for i := range ok {
		k := 0
		for k < len(ok[i]) && !ok[i][k] {
			k++
		}
		if k == len(ok[i]) {
			return nil, false
		}
		starts[i] = lo + bookahead.Time(k)
	}
	return starts, true
}

// span returns the first start that a search looks at, and the last one, behind which nothing changes.
func (o *ideal) span(r *Request, spells []spell) (lo, last bookahead.Time) {
	last = max(r.Ready, o.now)
	for _, b := range o.boards {
		last = max(last, b.base+bookahead.Time(len(b.taken)), b.decided(o.now))
	}
	round := bookahead.Time(0)
	for _, q := range o.limits {
		for _, p := range q.Periods {
			last = max(last, p.End)
		}
		if q.Every > 0 {
			round = 240
		}
	}
	for _, q := range o.limits {
		last += bookahead.Time(q.Window)
	}
	last += bookahead.Time(o.buffers()) * 2
	for _, s := range spells {
		last += s.length + bookahead.Time(s.gap.Least)
	}
	last += round
	lo = max(r.Ready, o.now-20)
	if r.Deadline != 0 {
		last = min(last, r.Deadline)
	}
	if len(o.limits) > 0 && last+100 > o.now-150+tapeLength {
		panic(fmt.Sprintf("a search from %d to %d leaves the tapes", o.now, last))
	}
	return lo, last
}

// seats returns the parts of a step that starts at t.
func (s *spell) seats(t bookahead.Time) (list []seat) {
	for _, p := range s.parts {
		start := t + bookahead.Time(p.Offset)
		list = append(list, seat{part: p, Interval: bookahead.Interval{Start: start, End: start + bookahead.Time(p.Duration)}})
	}
	return list
}

// reached reports whether a start of a step follows one of the step before, which has such a length.
func reached(before []bool, k int, length bookahead.Time, gap Gap) bool {
	for j, ok := range before {
		wait := bookahead.Duration(k-j) - bookahead.Duration(length)
		if ok && wait >= gap.Least && wait <= gap.Most {
			return true
		}
	}
	return false
}

// reaches reports whether a start of the next step follows one of this step.
func reaches(next []bool, j int, length bookahead.Time, gap Gap) bool {
	for k, ok := range next {
		wait := bookahead.Duration(k-j) - bookahead.Duration(length)
		if ok && wait >= gap.Least && wait <= gap.Most {
			return true
		}
	}
	return false
}

// search returns the times of the parts of the shape that ends first, and of several the first. The use of one
// booking is free.
func (o *ideal) search(r *Request, not BookingID) (shape int, times []bookahead.Interval, found bool) {
	end := bookahead.Time(0)
	for i, s := range r.Shapes {
		starts, ok := o.declared(r, s, not)
		if !ok {
			continue
		}
		var all []bookahead.Interval
		for k, x := range spellsOf(s) {
			for _, at := range x.seats(starts[k]) {
				all = append(all, at.Interval)
			}
		}
		e := spanned(all).End
		if !found || e < end {
			shape, times, end, found = i, all, e, true
		}
	}
	return shape, times, found
}

// spanned returns the time from the first start to the last end.
func spanned(all []bookahead.Interval) bookahead.Interval {
	w := all[0]
	for _, x := range all {
		w.Start, w.End = min(w.Start, x.Start), max(w.End, x.End)
	}
	return w
}
