package desk

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/scheduletest"
	"github.com/bookahead/bookahead/volume"
)

// storm is a desk on which units are closed, and bookings give way. Nothing foretells where they go; but
// some things must hold in any case: see step. The oracle only lists the bookings and outages, for the drawer.
type storm struct {
	drawer
	d, replica *Desk
	tally      map[string]int
}

func newStorm(t require.TestingT, seed uint64) *storm {
	rng := rand.New(rand.NewPCG(seed, 3))
	s := &storm{drawer: drawer{n: rng.IntN, single: true}, tally: map[string]int{}}
	w := open(t, &s.drawer, (*Desk).Do)
	s.d, s.replica = w.d, w.replica
	return s
}

// starts returns when the parts of a booking began.
func starts(k *Booking) (list []bookahead.Time) {
	for _, p := range k.withPast() {
		list = append(list, p.Start)
	}
	return list
}

// list makes the oracle's list that of the desk.
func (s *storm) list() {
	s.o.now, s.o.last = s.d.b.now, s.d.b.last
	s.o.kept = map[BookingID]*entry{}
	for _, r := range s.d.b.all.All(s.d.b.now) {
		s.o.kept[r.ID] = &entry{Booking: *r.Booking, began: starts(r.Booking)}
	}
}

// command draws a command that may make others give way, or closes units.
func (s *storm) command() Command {
	rule := func() Force { return pick(&s.drawer, Nobody, Lower, Anybody) }
	switch s.n(20) {
	case 0, 1:
		c := Close{On: pick(&s.drawer, "pool", "line", "lab", "farm"), Interval: s.window(), Force: rule(), Priority: int64(s.n(4))}
		switch c.On {
		case "pool", "line":
			c.Units = int64(1 + s.n(4))
		default:
			c.Servers = s.some(4, 1)
		}
		if s.one(20) {
			c.On = pick(&s.drawer, "any", "none")
		}
		return c
	case 2:
		id := OutageID(s.n(int(s.d.b.lastOutage) + 2))
		if len(s.d.b.outages) > 0 {
			id = pick(&s.drawer, s.d.b.outages...).ID
		}
		return Reopen{id, s.window().Start}
	case 3:
		if s.one(4) {
			return Extend{On: pick(&s.drawer, "pool", "line", "lab", "farm"), Interval: s.window(), Units: int64(s.n(3))}
		}
	}
	if s.one(6) {
		return s.bent()
	}
	c := s.drawer.command()
	_, cancels := c.(Cancel)
	if cancels && !s.one(3) {
		c = s.book()
	}
	switch c := c.(type) {
	case Book:
		if c.Key == "" {
			c.Force = rule()
		}
		return c
	case Change:
		c.Force = rule()
		return c
	case Overrun:
		c.Force = rule()
		return c
	default:
		return c
	}
}

// bent draws a Book or a Change for a volume, for work in pieces, for whole nodes, or for a gang that swaps nodes.
func (s *storm) bent() Command {
	r := Request{Owner: pick(&s.drawer, "ann", "bob"), Priority: int64(s.n(4)), Ready: s.o.now + bookahead.Time(s.n(9))}
	if s.one(3) {
		r.Deadline = r.Ready + bookahead.Time(5+s.n(30))
	}
	part := Part{On: pick(&s.drawer, "pool", "line", "lab", "any", "farm", "farms"), Units: int64(1 + s.n(3)), Duration: bookahead.Duration(1 + s.n(9))}
	if part.On[0] == 'f' {
		part.Tasks = &nodes.Request{Each: nodes.Vector{int64(s.n(2)), int64(1 + s.n(3))}, PerNode: int64(s.n(3)), Exclusive: s.one(3)}
		part.Swap = s.one(2)
	}
	switch s.n(3) {
	case 0:
		v := volume.Request{Ready: r.Ready, Deadline: r.Deadline, Volume: int64(1 + s.n(20)), Most: int64(s.n(5)), Stretches: s.n(4)}
		r = r.OfVolume(pick(&s.drawer, "pool", "line"), v)
	case 1:
		r = r.InPieces(part, pieces.Rule{Least: bookahead.Duration(s.n(4)), Gap: bookahead.Duration(s.n(9)), Restart: bookahead.Duration(s.n(3))})
	default:
		if part.On == "farm" {
			part.Tasks.Together, part.Tasks.Patience = "rack", bookahead.Duration(s.n(5))
		}
		r.Shapes = []Shape{{part}}
	}
	force := pick(&s.drawer, Nobody, Lower, Anybody)
	if s.one(4) {
		return Change{s.id(0), r, force}
	}
	c := Book{Request: r, Force: force}
	if s.one(3) {
		c.Wait = s.o.now + 20
	}
	return c
}

func (s *storm) window() bookahead.Interval {
	start := s.o.now + bookahead.Time(s.n(30)-2)
	return bookahead.Interval{Start: start, End: start + bookahead.Time(1+s.n(20))}
}

// unit is a unit of a pool, a server, or a resource of a node, at a tick.
type unit struct {
	on    string
	at    bookahead.Time
	which int
}

// excess returns how much more is booked than there is, where it is more; and the least priority of the
// bookings there.
func (s *storm) excess() (over map[unit]int64, least map[unit]int64) {
	over, least = map[unit]int64{}, map[unit]int64{}
	for _, e := range s.o.kept {
		if !e.State.Live() {
			continue
		}
		shape := e.Shapes[e.Shape]
		for i, p := range e.Places {
			b := newBoard(s.o.boards[p.On].kind, s.o.now)
			b.servers = min(b.servers, 1) * 99 // with those that are added
			b.put(p, shape[i].Tasks, s.o.now, 1)
			for t := max(p.Start, s.o.now); t < p.End; t++ {
				for k, n := range b.at(t) {
					if n > 0 {
						u := unit{p.On, t, k}
						_, seen := least[u]
						if !seen || e.Priority < least[u] {
							least[u] = e.Priority
						}
						over[u] += n
					}
				}
			}
		}
	}
	for u := range over {
		over[u] -= s.given(u)
		if over[u] <= 0 {
			delete(over, u)
		}
	}
	return over, least
}

// given returns how much there is of a unit.
func (s *storm) given(u unit) int64 {
	b := s.o.boards[u.on]
	n, node := b.units, u.which
	switch {
	case b.given != nil:
		node /= len(b.given[0])
		n = b.given[node][u.which%len(b.given[0])]
	case b.servers > u.which:
		n = 1
	}
	closed, shut := int64(0), false
	for _, o := range s.d.b.outages {
		if o.On != u.on || !o.Contains(u.at) {
			continue
		}
		switch {
		case b.units > 0 && o.added:
			n += o.Units
		case b.units > 0:
			closed += o.Units
		default:
			for _, k := range o.Servers {
				if k == node && o.added {
					n = 1
				}
				shut = shut || k == node && !o.added
			}
		}
	}
	if shut {
		return 0
	}
	return max(0, n-closed)
}

// step carries a command out, and checks the laws that hold whatever the rules are:
//   - a refused command changes nothing, nor does Decide, and a replica that applies the decisions is alike
//   - nothing is overbooked that was not before, unless a closure or the end of an extension has done it
//   - after a closure by force nothing is overbooked there but by bookings that the rule spares
//   - who gives way is less important by Lower, and has not begun if it is for an overrun
//   - a booking that changes is told of, with its time before and since, and no other is
//   - units that a booking used before the command stay used afterwards
func (s *storm) step() error {
	s.list()
	c := s.command()
	was := s.o.kept
	over, _ := s.excess()
	before := s.d.Clone()
	e, _ := s.d.Decide(c)
	err := alike(&before.b, &s.d.b)
	if err != nil {
		return fmt.Errorf("Decide of %+v: %w", c, err)
	}
	out, err := s.d.Do(c)
	s.tally[c.verb()]++
	if err != nil {
		kind := kindOf(err)
		if kind != invalid && kind != notFound && kind != unavailable {
			return fmt.Errorf("%+v: %w", c, err)
		}
		return alike(&before.b, &s.d.b)
	}
	s.tally[c.verb()+" done"]++
	_, err = s.replica.Apply(e)
	if err == nil {
		err = alike(&s.d.b, &s.replica.b)
	}
	if err == nil {
		err = s.d.Verify()
	}
	if err == nil {
		s.list()
		added, isAdded := c.(AddSchedule)
		if isAdded {
			s.o.boards[added.Name] = newBoard(added.Kind, s.o.now)
		}
		err = s.checkUnits(c, over)
	}
	if err == nil {
		err = s.checkEvents(c, was, out.Events)
	}
	if err == nil {
		err = s.checkPast(before.b.now, was, out.Events)
	}
	if err != nil {
		return fmt.Errorf("%+v: %w", c, err)
	}
	return nil
}

// checkUnits checks that nothing is overbooked that need not be.
func (s *storm) checkUnits(c Command, before map[unit]int64) error {
	over, least := s.excess()
	shut, closes := c.(Close)
	_, reopens := c.(Reopen)
	for u, n := range over {
		if !closes && !reopens && n > before[u] {
			return fmt.Errorf("%v: %d more are booked than there are", u, n)
		}
		here := closes && u.on == shut.On && shut.Contains(u.at) && (shut.Servers == nil || s.names(shut, u))
		if here && (shut.Force == Anybody || shut.Force == Lower && least[u] < shut.Priority) {
			return fmt.Errorf("%v: %d are left, of priority %d", u, n, least[u])
		}
	}
	return nil
}

// names reports whether a closure names a server or node.
func (s *storm) names(c Close, u unit) bool {
	b, k := s.o.boards[u.on], u.which
	if b.given != nil {
		k /= len(b.given[0])
	}
	return maskOf(c.Servers)>>k&1 == 1
}

// checkEvents compares the events with the bookings before and after.
func (s *storm) checkEvents(c Command, was map[BookingID]*entry, events []Event) error {
	last, rule, priority, about := map[BookingID]Event{}, Nobody, int64(0), BookingID(0)
	switch c := c.(type) {
	case Book:
		rule, priority, about = c.Force, c.Priority, s.o.last
	case Change:
		rule, priority, about = c.Force, c.To.Priority, c.ID
	case Overrun:
		rule, priority, about = c.Force, was[c.ID].Priority, c.ID
	case Close:
		rule, priority = c.Force, c.Priority
	}
	_, overrun := c.(Overrun)
	for i, e := range events {
		if i > 0 && e.Number != events[i-1].Number+1 || i == len(events)-1 && e.Number != s.d.b.events {
			return fmt.Errorf("events are not numbered: %+v", events)
		}
		s.tally[e.What.String()]++
		if e.What == WasMoved || e.What == WasDisplaced {
			k := was[e.Booking]
			if e.From != k.Interval || e.Booking == about || rule == Nobody || rule == Lower && k.Priority >= priority || overrun && spanOf(k.Places).Start <= s.o.now {
				return fmt.Errorf("%v of %v, for priority %d", e.What, k.Booking, priority)
			}
			if e.What == WasDisplaced && s.o.keep > 0 && s.o.kept[e.Booking].State != Displaced {
				return fmt.Errorf("%v is told to be displaced", s.o.kept[e.Booking].Booking)
			}
		}
		if e.What != HasStarted {
			last[e.Booking] = e
		}
	}
	_, advance := c.(Advance)
	for id, k := range was {
		now := s.o.kept[id]
		e, told := last[id]
		switch {
		case now == nil && !advance && s.o.keep > 0:
			return fmt.Errorf("%v is gone", k.Booking)
		case now == nil || advance:
		case !told && !reflect.DeepEqual(k.Booking, now.Booking):
			return fmt.Errorf("%v is now %v, and nobody is told", k.Booking, now.Booking)
		case told && e.To != now.Interval:
			return fmt.Errorf("%v is now %v, and told is %+v", k.Booking, now.Booking, e)
		}
	}
	return nil
}

// checkPast compares the units that bookings had at each tick before now, for the bookings that have events.
func (s *storm) checkPast(now bookahead.Time, was map[BookingID]*entry, events []Event) error {
	for _, e := range events {
		k, x := was[e.Booking], s.o.kept[e.Booking]
		if k == nil || x == nil {
			continue
		}
		for t := k.Start; t < now; t++ {
			before, after := usedAt(&k.Booking, t), usedAt(&x.Booking, t)
			if !slices.Equal(before, after) {
				return fmt.Errorf("%v: at %d it had %v, and now %v", k.Booking, t, before, after)
			}
			s.tally["used"] += len(after)
		}
		s.tally["past"] += len(x.Past)
	}
	return nil
}

// usedAt lists the units that a booking had at a tick.
func usedAt(k *Booking, t bookahead.Time) (list []string) {
	for _, x := range had(k) {
		if x.Contains(t) {
			list = append(list, fmt.Sprint(x.On, x.Units, x.Servers, x.Nodes, x.Head, x.Each, x.HeadTakes))
		}
	}
	slices.Sort(list)
	return list
}

// TestStorms closes and reopens units, and books by force, in long runs: a hundredth of BOOKAHEAD_OPS.
func TestStorms(t *testing.T) {
	want, ops := scheduletest.Operations()/100, 0
	tally := map[string]int{}
	for seed := uint64(0); ops < want; seed++ {
		s := newStorm(t, seed)
		for range 500 {
			err := s.step()
			if err != nil {
				s.list()
				require.NoError(t, err, "run %d, at %d\nBookings: %v\nOutages: %v", seed, s.o.now, s.o, s.d.b.outages)
			}
			ops++
		}
		for k, n := range s.tally {
			tally[k] += n
		}
	}
	t.Logf("%d commands: %v", ops, tally)
}
