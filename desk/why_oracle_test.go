package desk

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// wondering is a refused request for which the oracle knows the reasons: it leaves obstacles out of its boards and limits,
// and tries all starts.
type wondering struct {
	*ideal
	d     *Desk
	r     Request // with the deadline that is not met
	tapes map[string]*tape
	known map[ruling]bool
}

// ruling is whether a quota allows a step at a start. The step is known by its first part.
type ruling struct {
	quota string
	step  *Part
	start bookahead.Time
}

// naivePlace is a shape with the times of its parts.
type naivePlace struct {
	shape int
	times []bookahead.Interval
}

func (x *naivePlace) end() bookahead.Time { return spanned(x.times).End }

// chains visits all chains of starts of a shape, without some obstacles, in which no step alone breaks a quota. mayLie
// returns the first place if all steps may lie there together, and otherwise the first rigid place; nil if there is none.
func (w *wondering) chains(shape int, deadline bookahead.Time, out []Obstacle, visit func(at []bookahead.Time)) (mayLie func(first []bookahead.Time) []bookahead.Time) {
	r := w.r
	r.Deadline = deadline
	milder := *w.ideal
	milder.boards = maps.Clone(w.boards)
	var eased []*Part
	var unasked []string
	for _, o := range out {
		switch {
		case o.Shape != shape:
		case o.Quota != "":
			unasked = append(unasked, o.Quota)
		case o.Rule != "":
			b := *milder.boards[o.On]
			naiveRules[slices.IndexFunc(naiveRules, func(x naiveRule) bool { return x.name == o.Rule })].drop(&b.terms)
			milder.boards[o.On] = &b
		default:
			eased = append(eased, &w.r.Shapes[shape][o.Part])
		}
	}
	allowed := func(seats []seat) bool {
		for name, q := range w.limits {
			if slices.Contains(unasked, name) {
				continue
			}
			about := ruling{name, seats[0].part, seats[0].Start}
			ok, known := w.known[about]
			if !known {
				_, broken := w.breach(q, seats)
				ok = !broken
				w.known[about] = ok
			}
			if !ok {
				return false
			}
		}
		return true
	}
	eachChain(&milder, &r, r.Shapes[shape], eased, allowed, visit)
	spells := spellsOf(r.Shapes[shape])
	together := func(at []bookahead.Time) bool {
		for name, q := range w.limits {
			_, broken := w.breach(q, seatsOf(spells, at))
			if broken && !slices.Contains(unasked, name) {
				return false
			}
		}
		return true
	}
	return func(first []bookahead.Time) []bookahead.Time {
		if first == nil || together(first) {
			return first
		}
		w.forms["rigid"]++
		return firstRigid(&milder, &r, spells, eased, together)
	}
}

// firstRigid tries each start of steps at their least distances, some parts of which need no units.
func firstRigid(o *ideal, r *Request, spells []spell, eased []*Part, allowed func(at []bookahead.Time) bool) []bookahead.Time {
	tight := o.tight(spells, eased)
	whole := tight[len(tight)-1] + spells[len(tight)-1].length
	at := make([]bookahead.Time, len(tight))
	for t := max(0, r.Ready); t < o.settled()+2*whole; t++ {
		ok := r.Deadline == 0 || t+whole <= r.Deadline
		for i := range spells {
			at[i] = t + tight[i]
			ok = ok && o.fitsEased(&spells[i], r, at[i], eased)
		}
		if ok && allowed(at) {
			return at
		}
	}
	return nil
}

// timesOf returns the times of the parts of a shape.
func timesOf(s Shape, at []bookahead.Time) (list []bookahead.Interval) {
	for k, x := range spellsOf(s) {
		for _, part := range x.seats(at[k]) {
			list = append(list, part.Interval)
		}
	}
	return list
}

// place returns the place without some obstacles, of one shape or of all (-1).
func (w *wondering) place(deadline bookahead.Time, out []Obstacle, only int) (best *naivePlace) {
	for i, s := range w.r.Shapes {
		if only >= 0 && i != only {
			continue
		}
		var first []bookahead.Time
		mayLie := w.chains(i, deadline, out, func(at []bookahead.Time) {
			if first == nil {
				first = append(first, at...)
			}
			for k, t := range at {
				first[k] = min(first[k], t)
			}
		})
		first = mayLie(first)
		if first == nil {
			continue
		}
		x := naivePlace{i, timesOf(s, first)}
		if best == nil || x.end() < best.end() {
			best = &x
		}
	}
	return best
}

// all returns everything that may be in the way.
func (w *wondering) all() (list []Obstacle) {
	for i, s := range w.r.Shapes {
		for k := range s {
			list = append(list, Obstacle{Shape: i, Part: k, On: s[k].On, Units: s[k].Units})
		}
		seen := map[string]bool{}
		for k := range s {
			names := []string{s[k].On}
			if w.boards[s[k].On].of != nil {
				names = w.boards[s[k].On].of
			}
			for _, name := range names {
				for _, x := range naiveRules {
					is, bound := x.has(&w.boards[name].terms)
					if is && !seen[name] {
						list = append(list, Obstacle{Shape: i, Part: k, On: name, Rule: x.name, Bound: int64(bound)})
					}
				}
				seen[name] = true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(w.limits)) {
			for k := range s {
				if w.asks(w.limits[name], &s[k]) > 0 {
					list = append(list, Obstacle{Shape: i, Part: k, Quota: name})
					break
				}
			}
		}
	}
	return list
}

// why answers as Why does, by trying everything.
func (w *wondering) why() (f Refusal) {
	w.tapes, w.known = map[string]*tape{}, map[ruling]bool{}
	all := w.all()
	next := w.place(0, nil, -1)
	if next != nil {
		f.Next = spanned(next.times)
	}
	f.Window = bookahead.Interval{Start: max(w.r.Ready, w.now), End: cmp.Or(w.r.Deadline, bookahead.MaxTime)}
	if w.place(w.r.Deadline, nil, -1) != nil {
		ideal := w.place(0, all, -1)
		w.r.Deadline = ideal.end()
		f.Window.End = ideal.end()
		if next.end() == ideal.end() {
			return f
		}
	} else {
		for _, name := range slices.Sorted(maps.Keys(w.limits)) {
			q := w.limits[name]
			if q.None && q.counts(w.r.Owner, w.r.Labels) && w.shapesCounted(q, &w.r) == len(w.r.Shapes) {
				f.Waiting = append(f.Waiting, Obstacle{Quota: name, Units: 1, Until: bookahead.MaxTime})
			}
		}
	}
	var blamed []int
	for i := range all {
		if w.place(w.r.Deadline, all[i:i+1], -1) != nil {
			blamed = append(blamed, i)
		}
	}
	if blamed == nil {
		n := 0
		for n <= len(all) && w.place(w.r.Deadline, all[:n], -1) == nil {
			n++
		}
		if n > len(all) {
			return f
		}
		f.Together = true
		for i := range n {
			blamed = append(blamed, i)
		}
		for i := range n {
			fewer := slices.DeleteFunc(slices.Clone(blamed), func(k int) bool { return k == i })
			if w.place(w.r.Deadline, pickOf(all, fewer), -1) != nil {
				blamed = fewer
			}
		}
	}
	for _, i := range blamed {
		o := all[i]
		var others []Obstacle
		if f.Together {
			others = pickOf(all, slices.DeleteFunc(slices.Clone(blamed), func(k int) bool { return k == i }))
		}
		o.Until = bookahead.MaxTime
		x := w.place(0, others, o.Shape)
		if x != nil {
			o.Until = x.times[o.Part].Start
		}
		w.window(&o, all)
		switch {
		case o.Quota != "":
			w.count(&o, w.place(w.r.Deadline, append(others, o), o.Shape))
		case o.Rule == "":
			w.name(&o)
		}
		f.Obstacles = append(f.Obstacles, o)
	}
	return f
}

func pickOf(list []Obstacle, at []int) (some []Obstacle) {
	for _, i := range at {
		some = append(some, list[i])
	}
	return some
}

// window finds the ticks in which a part can lie if nothing is in the way.
func (w *wondering) window(o *Obstacle, all []Obstacle) {
	o.Window = bookahead.Interval{Start: bookahead.MaxTime}
	w.chains(o.Shape, w.r.Deadline, all, func(at []bookahead.Time) {
		x := timesOf(w.r.Shapes[o.Shape], at)[o.Part]
		o.Window.Start, o.Window.End = min(o.Window.Start, x.Start), max(o.Window.End, x.End)
	})
	if w.r.Deadline == 0 {
		o.Window.End = bookahead.MaxTime
	}
}

// name finds the bookings where the part may lie with its buffers.
func (w *wondering) name(o *Obstacle) {
	p := &w.r.Shapes[o.Shape][o.Part]
	on := []string{p.On}
	if w.boards[p.On].of != nil {
		on = w.boards[p.On].of
	}
	before, after := bookahead.Duration(0), bookahead.Duration(0)
	for _, name := range on {
		before, after = max(before, w.boards[name].terms.Before), max(after, w.boards[name].terms.After)
	}
	o.Window.Start = max(w.now, o.Window.Start-bookahead.Time(before))
	if o.Window.End < bookahead.MaxTime {
		o.Window.End += bookahead.Time(after)
	}
	w.nameAll(o, func(_ *entry, at *Place) bool {
		named := p.Servers == nil || slices.ContainsFunc(p.Servers, func(k int) bool { return slices.Contains(at.Servers, k) })
		if p.Tasks != nil && p.Tasks.Nodes != nil {
			named = slices.ContainsFunc(at.Nodes, func(x nodes.Share) bool { return x.Node == p.Tasks.Nodes[0] })
		}
		whole := ticks(at.Start-bookahead.Time(at.Before), at.End+bookahead.Time(at.After))
		return named && slices.Contains(on, at.On) && whole.Overlaps(o.Window)
	})
	for _, out := range w.d.Outages("") {
		named := p.Servers == nil || slices.ContainsFunc(p.Servers, func(k int) bool { return slices.Contains(out.Servers, k) })
		if slices.Contains(on, out.On) && out.Overlaps(o.Window) && named {
			o.Outages = append(o.Outages, out.ID)
		}
	}
}

// nameAll names the bookings with a place for which is is true.
func (w *wondering) nameAll(o *Obstacle, is func(e *entry, at *Place) bool) {
	first := map[BookingID]bookahead.Time{}
	for _, e := range w.kept {
		for i := range e.Places {
			at := &e.Places[i]
			if e.State.Live() && at.End > w.now && is(e, at) {
				start, ok := first[e.ID]
				if !ok || at.Start < start {
					first[e.ID] = at.Start
				}
			}
		}
	}
	o.Bookings = slices.SortedFunc(maps.Keys(first), func(k, q BookingID) int { return cmp.Or(cmp.Compare(first[k], first[q]), cmp.Compare(k, q)) })
	if len(o.Bookings) > MaxNamed {
		o.Bookings, o.More = o.Bookings[:MaxNamed], true
	}
}

// plain is a Refusal without the fields that only a text needs.
func plain(f Refusal) Refusal {
	f.Obstacles = slices.Clone(f.Obstacles)
	for i := range f.Obstacles {
		o := &f.Obstacles[i]
		o.kind, o.servers, o.owner = "", nil, ""
		if len(o.Bookings) == 0 {
			o.Bookings = nil
		}
		if len(o.Outages) == 0 {
			o.Outages = nil
		}
	}
	f.Waiting = slices.Clone(f.Waiting)
	for i := range f.Waiting {
		f.Waiting[i].kind = ""
	}
	return f
}

// asker is Why, or a fault.
type asker func(d *Desk, r Request) (Refusal, error)

// ask is Why with the Effort of the desk.
func ask(d *Desk, r Request) (Refusal, error) { return d.Why(r, bookahead.Effort{}) }

// tryWhy compares answers with those that the oracle finds by trying all starts.
func tryWhy(t require.TestingT, cases int, lawful bool, why asker) (counts map[string]int, err error) {
	rng := rand.New(rand.NewPCG(5, 24))
	counts = map[string]int{}
	for n := 0; n < cases; {
		var laws func(*world)
		if lawful {
			laws = func(w *world) { makeLaws(t, rng, w) }
		}
		w := roadworks(t, rng, laws)
		for range 25 {
			r := Request{Ready: bookahead.Time(rng.IntN(10))}
			for range 1 + rng.IntN(2) {
				r.Shapes = append(r.Shapes, chained(rng))
			}
			for _, s := range r.Shapes {
				p := &s[rng.IntN(len(s))]
				switch {
				case rng.IntN(3) == 0:
					p.On, p.Tasks = "farm", drawTasks(rng)
				case p.On == "s" && rng.IntN(3) == 0:
					p.Servers = []int{2, 0}
				case rng.IntN(8) == 0:
					p.Units = 4
				}
			}
			if rng.IntN(3) > 0 {
				r.Deadline = r.Ready + bookahead.Time(1+rng.IntN(16))
			}
			if lawful && rng.IntN(2) == 0 {
				r.Owner = "ann"
			}
			if w.o.senseless(&r) || w.o.unfit(&r) || w.o.unsearchable(&r) {
				continue
			}
			n++
			x := wondering{ideal: w.o, d: w.d, r: r.Clone()}
			want := x.why()
			got, err := why(w.d, r)
			if err != nil {
				return counts, fmt.Errorf("%+v: %w", r, err)
			}
			if !reflect.DeepEqual(plain(want), plain(got)) {
				return counts, fmt.Errorf("%+v at %d:\nwhy %+v\nand not %+v", r, w.o.now, plain(got), plain(want))
			}
			counts[caseOf(&r, &got)]++
			if x.forms["rigid"] > 0 {
				counts["rigid"]++
			}
			x.forms["rigid"] = 0
			for _, o := range got.Obstacles {
				if lawful {
					counts[obstacleKind(&o)]++
				}
			}
		}
	}
	return counts, nil
}
