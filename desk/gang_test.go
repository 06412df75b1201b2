package desk

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/nodes"
)

// farmOf returns a desk with nodes of two GPUs each, the first three of them in a rack, and the others in another.
func farmOf(t *testing.T, count int) *Desk {
	d, err := New(Config{Keep: 100})
	require.NoError(t, err)
	var all []int
	for i := range count {
		all = append(all, i)
	}
	levels := []nodes.Level{{Name: "rack", Groups: [][]int{all[:3], all[3:]}}}
	_, err = d.Do(AddSchedule{"farm", Nodes{Resources: []string{"gpus"}, Nodes: slices.Repeat([]nodes.Vector{{2}}, count), Levels: levels, Policy: []string{"", "best", "spread"}[count%3]}})
	require.NoError(t, err)
	return d
}

// nodeUse returns how many GPUs of each node live bookings have at a tick, all of them for one that is exclusive, without one of
// the bookings; closed nodes have 99 more.
func nodeUse(d *Desk, count int, tick bookahead.Time, without BookingID) []int64 {
	use := make([]int64, count)
	for k := range d.b.each() {
		if !k.State.Live() || k.ID == without {
			continue
		}
		for i, p := range k.Places {
			tasks := k.Shapes[k.Shape][i].Tasks
			if !p.Contains(tick) {
				continue
			}
			for _, n := range p.Nodes {
				use[n.Node] += n.Tasks * tasks.Each[0]
			}
			if p.Head >= 0 {
				use[p.Head] += tasks.Head[0]
			}
			for _, n := range p.Nodes {
				if tasks.Exclusive {
					use[n.Node] += 50
				}
			}
		}
	}
	for _, o := range d.Outages("farm") {
		for _, n := range o.Servers {
			if o.Contains(tick) {
				use[n] += 99
			}
		}
	}
	return use
}

// each yields the bookings.
func (b *books) each() func(yield func(*Booking) bool) {
	return func(yield func(*Booking) bool) {
		for _, r := range b.all.All(b.now) {
			if !yield(r.Booking) {
				return
			}
		}
	}
}

// An exclusive booking has its nodes to itself, at the earliest time that leaves it whole nodes.
func TestExclusiveOnADesk(t *testing.T) {
	const count = 5
	rng := rand.New(rand.NewPCG(44, 3))
	alone, moved := 0, 0
	for range depth.Cases(1_500) {
		d := farmOf(t, count)
		replica := d.Clone()
		for range 12 {
			tasks := &nodes.Request{Each: nodes.Vector{1 + rng.Int64N(2)}, PerNode: rng.Int64N(3), Exclusive: rng.IntN(2) == 0}
			part := Part{On: "farm", Units: 1 + rng.Int64N(5), Duration: bookahead.Duration(1 + rng.IntN(5)), Tasks: tasks}
			r := Request{Priority: rng.Int64N(3), Ready: d.Now() + bookahead.Time(rng.IntN(6)), Shapes: []Shape{{part}}}
			switch rng.IntN(8) {
			case 0:
				checkApplied(t, d, replica, Advance{d.Now() + bookahead.Time(rng.IntN(4))})
			case 1:
				start := d.Now() + bookahead.Time(rng.IntN(6))
				shut := Close{On: "farm", Interval: bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(rng.IntN(5))}, Servers: []int{rng.IntN(count)}, Force: Anybody}
				out := checkApplied(t, d, replica, shut)
				moved += len(out.Events) - 1
			default:
				capacity := func(start bookahead.Time) (sum int64) {
					for n := range count {
						free := int64(2)
						for tick := start; tick < start+bookahead.Time(part.Duration); tick++ {
							use := nodeUse(d, count, tick, 0)[n]
							if use > 0 && tasks.Exclusive {
								use = 2
							}
							free = min(free, 2-use)
						}
						most := max(0, free) / tasks.Each[0]
						if tasks.PerNode > 0 {
							most = min(most, tasks.PerNode)
						}
						sum += most
					}
					return sum
				}
				e, err := d.Decide(Book{Request: r})
				if err != nil {
					require.ErrorIs(t, err, bookahead.ErrUnavailable)
					require.Less(t, capacity(1_000), part.Units)
					continue
				}
				start := max(r.Ready, d.Now())
				for capacity(start) < part.Units {
					start++
				}
				require.Equal(t, start, e.Decision.Places[0].Start, "%+v", part.Tasks)
				checkApplied(t, d, replica, Book{Request: r})
				if tasks.Exclusive {
					alone++
				}
			}
			for tick := d.Now(); tick < d.Now()+20; tick++ {
				for n, use := range nodeUse(d, count, tick, 0) {
					require.True(t, use <= 2 || use > 50 && use <= 52 || use%99 == 0, "%d on node %d at %d", use, n, tick)
				}
			}
		}
	}
	t.Logf("%d exclusive bookings, %d events of outages", alone, moved)
}

// A part with Patience starts at the earliest start in one rack that comes soon enough, and else where it would start without.
func TestPatienceOnADesk(t *testing.T) {
	const count = 6
	rng := rand.New(rand.NewPCG(44, 4))
	waits, gaveUp := 0, 0
	for range depth.Cases(3_000) {
		d := farmOf(t, count)
		if rng.IntN(2) == 0 {
			terms := plainTerms(rng, 0)
			terms.After = bookahead.Duration(rng.IntN(2))
			_, err := d.Do(SetTerms{"farm", terms})
			require.NoError(t, err)
		}
		if rng.IntN(3) == 0 {
			_, err := d.Do(SetQuota{"q", Quota{Units: 4 + rng.Int64N(5)}})
			require.NoError(t, err)
		}
		draw := func() Part {
			tasks := &nodes.Request{Each: nodes.Vector{1 + rng.Int64N(2)}, PerNode: rng.Int64N(3), Exclusive: rng.IntN(5) == 0}
			return Part{On: "farm", Units: 1 + rng.Int64N(5), Duration: bookahead.Duration(1 + rng.IntN(5)), Tasks: tasks}
		}
		for range rng.IntN(20) {
			_, _ = d.Do(Book{Request: Request{Ready: bookahead.Time(rng.IntN(14)), Shapes: []Shape{{draw()}}}})
		}
		part := draw()
		if rng.IntN(4) == 0 {
			part.Tasks.Head = nodes.Vector{1}
		}
		part.Tasks.Together = "rack"
		r := Request{Ready: bookahead.Time(rng.IntN(10)), Shapes: []Shape{{part}}}
		if rng.IntN(3) == 0 {
			r.Deadline = r.Ready + bookahead.Time(part.Duration) + bookahead.Time(rng.IntN(20))
		}
		now, err := d.Search(r, bookahead.Effort{})
		first := bookahead.MaxTime
		for _, rack := range [][]int{{0, 1, 2}, {3, 4, 5}} {
			one := r.Clone()
			one.Shapes[0][0].Tasks.Nodes = rack
			k, err := d.Search(one, bookahead.Effort{})
			if err == nil {
				first = min(first, k.Start)
			}
		}
		r = r.Clone()
		r.Shapes[0][0].Tasks.Patience = bookahead.Duration(1 + rng.IntN(9))
		k, patient := d.Search(r, bookahead.Effort{})
		require.Equal(t, err, patient)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrUnavailable)
			continue
		}
		if first > now.Start+bookahead.Time(r.Shapes[0][0].Tasks.Patience) {
			require.Equal(t, now.Places, k.Places)
			gaveUp++
			continue
		}
		require.Equal(t, first, k.Start, "%+v", r.Shapes[0][0].Tasks)
		p := k.Places[0]
		rack := p.Nodes[0].Node / 3
		for _, n := range p.Nodes {
			require.Equal(t, rack, n.Node/3, "%v", p)
		}
		require.True(t, p.Head < 0 || p.Head/3 == rack)
		if first > now.Start {
			waits++
		}
		out, err := d.Do(Book{Request: r})
		require.NoError(t, err)
		require.Equal(t, k.Places, out.Booking.Places)
		require.NoError(t, d.Verify())
	}
	t.Logf("%d wait for one rack, and %d do not", waits, gaveUp)
	require.Positive(t, waits+100/depth.Cases(100))
}

// A Change that needs no Notice, since it stays within its place, waits no longer for one rack than its place lasts:
//
//	tick      0     3     6  7  9  10
//	node 0    xxxxxxxxxxxx               booked
//	node 3    xxxxxxxxxxxxxxxxxxxxxxx
//	before          ████████████         four tasks in two racks
//	after           ████████             three tasks in two racks
//	not this              ▒▒▒▒▒▒▒▒       three tasks in the rack of node 0
func TestPatienceEndsWithThePlaceOfAChange(t *testing.T) {
	d := farmOf(t, 6)
	for i, node := range []int{0, 3} {
		taken := Part{On: "farm", Units: 1, Duration: []bookahead.Duration{6, 30}[i], Tasks: &nodes.Request{Each: nodes.Vector{2}, Nodes: []int{node}}}
		do(t, d, Book{Request: Request{Shapes: []Shape{{taken}}}})
	}
	tasks := &nodes.Request{Each: nodes.Vector{2}, Together: "rack", Patience: 20}
	k := do(t, d, Book{Request: Request{Ready: 3, Shapes: []Shape{{{On: "farm", Units: 4, Duration: 6, Tasks: tasks}}}}}).Booking
	require.Equal(t, ticks(3, 9), k.Interval, "no rack has four nodes")
	do(t, d, SetTerms{"farm", Terms{Notice: 5}})
	to := k.Request.Clone()
	to.Shapes[0][0].Units, to.Shapes[0][0].Duration = 3, 4
	do(t, d, Change{ID: k.ID, To: to})
	require.Equal(t, ticks(3, 7), of(t, d, k.ID).Interval)

	// A new request of the same kind needs Notice, and waits.
	do(t, d, Cancel{ID: k.ID})
	k = do(t, d, Book{Request: to}).Booking
	require.Equal(t, ticks(6, 10), k.Interval)
}

func TestPatienceRefusals(t *testing.T) {
	d := farmOf(t, 6)
	do(t, d, AddSchedule{"any", Broker{Of: []string{"farm"}}})
	part := Part{On: "farm", Units: 1, Duration: 2, Tasks: &nodes.Request{Each: nodes.Vector{1}, Together: "rack", Patience: 3}}
	late, other, servers := part, part, Part{On: "farm", Units: 1, Duration: 2, Swap: true}
	late.Offset, other.On = 1, "any"
	for why, shape := range map[string]Shape{
		"with an Offset": {late}, "several parts": {part, part}, "is a broker": {other}, "Swap true": {servers},
	} {
		_, err := d.Do(Book{Request: Request{Shapes: []Shape{shape}}})
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, why)
	}
}

// One node of a gang that runs fails: the tasks of the others stay, and so does the line.
//
//	node 0   11│11          node 3   ··│··
//	node 1   11│xx          node 4   22│22
//	node 2   1·│11          line     11│11        one of the two tasks of node 1 goes to node 2
func TestSwapOnADesk(t *testing.T) {
	for _, swaps := range []bool{true, false} {
		d := farmOf(t, 6)
		do(t, d, AddSchedule{"line", Pool{Units: 1}})
		tasks := &nodes.Request{Each: nodes.Vector{1}, Within: "rack"}
		gang := do(t, d, Book{Request: Request{Shapes: []Shape{{
			{On: "farm", Units: 4, Duration: 9, Tasks: tasks, Swap: swaps}, {On: "line", Units: 1, Duration: 9},
		}}}}).Booking
		do(t, d, Advance{4})
		lost := gang.Places[0].Nodes[0].Node
		out := do(t, d, Close{On: "farm", Interval: ticks(6, 20), Servers: []int{lost}, Force: Anybody})
		require.Equal(t, []What{WasClosed, WasMoved}, happened(out.Events))
		k := of(t, d, gang.ID)
		require.Equal(t, Running, k.State)
		require.Equal(t, ticks(0, 9), k.Interval)
		require.Equal(t, ticks(4, 9), k.Places[1].Interval)
		for _, s := range gang.Places[0].Nodes {
			stays := slices.ContainsFunc(k.Places[0].Nodes, func(n nodes.Share) bool { return n.Node == s.Node && n.Tasks >= s.Tasks })
			require.True(t, stays || s.Node == lost || !swaps, "%v, and then %v", gang.Places[0], k.Places[0])
		}
		require.False(t, slices.ContainsFunc(k.Places[0].Nodes, func(n nodes.Share) bool { return n.Node == lost }))
		require.NoError(t, d.Verify())
	}
}

// A gang whose node has room for one of its two tasks moves both, and keeps its head. A gang that moves while it runs waits for no rack.
func TestSwapLeavesANodeAsAWhole(t *testing.T) {
	d := farmOf(t, 6)
	other := func(node int, units int64) Request {
		return Request{Priority: 9, Deadline: 12, Shapes: []Shape{{{On: "farm", Units: units, Duration: 12, Tasks: &nodes.Request{Each: nodes.Vector{1}, Nodes: []int{node}}}}}}
	}
	do(t, d, Book{Request: other(0, 1)})
	do(t, d, Book{Request: other(1, 2)})
	gang := &nodes.Request{Each: nodes.Vector{1}, Head: nodes.Vector{1}, Nodes: []int{2, 3}}
	k := do(t, d, Book{Request: Request{Shapes: []Shape{{{On: "farm", Units: 3, Duration: 12, Tasks: gang, Swap: true}}}}}).Booking
	to := k.Request.Clone()
	to.Shapes[0][0].Tasks.Nodes = nil
	do(t, d, Change{ID: k.ID, To: to})
	head := k.Places[0].Head
	out := do(t, d, Book{Force: Lower, Request: other(5-head, 1)})
	require.Equal(t, []What{WasBooked, HasStarted, WasMoved}, happened(out.Events)[:3])
	p := of(t, d, k.ID).Places[0]
	require.Equal(t, head, p.Head, "before: %v", k.Places[0])
	require.False(t, slices.ContainsFunc(p.Nodes, func(n nodes.Share) bool { return n.Node == 5-head }), "%v", p)

	d = farmOf(t, 6)
	do(t, d, Book{Request: Request{Priority: 9, Shapes: []Shape{{{On: "farm", Units: 4, Duration: 6, Tasks: &nodes.Request{Each: nodes.Vector{2}, Nodes: []int{1, 2, 4, 5}}}}}}})
	patient := &nodes.Request{Each: nodes.Vector{2}, Together: "rack", Patience: 20}
	k = do(t, d, Book{Request: Request{Shapes: []Shape{{{On: "farm", Units: 2, Duration: 9, Tasks: patient}}}}}).Booking
	require.Equal(t, ticks(6, 15), k.Interval, "it waits for a rack")
	do(t, d, Advance{8})
	for _, n := range []int{0, 1, 2, 4, 5} {
		if !slices.ContainsFunc(k.Places[0].Nodes, func(s nodes.Share) bool { return s.Node == n }) && n%3 > 0 {
			do(t, d, Close{On: "farm", Interval: ticks(8, 12), Servers: []int{n}})
		}
	}
	do(t, d, Close{On: "farm", Interval: ticks(8, 12), Servers: []int{k.Places[0].Nodes[0].Node}, Force: Anybody})
	moved := of(t, d, k.ID)
	require.Equal(t, bookahead.Time(8), moved.Places[0].Start, "%v, and then %v", k.Places, moved.Places)
	require.Zero(t, moved.Shapes[0][0].Tasks.Patience)
}

// A gang that runs and asks for swaps keeps all tasks on nodes that stay open, if the others find room; against a count of the room
// on each node.
func TestSwapsAgainstACount(t *testing.T) {
	const count = 6
	rng := rand.New(rand.NewPCG(44, 5))
	tally := map[string]int{}
	cases := depth.Cases(3_000)
	for range cases {
		d := farmOf(t, count)
		for range rng.IntN(6) {
			p := Part{On: "farm", Units: 1 + rng.Int64N(3), Duration: bookahead.Duration(1 + rng.IntN(12)), Tasks: &nodes.Request{Each: nodes.Vector{1 + rng.Int64N(2)}, PerNode: 1}}
			_, err := d.Do(Book{Request: Request{Priority: 5, Ready: bookahead.Time(rng.IntN(9)), Shapes: []Shape{{p}}}})
			require.NoError(t, err)
		}
		tasks := &nodes.Request{Each: nodes.Vector{1}, PerNode: rng.Int64N(3)}
		if rng.IntN(2) == 0 {
			tasks.Within = "rack"
		}
		if rng.IntN(3) == 0 {
			tasks.Head = nodes.Vector{1}
		}
		part := Part{On: "farm", Units: 1 + rng.Int64N(5), Duration: bookahead.Duration(3 + rng.IntN(8)), Tasks: tasks, Swap: true}
		made, err := d.Do(Book{Request: Request{Shapes: []Shape{{part}}}})
		if err != nil {
			continue
		}
		k, replica := made.Booking, d.Clone()
		for range 2 {
			now := max(k.Places[0].Start, d.Now()) + bookahead.Time(rng.IntN(4))
			if now >= k.End {
				break
			}
			checkApplied(t, d, replica, Advance{now})
			start := now + bookahead.Time(rng.IntN(4))
			shut := Close{On: "farm", Interval: bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(rng.IntN(6))}, Force: Lower, Priority: 1}
			for n := range count {
				if rng.IntN(4) == 0 {
					shut.Servers = append(shut.Servers, n)
				}
			}
			if shut.Servers == nil {
				continue
			}
			was := of(t, d, k.ID)
			checkApplied(t, d, replica, shut)
			k = of(t, d, k.ID)
			if len(k.Past) == len(was.Past) && k.State.Live() {
				tally["stays"]++
				break
			}
			old, kept := was.Places[0], map[int]int64{}
			free := make([]int64, count)
			for n := range free {
				free[n] = 2
				for tick := now; tick < was.End; tick++ {
					free[n] = min(free[n], 2-nodeUse(d, count, tick, k.ID)[n])
				}
			}
			lost, head := int64(0), old.Head
			bad := func(n int) bool { // closed, or overbooked by others
				own := int64(0)
				for _, s := range old.Nodes {
					if s.Node == n {
						own += s.Tasks
					}
				}
				if old.Head == n {
					own++
				}
				return free[n] < own
			}
			for _, s := range old.Nodes {
				if bad(s.Node) {
					lost += s.Tasks
				} else {
					kept[s.Node], free[s.Node] = s.Tasks, free[s.Node]-s.Tasks
				}
			}
			needHead := head >= 0 && bad(head)
			if head >= 0 && !needHead {
				free[head]--
			}
			may := func(n int) bool {
				hit := slices.ContainsFunc(old.Nodes, func(s nodes.Share) bool { return s.Node == n }) || head == n
				rack := slices.ContainsFunc(old.Nodes, func(s nodes.Share) bool { return s.Node/3 == n/3 })
				_, stays := kept[n]
				return (!hit || stays || head == n && !needHead) && (tasks.Within == "" || rack)
			}
			room := func() (sum int64) {
				for n := range free {
					if may(n) && free[n] > 0 {
						most := free[n]
						if tasks.PerNode > 0 {
							most = min(most, tasks.PerNode-kept[n])
						}
						sum += max(0, most)
					}
				}
				return sum
			}
			fits := !needHead && room() >= lost
			for n := range free {
				if needHead && may(n) && free[n] > 0 {
					free[n]--
					fits = fits || room() >= lost
					free[n]++
				}
			}
			if !fits || len(kept) == 0 {
				tally["as a whole"]++
				break
			}
			p := k.Places[0]
			require.Equal(t, bookahead.Interval{Start: now, End: was.End}, p.Interval, "%v, and then %v", old, p)
			for n, has := range kept {
				require.True(t, slices.ContainsFunc(p.Nodes, func(s nodes.Share) bool { return s.Node == n && s.Tasks >= has }), "%v, and then %v", old, p)
			}
			require.True(t, needHead || p.Head == head)
			tally["swapped"]++
			if needHead {
				tally["heads"]++
			}
		}
	}
	t.Log(tally)
	require.Greater(t, 40*tally["swapped"]+200, cases)
	require.Greater(t, 40*tally["as a whole"]+200, cases)
}
