package sim

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// clusterOracle simulates a cluster tick by tick, with a cell for each node, resource and tick. It
// decides at every tick, and knows no clone, no index and no event.
type clusterOracle struct {
	trial
	out   []Outcome
	state []state
	spot  [][]nodes.Share        // of gangs that are booked or run
	head  []int                  // their heads' nodes; -1 for none
	free  [][]nodes.Vector       // by node and tick, whether the node is closed or not
	order []int                  // in which gangs come in
	kept  map[int]bookahead.Time // the promised starts of batch gangs; their spots are theirs
	now   bookahead.Time
}

// clusterTicks is more than any simulation here takes.
const clusterTicks = 1500

// begun is the state of an AR gang that runs; before, it is placed.
const begun = runs

func simulateCluster(x trial) *clusterOracle {
	o := newClusterOracle(x)
	for ; slices.ContainsFunc(o.state, func(s state) bool { return s != stopped }); o.now++ {
		o.tick()
	}
	return o
}

func newClusterOracle(x trial) *clusterOracle {
	n := len(x.gangs)
	o := &clusterOracle{trial: x, kept: map[int]bookahead.Time{},
		out: make([]Outcome, n), state: make([]state, n), spot: make([][]nodes.Share, n), head: make([]int, n)}
	for _, v := range x.given {
		cells := make([]nodes.Vector, clusterTicks)
		for t := range cells {
			cells[t] = slices.Clone(v)
		}
		o.free = append(o.free, cells)
	}
	for i := range x.gangs {
		o.out[i] = Outcome{Provider: -1, Promised: Never}
		o.order = append(o.order, i)
	}
	slices.SortStableFunc(o.order, func(a, b int) int { return cmp.Compare(o.comes(a), o.comes(b)) })
	return o
}

func (o *clusterOracle) comes(i int) bookahead.Time {
	if o.gangs[i].AR {
		return o.gangs[i].Submit
	}
	return o.gangs[i].Ready
}

// shut reports whether a node is closed at a tick, as far as is known now.
func (o *clusterOracle) shut(node int, t bookahead.Time) bool {
	return slices.ContainsFunc(o.Outages, func(x Outage) bool {
		end := x.End
		if o.now >= x.over() {
			end = x.over()
		}
		return x.Known <= o.now && slices.Contains(x.Nodes, node) && x.Start <= t && t < end
	})
}

// hit reports whether a gang has a closed node between two ticks.
func (o *clusterOracle) hit(i int, from, to bookahead.Time) bool {
	for t := from; t < to; t++ {
		closed := func(s nodes.Share) bool { return o.shut(s.Node, t) }
		if slices.ContainsFunc(o.spot[i], closed) || o.head[i] >= 0 && o.shut(o.head[i], t) {
			return true
		}
	}
	return false
}

// change adds the amounts that a gang takes between two ticks to the cells, so many times.
func (o *clusterOracle) change(i int, from, to bookahead.Time, times int64) {
	for _, s := range o.spot[i] {
		for t := from; t < to; t++ {
			for r, amount := range o.gangs[i].On.Each {
				o.free[s.Node][t][r] += times * s.Tasks * amount
			}
		}
	}
	for t := from; o.head[i] >= 0 && t < to; t++ {
		for r, amount := range o.gangs[i].On.Head {
			o.free[o.head[i]][t][r] += times * amount
		}
	}
}

// room returns how many tasks of a gang a node can get at a start: beside this on the node, if it is not
// nil. It returns -1 if there is no room for that.
func (o *clusterOracle) room(i, node int, start bookahead.Time, beside nodes.Vector) int64 {
	on := o.gangs[i].On
	n := int64(1000)
	if on.PerNode > 0 {
		n = on.PerNode
	}
	if !allows(on, node) {
		return -1
	}
	for t := start; t < start+bookahead.Time(o.gangs[i].Estimate); t++ {
		if o.shut(node, t) {
			return -1
		}
		for r, amount := range on.Each {
			left := o.free[node][t][r]
			if beside != nil {
				left -= beside[r]
			}
			if left < 0 {
				return -1
			}
			if amount > 0 {
				n = min(n, left/amount)
			}
		}
	}
	return n
}

// seat finds the node for the head of a gang in a group, and takes its room: where it costs the fewest
// tasks, and of those the lowest. It returns -1 if there is none that leaves room for the tasks.
func (o *clusterOracle) seat(i int, start bookahead.Time, group []int, room map[int]int64) int {
	head, least := -1, int64(0)
	for _, k := range group {
		with := o.room(i, k, start, o.gangs[i].On.Head)
		if with < 0 {
			continue
		}
		sum := with - room[k]
		for _, n := range room {
			sum += n
		}
		if sum >= o.gangs[i].On.Tasks && (head < 0 || room[k]-with < least) {
			head, least = k, room[k]-with
		}
	}
	if head >= 0 {
		room[head] -= least
	}
	return head
}

// fits finds the nodes for a gang at a start: one for the head first, then those with the lowest
// index, of the first rack that has room if it must lie in one.
func (o *clusterOracle) fits(i int, start bookahead.Time) bool {
	groups := o.racks
	if o.gangs[i].On.Within == "" {
		all := []int{}
		for k := range o.given {
			all = append(all, k)
		}
		groups = [][]int{all}
	}
	for _, group := range groups {
		left, head := o.gangs[i].On.Tasks, -1
		room := map[int]int64{}
		for _, k := range group {
			room[k] = max(0, o.room(i, k, start, nil))
		}
		if o.gangs[i].On.Head != nil {
			head = o.seat(i, start, group, room)
			if head < 0 {
				continue
			}
		}
		var spot []nodes.Share
		for _, k := range group {
			n := min(left, room[k])
			if n > 0 {
				spot = append(spot, nodes.Share{Node: k, Tasks: n})
				left -= n
			}
		}
		if left == 0 {
			o.spot[i], o.head[i] = spot, head
			return true
		}
	}
	return false
}

// place books a gang at the first start between two, and reports whether there is one.
func (o *clusterOracle) place(i int, first, last bookahead.Time) (bookahead.Time, bool) {
	for t := first; t <= last; t++ {
		if o.fits(i, t) {
			o.change(i, t, t+bookahead.Time(o.gangs[i].Estimate), -1)
			return t, true
		}
	}
	return 0, false
}

func (o *clusterOracle) end(i int) bookahead.Time {
	return o.out[i].Start + bookahead.Time(o.gangs[i].Estimate)
}

func (o *clusterOracle) tick() {
	for i := range o.gangs {
		if o.state[i] == begun && o.out[i].End == o.now {
			o.state[i] = stopped
			o.change(i, o.now, o.end(i), 1)
		}
	}
	var out []int
	for _, i := range o.order {
		ahead := o.state[i] == placed && o.hit(i, o.out[i].Start, o.end(i))
		running := o.state[i] == begun && o.hit(i, o.now, o.now+1)
		if !ahead && !running {
			continue
		}
		o.change(i, max(o.now, o.out[i].Start), o.end(i), 1)
		o.out[i].Displaced++
		if o.gangs[i].AR {
			out = append(out, i)
			continue
		}
		o.state[i] = waits
		o.out[i].Provider, o.out[i].Start, o.out[i].End = -1, 0, 0
	}
	for _, i := range out {
		o.book(i, o.out[i].Start)
	}
	for _, i := range o.order {
		if o.comes(i) != o.now {
			continue
		}
		if !o.gangs[i].AR {
			o.state[i] = waits
			if !o.everFits(i) {
				o.state[i], o.out[i].Rejected = stopped, true
			}
			continue
		}
		o.book(i, o.gangs[i].Ready)
		if o.state[i] == placed {
			o.out[i].Promised = o.out[i].Start
		}
	}
	for i := range o.gangs {
		if o.state[i] == placed && o.out[i].Start == o.now {
			o.state[i] = begun
		}
	}
	o.decide()
}

// everFits looks at a cluster on which nothing is booked.
func (o *clusterOracle) everFits(i int) bool {
	x := *o
	x.Outages, x.spot, x.head = nil, make([][]nodes.Share, len(o.gangs)), make([]int, len(o.gangs))
	x.free = nil
	for _, v := range o.given {
		x.free = append(x.free, slices.Repeat([]nodes.Vector{v}, clusterTicks))
	}
	return x.fits(i, 0)
}

// book places an AR gang, or rejects it.
func (o *clusterOracle) book(i int, from bookahead.Time) {
	g := &o.gangs[i]
	from = max(from, o.now)
	last := bookahead.Time(clusterTicks - 100)
	if g.Due != 0 {
		last = g.Due - bookahead.Time(g.Estimate)
	}
	if from <= last {
		o.out[i].Attempts++
	}
	start, ok := o.place(i, from, last)
	if !ok {
		o.state[i] = stopped
		o.out[i].Rejected, o.out[i].Provider, o.out[i].Start, o.out[i].End = true, -1, 0, 0
		return
	}
	o.state[i] = placed
	o.out[i].Provider, o.out[i].Start, o.out[i].End = 0, start, start+bookahead.Time(g.Run)
}

// queue returns the batch gangs that wait, in turn.
func (o *clusterOracle) queue() (queue []int) {
	for _, i := range o.order {
		if o.state[i] == waits {
			queue = append(queue, i)
		}
	}
	slices.SortStableFunc(queue, func(a, b int) int { return cmp.Compare(o.key(&o.gangs[a].Task, 0), o.key(&o.gangs[b].Task, 0)) })
	return queue
}

// whole returns the end of a gang's estimate.
func (o *clusterOracle) whole(i int, start bookahead.Time) bookahead.Time {
	return start + bookahead.Time(o.gangs[i].Estimate)
}

// stays reports whether a gang has room on its spot.
func (o *clusterOracle) stays(i int, start bookahead.Time) bool {
	on := o.gangs[i].On
	tasks := map[int]int64{}
	for _, s := range o.spot[i] {
		tasks[s.Node] = s.Tasks
	}
	if o.head[i] >= 0 {
		tasks[o.head[i]] += 0
	}
	for k, n := range tasks {
		for t := start; t < o.whole(i, start); t++ {
			for r := range on.Each {
				wants := n * on.Each[r]
				if k == o.head[i] {
					wants += on.Head[r]
				}
				if o.shut(k, t) || wants > o.free[k][t][r] {
					return false
				}
			}
		}
	}
	return true
}

// renew puts the promises back onto the cells, by start. Those in whose way others are get new ones, in turn.
func (o *clusterOracle) renew() {
	list := o.queue()
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(o.kept[a], o.kept[b]) })
	var out []int
	for _, i := range list {
		start, ok := o.kept[i]
		switch {
		case !ok:
		case o.stays(i, start):
			o.change(i, start, o.whole(i, start), -1)
		default:
			out = append(out, i)
			delete(o.kept, i)
		}
	}
	for _, i := range o.queue() {
		if slices.Contains(out, i) {
			o.promise(i)
		}
	}
}

// promise keeps the earliest place for a gang, if there is one.
func (o *clusterOracle) promise(i int) {
	start, ok := o.place(i, o.now, clusterTicks-100)
	if ok {
		o.kept[i] = start
	}
}

// start starts a gang that is on the cells.
func (o *clusterOracle) start(i int) {
	delete(o.kept, i)
	o.state[i] = begun
	o.out[i].Provider, o.out[i].Start, o.out[i].End = 0, o.now, o.now+bookahead.Time(o.gangs[i].Run)
}

// decide goes through the queue until nothing changes. Between two ticks, promises are not on the cells, so that
// reservations do not go around them.
func (o *clusterOracle) decide() {
	o.renew()
	for _, i := range o.queue() {
		if at, ok := o.kept[i]; ok && at == o.now {
			o.start(i)
		}
	}
	for o.round() {
	}
	for i, start := range o.kept {
		if o.out[i].Promised == Never {
			o.out[i].Promised = start
		}
		o.change(i, start, o.whole(i, start), 1)
	}
}

// round goes through the queue once, and reports whether a promise has become earlier.
func (o *clusterOracle) round() (moved bool) {
	most, overtake := promises(o.Local.Backfill)
	waiting := 0
	for _, i := range o.queue() {
		old, ok := o.kept[i]
		switch {
		case ok:
			o.change(i, old, o.whole(i, old), 1)
			spot, head := o.spot[i], o.head[i]
			start, found := o.place(i, o.now, old-1)
			if !found {
				start, o.spot[i], o.head[i] = old, spot, head
				o.change(i, old, o.whole(i, old), -1)
			}
			o.kept[i] = start
			moved = moved || found
		case waiting < most:
			o.promise(i)
		default:
			if start, ok := o.place(i, o.now, o.now); ok {
				o.kept[i] = start
			}
		}
		if at, ok := o.kept[i]; ok && at == o.now {
			o.start(i)
			continue
		}
		if !overtake {
			return false
		}
		waiting++
	}
	return moved
}
