package volume

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/internal/structures"
	"github.com/bookahead/bookahead/scheduletest"
	"github.com/bookahead/bookahead/slotted"
)

const (
	capacity = 4
	horizon  = 12
)

// pools are the structures whose units are free or taken tick by tick.
func pools(t testing.TB) map[string]func() bookahead.Keeper {
	list := map[string]func() bookahead.Keeper{}
	for _, st := range structures.All() {
		s, err := st.New(capacity, structures.Config{Horizon: horizon})
		require.NoError(t, err)
		k, ok := s.(pool)
		if !ok || k.Frame().Servers > 0 || !exact(k) {
			continue
		}
		list[st.Name] = func() bookahead.Keeper {
			s, err := st.New(capacity, structures.Config{Horizon: horizon})
			require.NoError(t, err)
			return s
		}
	}
	return list
}

// exact reports whether a pool takes no more than it is asked for.
func exact(k bookahead.Keeper) bool {
	res, err := k.Reserve(bookahead.At(1, 1, capacity))
	if err != nil {
		return false
	}
	before, _ := k.RangeQuery(bookahead.Interval{Start: 0, End: 1})
	after, _ := k.RangeQuery(bookahead.Interval{Start: 2, End: horizon})
	return res.Len() == 1 && before.Free == capacity && after.Free == capacity && k.Release(res.ID) == nil
}

// draw books some reservations and moves the clock, and returns the free units of each tick and the time.
func draw(t testing.TB, rng *rand.Rand, s bookahead.Keeper) (free []int64, now bookahead.Time) {
	for range rng.IntN(8) {
		_, _ = s.Reserve(bookahead.Request{
			Ready: bookahead.Time(rng.IntN(horizon)), Duration: bookahead.Duration(1 + rng.IntN(4)), Units: 1 + rng.Int64N(capacity),
		})
	}
	c, ok := s.(bookahead.Closable)
	if ok && rng.IntN(2) == 0 {
		w := bookahead.Interval{Start: bookahead.Time(rng.IntN(horizon)), End: bookahead.MaxTime}
		if rng.IntN(2) == 0 {
			w.End = w.Start + 1 + bookahead.Time(rng.IntN(5))
		}
		_, err := c.Close(bookahead.Closure{Interval: w, Units: 1 + rng.Int64N(capacity)})
		require.NoError(t, err)
	}
	if rng.IntN(3) == 0 {
		require.NoError(t, s.Advance(bookahead.Time(rng.IntN(4))))
	}
	frame := s.Frame()
	for tick := range frame.Horizon {
		a, err := s.RangeQuery(bookahead.Interval{Start: tick, End: tick + 1})
		require.NoError(t, err)
		free = append(free, a.Free)
	}
	return free, frame.Now
}

func drawRequest(rng *rand.Rand) Request {
	r := Request{Ready: bookahead.Time(rng.IntN(6) - 1), Volume: 1 + rng.Int64N(14), Most: rng.Int64N(capacity + 2)}
	if rng.IntN(2) == 0 {
		r.Deadline = max(0, r.Ready) + 1 + bookahead.Time(rng.IntN(horizon))
	}
	if rng.IntN(2) == 0 {
		r.Least = rng.Int64N(max(r.Most, 2) + 1)
		if r.Most > 0 {
			r.Least = min(r.Least, r.Most)
		}
	}
	if rng.IntN(2) == 0 {
		r.Stretches = 1 + rng.IntN(4)
	}
	switch rng.IntN(6) {
	case 0, 1:
		r.Price = bookahead.Duration(1 + rng.IntN(3))
	case 2:
		r.Price = math.MaxInt64 / bookahead.Duration(1+rng.IntN(4))
	}
	return r
}

// check compares a plan with what is free, and with its request.
func check(t testing.TB, free []int64, now bookahead.Time, r Request, p Plan) {
	var sum, short int64
	for i, s := range p.Stretches {
		require.False(t, s.Empty())
		require.GreaterOrEqual(t, s.Start, max(now, r.Ready))
		require.GreaterOrEqual(t, s.Units, max(1, r.Least))
		if r.Most > 0 {
			require.LessOrEqual(t, s.Units, r.Most)
		}
		for tick := s.Start; tick < s.End; tick++ {
			require.LessOrEqual(t, s.Units, free[tick])
		}
		if i > 0 {
			before := p.Stretches[i-1]
			require.LessOrEqual(t, before.End, s.Start)
			require.True(t, r.Least == 0 || before.End == s.Start, "it runs in one go")
			require.False(t, before.End == s.Start && before.Units == s.Units, "one stretch")
		}
		short = sum + s.Units*int64(s.Len()-1)
		sum += s.Units * int64(s.Len())
	}
	require.GreaterOrEqual(t, sum, r.Volume)
	require.Less(t, short, r.Volume, "one tick less does as well")
	if r.Stretches > 0 {
		require.LessOrEqual(t, len(p.Stretches), r.Stretches)
	}
	if r.Deadline != 0 {
		require.LessOrEqual(t, p.Completion(), r.Deadline)
	}
	c := bruteCost(r, p.Completion(), len(p.Stretches)-1)
	if !c.IsInt64() {
		c.SetInt64(math.MaxInt64)
	}
	require.Equal(t, c.Int64(), int64(p.Cost))
	require.Equal(t, p.Cost, p.Bound)
}

// TestAgainstBruteForce tries an eighth as many requests as BOOKAHEAD_OPS says, on each pool.
func TestAgainstBruteForce(t *testing.T) {
	for name, open := range pools(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(43, uint64(len(name))))
			found, bent := 0, 0
			for range scheduletest.Operations() / 150 {
				s := open()
				free, now := draw(t, rng, s)
				for range 20 {
					r := drawRequest(rng)
					p, err := Search(s, r, bookahead.Effort{})
					if r.Validate() != nil {
						require.ErrorIs(t, err, bookahead.ErrInvalid)
						continue
					}
					cost := brute(free, now, r)
					if cost == nil {
						require.ErrorIs(t, err, bookahead.ErrUnavailable, "%+v in %v", r, free)
						continue
					}
					require.NoError(t, err, "%+v in %v: at %d", r, free, cost)
					require.Zero(t, cost.Cmp(bruteCost(r, p.Completion(), len(p.Stretches)-1)), "%+v in %v: %+v", r, free, p)
					check(t, free, now, r, p)
					found++
					if len(p.Stretches) > 1 {
						bent++
					}
				}
				book(t, s, free, drawRequest(rng))
			}
			t.Logf("%d plans, %d of several stretches", found, bent)
		})
	}
}

// book reserves a request, and checks that it lies where Search says, or that nothing has changed.
func book(t testing.TB, s bookahead.Keeper, free []int64, r Request) {
	want, wantErr := Search(s, r, bookahead.Effort{})
	p, list, err := Reserve(s, r, bookahead.Effort{})
	require.Equal(t, wantErr, err)
	require.Equal(t, want, p)
	require.Len(t, list, len(p.Stretches))
	for i, res := range list {
		require.Equal(t, p.Stretches[i], Stretch{res.Interval, res.Units})
		for tick := res.Start; tick < res.End; tick++ {
			free[tick] -= res.Units
		}
	}
	for tick := s.Frame().Now; int(tick) < len(free); tick++ {
		a, err := s.RangeQuery(bookahead.Interval{Start: tick, End: tick + 1})
		require.NoError(t, err)
		require.Equal(t, free[tick], a.Free)
	}
}

// Laws that need no oracle.
func TestLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 1))
	for range scheduletest.Operations() / 10 {
		s, err := carts.NewIndexed(capacity, carts.Config{Horizon: horizon})
		require.NoError(t, err)
		draw(t, rng, s)
		r := drawRequest(rng)
		if r.Validate() != nil {
			continue
		}
		p, err := Search(s, r, bookahead.Effort{})
		cost := func(change func(*Request)) bookahead.Time {
			other := r
			change(&other)
			o, err := Search(s, other, bookahead.Effort{})
			if err != nil {
				return bookahead.MaxTime
			}
			return o.Cost
		}
		if err != nil {
			p.Cost = bookahead.MaxTime
		}
		if r.Deadline != 0 {
			require.LessOrEqual(t, cost(func(r *Request) { r.Deadline++ }), p.Cost, "a later deadline is never worse")
		}
		if r.Most > 0 {
			require.LessOrEqual(t, cost(func(r *Request) { r.Most++ }), p.Cost, "more units never end later")
		}
		if r.Stretches > 0 {
			require.LessOrEqual(t, cost(func(r *Request) { r.Stretches++ }), p.Cost)
		}
		require.LessOrEqual(t, cost(func(r *Request) { r.Least = 0 }), p.Cost)
		require.GreaterOrEqual(t, cost(func(r *Request) { r.Volume++ }), p.Cost)

		// All units at once, in one stretch: a plain search.
		n := max(1, r.Most)
		plain := bookahead.Request{Ready: r.Ready, Deadline: r.Deadline, Duration: ticksFor(r.Volume, n), Units: n}
		o, err := s.Search(plain)
		want := bookahead.MaxTime
		if err == nil {
			want = o.End
		}
		require.Equal(t, want, cost(func(r *Request) { r.Most, r.Least, r.Stretches, r.Price = n, n, 1, 0 }))
	}
}

func TestRefusals(t *testing.T) {
	s, err := carts.NewIndexed(capacity, carts.Config{})
	require.NoError(t, err)
	for field, r := range map[string]Request{
		"Request.Volume":    {},
		"Request.Most":      {Volume: 1, Most: -1},
		"Request.Least":     {Volume: 1, Most: 2, Least: 3},
		"Request.Stretches": {Volume: 1, Stretches: -1},
		"Request.Price":     {Volume: 1, Price: -1},
		"Request.Deadline":  {Volume: 1, Ready: 5, Deadline: 5},
	} {
		_, err := Search(s, r, bookahead.Effort{})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, field)
	}
	_, err = Search(s, Request{Volume: 1, Least: -1}, bookahead.Effort{})
	require.ErrorContains(t, err, "Request.Least")
	_, err = Search(s, Request{Volume: 1}, bookahead.Effort{Steps: -1})
	require.ErrorContains(t, err, "Effort.Steps")
	_, _, err = Reserve(struct{ bookahead.Schedule }{s}, Request{Volume: 1}, bookahead.Effort{})
	require.ErrorContains(t, err, "is no Keeper")
	servers, err := idletree.NewTree(capacity, idletree.Config{})
	require.NoError(t, err)
	_, err = Search(servers, Request{Volume: 1}, bookahead.Effort{})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "knows its servers")
	for _, least := range []int64{capacity + 1, 1 << 32, math.MaxInt64} { // a pool of so few units has numbers of 32 bits
		_, err = Search(s, Request{Volume: 1, Least: least}, bookahead.Effort{})
		require.ErrorIs(t, err, bookahead.ErrUnavailable)
		p, err := Search(s, Request{Volume: 2 * capacity, Most: least}, bookahead.Effort{})
		require.NoError(t, err)
		require.Equal(t, bookahead.Time(2), p.Completion())
	}
}

// The largest numbers neither overflow nor take long.
func TestLargeNumbers(t *testing.T) {
	s, err := carts.NewIndexed(math.MaxInt64, carts.Config{})
	require.NoError(t, err)
	p, err := Search(s, Request{Volume: math.MaxInt64}, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, []Stretch{{bookahead.Interval{Start: 0, End: 1}, math.MaxInt64}}, p.Stretches)
	_, err = s.Reserve(bookahead.At(10, 1, math.MaxInt64-2))
	require.NoError(t, err)
	for _, r := range []Request{
		{Volume: math.MaxInt64, Most: 3},
		{Volume: math.MaxInt64, Most: 3, Stretches: 2},
		{Volume: math.MaxInt64, Most: 3, Least: 2},
		{Volume: math.MaxInt64, Most: 3, Price: math.MaxInt64},
	} {
		p, err := Search(s, r, bookahead.Effort{})
		require.NoError(t, err, "%+v", r)
		require.Greater(t, p.Completion(), bookahead.Time(math.MaxInt64/3))
	}
	_, err = Search(s, Request{Ready: math.MaxInt64, Volume: math.MaxInt64}, bookahead.Effort{})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
}

// A search that its effort stops has a bound, or nothing.
func TestEffort(t *testing.T) {
	s, err := carts.NewIndexed(capacity, carts.Config{})
	require.NoError(t, err)
	for i := range bookahead.Time(100) {
		_, err = s.Reserve(bookahead.At(3*i, bookahead.Duration(1+i%3), 1+int64(i)%capacity))
		require.NoError(t, err)
	}
	for _, r := range []Request{{Volume: 400, Price: 2}, {Volume: 400, Stretches: 7}} {
		best, err := Search(s, r, bookahead.Effort{})
		require.NoError(t, err)
		stopped := 0
		for steps := int64(1); ; steps += steps/8 + 1 {
			p, err := Search(s, r, bookahead.Effort{Steps: steps})
			if err != nil {
				require.ErrorIs(t, err, bookahead.ErrStopped)
				continue
			}
			require.LessOrEqual(t, p.Bound, best.Cost)
			require.GreaterOrEqual(t, p.Cost, best.Cost)
			if p.Bound == p.Cost {
				require.Equal(t, best, p)
				break
			}
			stopped++
		}
		require.Greater(t, stopped, 10)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = Search(s, r, bookahead.Effort{Context: ctx})
		require.ErrorIs(t, err, bookahead.ErrStopped)
		require.ErrorIs(t, err, context.Canceled)
	}
}

// With the highest price the fewest stretches count, and then the end.
func TestTheHighestPrice(t *testing.T) {
	s, err := carts.NewIndexed(capacity, carts.Config{Horizon: horizon})
	require.NoError(t, err)
	for tick, free := range []int64{4, 4, 1, 1, 3, 3, 2, 2, 2, 2, 2, 2} {
		if free < capacity {
			_, err = s.Reserve(bookahead.At(bookahead.Time(tick), 1, capacity-free))
			require.NoError(t, err)
		}
	}
	p, err := Search(s, Request{Volume: 18, Price: math.MaxInt64}, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, []Stretch{{bookahead.Interval{Start: 0, End: 2}, 4}, {bookahead.Interval{Start: 4, End: 9}, 2}}, p.Stretches)
}

// Slots are whole: a plan on them is booked nevertheless.
func TestWideSlots(t *testing.T) {
	s, err := slotted.NewIndexed(capacity, slotted.Config{Slot: 10, Horizon: 100})
	require.NoError(t, err)
	_, err = s.Reserve(bookahead.At(20, 10, 3))
	require.NoError(t, err)
	_, list, err := Reserve(s, Request{Volume: 110}, bookahead.Effort{})
	require.NoError(t, err)
	require.Len(t, list, 3)
}

// TestLocked sees through Locked.
func TestLocked(t *testing.T) {
	x, err := carts.NewIndexed(capacity, carts.Config{})
	require.NoError(t, err)
	s := bookahead.Locked(x)
	_, list, err := Reserve(s, Request{Volume: 10, Most: 4}, bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, "[{1 [0, 3) 4}]", fmt.Sprint(brief(list)))
}

func brief(list []bookahead.Reservation) (all []any) {
	for _, res := range list {
		all = append(all, struct {
			ID    bookahead.ID
			W     bookahead.Interval
			Units int64
		}{res.ID, res.Interval, res.Units})
	}
	return all
}
