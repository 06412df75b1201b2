package nodes

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

// scale is a run on a machine that is too large for an oracle of ticks. The answers of the machine, and
// all that it has learnt, are compared with those of plain.
type scale struct {
	t        require.TestingT
	rng      *rand.Rand
	m        *Machine
	clones   []*Machine
	ids      map[*Machine][]bookahead.ID
	closures []bookahead.ClosureID
	palette  []Vector
	lengths  []int64
	span     int64 // in which ready times lie
	past     []Request
	asked    int
	late     int
	none     int
	learnt   int // facts and zones that were checked
	blocks   int // of these, facts about blocks of several chunks
}

func (s *scale) one(n int) bool { return s.rng.IntN(n) == 0 }

// newScale draws a machine, and books so many reservations.
func newScale(t require.TestingT, seed uint64) *scale {
	s := &scale{t: t, rng: rand.New(rand.NewPCG(seed, 7)), ids: map[*Machine][]bookahead.ID{}}
	c := s.config()
	m, err := New(c)
	require.NoError(t, err)
	if !s.one(3) {
		m.index.limit = []int{4, 16, 40, 100}[s.rng.IntN(4)]
	}
	m.index.reads = []int{1, 2, 3, 16, 16}[s.rng.IntN(5)]
	m.index.perBlock = []int{1, 2, 3, 8, usualBlock}[s.rng.IntN(5)]
	m.index.crowd = []int{0, 0, 100, 512}[s.rng.IntN(4)]
	s.m = m
	s.clones = []*Machine{m}
	for range 100 + s.rng.IntN(900) {
		s.book(s.request(), false)
	}
	return s
}

func (s *scale) config() Config {
	n := 65 + s.rng.IntN(120)
	if s.one(4) {
		n = 190 + s.rng.IntN(211)
	}
	wide := 1 + s.rng.IntN(4)
	if s.one(10) {
		wide = 5 + s.rng.IntN(4)
	}
	c := Config{Sets: map[string][]int{"a": s.rng.Perm(n)[:1+s.rng.IntN(n)], "b": s.rng.Perm(n)[:1+s.rng.IntN(20)]}}
	var full Vector
	for r := range wide {
		c.Resources = append(c.Resources, fmt.Sprint("r", r))
		full = append(full, []int64{1, 2, 8, 8, 64, 100, 1000, 1 << 38, 1 << 48}[s.rng.IntN(9)])
	}
	classes := []Vector{full}
	for range []int{0, 0, 1, 3, 11}[s.rng.IntN(5)] {
		v := slices.Clone(full)
		for r := range v {
			if s.one(2) {
				v[r] = s.rng.Int64N(full[r] + 1)
			}
		}
		classes = append(classes, v)
	}
	for range n {
		c.Nodes = append(c.Nodes, classes[s.rng.IntN(len(classes))])
	}
	c.Policy = []Policy{LowestIndex(), LowestIndex(), BestFit(), BestFit(), FewestNodes(), Spread()}[s.rng.IntN(6)]
	order := s.rng.Perm(n)
	if s.one(2) {
		slices.Sort(order)
	}
	c.Levels = []Level{{Name: "rack"}, {Name: "row"}}
	for i := 0; i+16 <= n; i += 16 {
		c.Levels[0].Groups = append(c.Levels[0].Groups, order[i:i+16])
	}
	for i := 0; i+64 <= n; i += 64 {
		c.Levels[1].Groups = append(c.Levels[1].Groups, order[i:i+64])
	}
	unit := []int64{1, 1, 10, 1000}[s.rng.IntN(4)]
	s.lengths = []int64{unit, 4 * unit, 20 * unit, 100 * unit}
	if s.one(2) {
		s.lengths = append(s.lengths, 1000*unit)
	}
	s.span = 300 * unit
	for range 4 + s.rng.IntN(6) {
		s.palette = append(s.palette, s.vector(full))
	}
	switch s.rng.IntN(4) {
	case 0:
		c.Horizon = bookahead.Duration(400 * unit)
	case 1:
		c.Origin = bookahead.MaxTime - bookahead.Time(3000*unit)
	case 2:
		c.Horizon = bookahead.Duration(1500 * unit)
	}
	return c
}

// vector draws a part of another.
func (s *scale) vector(full Vector) Vector {
	v := make(Vector, len(full))
	sure := s.rng.IntN(len(v))
	for r, most := range full {
		switch {
		case r != sure && s.one(4):
		case s.one(4):
			v[r] = most
		case s.one(2):
			v[r] = max(1, most/int64(1+s.rng.IntN(8)))
		default:
			v[r] = 1 + s.rng.Int64N(most)
		}
	}
	return v
}

// request draws a request, or varies one of the last: it asks for less and for more in turn, so that facts
// and zones of one request are read for another.
func (s *scale) request() Request {
	if len(s.past) > 0 && s.one(2) {
		return s.vary(s.past[s.rng.IntN(len(s.past))])
	}
	r := s.draw()
	s.past = append(s.past, r)
	s.past = s.past[max(0, len(s.past)-8):]
	return r
}

func (s *scale) vary(r Request) Request {
	r.Ready = max(r.Ready, s.m.bounds.Now)
	r.Deadline = 0
	switch s.rng.IntN(5) {
	case 0:
		r.PerNode = []int64{0, 1, 2, 3}[s.rng.IntN(4)]
	case 1:
		r.Tasks += s.rng.Int64N(3)
	case 2:
		r.Duration += bookahead.Duration(s.rng.Int64N(s.lengths[0] + 1))
	case 3:
		r.Within = []string{"", "rack", "row"}[s.rng.IntN(3)]
		r.Together, r.Patience = "", 0
	default:
		r.Each = s.palette[s.rng.IntN(len(s.palette))]
	}
	r.Ready = min(r.Ready, bookahead.MaxTime-bookahead.Time(r.Duration))
	r.wrap()
	return r
}

func (s *scale) draw() Request {
	n := len(s.m.given)
	d := s.lengths[s.rng.IntN(len(s.lengths))]
	d = max(1, d/2+s.rng.Int64N(d))
	r := Request{Ready: s.m.bounds.Now, Duration: bookahead.Duration(d), Tasks: 1, Each: s.palette[s.rng.IntN(len(s.palette))]}
	if s.one(8) {
		r.Each = s.vector(s.m.most)
		if !slices.ContainsFunc(r.Each, func(x int64) bool { return x > 0 }) {
			r.Each[0] = 1
		}
	}
	r.PerNode = []int64{0, 1, 1, 3}[s.rng.IntN(4)]
	switch s.rng.IntN(4) {
	case 0:
	case 1:
		r.Tasks = 1 + s.rng.Int64N(int64(n))
	default:
		r.Tasks = 1 + s.rng.Int64N(20)
	}
	if !s.one(3) {
		r.Ready += bookahead.Time(s.rng.Int64N(s.span))
	}
	if s.one(5) {
		r.Deadline = r.Ready + bookahead.Time(d+s.rng.Int64N(s.span))
	}
	if s.one(8) {
		r.Head = s.palette[s.rng.IntN(len(s.palette))]
	}
	switch s.rng.IntN(10) {
	case 0:
		r.Set = []string{"a", "b"}[s.rng.IntN(2)]
	case 1:
		r.Nodes = s.rng.Perm(n)[:1+s.rng.IntN(n)]
	case 2:
		r.Except = s.rng.Perm(n)[:1+s.rng.IntN(n/2)]
	}
	switch s.rng.IntN(10) {
	case 0, 1:
		r.Within = []string{"rack", "row"}[s.rng.IntN(2)]
	case 2:
		r.Together = "rack"
		r.Patience = bookahead.Duration(s.rng.Int64N(2) * s.rng.Int64N(s.span))
	case 3:
		r.Within, r.Together = "row", "rack"
	case 4:
		r.Exclusive = true
	case 5, 6:
		r.Bundle, r.Bundled = 1+s.rng.Int64N(8), []string{"rack", "row"}[s.rng.IntN(2)]
		r.wrap()
	}
	if r.Ready > bookahead.MaxTime-bookahead.Time(d) {
		r.Ready = bookahead.MaxTime - bookahead.Time(d)
	}
	if r.Deadline > bookahead.MaxTime || r.Deadline < 0 {
		r.Deadline = 0
	}
	return r
}

// book books a request, after a comparison or without.
func (s *scale) book(r Request, compare bool) {
	if compare {
		s.compare(r, true)
	}
	res, err := s.m.Reserve(r)
	if err == nil {
		s.ids[s.m] = append(s.ids[s.m], res.ID)
	}
}

// compare asks the machine, and plain. The machine may learn from the search.
func (s *scale) compare(r Request, learn bool) {
	want, wantErr := s.m.plainSearch(r, 0)
	b, err := s.m.find(r, learn)
	var got Offer
	if err == nil {
		got = b.offer()
	}
	s.same(r, want, got, wantErr, err)
	s.asked++
	switch {
	case err != nil:
		s.none++
	case got.Start > max(r.Ready, s.m.bounds.Now):
		s.late++
	}
}

func (s *scale) same(r Request, want, got Offer, wantErr, err error) {
	if !errors.Is(err, wantErr) || !assertEqual(want, got) {
		require.Equal(s.t, wantErr, err, "%+v", r)
		require.Equal(s.t, want, got, "%+v", r)
	}
}

// id draws a live reservation; 0 if there is none.
func (s *scale) id() bookahead.ID {
	list := s.ids[s.m]
	for len(list) > 0 {
		i := s.rng.IntN(len(list))
		id := list[i]
		_, ok := s.m.booked.get(id, s.m.bounds.Now)
		if ok {
			return id
		}
		list = slices.Delete(list, i, i+1)
		s.ids[s.m] = list
	}
	return 0
}

func (s *scale) step() {
	switch n := s.rng.IntN(100); {
	case n < 45:
		s.compare(s.request(), !s.one(4))
	case n < 62:
		s.book(s.request(), true)
	case n < 73:
		_ = s.m.Release(s.id())
	case n < 79:
		s.rebook()
	case n < 85:
		now := s.m.bounds.Now + bookahead.Time(s.rng.Int64N(s.lengths[1]+s.lengths[0]))
		_ = s.m.Advance(now)
	case n < 91:
		s.close()
	case n < 92:
		s.extend()
	case n < 95:
		s.clone()
	default:
		s.facts()
	}
}

func (s *scale) rebook() {
	id := s.id()
	if id == 0 {
		return
	}
	r := s.request()
	old, err := s.m.Reservation(id)
	require.NoError(s.t, err)
	if s.one(2) {
		r = Request{Ready: old.Start, Duration: bookahead.Duration(old.End - old.Start), Tasks: r.Tasks, Each: old.Each, Head: old.HeadTakes}
	}
	want, wantErr := s.m.plainSearch(r, id)
	got, err := s.m.SearchFor(id, r)
	s.same(r, want, got, wantErr, err)
	if s.one(2) {
		_, _ = s.m.Rebook(id, r)
	}
}

func (s *scale) close() {
	if s.one(2) && len(s.closures) > 0 {
		_ = s.m.EndClosure(s.closures[s.rng.IntN(len(s.closures))], s.m.bounds.Now+bookahead.Time(s.rng.Int64N(s.span/4)))
		return
	}
	n := len(s.m.given)
	start := s.m.bounds.Now + bookahead.Time(s.rng.Int64N(s.span))
	end := start + bookahead.Time(1+s.rng.Int64N(s.span/2))
	if start >= bookahead.MaxTime || end > bookahead.MaxTime || end < 0 {
		return
	}
	c, err := s.m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: start, End: end}, Servers: s.rng.Perm(n)[:1+s.rng.IntN(n/6)]})
	require.NoError(s.t, err)
	s.closures = append(s.closures, c.ID)
}

// extend adds nodes, at times larger ones.
func (s *scale) extend() {
	if len(s.m.given) > 420 {
		return
	}
	var more []Added
	for range 1 + s.rng.IntN(6) {
		v := slices.Clone(s.m.given[s.rng.IntN(len(s.m.given))])
		r := s.rng.IntN(len(v))
		if s.one(2) && v[r] < MaxAmount/2 {
			v[r] += v[r] / int64(1+s.rng.IntN(3))
		}
		more = append(more, Added{Has: v, Groups: map[string]int{"rack": s.rng.IntN(2), "row": 0}})
	}
	limit := s.m.index.limit
	end := bookahead.MaxTime
	if s.one(2) {
		end = min(end, s.m.bounds.Now+bookahead.Time(s.span))
	}
	c, err := s.m.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: s.m.bounds.Now, End: end}}, more)
	if err != nil {
		return // a group lies apart
	}
	s.m.index.limit = limit
	s.closures = append(s.closures, c.ID)
}

// clone makes a clone, or goes on with another.
func (s *scale) clone() {
	if s.one(2) && len(s.clones) < 4 {
		c := s.m.Clone()
		s.clones = append(s.clones, c)
		s.ids[c] = slices.Clone(s.ids[s.m])
	}
	s.m = s.clones[s.rng.IntN(len(s.clones))]
}

// facts checks some of the facts and zones that the machine has learnt.
func (s *scale) facts() {
	x := s.m.index
	for range 6 {
		s.true(&x.proofs)
		s.true(&x.far)
		if len(x.dead.list) > 0 {
			z := x.dead.list[s.rng.IntN(len(x.dead.list))]
			t, wrong := s.m.falseZone(z)
			require.False(s.t, wrong, "zone %+v: there is a start at %d", z, t)
			s.learnt++
		}
	}
}

// true checks a fact about some stretch.
func (s *scale) true(p *proofs) {
	i := s.rng.IntN(len(p.starts))
	if p.facts[i] == nil {
		return
	}
	j := s.rng.IntN(s.m.index.known(p.facts[i]))
	t, wrong := s.m.falseFact(p, i, j)
	require.False(s.t, wrong, "fact %d of the stretch from %d: there is a start at %d", j, p.starts[i], t)
	s.learnt++
	if p == &s.m.index.far && len(p.starts) < len(s.m.index.starts) {
		s.blocks++
	}
}

// TestScale runs on machines of hundreds of nodes: a tenth as many operations as BOOKAHEAD_OPS says.
func TestScale(t *testing.T) {
	want := scheduletest.Operations() / 10
	asked, late, none, learnt, blocks := 0, 0, 0, 0, 0
	for seed := uint64(scaleSeed()); asked < want && !t.Failed(); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := newScale(t, seed)
			for i := range 250 {
				s.step()
				if i%125 == 124 {
					require.NoError(t, s.m.Verify())
				}
			}
			asked, late, none, learnt, blocks = asked+s.asked, late+s.late, none+s.none, learnt+s.learnt, blocks+s.blocks
		})
	}
	if want >= 2_000 {
		require.Positive(t, blocks)
	}
	t.Logf("%d searches agree: %d starts were late, and %d there were none; %d facts and zones are true, %d of them about blocks", asked, late, none, learnt, blocks)
}

// scaleSeed is where the seeds begin.
func scaleSeed() int {
	n, err := strconv.Atoi(os.Getenv("BOOKAHEAD_SEED"))
	if err != nil {
		return 0
	}
	return n
}
