package route

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/volume"
)

const transferSlots = 16

// transfers is a network, and the free units of each link at each tick from its Origin on.
type transfers struct {
	*Network
	free [][]int64
}

// drawTransfers draws a network of pools, and of links that are free or not.
func drawTransfers(t require.TestingT, rng *rand.Rand) transfers {
	c := Config{Origin: bookahead.Time(rng.IntN(2) * 1000), Slots: transferSlots, Wait: rng.IntN(4) == 0}
	nodes := 2 + rng.IntN(4)
	slow := rng.IntN(2) * 3
	var x transfers
	var links []Link
	for range rng.IntN(4*nodes + 1) {
		from, to := rng.IntN(nodes), rng.IntN(nodes)
		if from == to {
			continue
		}
		l := Link{From: from, To: to, Delay: bookahead.Duration(rng.IntN(1 + slow))}
		free := make([]int64, transferSlots)
		if rng.IntN(4) == 0 {
			v, err := avail.NewVector(transferSlots)
			require.NoError(t, err)
			for i := range free {
				free[i] = rng.Int64N(2)
				if free[i] > 0 {
					v.Set(i, i+1)
				}
			}
			l.Free = v
		} else {
			s, err := carts.NewIndexed(4, carts.Config{Origin: c.Origin})
			require.NoError(t, err)
			for i := range free {
				free[i] = 4
			}
			for range rng.IntN(6) {
				at, d, n := rng.IntN(transferSlots), 1+rng.IntN(4), 1+rng.Int64N(4)
				d = min(d, transferSlots-at)
				_, err := s.Reserve(bookahead.At(c.Origin+bookahead.Time(at), bookahead.Duration(d), n))
				for i := at; err == nil && i < at+d; i++ {
					free[i] -= n
				}
			}
			l.Schedule = s
		}
		links, x.free = append(links, l), append(x.free, free)
	}
	n, err := New(nodes, links, nil, c)
	require.NoError(t, err)
	x.Network = n
	return x
}

func (x *transfers) drawTransfer(rng *rand.Rand) Transfer {
	t := Transfer{From: rng.IntN(x.nodes), To: rng.IntN(x.nodes)}
	t.Volume, t.Most = 1+rng.Int64N(12), rng.Int64N(5)
	if rng.IntN(2) == 0 {
		t.Ready = x.now + bookahead.Time(rng.IntN(6))
	}
	if rng.IntN(2) == 0 {
		t.Deadline = max(t.Ready, x.now) + 1 + bookahead.Time(rng.IntN(transferSlots))
	}
	if rng.IntN(3) == 0 {
		t.Least = 1 + rng.Int64N(max(1, t.Most))
	}
	if rng.IntN(3) == 0 {
		t.Stretches = 1 + rng.IntN(3)
	}
	if rng.IntN(4) == 0 {
		t.Price = []bookahead.Duration{1, 3, math.MaxInt64 / 3, math.MaxInt64}[rng.IntN(4)]
	}
	if rng.IntN(8) == 0 {
		t.Ready, t.Deadline = math.MinInt64, x.now+bookahead.Time(rng.IntN(3)-1)
	}
	if rng.IntN(4) == 0 && len(x.links) > 0 {
		t.Avoid.Links = []int{rng.IntN(len(x.links))}
	}
	if rng.IntN(4) == 0 {
		t.Avoid.Nodes = []int{(t.From + 1 + rng.IntN(x.nodes-1)) % x.nodes}
	}
	return t
}

// brute returns the least cost of a transfer by all simple paths; false if there is no plan.
func (x *transfers) brute(t Transfer) (best volume.Cost, ok bool) {
	var follow func(at int, delay int, free []int64, seen []int)
	follow = func(at, delay int, free []int64, seen []int) {
		if at == t.To {
			r := t.Request
			r.Ready = max(r.Ready, x.now)
			if x.config.Wait {
				r.Ready += 2 * bookahead.Time(delay)
			}
			if r.Deadline != 0 {
				r.Deadline -= bookahead.Time(delay)
				if r.Deadline <= r.Ready {
					return
				}
			}
			var steps []bookahead.Step
			for i, n := range free {
				steps = append(steps, bookahead.Step{Interval: bookahead.Interval{Start: x.now + bookahead.Time(i), End: x.now + bookahead.Time(i+1)}, Free: n})
			}
			p, err := volume.SearchSteps(slices.Values(steps), r, bookahead.Effort{})
			if err != nil {
				return
			}
			c := t.CostOf(p.Completion()+bookahead.Time(delay), len(p.Stretches)-1)
			if !ok || c.Compare(best) < 0 {
				best, ok = c, true
			}
			return
		}
		for l := range x.links {
			link := &x.links[l]
			if link.From != at || slices.Contains(t.Avoid.Links, l) || slices.Contains(t.Avoid.Nodes, link.To) || slices.Contains(seen, link.To) {
				continue
			}
			both := make([]int64, len(free))
			for i := range free {
				if i+delay < len(free) {
					both[i] = min(free[i], x.free[l][i+delay])
				}
			}
			follow(link.To, delay+int(link.Delay), both, append(slices.Clone(seen), link.To))
		}
	}
	all := make([]int64, transferSlots)
	for i := range all {
		all[i] = math.MaxInt64
	}
	follow(t.From, 0, all, []int{t.From})
	return best, ok
}

// Each transfer is compared with all paths, booked, and given back.
func TestTransfersAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 5))
	found, bent, far := 0, 0, 0
	for range depth.Cases(20_000) {
		x := drawTransfers(t, rng)
		for range 3 {
			if rng.IntN(4) == 0 {
				x.pass(t)
			}
			task := x.drawTransfer(rng)
			p, err := x.EarliestTransfer(task)
			if task.Request.Validate() != nil || task.From == task.To {
				require.ErrorIs(t, err, bookahead.ErrInvalid)
				continue
			}
			best, ok := x.brute(task)
			if !ok {
				require.ErrorIs(t, err, bookahead.ErrUnavailable, "%+v", task)
				continue
			}
			require.NoError(t, err, "%+v", task)
			require.Equal(t, best, task.CostOf(p.Arrival, len(p.Send.Stretches)-1), "%+v: %+v", task, p)
			require.Equal(t, best.Time(), p.Bound)
			require.False(t, p.Spent.Cut)
			require.Equal(t, p.Arrival, p.Send.Completion()+bookahead.Time(p.Delay))
			found++
			if len(p.Send.Stretches) > 1 {
				bent++
			}
			if len(p.Links) > 2 {
				far++
			}
			x.commit(t, p)
		}
	}
	require.Greater(t, 50*bent+100, found, "few draws may have none")
	require.Greater(t, 100*far+200, found)
	t.Logf("%d plans, %d of several stretches, %d over more than two links", found, bent, far)
}

// pass moves the clock by a tick. The slots that come into sight are free.
func (x *transfers) pass(t *testing.T) {
	require.NoError(t, x.Advance(x.now+1))
	for l := range x.free {
		x.free[l] = append(x.free[l][1:], 1)
		if x.links[l].Schedule != nil {
			x.free[l][transferSlots-1] = 4
		}
	}
}

// commit books a plan, and checks what is free then; half of the plans it gives back.
func (x *transfers) commit(t *testing.T, p TransferPlan) {
	id, err := x.CommitTransfer(p)
	require.NoError(t, err)
	take := func(sign int64) {
		delay := bookahead.Time(0)
		for _, l := range p.Links {
			for _, s := range p.Send.Stretches {
				for tick := s.Start + delay; tick < s.End+delay; tick++ {
					x.free[l][tick-x.now] -= sign * s.Units
				}
			}
			delay += bookahead.Time(x.links[l].Delay)
		}
		for _, l := range p.Links {
			got := make([]int64, transferSlots)
			for _, s := range x.freeOn(l) {
				for tick := s.Start; tick < s.End; tick++ {
					got[tick-x.now] = s.Free
				}
			}
			require.Equal(t, x.free[l], got)
			for i, n := range got {
				require.Equal(t, n > 0, x.vectors[l].Get(i), "the vector of a link is read anew")
			}
		}
	}
	take(1)
	if id%2 == 0 {
		require.NoError(t, x.Release(id))
		require.ErrorIs(t, x.Release(id), bookahead.ErrNotFound)
		take(-1)
	}
}

func TestTransferByHand(t *testing.T) {
	pool := func(booked ...bookahead.Request) bookahead.Schedule {
		s, err := carts.NewIndexed(4, carts.Config{})
		require.NoError(t, err)
		for _, r := range booked {
			_, err = s.Reserve(r)
			require.NoError(t, err)
		}
		return s
	}
	n, err := New(4, []Link{
		{From: 0, To: 1, Schedule: pool(bookahead.At(0, 6, 2))},
		{From: 1, To: 3, Schedule: pool(bookahead.At(0, 6, 3))},
		{From: 0, To: 2, Schedule: pool(bookahead.At(0, 1, 1), bookahead.At(1, 1, 4), bookahead.At(2, 4, 1))},
		{From: 2, To: 3, Schedule: pool(bookahead.At(0, 1, 3))},
	}, nil, Config{Slots: 6})
	require.NoError(t, err)
	p, err := n.EarliestTransfer(Transfer{From: 0, To: 3, Request: volume.Request{Volume: 4}})
	require.NoError(t, err)
	require.Equal(t, []int{0, 2, 3}, p.Nodes)
	require.Equal(t, bookahead.Time(3), p.Arrival)
	require.Equal(t, []volume.Stretch{{Interval: bookahead.Interval{Start: 0, End: 1}, Units: 1}, {Interval: bookahead.Interval{Start: 2, End: 3}, Units: 3}}, p.Send.Stretches)
	p, err = n.EarliestTransfer(Transfer{From: 0, To: 3, Request: volume.Request{Volume: 4}, Avoid: Avoid{Nodes: []int{2}}})
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(4), p.Arrival)
}

// With a Price beyond the end of the axis, fewer stretches still count.
func TestTransferAtTheHighestPrice(t *testing.T) {
	link := func(from, to int, free ...int) Link {
		v, err := avail.NewVector(6)
		require.NoError(t, err)
		for _, i := range free {
			v.Set(i, i+1)
		}
		return Link{From: from, To: to, Free: v}
	}
	n, err := New(3, []Link{link(0, 1, 0, 2, 4), link(0, 2, 0, 1, 4), link(2, 1, 0, 1, 4)}, nil, Config{Slots: 6})
	require.NoError(t, err)
	p, err := n.EarliestTransfer(Transfer{From: 0, To: 1, Request: volume.Request{Volume: 3, Price: math.MaxInt64}})
	require.NoError(t, err)
	require.Equal(t, []int{0, 2, 1}, p.Nodes)
	require.Len(t, p.Send.Stretches, 2)
}

// A deadline in the past leaves no time, however long ago it is.
func TestTransferInThePast(t *testing.T) {
	n, err := New(2, []Link{{From: 0, To: 1, Delay: 2}}, nil, Config{Slots: 10})
	require.NoError(t, err)
	_, err = n.EarliestTransfer(Transfer{From: 0, To: 1, Request: volume.Request{Volume: 1, Ready: math.MinInt64, Deadline: math.MinInt64 + 1}})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	n, err = New(2, []Link{{From: 0, To: 1}}, nil, Config{})
	require.NoError(t, err)
	_, err = n.EarliestTransfer(Transfer{From: 0, To: 1, Request: volume.Request{Volume: 1}})
	require.ErrorIs(t, err, bookahead.ErrUnavailable, "no slots")
}

// Data that must be late at a link cannot go round in a circle, but it can go another way to a node by which a better path
// has come already:
//
//	S → A    1 . . . . .
//	A → T    . . . 1 . .        A → B and B → A are free, and each link but A → T has a delay of 1
func TestTransferOverANodeOfAnotherPath(t *testing.T) {
	link := func(from, to int, delay bookahead.Duration, free ...int) Link {
		v, err := avail.NewVector(6)
		require.NoError(t, err)
		for _, i := range free {
			v.Set(i, i+1)
		}
		return Link{From: from, To: to, Delay: delay, Free: v}
	}
	const s, a, b, c, end = 0, 1, 2, 3, 4
	links := []Link{link(s, a, 1, 0), link(a, b, 1, 0, 1, 2, 3, 4, 5), link(b, a, 1, 0, 1, 2, 3, 4, 5), link(a, end, 0, 3)}
	task := Transfer{From: s, To: end, Request: volume.Request{Volume: 1}}
	n, err := New(5, links, nil, Config{Slots: 6})
	require.NoError(t, err)
	_, err = n.EarliestTransfer(task)
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	n, err = New(5, append(links, link(s, c, 1, 0), link(c, b, 1, 1)), nil, Config{Slots: 6})
	require.NoError(t, err)
	p, err := n.EarliestTransfer(task)
	require.NoError(t, err)
	require.Equal(t, []int{s, c, b, a, end}, p.Nodes)
	require.Equal(t, bookahead.Time(4), p.Arrival)
}

func TestTransferRefusals(t *testing.T) {
	n, err := New(3, []Link{{From: 0, To: 1}, {From: 1, To: 2}}, nil, Config{Slots: 10})
	require.NoError(t, err)
	good := Transfer{From: 0, To: 2, Request: volume.Request{Volume: 3}}
	for field, change := range map[string]func(*Transfer){
		"Transfer.From":           func(x *Transfer) { x.From = 3 },
		"Transfer.To":             func(x *Transfer) { x.To = -1 },
		"is where the data is":    func(x *Transfer) { x.To = 0 },
		"Request.Volume":          func(x *Transfer) { x.Volume = 0 },
		"Transfer.Avoid.Links[0]": func(x *Transfer) { x.Avoid.Links = []int{2} },
		"Effort.Steps":            func(x *Transfer) { x.Effort.Steps = -1 },
	} {
		bad := good
		change(&bad)
		_, err := n.EarliestTransfer(bad)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, field)
	}
	p, err := n.EarliestTransfer(good)
	require.NoError(t, err)
	for field, change := range map[string]func(*TransferPlan){
		"TransferPlan.Nodes":             func(p *TransferPlan) { p.Nodes = nil },
		"TransferPlan.Nodes[1]":          func(p *TransferPlan) { p.Nodes = []int{0, 2, 2} },
		"do not begin with":              func(p *TransferPlan) { p.Nodes = []int{7, 1, 2} },
		"TransferPlan.Links [] are none": func(p *TransferPlan) { p.Nodes, p.Links = []int{0}, []int{} },
		"TransferPlan.Send.Stretches []": func(p *TransferPlan) { p.Send.Stretches = nil },
		"TransferPlan.Links[1]":          func(p *TransferPlan) { p.Links = []int{0, 2} },
		"TransferPlan.Links[0]":          func(p *TransferPlan) { p.Links = []int{1, 1} },
		"TransferPlan.Send.Stretches[0]": func(p *TransferPlan) { p.Send.Stretches = []volume.Stretch{{Units: 1}} },
		"TransferPlan.Arrival":           func(p *TransferPlan) { p.Arrival++ },
	} {
		bad := p
		change(&bad)
		_, err := n.CommitTransfer(bad)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, field)
	}
	_, err = n.CommitTransfer(p)
	require.NoError(t, err)
	_, err = n.CommitTransfer(p)
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
	more := p
	more.Send.Stretches = []volume.Stretch{{Interval: bookahead.Interval{Start: 5, End: 6}, Units: 2}}
	more.Arrival = 6
	_, err = n.CommitTransfer(more)
	require.ErrorIs(t, err, bookahead.ErrUnavailable, "a link without a schedule has one unit")
	require.Equal(t, 7, n.Free(0).Weight())
}

// A search that is stopped returns what it knows, with a bound.
func TestTransferEffort(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 6))
	cut := 0
	for range 200 {
		x := drawTransfers(t, rng)
		task := x.drawTransfer(rng)
		best, err := x.EarliestTransfer(task)
		if err != nil {
			continue
		}
		for steps := int64(1); ; steps += 1 + steps/4 {
			task.Effort.Steps = steps
			p, err := x.EarliestTransfer(task)
			if err != nil {
				require.ErrorIs(t, err, bookahead.ErrStopped)
				continue
			}
			require.LessOrEqual(t, p.Bound, best.Bound)
			require.GreaterOrEqual(t, task.CostOf(p.Arrival, len(p.Send.Stretches)-1).Compare(task.CostOf(best.Arrival, len(best.Send.Stretches)-1)), 0)
			require.LessOrEqual(t, p.Spent.Steps, steps)
			if !p.Spent.Cut {
				require.Equal(t, best.Arrival, p.Arrival)
				break
			}
			cut++
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		task.Effort = bookahead.Effort{Context: ctx}
		_, err = x.EarliestTransfer(task)
		require.ErrorIs(t, err, context.Canceled)
	}
	require.Positive(t, cut)
}

// A transfer is one request of a desk, which books the plan to the letter.
func TestTransferRequest(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 7))
	booked := 0
	for range 300 {
		x := drawTransfers(t, rng)
		d, err := desk.New(desk.Config{Origin: x.now})
		require.NoError(t, err)
		for l := range x.links {
			name := fmt.Sprint("link ", l)
			x.links[l].Name = name
			_, err = d.Do(desk.AddSchedule{Name: name, Kind: desk.Pool{Units: 4}})
			require.NoError(t, err)
			for i, n := range x.free[l] {
				if n < 4 {
					at := x.now + bookahead.Time(i)
					_, err = d.Do(desk.Book{Request: desk.Request{Ready: at, Deadline: at + 1, Shapes: []desk.Shape{{{On: name, Units: 4 - n, Duration: 1}}}}})
					require.NoError(t, err)
				}
			}
		}
		p, err := x.EarliestTransfer(x.drawTransfer(rng))
		if err != nil {
			continue
		}
		r, err := x.TransferRequest(p)
		require.NoError(t, err)
		out, err := d.Do(desk.Book{Request: r})
		require.NoError(t, err)
		booked++
		require.Len(t, out.Booking.Places, len(p.Links)*len(p.Send.Stretches))
		for i, place := range out.Booking.Places {
			s := p.Send.Stretches[i%len(p.Send.Stretches)]
			require.Equal(t, s.Units, place.Units)
			require.Equal(t, fmt.Sprint("link ", p.Links[i/len(p.Send.Stretches)]), place.On)
		}
		require.Equal(t, p.Send.Stretches[0].Start, out.Booking.Start)
		last := bookahead.Time(p.Delay) - bookahead.Time(x.links[p.Links[len(p.Links)-1]].Delay)
		require.Equal(t, p.Send.Completion()+last, out.Booking.End)
		require.Equal(t, out.Booking.End, r.Deadline)
	}
	require.Greater(t, booked, 50)
	n, err := New(2, []Link{{From: 0, To: 1}}, nil, Config{Slots: 200})
	require.NoError(t, err)
	_, err = n.TransferRequest(TransferPlan{})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	p, err := n.EarliestTransfer(Transfer{From: 0, To: 1, Request: volume.Request{Volume: 1}})
	require.NoError(t, err)
	_, err = n.TransferRequest(p)
	require.ErrorContains(t, err, "names no schedule of a desk")
	p.Send.Stretches = nil
	for i := range bookahead.Time(65) {
		p.Send.Stretches = append(p.Send.Stretches, volume.Stretch{Interval: bookahead.Interval{Start: 2 * i, End: 2*i + 1}, Units: 1})
	}
	p.Arrival = 129
	_, err = n.TransferRequest(p)
	require.ErrorContains(t, err, "are more than the 64 parts")
}
