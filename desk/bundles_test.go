package desk

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/nodes"
)

// bundledRoom returns how many tasks a part may have from a start on, in whole bundles in each rack of three nodes.
func bundledRoom(d *Desk, count int, start bookahead.Time, part *Part) (sum int64) {
	racks := make([]int64, 2)
	for n := range count {
		free := int64(2)
		for tick := start; tick < start+bookahead.Time(part.Duration); tick++ {
			use := nodeUse(d, count, tick, 0)[n]
			if use > 0 && part.Tasks.Exclusive {
				use = 2
			}
			free = min(free, max(0, 2-use))
		}
		tasks := free / part.Tasks.Each[0]
		if part.Tasks.PerNode > 0 {
			tasks = min(tasks, part.Tasks.PerNode)
		}
		racks[n/3] += tasks
	}
	size := max(1, part.Tasks.Bundle)
	for _, n := range racks {
		sum += n - n%size
	}
	return sum
}

// checkBundles checks that the live bookings have whole bundles in each rack.
func checkBundles(t *testing.T, d *Desk) {
	for k := range d.b.each() {
		if !k.State.Live() {
			continue
		}
		for i, p := range k.Places {
			tasks, racks := k.Shapes[k.Shape][i].Tasks, make([]int64, 2)
			for _, n := range p.Nodes {
				racks[n.Node/3] += n.Tasks
			}
			for _, n := range racks {
				require.Zero(t, n%max(1, tasks.Bundle), "%v: %v", k, p)
			}
		}
	}
}

// Bundles lie in one rack each, at the earliest time at which the racks have room for all, and stay whole when they give way, swap a
// node, or change.
func TestBundlesOnADesk(t *testing.T) {
	const count = 6
	rng := rand.New(rand.NewPCG(45, 6))
	tally := map[string]int{}
	for range depth.Cases(1_500) {
		d := farmOf(t, count)
		replica := d.Clone()
		for range 12 {
			tasks := &nodes.Request{Each: nodes.Vector{1 + rng.Int64N(2)}, PerNode: rng.Int64N(3), Exclusive: rng.IntN(5) == 0}
			part := Part{On: "farm", Units: 1 + rng.Int64N(3), Duration: bookahead.Duration(1 + rng.IntN(6)), Tasks: tasks, Swap: rng.IntN(2) == 0}
			if rng.IntN(3) > 0 {
				tasks.Bundle, tasks.Bundled = 1+rng.Int64N(3), "rack"
				part.Units *= tasks.Bundle
			}
			if rng.IntN(4) == 0 {
				tasks.Within = "rack"
			}
			r := Request{Priority: rng.Int64N(3), Ready: d.Now() + bookahead.Time(rng.IntN(6)), Shapes: []Shape{{part}}}
			id := BookingID(1 + rng.IntN(int(d.b.last)+1))
			switch rng.IntN(9) {
			case 0:
				checkApplied(t, d, replica, Advance{d.Now() + bookahead.Time(rng.IntN(4))})
			case 1, 2:
				start := d.Now() + bookahead.Time(rng.IntN(3))
				shut := Close{On: "farm", Interval: bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(rng.IntN(5))}, Servers: []int{rng.IntN(count)}, Force: Anybody}
				for _, e := range checkApplied(t, d, replica, shut).Events[1:] {
					k, ok := d.b.booking(e.Booking)
					if ok && e.What == WasMoved && k.State == Running && k.Shapes[0][0].Tasks.Bundle > 1 {
						tally["moved while they run"]++
					}
				}
			case 3:
				k, ok := d.b.booking(id)
				if !ok || !k.State.Live() {
					continue
				}
				to := k.Request.Clone()
				to.Shapes = to.Shapes[:1]
				p := &to.Shapes[0][0]
				p.Units += max(1, p.Tasks.Bundle) * (rng.Int64N(3) - 1)
				_, err := d.Decide(Change{ID: id, To: to})
				if err == nil {
					checkApplied(t, d, replica, Change{ID: id, To: to})
					tally["changed"]++
				}
			default:
				e, err := d.Decide(Book{Request: r})
				if err != nil {
					require.ErrorIs(t, err, bookahead.ErrUnavailable)
					if tasks.Within == "" {
						require.Less(t, bundledRoom(d, count, 1_000, &part), part.Units)
					}
					continue
				}
				start := max(r.Ready, d.Now())
				for bundledRoom(d, count, start, &part) < part.Units {
					start++
				}
				if tasks.Within == "" {
					require.Equal(t, start, e.Decision.Places[0].Start, "%+v", part.Tasks)
				}
				checkApplied(t, d, replica, Book{Request: r})
				if tasks.Bundle > 1 {
					tally["booked"]++
				}
			}
			checkBundles(t, d)
		}
	}
	t.Log(tally)
	for _, what := range []string{"moved while they run", "changed", "booked"} {
		require.Positive(t, tally[what], what)
	}
}

// A node of a bundle fails: its task goes to another node of the rack, and the other task stays. The bundle as a whole would go to
// the first rack.
//
//	rack 0   000│        rack 1   00··xx│        node 5 fails: its task goes to node 3
func TestABundleSwapsANode(t *testing.T) {
	d := farmOf(t, 9)
	others := &nodes.Request{Each: nodes.Vector{2}, Nodes: []int{0, 1, 2, 3, 4}}
	do(t, d, Book{Request: Request{Shapes: []Shape{{{On: "farm", Units: 5, Duration: 4, Tasks: others}}}}})
	tasks := &nodes.Request{Each: nodes.Vector{1}, PerNode: 1, Bundle: 2, Bundled: "rack"}
	k := do(t, d, Book{Request: Request{Shapes: []Shape{{{On: "farm", Units: 2, Duration: 9, Tasks: tasks, Swap: true}}}}}).Booking
	require.Equal(t, []nodes.Share{{Node: 5, Tasks: 1}, {Node: 6, Tasks: 1}}, k.Places[0].Nodes)
	do(t, d, Advance{4})
	do(t, d, Close{On: "farm", Interval: ticks(4, 20), Servers: []int{5}, Force: Anybody})
	require.Equal(t, []nodes.Share{{Node: 3, Tasks: 1}, {Node: 6, Tasks: 1}}, of(t, d, k.ID).Places[0].Nodes)
	do(t, d, Close{On: "farm", Interval: ticks(4, 20), Servers: []int{4, 6, 7, 8}, Force: Anybody})
	p := of(t, d, k.ID).Places[0]
	require.Equal(t, []nodes.Share{{Node: 0, Tasks: 1}, {Node: 1, Tasks: 1}}, p.Nodes, "rack 1 has one node left")
	require.NoError(t, d.Verify())

	now, _ := d.b.booking(k.ID)
	now.Shapes[0][0].Tasks.Bundle = 1
	require.ErrorContains(t, d.Verify(), "D3", "the reservation has bundles of 2")
}

// A Change to bundles asks for another place, although all else stays.
func TestAChangeToBundles(t *testing.T) {
	d := farmOf(t, 6)
	others := &nodes.Request{Each: nodes.Vector{2}, Nodes: []int{0, 1, 3, 4}}
	do(t, d, Book{Request: Request{Shapes: []Shape{{{On: "farm", Units: 4, Duration: 20, Tasks: others}}}}})
	tasks := &nodes.Request{Each: nodes.Vector{2}}
	wish := Request{Ready: 10, Deadline: 15, Shapes: []Shape{{{On: "farm", Units: 2, Duration: 5, Tasks: tasks}}}}
	k := do(t, d, Book{Request: wish}).Booking
	to := wish.Clone()
	to.Shapes[0][0].Tasks.Bundle, to.Shapes[0][0].Tasks.Bundled = 2, "rack"
	_, err := d.Do(Change{ID: k.ID, To: to})
	require.ErrorIs(t, err, bookahead.ErrUnavailable, "each rack has room for one")
}

func TestBundleRefusals(t *testing.T) {
	d := farmOf(t, 6)
	part := Part{On: "farm", Units: 4, Duration: 2, Tasks: &nodes.Request{Each: nodes.Vector{1}, Bundle: 2, Bundled: "rack"}}
	with := func(change func(p *Part)) Request {
		p := part.clone()
		change(&p)
		return Request{Shapes: []Shape{{p}}}
	}
	for why, r := range map[string]Request{
		"no multiple of Bundle, 2": with(func(p *Part) { p.Units = 3 }),
		"Bundled names no level":   with(func(p *Part) { p.Tasks.Bundled = "" }),
		"and Bundle is 0":          with(func(p *Part) { p.Tasks.Bundle = 0 }),
		"Bundle -2 is negative":    with(func(p *Part) { p.Tasks.Bundle = -2 }),
		"is no level":              with(func(p *Part) { p.Tasks.Bundled = "room" }),
	} {
		_, err := d.Do(Book{Request: r})
		require.ErrorIs(t, err, bookahead.ErrInvalid, why)
		require.ErrorContains(t, err, why)
	}
	wish := Request{Shapes: []Shape{{part}}}
	for _, err := range d.Alternatives(wish, Vary{Units: []int64{3}}, bookahead.Effort{}) {
		require.ErrorContains(t, err, "Vary.Units[0] 3 is not 1 to 4, in bundles of 2")
	}
	for k, err := range d.Alternatives(wish, Vary{Units: []int64{2}}, bookahead.Effort{}) {
		require.NoError(t, err)
		require.Equal(t, int64(4), k.Places[0].Units)
	}
}
