package desk

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/internal/site"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/scheduletest"
)

// option is a place as the criteria see it.
type option struct {
	start    bookahead.Time
	units    int64
	duration bookahead.Duration
	on       int // index in the list, the best first
}

func (a option) beats(b option) bool {
	return a != b && a.start <= b.start && a.units >= b.units && a.duration >= b.duration && a.on <= b.on
}

// paretoSet tries every start, schedule, number of units and duration, and returns the options that no other beats.
func paretoSet(o *ideal, r *Request, v *Vary) (best []option) {
	p := r.Shapes[0][0]
	var all []option
	for i, name := range append([]string{p.On}, v.On...) {
		for _, n := range append([]int64{p.Units}, v.Units...) {
			for _, d := range append([]bookahead.Duration{p.Duration}, v.Durations...) {
				q := p
				q.On, q.Units, q.Duration = name, n, d
				x := spell{parts: []*Part{&q}}
				for t := r.Ready; t < 34; t++ {
					start := t + bookahead.Time(p.Offset)
					late := v.Until != 0 && start+bookahead.Time(d) > v.Until
					if !late && o.fits(x.seatsFor(r, t)) {
						all = append(all, option{start, n, d, i})
					}
				}
			}
		}
	}
	for _, a := range all {
		if !slices.ContainsFunc(all, func(b option) bool { return b.beats(a) }) && !slices.Contains(best, a) {
			best = append(best, a)
		}
	}
	return best
}

// walker is Alternatives, or a fault.
type walker func(d *Desk, r Request, v Vary) iter.Seq2[Booking, error]

// walkAll is Alternatives with the Effort of the desk.
func walkAll(d *Desk, r Request, v Vary) iter.Seq2[Booking, error] {
	return d.Alternatives(r, v, bookahead.Effort{})
}

// optionsOf returns the places that a walk yields, and checks that their requests book them.
func optionsOf(d *Desk, r Request, v Vary, walk walker) (list []option, err error) {
	names := append([]string{r.Shapes[0][0].On}, v.On...)
	for k, err := range walk(d, r, v) {
		if err != nil {
			return nil, err
		}
		p := k.Shapes[0][0]
		list = append(list, option{k.Places[0].Start, p.Units, p.Duration, slices.Index(names, p.On)})
		out, err := d.Clone().Do(Book{Request: k.Request})
		if err != nil || out.Booking.Interval != k.Interval || !out.Booking.Places[0].equal(&k.Places[0]) {
			return nil, fmt.Errorf("%v is booked as %v: %w", k.Places, out.Booking.Places, errors.Join(errors.New("not as yielded"), err))
		}
	}
	return list, nil
}

// compareOptions reports a fault of a walk: one missing, one beaten, or one out of order.
func compareOptions(got, want []option, keep []Criterion) error {
	for _, a := range want {
		if !slices.Contains(got, a) {
			return fmt.Errorf("%v is missing", a)
		}
	}
	for i, a := range got {
		if !slices.Contains(want, a) || slices.Contains(got[:i], a) {
			return fmt.Errorf("%v is beaten, taken, or there twice", a)
		}
		if i > 0 && !inOrder(got[i-1], a, keep) {
			return fmt.Errorf("%v comes after %v", a, got[i-1])
		}
	}
	return nil
}

// inOrder compares the first criterion in which two options differ.
func inOrder(a, b option, keep []Criterion) bool {
	for _, c := range append(slices.Clone(keep), KeepUnits, KeepDuration, KeepOn) {
		switch {
		case c == KeepUnits && a.units != b.units:
			return a.units > b.units
		case c == KeepDuration && a.duration != b.duration:
			return a.duration > b.duration
		case c == KeepOn && a.on != b.on:
			return a.on < b.on
		}
	}
	return false
}

// varied draws a wish for a street, and a Vary.
func varied(rng *rand.Rand) (Request, Vary) {
	names := []string{"p", "q", "s", "pq"}
	rng.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
	p := Part{On: names[0], Units: 1 + rng.Int64N(4), Duration: bookahead.Duration(1 + rng.IntN(7))}
	if rng.IntN(4) == 0 {
		p.Offset = bookahead.Duration(1 + rng.IntN(3))
	}
	r, v := asks(p), Vary{On: names[1 : 1+rng.IntN(4)]}
	r.Ready = bookahead.Time(rng.IntN(12))
	if p.On == "s" && rng.IntN(2) == 0 {
		r.Shapes[0][0].Servers, v.On = [][]int{{2, 0}, {1}, {0, 1, 2}}[rng.IntN(3)], nil
		p.Units = min(p.Units, int64(len(r.Shapes[0][0].Servers)))
		r.Shapes[0][0].Units = p.Units
	}
	v.Units, v.Durations = Down(p.Units, 1, 1+rng.Int64N(2)), Down(p.Duration, 1, bookahead.Duration(1+rng.IntN(2)))
	rng.Shuffle(len(v.Units), func(i, k int) { v.Units[i], v.Units[k] = v.Units[k], v.Units[i] })
	if rng.IntN(2) == 0 {
		v.Until = bookahead.Time(5 + rng.IntN(28))
	}
	v.Keep = []Criterion{KeepUnits, KeepDuration, KeepOn}
	rng.Shuffle(3, func(i, k int) { v.Keep[i], v.Keep[k] = v.Keep[k], v.Keep[i] })
	v.Keep = v.Keep[:rng.IntN(4)]
	return r, v
}

// alternativeCases is 500 by default.
func alternativeCases() int { return scheduletest.Operations() / 200 }

// tryAlternatives compares walks with all places, on streets on which the clock has moved.
func tryAlternatives(t require.TestingT, cases int, walk walker) (yielded [8]int, err error) {
	rng := rand.New(rand.NewPCG(11, 24))
	for n := 0; n < cases; {
		w := street(t, rng)
		require.NoError(t, w.run(Advance{bookahead.Time(rng.IntN(5))}, false))
		for range 25 {
			n++
			r, v := varied(rng)
			got, err := optionsOf(w.d, r, v, walk)
			if err == nil {
				err = compareOptions(got, paretoSet(w.o, &r, &v), v.Keep)
			}
			if err != nil {
				return yielded, fmt.Errorf("%+v, varied by %+v: %w", r, v, err)
			}
			yielded[min(len(got), 7)]++
		}
	}
	return yielded, nil
}

// TestAlternativesAgainstAllPlaces: the walk yields the full Pareto set over all starts, units, durations and
// schedules, in the caller's order, and each can be booked.
func TestAlternativesAgainstAllPlaces(t *testing.T) {
	yielded, err := tryAlternatives(t, alternativeCases(), walkAll)
	require.NoError(t, err)
	t.Logf("wishes by the number of alternatives: %v", yielded)
	for n := range yielded {
		if alternativeCases() < 500 {
			break
		}
		require.NotZero(t, yielded[n], "of %d alternatives", n)
	}
}

// spoilt walks along all alternatives, and lets a fault change them.
func spoilt(change func(d *Desk, v Vary, list []Booking) []Booking) walker {
	return func(d *Desk, r Request, v Vary) iter.Seq2[Booking, error] {
		var list []Booking
		for k, err := range d.Alternatives(r, v, bookahead.Effort{}) {
			if err != nil {
				return func(yield func(Booking, error) bool) { yield(k, err) }
			}
			list = append(list, k)
		}
		return func(yield func(Booking, error) bool) {
			for _, k := range change(d, v, list) {
				if !yield(k, nil) {
					return
				}
			}
		}
	}
}

// unbeaten is a walk that forgets places that it has yielded, so that they beat nothing: forget says which.
func unbeaten(forget func(at ranks, f front) bool) walker {
	return func(d *Desk, r Request, v Vary) iter.Seq2[Booking, error] {
		return func(yield func(Booking, error) bool) {
			x, err := d.Clone().b.variants(r, &v, unlimited())
			if err != nil {
				yield(Booking{}, err)
				return
			}
			sizes := ranks{KeepUnits: len(x.units), KeepDuration: len(x.durations), KeepOn: len(x.on)}
			at := ranks{}
			var all []front
			for more := true; more; more = at.next(&sizes, x.keep) {
				x.yielded = slices.DeleteFunc(slices.Clone(all), func(f front) bool { return forget(at, f) })
				k, err := x.place(at)
				if err == nil {
					all = append(all, front{at, k.Places[0].Start})
					if !yield(k, nil) {
						return
					}
				}
			}
		}
	}
}

// TestFaultsOfAlternativesAreCaught: the comparison finds walks that are wrong on purpose.
func TestFaultsOfAlternativesAreCaught(t *testing.T) {
	for name, walk := range map[string]walker{
		"beaten ones are yielded":     unbeaten(func(ranks, front) bool { return true }),
		"the units do not count":      unbeaten(func(at ranks, f front) bool { return f.ranks[KeepUnits] < at[KeepUnits] }),
		"the duration does not count": unbeaten(func(at ranks, f front) bool { return f.ranks[KeepDuration] < at[KeepDuration] }),
		"the schedule does not count": unbeaten(func(at ranks, f front) bool { return f.ranks[KeepOn] < at[KeepOn] }),
		"only the first is yielded": spoilt(func(_ *Desk, _ Vary, list []Booking) []Booking {
			return list[:min(len(list), 1)]
		}),
		"one that starts later is kept": unbeaten(func(_ ranks, f front) bool { return f.start > 8 }),
		"the last is missing": spoilt(func(_ *Desk, _ Vary, list []Booking) []Booking {
			return list[:max(0, len(list)-1)]
		}),
		"the first is missing": spoilt(func(_ *Desk, _ Vary, list []Booking) []Booking {
			return list[min(len(list), 1):]
		}),
		"out of order": spoilt(func(_ *Desk, _ Vary, list []Booking) []Booking {
			slices.Reverse(list)
			return list
		}),
		"until does not count": func(d *Desk, r Request, v Vary) iter.Seq2[Booking, error] {
			v.Until = 0
			return d.Alternatives(r, v, bookahead.Effort{})
		},
		"one unit too few": spoilt(func(_ *Desk, _ Vary, list []Booking) []Booking {
			for i := range list {
				if list[i].Shapes[0][0].Units > 1 {
					list[i].Shapes[0][0].Units--
				}
			}
			return list
		}),
		"the order does not count": func(d *Desk, r Request, v Vary) iter.Seq2[Booking, error] {
			v.Keep = nil
			return d.Alternatives(r, v, bookahead.Effort{})
		},
	} {
		_, err := tryAlternatives(t, 200, walk)
		require.Error(t, err, name)
		t.Logf("%s: %v", name, err)
	}
}

// TestPictureOfAlternatives has the places of the comment.
func TestPictureOfAlternatives(t *testing.T) {
	d := pictured(t, map[string]Kind{"gpus": Pool{Units: 8}})
	do(t, d, Book{Request: at(0, "gpus", 4, 12)})
	do(t, d, Book{Request: at(16, "gpus", 8, 8)})
	r := asks(Part{On: "gpus", Units: 8, Duration: 6})
	v := Vary{Units: []int64{4}, Durations: []bookahead.Duration{4}}
	got, err := optionsOf(d, r, v, walkAll)
	require.NoError(t, err)
	require.Equal(t, []option{{24, 8, 6, 0}, {12, 8, 4, 0}, {0, 4, 6, 0}}, got)
}

// TestAlternativesInTime: a wish of several parts or shapes varies in time only.
func TestAlternativesInTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 24))
	found, none := 0, 0
	for range alternativeCases()/100 + 1 {
		w := street(t, rng)
		for range 25 {
			r := Request{Ready: bookahead.Time(rng.IntN(8)), Shapes: []Shape{chained(rng), chained(rng)}}
			if w.o.senseless(&r) || w.o.unfit(&r) || w.o.unsearchable(&r) {
				continue
			}
			v := Vary{Until: bookahead.Time(8 + rng.IntN(40))}
			shape, times, ok := w.o.search(&Request{Ready: r.Ready, Deadline: v.Until, Shapes: r.Shapes}, 0)
			var got []Booking
			for k, err := range w.d.Alternatives(r, v, bookahead.Effort{}) {
				require.NoError(t, err)
				got = append(got, k)
			}
			if !ok {
				require.Empty(t, got)
				none++
				continue
			}
			found++
			require.Len(t, got, 1)
			require.Equal(t, []Shape{r.Shapes[shape]}, got[0].Shapes)
			again := must(t, w.d.Clone(), Book{Request: got[0].Request})
			for i, p := range got[0].Places {
				require.Equal(t, times[i], p.Interval)
				require.Equal(t, p, again.Places[i])
			}
		}
	}
	require.NotZero(t, found)
	require.NotZero(t, none)
}

// counted counts the searches on it and its clones.
type counted struct {
	*carts.Indexed
	searches *int
}

func (c counted) Search(r bookahead.Request) (bookahead.Offer, error) {
	*c.searches++
	return c.Indexed.Search(r)
}

func (c counted) Clone() bookahead.Schedule {
	return counted{c.Indexed.Clone().(*carts.Indexed), c.searches}
}

// TestAlternativesAreLazy: a caller who stops at the first place pays for one search, and a place that starts at once
// ends all searches for the combinations that it beats.
func TestAlternativesAreLazy(t *testing.T) {
	searches := 0
	d := deskWith(t, "gpus", Pool{Units: 8})
	d.b.schedules[0].Site = site.Of(counted{d.b.schedules[0].Keeper().(*carts.Indexed), &searches})
	do(t, d, Book{Request: at(0, "gpus", 4, 12)})
	r := asks(Part{On: "gpus", Units: 8, Duration: 6})
	v := Vary{Units: Down[int64](8, 1, 1), Durations: Down[bookahead.Duration](6, 1, 1)}
	searches = 0
	for k, err := range d.Alternatives(r, v, bookahead.Effort{}) {
		require.NoError(t, err)
		require.EqualValues(t, 12, k.Start)
		break
	}
	require.Equal(t, 1, searches)
	searches = 0
	for _, err := range d.Alternatives(r, v, bookahead.Effort{}) {
		require.NoError(t, err)
	}
	require.Less(t, searches, 4*6+2) // those of 4 units and fewer are beaten by 4 units for 6 ticks at 0
	written := 0
	for k, err := range d.Alternatives(r, v, bookahead.Effort{}) {
		require.NoError(t, err)
		must(t, d, Book{Request: at(k.Start, "gpus", 1, 1)}) // the walk does not see it
		written++
	}
	require.Equal(t, 2, written)
}

// TestBadAlternatives: a wish that makes no sense ends the walk with an error.
func TestBadAlternatives(t *testing.T) {
	d := all(t)
	one := asks(Part{On: "gpus", Units: 4, Duration: 4})
	two := asks(Part{On: "gpus", Units: 4, Duration: 4}, Part{On: "lab", Units: 1, Duration: 4})
	named := asks(Part{On: "lab", Units: 1, Duration: 4, Servers: []int{1}})
	for _, c := range []struct {
		text string
		r    Request
		v    Vary
	}{
		{"Request.Shapes 0", Request{}, Vary{}},
		{"is no schedule", asks(Part{On: "none", Units: 1, Duration: 1}), Vary{}},
		{"Vary.On[0]", one, Vary{On: []string{"none"}}},
		{"of nodes", one, Vary{On: []string{"lab", "farm"}}},
		{"is named twice", one, Vary{On: []string{"lab", "gpus"}}},
		{"is named twice", one, Vary{On: []string{"lab", "lab"}}},
		{"Vary.Units[1] 5 is not 1 to 4", one, Vary{Units: []int64{1, 5}}},
		{"Vary.Units[0] 0 is not 1 to 4", one, Vary{Units: []int64{0}}},
		{"Vary.Durations[0] 5 is not 1 to 4", one, Vary{Durations: []bookahead.Duration{5}}},
		{"Vary.Durations[0] -1", one, Vary{Durations: []bookahead.Duration{-1}}},
		{"Vary.Until -1", one, Vary{Until: -1}},
		{"Vary.Keep[0] 4", one, Vary{Keep: []Criterion{4}}},
		{"Vary.Keep[1] 2", one, Vary{Keep: []Criterion{2, 2}}},
		{"varies in time only", two, Vary{Units: []int64{1}}},
		{"are those of \"lab\"", named, Vary{On: []string{"gpus"}}},
		{"combinations are more than", asks(Part{On: "gpus", Units: 1 << 20, Duration: 1 << 20}),
			Vary{Units: Down[int64](1<<20, 1, 1<<13), Durations: Down[bookahead.Duration](1<<20, 1, 1<<13)}},
		{"are more than 4096", asks(Part{On: "gpus", Units: 1 << 20, Duration: 1}), Vary{Units: make([]int64, 5000)}},
		{"desk: Request.Shapes[0]", asks(Part{On: "farm", Units: 1, Duration: 1, Tasks: &nodes.Request{Each: nodes.Vector{1, 1, 1, 1}}}), Vary{}},
	} {
		n := 0
		for _, err := range d.Alternatives(c.r, c.v, bookahead.Effort{}) {
			n++
			require.ErrorIs(t, err, bookahead.ErrInvalid, c.text)
			require.ErrorContains(t, err, c.text)
		}
		require.Equal(t, 1, n, c.text)
	}
}

// TestDown has the lists that Vary takes, also from the greatest numbers.
func TestDown(t *testing.T) {
	require.Equal(t, []int64{6, 4, 2}, Down[int64](8, 2, 2))
	require.Equal(t, []int64{5}, Down[int64](8, 3, 3))
	require.Nil(t, Down[int64](8, 9, 1))
	require.Nil(t, Down[int64](8, 1, 0))
	require.Len(t, Down[int64](math.MaxInt64, math.MinInt64, 1), MaxCombinations)
	require.Equal(t, []int64{0}, Down[int64](math.MaxInt64, math.MinInt64, math.MaxInt64)[:1])
	require.Len(t, Down[int64](math.MaxInt64, math.MinInt64, math.MaxInt64), 2)
}
