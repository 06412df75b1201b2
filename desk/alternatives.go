package desk

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/limits"
)

// variants are the combinations of a wish.
type variants struct {
	trial
	wish      Request
	until     bookahead.Time
	on        []string // this list and the next go from the best to the worst
	units     []int64
	durations []bookahead.Duration
	keep      []Criterion
	yielded   []front
}

// front is a place that was yielded.
type front struct {
	ranks ranks
	start bookahead.Time // that of the last tick, for work that bends
}

// ranks are the indices of a combination in the lists of variants, by Criterion.
type ranks [KeepOn + 1]int

// variants checks a wish, and returns its combinations.
func (b *books) variants(r Request, v *Vary, m *effort.Meter) (*variants, error) {
	r.Deadline = 0
	err := r.check()
	if err == nil {
		err = b.fit(&r)
	}
	if err == nil {
		err = v.check(&r)
	}
	if err != nil {
		return nil, err
	}
	r = r.Clone() // the caller may change the request between two places
	x := &variants{trial: trial{books: b, meter: m}, wish: r, until: v.Until, keep: slices.Clone(v.Keep)}
	for c := KeepUnits; c <= KeepOn; c++ {
		if !slices.Contains(x.keep, c) {
			x.keep = append(x.keep, c)
		}
	}
	p := &r.Shapes[0][0]
	x.on = append([]string{p.On}, v.On...)
	x.units, x.durations = downwards(p.Units, v.Units), downwards(p.Duration, v.Durations)
	if r.Volume != nil { // the fewest units at once are the best
		x.units = downwards(cmp.Or(r.Volume.Most, math.MaxInt64), v.Units)
		slices.Reverse(x.units)
	}
	combinations := len(x.units) * len(x.durations) * len(x.on)
	if combinations > MaxCombinations {
		return nil, limits.Invalid("Vary", combinations, fmt.Sprintf("combinations are more than %d", MaxCombinations))
	}
	for i, name := range v.On {
		if slices.Contains(x.on[:i+1], name) {
			return nil, limits.Invalid(fmt.Sprintf("Vary.On[%d]", i), name, "is named twice")
		}
		other := x.request(ranks{KeepOn: i + 1})
		err := b.fit(&other)
		if err != nil {
			return nil, fmt.Errorf("desk: Vary.On[%d]: %w", i, err)
		}
	}
	return x, nil
}

// downwards returns the wish's own value and those of a list, each once, the greatest first.
func downwards[T int64 | bookahead.Duration](own T, list []T) []T {
	all := append([]T{own}, list...)
	slices.Sort(all)
	all = slices.Compact(all)
	slices.Reverse(all)
	return all
}

// check checks the fields that do not depend on the desk.
func (v *Vary) check(r *Request) error {
	p := &r.Shapes[0][0]
	more := len(v.On) + len(v.Units) + len(v.Durations)
	switch {
	case more > 0 && (len(r.Shapes) > 1 || len(r.Shapes[0]) > 1 || r.Pieces != nil || r.Volume != nil && len(v.Durations) > 0):
		return limits.Invalid("Vary", more, "other values are given, but a wish of several parts or shapes, or for work in pieces, varies in time only, and a volume has no Duration")
	case more > MaxCombinations:
		return limits.Invalid("Vary", more, fmt.Sprintf("schedules, units and durations are more than %d", MaxCombinations))
	case len(v.On) > 0 && p.Servers != nil:
		return limits.Invalid("Vary.On", v.On, fmt.Sprintf("are other schedules, but the servers %v are those of %q", p.Servers, p.On))
	case v.Until < 0:
		return limits.Invalid("Vary.Until", v.Until, "is negative")
	}
	least, most, of := int64(1), p.Units, int64(1)
	switch {
	case r.Volume != nil:
		least, most = max(1, r.Volume.Least), cmp.Or(r.Volume.Most, math.MaxInt64)
	case p.Tasks != nil:
		of = max(1, p.Tasks.Bundle)
	}
	for i, n := range v.Units {
		if n < least || n > most || n%of != 0 {
			return limits.Invalid(fmt.Sprintf("Vary.Units[%d]", i), n, fmt.Sprintf("is not %d to %d, in bundles of %d", least, most, of))
		}
	}
	for i, n := range v.Durations {
		if n < 1 || n > p.Duration {
			return limits.Invalid(fmt.Sprintf("Vary.Durations[%d]", i), n, fmt.Sprintf("is not 1 to %d", p.Duration))
		}
	}
	for i, c := range v.Keep {
		if c < KeepUnits || c > KeepOn || slices.Contains(v.Keep[:i], c) {
			return limits.Invalid(fmt.Sprintf("Vary.Keep[%d]", i), c, "is no criterion, or named twice")
		}
	}
	return nil
}

// walk yields the places of the combinations that no other place beats.
func (x *variants) walk(yield func(Booking, error) bool) {
	sizes := ranks{KeepUnits: len(x.units), KeepDuration: len(x.durations), KeepOn: len(x.on)}
	at := ranks{}
	for more := true; more; more = at.next(&sizes, x.keep) {
		place, err := x.place(at)
		if err == bookahead.ErrUnavailable {
			continue
		}
		err = givenUp("alternatives", x.meter, err)
		if !yield(place, err) || err != nil {
			return
		}
		first := place.Places[0].Start
		if place.bent() {
			first = place.End - 1
		}
		x.yielded = append(x.yielded, front{at, first})
	}
}

// next moves on to the next combination, and gives up the last criterion first. It reports whether there is another.
func (at *ranks) next(sizes *ranks, keep []Criterion) bool {
	for _, c := range slices.Backward(keep) {
		at[c]++
		if at[c] < sizes[c] {
			return true
		}
		at[c] = 0
	}
	return false
}

// request returns the wish for a combination.
func (x *variants) request(at ranks) Request {
	r := x.wish
	if len(r.Shapes) > 1 || len(r.Shapes[0]) > 1 {
		return r
	}
	p := r.Shapes[0][0]
	p.On = x.on[at[KeepOn]]
	if r.Volume == nil {
		p.Units, p.Duration = x.units[at[KeepUnits]], x.durations[at[KeepDuration]]
	} else if x.units[at[KeepUnits]] < math.MaxInt64 {
		r.Volume = another(r.Volume)
		r.Volume.Most = x.units[at[KeepUnits]]
	}
	r.Shapes = []Shape{{p}}
	return r
}

// place returns the earliest place of a combination that no earlier place beats. The error is bookahead.ErrUnavailable
// if there is none.
//
// An earlier place with better units, duration and schedule beats the combination from its own start on. So the search
// ends before that start:
//
//	8 units for 6      ██████         found before
//	4 units for 4   ◂──────           has to start earlier than that
func (x *variants) place(at ranks) (Booking, error) {
	err := x.looks(1 + len(x.yielded))
	if err != nil {
		return Booking{}, err
	}
	r := x.request(at)
	r.Deadline = x.until
	start := x.before(at)
	if start < bookahead.MaxTime {
		p := &r.Shapes[0][0] // only a wish of one part has several combinations
		if start <= max(x.now, r.Ready+bookahead.Time(p.Offset)) {
			return Booking{}, bookahead.ErrUnavailable
		}
		length := bookahead.Time(p.Duration)
		if r.bent() {
			length = 1
		}
		last := start - 1 + length
		if r.Deadline == 0 || last < r.Deadline {
			r.Deadline = last
		}
	}
	found, err := x.find(&r)
	if err != nil {
		return Booking{}, err
	}
	r = r.laid(found.places)
	k := Booking{Request: r, Places: found.places, Interval: spanOf(found.places)}
	first := &r.Shapes[found.shape][0]
	k.Shapes = r.Shapes[found.shape : found.shape+1 : found.shape+1]
	k.Ready, k.Deadline = found.places[0].Start-bookahead.Time(first.Offset), k.End
	return k, nil
}

// before returns the first start of the places that are no worse in all other criteria; MaxTime if there is none.
func (x *variants) before(at ranks) bookahead.Time {
	start := bookahead.MaxTime
	for _, f := range x.yielded {
		if f.ranks[KeepUnits] <= at[KeepUnits] && f.ranks[KeepDuration] <= at[KeepDuration] && f.ranks[KeepOn] <= at[KeepOn] {
			start = min(start, f.start)
		}
	}
	return start
}
