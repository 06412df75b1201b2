package carts

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/profile"
	"github.com/bookahead/bookahead/scheduletest"
)

// TestIndexedIsFlat does the same to trees with narrow nodes and to sorted arrays, and
// compares all answers. The histories are drawn to reach the corners of the tree:
//
//   - clones of clones, of which each goes its own way, while they share nodes;
//   - times that all lie close together, all far apart, and both in one tree, about
//     1<<32 too, from where on the starts of a node take 64 bits;
//   - lengths at a power of two and beside it, where bounds are rounded up;
//   - reservations over most of the tree, whose units stay pending far up in it;
//   - searches among all this, since the index is made by searches;
//   - trees that grow and shrink, so that spare nodes are used again.
//
// Each history has a subtest that repeats it: -run TestIndexedIsFlat/seed=17.
func TestIndexedIsFlat(t *testing.T) {
	const steps = 2000
	seeds, ran := max(4, scheduletest.Operations()/1000), 0
	var reached corners
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			h := newHistory(t, uint64(seed))
			for h.step = range steps {
				h.next()
			}
			h.verify(h.pairs...)
			reached.add(&h.reached)
			ran++
		})
	}
	if ran < seeds {
		return
	}
	require.NotZero(t, reached.high, "no tree of four levels")
	require.NotZero(t, reached.bounds, "the index has been of no use")
	require.NotZero(t, reached.far, "no node with starts far apart")
	require.NotZero(t, reached.near, "no node with starts close together")
}

// corners counts the trees that have been verified, with something in them.
type corners struct{ high, bounds, far, near int }

func (c *corners) add(o *corners) {
	c.high += o.high
	c.bounds += o.bounds
	c.far += o.far
	c.near += o.near
}

// look counts the corners of a tree.
func (c *corners) look(x profile.Shape) {
	if x.Height >= 4 {
		c.high++
	}
	if x.Bounds > 0 {
		c.bounds++
	}
	if x.Far > 0 {
		c.far++
	} else {
		c.near++
	}
}

// shapeOf returns the shape of the tree of an Indexed.
func shapeOf(x *Indexed) profile.Shape {
	return x.s.Profile.(interface{ Shape() profile.Shape }).Shape()
}

// pair is a tree and an array on which the same operations were done.
type pair struct {
	x   *Indexed
	f   *Flat
	now bookahead.Time
	ids []bookahead.ID // of reservations that were not released
}

// history is a sequence of operations on pairs that come from one.
type history struct {
	*testing.T
	rng      *rand.Rand
	step     int
	capacity int64
	scales   []bookahead.Time // of the times that are drawn
	pairs    []*pair
	most     int // the most live reservations of a pair
	reached  corners
}

// ticks is how many ticks of a scale requests lie ahead at most.
const ticks = 256

func newHistory(t *testing.T, seed uint64) *history {
	h := &history{T: t, rng: rand.New(rand.NewPCG(seed, 7))}
	h.capacity = pick(h.rng, []int64{3, 10, 128, 1000, math.MaxInt32, 1 << 40, math.MaxInt64})
	h.scales = pick(h.rng, [][]bookahead.Time{
		{1}, {8}, {1 << 10}, {1 << 20}, {1 << 28}, {1 << 31}, {1 << 33}, {1 << 40},
		{1, 1 << 33}, {1 << 20, 1 << 40}, {1 << 28, 1 << 31, 1 << 33}, {1 << 30, 1 << 32, 1 << 33},
	})
	span := ticks * slices.Max(h.scales)
	config := Config{Origin: pick(h.rng, []bookahead.Time{0, 7, 1<<40 + 3, bookahead.MaxTime - 8*span})}
	if h.rng.IntN(3) == 0 {
		config.Horizon = bookahead.Duration(span)
	}
	x, err := newIndexed(h.capacity, config, profile.Knobs{
		Width:    pick(h.rng, []int{8, 8, 8, 13}),
		Patience: pick(h.rng, []int{0, 0, 0, 1}),
		Near:     pick(h.rng, []int{0, 0, 0, 1}),
		Astray:   h.rng.IntN(3),
	})
	require.NoError(t, err)
	f, err := NewFlat(h.capacity, config)
	require.NoError(t, err)
	h.pairs = []*pair{{x: x, f: f, now: config.Origin}}
	return h
}

func pick[E any](rng *rand.Rand, list []E) E { return list[rng.IntN(len(list))] }

// length draws a duration of up to n ticks: often a whole number of ticks of the scale, often one
// tick of the axis more or less.
func (h *history) length(n int64) bookahead.Time {
	scale := pick(h.rng, h.scales)
	d := scale * bookahead.Time(h.rng.Int64N(n+1))
	switch h.rng.IntN(6) {
	case 0:
		d += bookahead.Time(h.rng.Int64N(int64(scale)))
	case 1:
		d++
	case 2:
		d--
	}
	return max(1, d)
}

// later returns t + d, or the end of the axis.
func later(t, d bookahead.Time) bookahead.Time { return t + min(d, bookahead.MaxTime-t) }

// units draws a number of units: few, any, or at the edge of a class of the index.
func (h *history) units(most int64) int64 {
	n := 1 + h.rng.Int64N(3)
	switch h.rng.IntN(3) {
	case 0:
		n = 1 + h.rng.Int64N(most)
	case 1:
		n = int64(2+h.rng.IntN(2))<<h.rng.IntN(bits.Len64(uint64(most)))>>1 + h.rng.Int64N(3) - 1
	}
	return min(max(1, n), most)
}

// request draws a request for up to most units.
func (h *history) request(p *pair, most int64) bookahead.Request {
	r := bookahead.Request{
		Ready:    p.now + h.length(ticks),
		Duration: bookahead.Duration(h.length(pick(h.rng, []int64{1, 4, 16}))),
		Units:    h.units(most),
	}
	switch h.rng.IntN(4) {
	case 0:
		r.Ready = p.now
	case 1:
		r.Deadline = r.Ready + bookahead.Time(r.Duration) + h.length(16)
	case 2:
		r.Deadline = r.Ready + bookahead.Time(r.Duration)
	}
	return r
}

// wide draws a request for few units over most of the tree.
func (h *history) wide(p *pair) bookahead.Request {
	return bookahead.Request{
		Ready:    p.now + h.length(8),
		Duration: bookahead.Duration(h.length(ticks)),
		Units:    pick(h.rng, []int64{1, 1, max(1, h.capacity/16)}),
	}
}

// next does one operation to one pair, and asks some pairs something.
func (h *history) next() {
	if h.step%300 == 0 {
		h.most = pick(h.rng, []int{10, 100, 300})
	}
	p := pick(h.rng, h.pairs)
	switch k := h.rng.IntN(40); {
	case k <= 1:
		h.clone(p)
	case k <= 3:
		h.advance(p)
	case k <= 5:
		h.rebook(p)
	case k <= 7:
		h.reserve(p, h.wide(p))
	case k == 8:
		h.passing(p)
	case k <= 28 && len(p.ids) < h.most || len(p.ids) < h.most/2:
		h.reserve(p, h.request(p, max(1, h.capacity/4)))
	default:
		h.release(p)
	}
	for range 3 {
		h.search(pick(h.rng, h.pairs))
	}
	h.query(pick(h.rng, h.pairs))
	if h.step%8 == 0 {
		h.verify(pick(h.rng, h.pairs))
	}
}

// same checks that tree and array have answered an operation alike.
func (h *history) same(got any, err error, want any, wantErr error, format string, args ...any) {
	if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(err, wantErr) {
		h.Fatalf("step %d: %s = %v, %v, not %v, %v", h.step, fmt.Sprintf(format, args...), got, err, want, wantErr)
	}
}

func (h *history) reserve(p *pair, r bookahead.Request) {
	got, err := p.x.Reserve(r)
	want, wantErr := p.f.Reserve(r)
	h.same(got, err, want, wantErr, "Reserve(%+v)", r)
	if err == nil {
		p.ids = append(p.ids, got.ID)
	}
}

// release releases one of the reservations that were not released yet; it may have ended.
func (h *history) release(p *pair) {
	if len(p.ids) == 0 {
		return
	}
	i := h.rng.IntN(len(p.ids))
	id := p.ids[i]
	p.ids = slices.Delete(p.ids, i, i+1)
	h.same(0, p.x.Release(id), 0, p.f.Release(id), "Release(%d)", id)
}

// passing books most of the tree, changes something, and gives the booking back. The pending adds
// far up in the tree are then as before, but the steps below them are not.
func (h *history) passing(p *pair) {
	h.reserve(p, h.wide(p))
	if len(p.ids) < 2 {
		return
	}
	last := len(p.ids) - 1
	wide := p.ids[last]
	p.ids = p.ids[:last]
	if h.rng.IntN(2) == 0 {
		h.release(p)
	} else {
		h.reserve(p, h.request(p, max(1, h.capacity/4)))
	}
	h.same(0, p.x.Release(wide), 0, p.f.Release(wide), "Release(%d)", wide)
}

// rebook changes one of the reservations: it moves, or it becomes a little longer or
// shorter where it is.
func (h *history) rebook(p *pair) {
	if len(p.ids) == 0 {
		return
	}
	id, r := pick(h.rng, p.ids), h.request(p, max(1, h.capacity/4))
	if old, err := p.f.Reservation(id); err == nil && h.rng.IntN(2) == 0 {
		r.Ready, r.Deadline = old.Start-h.length(2), 0
		longer, shorter := h.length(2), h.length(2)
		r.Duration = max(1, old.Len()+bookahead.Duration(longer-shorter))
		r.Units = min(h.capacity, max(1, old.Units+h.rng.Int64N(3)-1))
	}
	offer, err := p.x.SearchFor(id, r)
	wanted, wantErr := p.f.SearchFor(id, r)
	h.same(offer, err, wanted, wantErr, "SearchFor(%d, %+v)", id, r)
	got, err := p.x.Rebook(id, r)
	want, wantErr := p.f.Rebook(id, r)
	h.same(got, err, want, wantErr, "Rebook(%d, %+v)", id, r)
}

// advance moves the clock on: a little, or beyond all reservations.
func (h *history) advance(p *pair) {
	p.now = later(p.now, h.length(pick(h.rng, []int64{0, 1, 4, 4, 16, 16, 16, 16, 16, 32, 64, 2 * ticks})))
	h.same(0, p.x.Advance(p.now), 0, p.f.Advance(p.now), "Advance(%d)", p.now)
	p.ids = slices.DeleteFunc(p.ids, func(id bookahead.ID) bool {
		_, err := p.f.Reservation(id)
		return err != nil && h.rng.IntN(10) > 0 // some that have ended are kept, and released later
	})
	h.verify(p)
}

// clone adds a copy of a pair, in place of another one if there are enough.
func (h *history) clone(p *pair) {
	c := &pair{p.x.Clone().(*Indexed), p.f.Clone().(*Flat), p.now, slices.Clone(p.ids)}
	if len(h.pairs) < 3 {
		h.pairs = append(h.pairs, c)
	} else {
		h.pairs[h.rng.IntN(len(h.pairs))] = c
	}
}

// search asks for the first and the last place, and for some of all places.
func (h *history) search(p *pair) {
	r := h.request(p, h.capacity)
	if h.rng.IntN(2) == 0 { // a long way to go
		r.Ready, r.Deadline, r.Units = p.now, 0, h.capacity-h.units(h.capacity)+1
	}
	got, err := p.x.Search(r)
	want, wantErr := p.f.Search(r)
	h.same(got, err, want, wantErr, "Search(%+v)", r)
	switch h.rng.IntN(4) {
	case 0:
		got, err = p.x.SearchLatest(r)
		want, wantErr = p.f.SearchLatest(r)
		h.same(got, err, want, wantErr, "SearchLatest(%+v)", r)
	case 1:
		got, want := slices.Collect(firstOpenings(p.x, r, 4)), slices.Collect(firstOpenings(p.f, r, 4))
		h.same(got, nil, want, nil, "Openings(%+v)", r)
	}
}

func (h *history) query(p *pair) {
	start := p.now + h.length(ticks)
	w := bookahead.Interval{Start: start, End: start + h.length(16)}
	got, err := p.x.RangeQuery(w)
	want, wantErr := p.f.RangeQuery(w)
	h.same(got, err, want, wantErr, "RangeQuery(%v)", w)
}

// verify checks each of the pairs as a whole.
func (h *history) verify(pairs ...*pair) {
	for _, p := range pairs {
		if err := p.x.Verify(); err != nil {
			h.Fatalf("step %d: %v", h.step, err)
		}
		all := bookahead.Interval{Start: p.now, End: bookahead.MaxTime}
		h.same(slices.Collect(p.x.Blocks(all)), nil, slices.Collect(p.f.Blocks(all)), nil, "Blocks(%v)", all)
		h.same(slices.Collect(p.x.Reservations(all)), nil, slices.Collect(p.f.Reservations(all)), nil, "Reservations(%v)", all)
		h.reached.look(shapeOf(p.x))
	}
}
