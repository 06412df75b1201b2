package nodes

import (
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// cells are the use of each node, resource and tick, and whether the node is closed then. They are
// added up when a reservation comes or goes, so that no answer has to be read off all reservations.
//
//	now          end of the horizon
//	│ tick 0 │ tick 1 │ ...
//	│ 2 40   │ 2 40   │          used on a node, of each resource
//	│ open   │ closed │
type cells struct {
	base bookahead.Time // of the first tick
	wide int            // resources
	used [][]int64      // by node: wide numbers for each tick
	shut [][]bool       // by node and tick
}

// ticks returns how many there are.
func (x *cells) ticks() bookahead.Time { return bookahead.Time(len(x.shut[0])) }

// at returns the amounts used of a node at a tick: nil stands for nothing.
func (x *cells) at(k int, t bookahead.Time) []int64 {
	if t < x.base || t >= x.base+x.ticks() {
		return nil
	}
	i := int(t-x.base) * x.wide
	return x.used[k][i : i+x.wide]
}

// add adds the use of a reservation, so many times, from a tick on.
func (o *oracle) add(res Reservation, from bookahead.Time, times int64) {
	x := &o.cells
	amounts := make([]int64, x.wide)
	for k := range x.used {
		if !onNode(res, k) {
			continue
		}
		for r := range amounts {
			amounts[r] = times * o.uses(res, k, r)
		}
		for t := max(from, res.Start); t < res.End; t++ {
			for r, cell := 0, x.at(k, t); r < x.wide; r++ {
				cell[r] += amounts[r]
			}
		}
	}
}

// onNode reports whether a reservation has the head or a task on a node.
func onNode(res Reservation, k int) bool {
	return res.Head == k || slices.ContainsFunc(res.Tasks, func(s Share) bool { return s.Node == k })
}

func (x *cells) clone() cells {
	c := *x
	c.used, c.shut = make([][]int64, len(x.used)), make([][]bool, len(x.shut))
	for k := range x.used {
		c.used[k], c.shut[k] = slices.Clone(x.used[k]), slices.Clone(x.shut[k])
	}
	return c
}

// pastTicks is how many ticks of the past the cells keep at most.
const pastTicks = 64

// stretch makes the cells reach from now, or a little before, to the end of the horizon, on all nodes.
func (o *oracle) stretch() {
	past := o.now - o.cells.base
	if past > pastTicks {
		for k := range o.cells.used {
			gone := min(past, o.cells.ticks())
			o.cells.used[k] = slices.Delete(o.cells.used[k], 0, int(gone)*o.cells.wide)
		}
		o.cells.base = o.now
	}
	ticks := int(o.end() - o.cells.base)
	for k := range o.c.Nodes {
		if k == len(o.cells.used) {
			o.cells.used = append(o.cells.used, nil)
		}
		more := ticks*o.cells.wide - len(o.cells.used[k])
		o.cells.used[k] = append(o.cells.used[k], make([]int64, max(0, more))...)
	}
	o.shutAgain()
}

// shutAgain finds out anew when the nodes are closed.
func (o *oracle) shutAgain() {
	ticks := len(o.cells.used[0]) / o.cells.wide
	o.cells.shut = make([][]bool, len(o.c.Nodes))
	for k := range o.c.Nodes {
		o.cells.shut[k] = slices.Repeat([]bool{k >= o.born}, ticks)
	}
	mark := func(added bool) {
		for _, c := range o.closures {
			if c.Added != added {
				continue
			}
			for _, k := range c.Servers {
				for t := max(c.Start, o.cells.base); t < min(c.End, o.cells.base+bookahead.Time(ticks)); t++ {
					o.cells.shut[k][t-o.cells.base] = !added
				}
			}
		}
	}
	mark(true)
	mark(false)
}

// book enters a reservation, and drop takes it out from now on.
func (o *oracle) book(res Reservation) {
	o.live[res.ID] = res
	o.add(res, o.now, 1)
}

func (o *oracle) drop(id bookahead.ID) bool {
	res, ok := o.live[id]
	if ok {
		delete(o.live, id)
		o.add(res, o.now, -1)
	}
	return ok
}

// row writes the free amount of each resource on a node at a tick, if the own use counts as free.
func (o *oracle) row(k int, t bookahead.Time, own Reservation, into Vector) {
	used := o.cells.at(k, t)
	open := o.open(k, t)
	back := own.ID != 0 && own.Contains(t) && onNode(own, k)
	for r := range into {
		left := int64(0)
		if open {
			left = o.c.Nodes[k][r]
		}
		if used != nil {
			left -= used[r]
		}
		into[r] = max(0, left)
		if back {
			into[r] += o.uses(own, k, r)
		}
	}
}

// block is for how many starts at once the oracle finds out whether they are possible.
const block = 32

// possible reports for so many starts from t on whether the nodes of some part hold enough tasks
// each, when all of them are asked: a start at which they do not is none. It does not read each
// window tick by tick, as the oracle does where it is possible, but doubles windows:
//
//	tasks that fit at a tick   3 2 2 4 1 5
//	for 2 ticks                2 2 2 1 1
//	for 4                      2 1 1
func (o *oracle) possible(parts [][]int, r Request, t bookahead.Time, starts int, own Reservation) []bool {
	d := int(r.Duration)
	fits := make([]int64, starts+d-1)
	enough := make([]bool, starts)
	free := make(Vector, o.cells.wide)
	for _, part := range parts {
		sum := make([]int64, starts)
		for _, k := range part {
			for i := range fits {
				o.row(k, t+bookahead.Time(i), own, free)
				if r.Exclusive && !slices.Equal(free, o.c.Nodes[k]) {
					clear(free)
				}
				fits[i] = r.share(free)
			}
			long := 1
			for ; long*2 <= d; long *= 2 {
				for i := 0; i+long < len(fits); i++ {
					fits[i] = min(fits[i], fits[i+long])
				}
			}
			for i := range sum {
				sum[i] += min(r.Tasks, fits[i], fits[i+d-long])
			}
		}
		for i, n := range sum {
			enough[i] = enough[i] || n >= r.Tasks
		}
	}
	return enough
}

// share is fit by division.
func (r Request) share(free Vector) int64 {
	n := r.Tasks
	if r.PerNode > 0 {
		n = min(n, r.PerNode)
	}
	for i, want := range r.Each {
		if want > 0 {
			n = min(n, free[i]/want)
		}
	}
	return n
}

// clone copies an oracle.
func (o *oracle) clone() *oracle {
	c := *o
	c.c, c.live, c.cells = o.c.clone(), maps.Clone(o.live), o.cells.clone()
	c.closures = slices.Clone(o.closures)
	return &c
}
