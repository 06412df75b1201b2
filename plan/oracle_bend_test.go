package plan_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/plan"
	"github.com/bookahead/bookahead/volume"
)

// bend draws whether a shape bends, which then has one part.
func (y yard) bend(rng *rand.Rand, s *plan.Shape) {
	if rng.IntN(3) == 0 {
		return
	}
	*s = (*s)[:1]
	p := &(*s)[0]
	p.Offset = 0
	p.Duration += bookahead.Duration(4 * rng.IntN(3)) // longer than most holes
	i := slices.IndexFunc(y.cells, func(c *cells) bool { return c.name == p.On })
	if y.cells[i].kind == pool && rng.IntN(3) == 0 {
		p.Volume = &volume.Request{Least: pick(rng, 0, 0, 1, 1, p.Units)}
		return
	}
	p.Pieces = &pieces.Rule{
		Least: pick[bookahead.Duration](rng, 0, 2, 3), Gap: pick[bookahead.Duration](rng, 0, 0, 0, 5), Restart: pick[bookahead.Duration](rng, 0, 0, 1, 2),
	}
}

func (j *task) mayBend() bool {
	return slices.ContainsFunc(j.shapes, func(s []*chunk) bool { return s[0].bends != nil })
}

func (j *task) bends() bool { return j.shapes[j.form][0].bends != nil }

func endOf(at []spot) (end bookahead.Time) {
	for _, x := range at {
		end = max(end, x.end)
	}
	return end
}

func ok(err error) {
	if err != nil {
		panic(err)
	}
}

// open returns a schedule that is new and has booked what the cells have, as far as one can book.
func (s *cells) open() plan.Schedule {
	x := plan.Schedule{}
	var err error
	horizon := bookahead.Duration(s.horizon)
	switch s.kind {
	case pool:
		x.Pool, err = carts.NewFlat(s.given[0][0], carts.Config{Horizon: horizon})
	case servers:
		x.Pool, err = idletree.NewLists(int64(len(s.given)), idletree.Config{Horizon: horizon, Prefer: idletree.LowestIndex})
	case machine:
		c := nodes.Config{Resources: []string{"gpus", "cores"}, Horizon: horizon, Levels: []nodes.Level{{Name: "rack", Groups: s.racks}}}
		for _, v := range s.given {
			c.Nodes = append(c.Nodes, v)
		}
		x.Nodes, err = nodes.New(c)
	}
	ok(err)
	end := s.busy
	if s.horizon > 0 {
		end = min(end, s.now+s.horizon)
	}
	if x.Nodes != nil {
		ok(x.Nodes.Advance(s.now))
	} else {
		ok(x.Pool.Advance(s.now))
	}
	for k := range s.given {
		for t := s.now; t < end; t++ {
			used, some := make(nodes.Vector, len(s.given[k])), false
			for r := range used {
				used[r] = s.given[k][r] - s.free(k, r, t)
				some = some || used[r] > 0
			}
			w := bookahead.Interval{Start: t, End: t + 1}
			switch {
			case !some:
			case x.Nodes != nil:
				_, err = x.Nodes.ReserveOffer(nodes.Offer{Interval: w, Tasks: []nodes.Share{{Node: k, Tasks: 1}}, Head: -1}, nodes.Request{Each: used})
			case s.kind == servers:
				r := bookahead.At(t, 1, 1)
				r.Servers = []int{k}
				_, err = x.Pool.Reserve(r)
			default:
				_, err = x.Pool.Reserve(bookahead.At(t, 1, used[0]))
			}
			ok(err)
		}
	}
	return x
}

// bend returns the places of a part that bends: the searches of packages pieces and volume have oracles of their own, so here they are asked on a
// schedule that is made from the cells.
func (s *cells) bend(c *chunk, from bookahead.Time) []spot {
	if c.bends.Volume != nil {
		return s.stretches(c, c.units*int64(c.length), from)
	}
	return s.lay(c, s.pieces(c, from, nil))
}

func (s *cells) pieces(c *chunk, from bookahead.Time, begun *pieces.Begun) (list []bookahead.Interval) {
	var err error
	p := c.bends
	x := s.open()
	if x.Nodes != nil {
		r := *p.Tasks
		r.Ready, r.Duration, r.Tasks = from, p.Duration, p.Units
		list, err = pieces.ResumeNodes(x.Nodes, r, *p.Pieces, begun, bookahead.Effort{})
	} else {
		r := bookahead.Request{Ready: from, Duration: p.Duration, Units: p.Units, Servers: p.Servers}
		list, err = pieces.Resume(x.Pool, r, *p.Pieces, begun, bookahead.Effort{})
	}
	if err != nil {
		return nil
	}
	return list
}

// lay lays the pieces of some intervals.
func (s *cells) lay(c *chunk, list []bookahead.Interval) (at []spot) {
	for _, w := range list {
		piece := *c
		piece.length, piece.bends = w.End-w.Start, nil
		x, found := s.at(&piece, w.Start)
		if !found {
			panic(fmt.Sprint("no room at ", w))
		}
		at = append(at, x)
	}
	return at
}

func (s *cells) stretches(c *chunk, amount int64, from bookahead.Time) (at []spot) {
	v, err := volume.Search(s.open().Pool, volume.Request{Ready: from, Volume: amount, Most: c.units, Least: c.bends.Volume.Least}, bookahead.Effort{})
	if err != nil {
		return nil
	}
	for _, w := range v.Stretches {
		at = append(at, stretch(c, w.Interval, w.Units))
	}
	return at
}

// stretch returns the place of some units of a volume.
func stretch(c *chunk, w bookahead.Interval, units int64) spot {
	piece := *c
	piece.length, piece.units, piece.bends = w.End-w.Start, units, nil
	return spot{part: &piece, start: w.Start, end: w.End, shares: []nodes.Share{{Node: 0, Tasks: units}}, head: -1}
}

// noLater fails if a shape that bends would end later than the same one without.
func (o *oracle) noLater(world cluster, j *task) {
	for _, shape := range j.shapes {
		if shape[0].bends == nil {
			continue
		}
		whole := *shape[0]
		whole.bends = nil
		plain, bent := world.earliest([]*chunk{&whole}, o.ready(j)), world.earliest(shape, o.ready(j))
		if plain != nil && (bent == nil || endOf(plain) < endOf(bent)) {
			panic(fmt.Sprintf("job %s bends and has %+v, and else %+v", j.ID, bent, plain))
		}
	}
}

// charged returns the ticks for which a job is charged from a time on, and for one that bends the units times ticks.
func (j *task) charged(from bookahead.Time) (n int64) {
	if !j.bends() {
		return int64(j.until - from)
	}
	for _, x := range j.spots {
		for t := max(from, x.start); t < x.end; t++ {
			n += x.part.units
		}
	}
	return n
}

// settleUp charges a job from a time on.
func (o *oracle) settleUp(j *task, from bookahead.Time) {
	j.until, j.cost = j.end, 0
	for _, p := range j.shapes[j.form] {
		j.cost += p.units
	}
	if j.bends() {
		j.cost = 1
	}
	o.charge(j, bookahead.Time(j.charged(from)))
}

// bending returns the running jobs that bend, by their starts.
func (o *oracle) bending() []*task {
	list := slices.DeleteFunc(o.running(), func(j *task) bool { return !j.bends() })
	slices.SortFunc(list, func(a, b *task) int { return cmp.Or(cmp.Compare(a.began, b.began), cmp.Compare(a.seq, b.seq)) })
	return list
}

// replan moves the rest of running jobs, until none ends earlier by that.
func (o *oracle) replan() {
	for again := true; again; {
		again = false
		for _, j := range o.bending() {
			again = o.shorten(j) || again
		}
	}
}

func (o *oracle) shorten(j *task) bool {
	if j.lost || j.heir != nil || j.overran != plan.Never {
		return false
	}
	c := j.shapes[j.form][0]
	world, firm := o.plan(), o.caller()
	world.book(j.spots, -1)
	firm.book(j.spots, -1)
	at := o.rest(world[c.on], c, j.spots)
	if at == nil || endOf(at) >= j.end && !o.blocked(j) {
		return false
	}
	holds := func(list []spot) bool {
		return slices.ContainsFunc(list, func(x spot) bool { return x.start <= o.now && o.now < x.end })
	}
	if c.bends.Volume != nil && holds(j.spots) && !holds(at) {
		return false
	}
	for _, x := range at {
		x.start = max(x.start, o.now)
		if x.start < x.end && !firm[c.on].has(x) {
			return false
		}
	}
	if endOf(at) >= j.end {
		o.evaded++
	}
	for _, b := range j.firm {
		o.release(b)
	}
	o.reset(j, at)
	o.moved++
	return true
}

// reset books the rest of a running job.
func (o *oracle) reset(j *task, at []spot) {
	j.firm = nil
	for _, x := range at {
		x.start = max(x.start, o.now)
		var b *booking
		if x.start < x.end {
			b = o.reserve(x, j)
		}
		j.firm = append(j.firm, b)
	}
	o.refund(j, o.now)
	old := j.spots
	j.spots, j.end = at, endOf(at)
	if o.rules.moves {
		o.settleUp(j, o.now)
	}
	if i := j.told / 2; i >= len(at) || at[i].part.units != old[i].part.units {
		j.told = -1
	}
}

// blocked reports whether a running job will hold what is closed, and does not yet.
func (o *oracle) blocked(j *task) bool {
	for _, x := range j.spots {
		s := o.caller()[x.part.on]
		for t := max(x.start, o.now); t < x.end; t++ {
			over := s.kind == pool && int64(s.used[0][t]) > s.given[0][0]
			if s.kind != pool {
				over = slices.ContainsFunc(x.nodes(), func(k int) bool { return s.closed[k][t] })
			}
			if over {
				return t > o.now
			}
		}
	}
	return false
}

// rest returns the places of a running part with those that have begun, where its work ends as early as can be.
func (o *oracle) rest(s *cells, c *chunk, all []spot) []spot {
	var begun []spot
	for _, x := range all {
		if x.start <= o.now {
			begun = append(begun, x)
		}
	}
	k := len(begun) - 1
	last := begun[k]
	if c.bends.Volume != nil {
		left := c.units * int64(c.length)
		for _, x := range begun {
			for t := x.start; t < min(x.end, o.now); t++ {
				left -= x.part.units
			}
		}
		if left <= 0 {
			return nil
		}
		next := s.stretches(c, left, o.now)
		if next == nil || c.bends.Volume.Least > 0 && next[0].start > o.now {
			return nil
		}
		cut := stretch(c, bookahead.Interval{Start: last.start, End: min(last.end, o.now)}, last.part.units)
		begun = begun[:k]
		if cut.end == next[0].start && cut.part.units == next[0].part.units {
			next[0] = stretch(c, bookahead.Interval{Start: cut.start, End: next[0].end}, cut.part.units)
		} else if cut.start < cut.end {
			begun = append(begun, cut)
		}
		return append(begun, next...)
	}
	rule := c.bends.Pieces
	done := bookahead.Time(0)
	for i, x := range begun[:k] {
		done += x.end - x.start
		if i > 0 {
			done -= bookahead.Time(rule.Restart)
		}
	}
	works := last.start
	if k > 0 {
		works += bookahead.Time(rule.Restart)
	}
	until := last.end
	if until > o.now {
		for until = o.now; until < works+c.length-done; until++ {
			x := last
			x.start, x.end = o.now, until+1
			if !s.has(x) {
				break
			}
		}
	}
	least := min(c.length, max(1, bookahead.Time(rule.Least)))
	list := s.pieces(c, o.now, &pieces.Begun{
		Piece: bookahead.Interval{Start: last.start, End: until}, Done: bookahead.Duration(done + max(0, until-works)), Stop: works + least,
	})
	if list == nil {
		return nil
	}
	last.end = list[0].End
	piece := *last.part
	piece.length = last.end - last.start
	last.part = &piece
	return append(append(begun[:k:k], last), s.lay(c, list[1:])...)
}

// changes tells what running jobs that bend hold, if that is news.
func (o *oracle) changes() (list []plan.Change) {
	for _, j := range o.bending() {
		phase := 0
		for i, x := range j.spots {
			if x.start <= o.now {
				phase = 2 * i
			}
			if x.end <= o.now {
				phase = 2*i + 1
			}
		}
		told := j.told
		j.told = phase
		switch {
		case phase == told, phase%2 == 1 && told >= 0 && told%2 == 1:
		case phase%2 == 1:
			list = append(list, plan.Change{Job: j.ID})
		default:
			list = append(list, plan.Change{Job: j.ID, Places: o.places(j.spots[phase/2 : phase/2+1])})
		}
	}
	return list
}

// obeys checks the places of a job that bends by the words of its rule: the sum of its work, each piece, and each gap.
func (r *rig) obeys(j *task, f plan.Forecast) {
	if f.Places == nil || !j.bends() || j.overran != plan.Never {
		return
	}
	c := j.shapes[f.Shape][0]
	sum, last := int64(0), int64(0)
	for i, x := range f.Places {
		gap := bookahead.Time(0)
		if i > 0 {
			gap = x.Start - f.Places[i-1].End
		}
		n := int64(x.Len())
		if c.bends.Volume != nil {
			n *= x.Units
			last = x.Units
			if x.Units > c.units || x.Units < c.bends.Volume.Least || c.bends.Volume.Least > 0 && gap > 0 {
				r.fail("job %s breaks its terms: %+v", j.ID, f.Places)
			}
		} else {
			rule := c.bends.Pieces
			if i > 0 {
				n -= int64(rule.Restart)
			}
			if n < 1 || i < len(f.Places)-1 && n < int64(rule.Least) || rule.Gap > 0 && gap > bookahead.Time(rule.Gap) || x.Units != c.units {
				r.fail("job %s breaks its rule %+v: %+v", j.ID, *rule, f.Places)
			}
		}
		if gap < 0 {
			r.fail("job %s has places that overlap: %+v", j.ID, f.Places)
		}
		sum += n
	}
	work := int64(c.length)
	if c.bends.Volume != nil {
		work *= c.units
	}
	if sum < work || sum-last >= work && last > 0 || last == 0 && sum != work {
		r.fail("job %s does %d of %d: %+v", j.ID, sum, work, f.Places)
	}
}

// TestOracleBends is TestOracle with long jobs that bend, of which few end before their time, and with others that book in their way.
func TestOracleBends(t *testing.T) {
	done, changes, moved, evaded, yielded := 0, 0, 0, 0, 0
	for seed := firstSeed(t); done < operations()/2; seed++ {
		rng := rand.New(rand.NewPCG(seed, 19))
		y := newYard(t, rng, layouts[rng.IntN(len(layouts))])
		y.bends = true
		o, b := orders[rng.IntN(len(orders))], backfills[1+rng.IntN(4)]
		c := y.config(rng, o, b)
		c.Yield = seed%2 == 0
		r := newRigOn(t, seed, rng, y, c, o, b)
		for r.events < 150 && r.oracle.now < 250 {
			list := r.oracle.running()
			switch n := rng.IntN(20); {
			case n < 5:
				r.submit()
			case n < 13:
				r.pass(r.sooner())
			case n < 14 && len(list) > 0:
				r.end(r.oracle.now+bookahead.Time(rng.IntN(2)), pick(rng, list...).ID)
			case n < 17:
				r.book()
			case n < 18:
				r.around()
			case n < 19 && seed%3 == 0:
				r.close()
			default:
				r.step()
			}
			r.check()
		}
		done, changes, moved, evaded = done+r.events, changes+r.changes, moved+r.oracle.moved, evaded+r.oracle.evaded
		yielded += r.oracle.yielded
	}
	t.Logf("%d operations, %d changes; the rest of a running job has moved %d times, %d of them for an outage; volumes have yielded to %d jobs", done, changes, moved, evaded, yielded)
	require.Greater(t, 2000*yielded+5000, done)
	require.Greater(t, 2000*evaded+5000, done)
	require.Greater(t, 80*changes+3000, done)
	require.Greater(t, 200*moved+5000, done)
}
