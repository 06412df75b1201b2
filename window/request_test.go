package window

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/idletree"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/nodes"
)

const officeAxis = 50 // ticks of which the table has cells

// office is a desk with a schedule of four servers, or of four nodes, and a table of the free amounts of each of them at
// each tick, after all that is booked and closed.
type office struct {
	*desk.Desk
	on     string
	farm   bool
	each   nodes.Vector
	free   [officeAxis][4]nodes.Vector
	shut   [officeAxis][4]bool
	opens  [officeAxis]bool
	within bookahead.Interval // where windows are looked for
}

var hallOf = []nodes.Vector{{2, 4}, {2, 4}, {1, 8}, {3, 3}}

// newOffice draws an office that is in use.
func newOffice(t *testing.T, rng *rand.Rand, farm bool) *office {
	d, err := desk.New(desk.Config{})
	require.NoError(t, err)
	o := &office{Desk: d, on: "lab", farm: farm, each: nodes.Vector{1}}
	kind := desk.Kind(desk.Servers{Count: 4})
	has := []nodes.Vector{{1}, {1}, {1}, {1}}
	if farm {
		kind, has = desk.Nodes{Resources: []string{"gpus", "cores"}, Nodes: hallOf}, hallOf
		o.on, o.each = "farm", nodes.Vector{rng.Int64N(3), 1 + rng.Int64N(4)}
	}
	for at := range o.free {
		o.opens[at] = true
		for k, v := range has {
			o.free[at][k] = slices.Clone(v)
		}
	}
	o.do(t, desk.AddSchedule{Name: o.on, Kind: kind})
	for range rng.IntN(7) {
		start := bookahead.Time(rng.IntN(officeAxis - 12))
		r := desk.Request{Ready: start, Deadline: start + 10, Shapes: []desk.Shape{{o.drawPart(rng)}}}
		out, err := d.Do(desk.Book{Request: r})
		if err != nil {
			require.Equal(t, bookahead.ErrUnavailable, err)
			continue
		}
		if rng.IntN(4) == 0 {
			o.do(t, desk.Cancel{ID: out.Booking.ID})
			continue
		}
		o.mark(&out.Booking, -1)
	}
	for range rng.IntN(3) {
		start, k := bookahead.Time(rng.IntN(officeAxis-10)), rng.IntN(4)
		w := span(start, start+1+bookahead.Time(rng.IntN(9)))
		o.do(t, desk.Close{On: o.on, Interval: w, Servers: []int{k}})
		for at := w.Start; at < w.End; at++ {
			o.shut[at][k] = true
		}
	}
	o.do(t, desk.Advance{Now: bookahead.Time(rng.IntN(4))})
	o.setHours(t, rng)
	start := bookahead.Time(rng.IntN(6))
	o.within = span(start, start+25+bookahead.Time(rng.IntN(18)))
	return o
}

// drawPart draws a part for others than the window's job.
func (o *office) drawPart(rng *rand.Rand) desk.Part {
	p := desk.Part{On: o.on, Units: 1 + rng.Int64N(3), Duration: 1 + bookahead.Duration(rng.IntN(9))}
	if o.farm {
		p.Tasks = &nodes.Request{Each: nodes.Vector{rng.Int64N(3), 1 + rng.Int64N(3)}}
	}
	return p
}

func (o *office) do(t *testing.T, c desk.Command) desk.Booking {
	out, err := o.Do(c)
	require.NoError(t, err)
	return out.Booking
}

// setHours draws opening hours and a notice.
func (o *office) setHours(t *testing.T, rng *rand.Rand) {
	var terms desk.Terms
	if rng.IntN(3) > 0 {
		o.opens = [officeAxis]bool{}
		for from := bookahead.Time(rng.IntN(5)); from < officeAxis-10; from++ {
			w := span(from, from+3+bookahead.Time(rng.IntN(25)))
			terms.Open = append(terms.Open, w)
			for at := w.Start; at < min(w.End, officeAxis); at++ {
				o.opens[at] = true
			}
			from = w.End + bookahead.Time(rng.IntN(4))
		}
	}
	if rng.IntN(3) == 0 {
		terms.Notice = bookahead.Duration(rng.IntN(5))
	}
	for at := range min(officeAxis, o.Now()+bookahead.Time(terms.Notice)) {
		o.opens[at] = false
	}
	o.do(t, desk.SetTerms{On: o.on, Terms: terms})
}

// mark takes the places of a booking from the cells, or gives them back.
func (o *office) mark(k *desk.Booking, sign int64) {
	for _, p := range k.Places {
		for at := p.Start; at < min(p.End, officeAxis); at++ {
			for _, server := range p.Servers {
				o.free[at][server][0] += sign
			}
			for _, share := range p.Nodes {
				for r, amount := range k.Shapes[k.Shape][0].Tasks.Each {
					o.free[at][share.Node][r] += sign * share.Tasks * amount
				}
			}
		}
	}
}

// room reports whether a node has room for a task at a tick.
func (o *office) room(k int, at bookahead.Time) bool {
	for r, amount := range o.each {
		if amount > 0 && o.free[at][k][r] < amount {
			return false
		}
	}
	return at >= o.Now() && o.opens[at] && !o.shut[at][k]
}

// cells reads the slots off the cells.
func (o *office) cells() (list []Slot) {
	w := o.within
	for at := w.Start; at < w.End; at++ {
		for k := range hallOf {
			if !o.room(k, at) || at > w.Start && o.room(k, at-1) {
				continue
			}
			s := Slot{k, span(at, at)}
			for s.End < w.End && o.room(k, s.End) {
				s.End++
			}
			list = append(list, s)
		}
	}
	return list
}

// slots reads the slots of a copy.
func (o *office) slots(t *testing.T) (list []Slot) {
	if o.farm {
		m, err := o.Machine(o.on, o.within)
		require.NoError(t, err)
		list, err = MachineSlots(m, o.each, o.within)
		require.NoError(t, err)
		return list
	}
	s, err := o.Schedule(o.on, o.within)
	require.NoError(t, err)
	list, err = Slots(s, o.within)
	require.NoError(t, err)
	return list
}

// replayed reads the slots of a schedule that was never part of the desk: all places and closures are entered one by one.
func (o *office) replayed(t *testing.T) (list []Slot) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus", "cores"}, Nodes: hallOf})
	require.NoError(t, err)
	tree, err := idletree.NewTree(4, idletree.Config{})
	require.NoError(t, err)
	for k := range o.Bookings(desk.Filter{}, bookahead.Effort{}) {
		for _, p := range k.Places {
			if o.farm {
				_, err = m.ReserveOffer(nodes.Offer{Interval: p.Interval, Tasks: p.Nodes, Head: p.Head}, *k.Shapes[0][0].Tasks)
			} else {
				_, err = tree.Reserve(bookahead.Offer{Interval: p.Interval, Units: p.Units, Servers: p.Servers}.Request())
			}
			require.NoError(t, err)
		}
	}
	require.NoError(t, m.Advance(o.Now()))
	require.NoError(t, tree.Advance(o.Now()))
	for at := o.Now(); at < officeAxis; at++ {
		for k := range hallOf {
			if o.opens[at] && !o.shut[at][k] {
				continue
			}
			c := bookahead.Closure{Interval: span(at, at+1), Servers: []int{k}}
			_, err = m.Close(c)
			require.NoError(t, err)
			_, err = tree.Close(c)
			require.NoError(t, err)
		}
	}
	if o.farm {
		list, err = MachineSlots(m, o.each, o.within)
	} else {
		list, err = Slots(tree, o.within)
	}
	require.NoError(t, err)
	return list
}

func (o *office) written(t *testing.T) []byte {
	var b bytes.Buffer
	_, err := o.WriteTo(&b)
	require.NoError(t, err)
	return b.Bytes()
}

// request returns a window as the office's desk is asked for it.
func (o *office) request(e *Environment, w Window) (desk.Request, error) {
	if o.farm {
		return e.MachineRequest(o.on, o.each, w)
	}
	return e.Request(o.on, w)
}

// one returns a request for one tick of one task of a window.
func (o *office) one(rng *rand.Rand, w Window) desk.Request {
	task := w.Tasks[rng.IntN(len(w.Tasks))]
	at := task.Start + bookahead.Time(rng.Int64N(int64(task.Len())))
	p := desk.Part{On: o.on, Units: 1, Duration: 1}
	if o.farm {
		rest := slices.Clone(o.free[at][task.Node]) // too little is left for the window's task
		p.Tasks = &nodes.Request{Each: rest, Nodes: []int{task.Node}}
	} else {
		p.Servers = []int{task.Node}
	}
	return desk.Request{Owner: "another", Ready: at, Deadline: at + 1, Shapes: []desk.Shape{{p}}}
}

// requireTasks checks that a booking has the window's nodes in the window's times, which are free in the cells, and no others.
func (o *office) requireTasks(t *testing.T, w Window, k *desk.Booking) {
	var got []Task
	for _, p := range k.Places {
		for _, server := range p.Servers {
			got = append(got, Task{Node: server, Interval: p.Interval})
		}
		for _, share := range p.Nodes {
			require.EqualValues(t, 1, share.Tasks)
			got = append(got, Task{Node: share.Node, Interval: p.Interval})
		}
	}
	slices.SortFunc(got, func(a, b Task) int { return a.Node - b.Node })
	want := slices.Clone(w.Tasks)
	for i := range want {
		want[i].Slot = 0
		for at := want[i].Start; at < want[i].End; at++ {
			require.True(t, o.room(want[i].Node, at), "node %d at %d", want[i].Node, at)
		}
	}
	require.Equal(t, want, got)
}

// The slots of a copy are those of a table of ticks, and of a schedule on which the same bookings were made. A Book of the
// best window in them books exactly the window. As long as someone else has a tick of it, the Book is refused, and
// the desk stays the same to the byte. A Cancel gives all back.
func TestWindowsAreOneBooking(t *testing.T) {
	count := map[string]int{}
	for seed := range uint64(depth.Cases(20_000)) {
		rng := rand.New(rand.NewPCG(seed, 27))
		o := newOffice(t, rng, seed%2 > 0)
		slots := o.slots(t)
		require.Equal(t, o.cells(), slots)
		require.Equal(t, slots, o.replayed(t))
		prices := make([]Node, len(hallOf))
		for k := range prices {
			prices[k] = Node{Performance: float64(1 + rng.IntN(3)), Price: float64(rng.IntN(4))}
		}
		e, err := New(prices, slots)
		require.NoError(t, err)
		j := Job{Nodes: 1 + rng.IntN(3), Volume: float64(1 + rng.IntN(12)), Budget: 100, Shape: Shape(rng.IntN(3))}
		best, err := Exact(e, j, criteria[rng.IntN(len(criteria))])
		if err != nil {
			require.Equal(t, bookahead.ErrUnavailable, err)
			count["none"]++
			continue
		}
		before := o.written(t)
		r, err := o.request(e, best.Window)
		ends := len(best.Window.requests())
		if o.farm && ends > 1 {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.ErrorContains(t, err, "Window.Tasks")
			require.Equal(t, desk.Request{}, r)
			count["refused"]++
			continue
		}
		require.NoError(t, err)
		r.Owner, r.Title = "ann", "training"
		other := o.do(t, desk.Book{Request: o.one(rng, best.Window)})
		taken := o.written(t)
		require.NotEqual(t, before, taken)
		_, err = o.Do(desk.Book{Request: r})
		require.Equal(t, bookahead.ErrUnavailable, err)
		require.Equal(t, taken, o.written(t))
		o.do(t, desk.Cancel{ID: other.ID})

		booked := o.do(t, desk.Book{Request: r})
		require.Equal(t, best.Interval, booked.Interval)
		require.Len(t, booked.Places, ends)
		o.requireTasks(t, best.Window, &booked)
		require.NoError(t, o.Verify())
		o.mark(&booked, -1)
		require.Equal(t, o.cells(), o.slots(t))
		o.do(t, desk.Cancel{ID: booked.ID})
		require.NoError(t, o.Verify())
		require.Equal(t, slots, o.slots(t))
		count[o.on]++
		if ends > 1 {
			count["rough"]++
		}
	}
	t.Log(count)
	for _, kind := range []string{"none", "lab", "farm", "rough", "refused"} {
		require.Greater(t, count[kind], int(depth.Cases(20_000))/50, kind)
	}
}

// A window has as many ends as a request has parts, and one more is refused by name. Book takes all of the parts.
func TestWindowWithManyEnds(t *testing.T) {
	count := desk.MaxParts + 1
	d, err := desk.New(desk.Config{})
	require.NoError(t, err)
	_, err = d.Do(desk.AddSchedule{Name: "lab", Kind: desk.Servers{Count: int64(count)}})
	require.NoError(t, err)
	list := make([]Node, count)
	w := Window{Interval: span(3, 4)}
	for k := range list {
		list[k].Performance = 1
		w.End = 4 + bookahead.Time(k)
		w.Tasks = append(w.Tasks, Task{Node: k, Interval: span(3, w.End)})
	}
	e, err := New(list, nil)
	require.NoError(t, err)
	_, err = e.Request("lab", w)
	require.EqualError(t, err, "bookahead: Window.Tasks 65 ends are more than the 64 parts of a desk.Request")
	w.Tasks = w.Tasks[1:]
	r, err := e.Request("lab", w)
	require.NoError(t, err)
	out, err := d.Do(desk.Book{Request: r})
	require.NoError(t, err)
	require.Len(t, out.Booking.Places, desk.MaxParts)
	require.Equal(t, w.Interval, out.Booking.Interval)
	require.NoError(t, d.Verify())
}

// Tasks that start apart keep their starts, as offsets of the parts.
func TestRequestKeepsStarts(t *testing.T) {
	e, err := New([]Node{{Performance: 1}, {Performance: 1}, {Performance: 1}}, nil)
	require.NoError(t, err)
	w := Window{Tasks: []Task{{Node: 0, Interval: span(4, 6)}, {Node: 1, Interval: span(3, 5)}, {Node: 2, Interval: span(4, 6)}}}
	r, err := e.Request("lab", w)
	require.NoError(t, err)
	require.Equal(t, desk.Request{Ready: 3, Deadline: 6, Shapes: []desk.Shape{{
		{On: "lab", Units: 2, Duration: 2, Offset: 1, Servers: []int{0, 2}}, {On: "lab", Units: 1, Duration: 2, Servers: []int{1}},
	}}}, r)
}
