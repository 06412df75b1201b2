package bookahead_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

func TestHunt(t *testing.T) { scheduletest.Hunt(t, hunted) }

func FuzzHunt(f *testing.F) { scheduletest.FuzzHunt(f, hunted) }

// hunted calls the arithmetic of ticks with numbers at the edges, and checks each answer against numbers without edges. The
// functions that take a schedule are hunted with each structure.
func hunted(h *scheduletest.Hunter) {
	h.Calls(func() {
		switch h.IntN(4) {
		case 0:
			huntTimes(h)
		case 1:
			huntIntervals(h)
		case 2:
			huntRequests(h)
		case 3:
			huntClocks(h)
		}
	})
}

// sum adds numbers, as no int64 can.
func sum(list ...int64) *big.Int {
	s := new(big.Int)
	for _, n := range list {
		s.Add(s, big.NewInt(n))
	}
	return s
}

// agrees checks an answer against the exact one, and that there is an error just where the exact one does not fit.
func agrees(h *scheduletest.Hunter, exact *big.Int, have int64, err error) {
	if !exact.IsInt64() {
		require.ErrorIs(h, err, bookahead.ErrInvalid)
		return
	}
	require.NoError(h, err)
	require.Equal(h, exact.Int64(), have)
}

func huntTimes(h *scheduletest.Hunter) {
	t, n := h.Number(), h.Number()
	h.Does("Time(%d).Add(%d), Sub", t, n)
	added, err := bookahead.Time(t).Add(bookahead.Duration(n))
	agrees(h, sum(t, n), int64(added), err)
	less, err := bookahead.Time(t).Sub(bookahead.Time(n))
	exact := sum(t)
	agrees(h, exact.Sub(exact, sum(n)), int64(less), err)
}

func huntIntervals(h *scheduletest.Hunter) {
	draw := func() bookahead.Interval {
		return bookahead.Interval{Start: bookahead.Time(h.Number()), End: bookahead.Time(h.Number())}
	}
	i, j, t := draw(), draw(), bookahead.Time(h.Number())
	h.Does("%v, %v, %d", i, j, t)
	length := new(big.Int).Sub(sum(int64(i.End)), sum(int64(i.Start)))
	require.Equal(h, length.Sign() <= 0, i.Empty())
	switch {
	case length.Sign() < 0:
		length.SetInt64(0)
	case !length.IsInt64():
		length.SetInt64(int64(bookahead.MaxTime))
	}
	require.Equal(h, length.Int64(), int64(i.Len()))
	both := i.Intersect(j)
	require.Equal(h, i.Contains(t) && j.Contains(t), both.Contains(t))
	require.Equal(h, i.Overlaps(j), !both.Empty())
	require.Equal(h, both, j.Intersect(i))
	require.Equal(h, !i.Empty(), i.Contains(i.Start))
	require.False(h, i.Contains(i.End))
}

func huntRequests(h *scheduletest.Hunter) {
	r := bookahead.Request{
		Ready: bookahead.Time(h.Number()), Deadline: bookahead.Time(h.Number()),
		Duration: bookahead.Duration(h.Number()), Units: h.Number(),
	}
	end := sum(int64(r.Ready), int64(r.Duration))
	switch h.IntN(4) {
	case 0:
		r.Deadline = 0
	case 1:
		if end.IsInt64() {
			r.Deadline = bookahead.Time(end.Int64())
		}
	case 2:
		r.Servers = []int{int(h.Number() % 1000), 1, 2, 3, 4}
		r.Units = int64(1 + h.IntN(6))
	}
	h.Does("%+v.Validate()", r)
	named := r.Servers == nil || int64(len(r.Servers)) >= r.Units && (r.Servers[0] == 0 || r.Servers[0] > 4)
	valid := r.Units >= 1 && r.Duration >= 1 && end.IsInt64() && named && (r.Deadline == 0 || end.Cmp(sum(int64(r.Deadline))) <= 0)
	err := r.Validate()
	if !valid {
		require.ErrorIs(h, err, bookahead.ErrInvalid)
	} else {
		require.NoError(h, err)
		require.Equal(h, r.Deadline != 0 && end.Cmp(sum(int64(r.Deadline))) == 0, r.Fixed())
	}
	fixed := bookahead.At(r.Ready, r.Duration, r.Units)
	err = fixed.Validate()
	require.Equal(h, r.Units >= 1 && r.Duration >= 1 && end.IsInt64(), err == nil, "%+v: %v", fixed, err)
	if err == nil {
		require.True(h, fixed.Fixed())
		offer := bookahead.Offer{Interval: bookahead.Interval{Start: fixed.Ready, End: fixed.Deadline}, Units: r.Units}
		require.Equal(h, fixed, offer.Request())
	}
	steps := bookahead.Effort{Steps: h.Number()}
	require.Equal(h, steps.Steps < 0, steps.Validate() != nil)
}

func huntClocks(h *scheduletest.Hunter) {
	c := bookahead.Clock{Epoch: time.Unix(0, h.Number()), Tick: time.Duration(h.Number())}
	t, d, wall := h.Number(), h.Number(), time.Unix(h.Number()>>h.IntN(32), h.Number())
	h.Does("%+v: %v, %d, %d", c, wall, t, d)
	tick := int64(c.Tick)
	if tick == 0 {
		tick = int64(time.Second)
	}
	floor, late := c.Floor(wall)
	ceil, err := c.Ceil(wall)
	require.Equal(h, late, err)
	length, invalid := c.Ticks(time.Duration(d))
	back, far := c.Wall(bookahead.Time(t))
	if tick < 0 {
		for _, err := range []error{late, invalid, far} {
			require.ErrorIs(h, err, bookahead.ErrInvalid)
		}
		return
	}
	nanos := func(t time.Time) *big.Int {
		s := sum(t.Unix())
		return s.Mul(s, sum(int64(time.Second))).Add(s, sum(int64(t.Nanosecond())))
	}
	since := nanos(wall)
	since.Sub(since, nanos(c.Epoch))
	require.Equal(h, since.IsInt64(), late == nil, "%v", late)
	per := sum(tick)
	if late == nil {
		q, rest := new(big.Int).DivMod(since, per, new(big.Int))
		require.Equal(h, q.Int64(), int64(floor))
		if rest.Sign() > 0 {
			q.Add(q, sum(1))
		}
		require.Equal(h, q.Int64(), int64(ceil))
	}
	require.NoError(h, invalid)
	up := new(big.Int).Add(sum(d), new(big.Int).Sub(per, sum(1)))
	if d > 0 {
		up.Div(up, per)
	} else {
		up.Quo(sum(d), per)
	}
	require.Equal(h, up.Int64(), int64(length))
	at := new(big.Int).Mul(sum(t), per)
	require.Equal(h, at.IsInt64(), far == nil, "%v", far)
	if far == nil {
		require.Zero(h, at.Add(at, nanos(c.Epoch)).Cmp(nanos(back)))
	}
}
